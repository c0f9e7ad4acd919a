/** The operations on sessions, facts, links, salience and provenance. */

import * as requests from '../schemas/memory-requests.js'
import { oneRecord } from '../schemas/record-requests.js'
import { reads, writes } from './operation.js'

export const MEMORY_OPERATIONS = {
  'session.start': writes('start a session', {
    schema: requests.sessionInput,
    examples: [{ id: 'standup', title: 'Planning' }, {}],
    method: (cairn, input) => cairn.sessions.start(input),
  }),
  'session.end': writes('end a session and store a summary of it', {
    schema: requests.sessionEndRequest,
    examples: [{ id: 'standup', summary: 'We release on Thursdays from now on.' }],
    run: (cairn, { id, ...input }) => cairn.sessions.end(id, input),
  }),
  'session.summarise': writes('replace the summary of a session', {
    schema: requests.sessionEndRequest,
    examples: [{ id: 'standup' }, { id: 'standup', summary: 'The cache was the culprit.' }],
    run: (cairn, { id, summary }) => cairn.sessions.summarise(id, summary),
  }),
  'session.list': reads('list sessions, newest first', {
    schema: requests.sessionListRequest,
    examples: [{ state: 'open' }],
    method: (cairn, input) => cairn.sessions.list(input),
  }),
  'session.show': reads('show a session and every record it touched', {
    schema: requests.oneSession,
    examples: [{ id: 'standup' }],
    run: (cairn, { id }) => cairn.sessions.show(id),
  }),
  'fact.add': writes('add a fact to a record', {
    schema: requests.factInput,
    examples: [
      {
        record: '01K9ZQ3F',
        subject: 'Priya',
        predicate: 'prefers',
        object: 'tabs',
        type: 'preference',
        confidence: 0.9,
      },
    ],
    method: (cairn, input) => cairn.facts.add(input),
  }),
  'fact.list': reads('list facts, newest first, and the facts that contradict them', {
    schema: requests.factListRequest,
    examples: [{ about: 'Priya' }, { contradictions: true, minConfidence: 0.3 }],
    method: (cairn, input) => cairn.facts.list(input),
  }),
  'fact.reinforce': writes('make a fact more certain', {
    schema: requests.factStrengthRequest,
    examples: [{ id: '01K9ZQ5C', amount: 0.3 }],
    run: (cairn, { id, amount }) => cairn.facts.reinforce(id, amount),
  }),
  'fact.remove': writes('end a fact; searches as of an earlier time still see it', {
    schema: requests.oneFact,
    examples: [{ id: '01K9ZQ5C' }],
    run: (cairn, { id }) => cairn.facts.remove(id),
  }),
  supersede: writes('replace an older record by a newer one', {
    schema: requests.supersedeRequest,
    examples: [{ older: '01K9ZQ3F', newer: '01K9ZQ4B', note: 'moved to Thursdays' }],
    run: (cairn, { older, newer, ...input }) => cairn.supersede(older, newer, input),
  }),
  link: writes('link two records, with a type', {
    schema: requests.linkInput,
    examples: [{ from: '01K9ZQ3F', to: '01K9ZQ4B', type: 'DEPENDS_ON', note: 'needs the pooler' }],
    method: (cairn, input) => cairn.links.add(input),
  }),
  unlink: writes('remove links; a record that was superseded is valid again', {
    schema: requests.unlinkInput,
    examples: [
      { from: '01K9ZQ3F', to: '01K9ZQ4B', type: 'DEPENDS_ON' },
      { from: '01K9ZQ4B', to: '01K9ZQ3F', type: 'SUPERSEDES' },
    ],
    method: async (cairn, input) => ({ unlinked: await cairn.links.remove(input) }),
  }),
  links: reads('show the links of a record, both ways', {
    schema: oneRecord,
    examples: [{ id: '01K9ZQ3F' }],
    run: (cairn, { id }) => cairn.links.of(id),
  }),
  reinforce: writes('make records more salient', {
    schema: requests.reinforceRequest,
    examples: [{ ids: ['01K9ZQ3F'], session: 'standup' }],
    run: (cairn, { ids, ...input }) => cairn.reinforce(ids, input),
  }),
  deemphasize: writes('make records less salient', {
    schema: requests.deemphasizeRequest,
    examples: [{ ids: ['01K9ZQ3F'], amount: 0.3 }],
    run: (cairn, { ids, ...input }) => cairn.deemphasize(ids, input),
  }),
  why: reads('show where a record came from, who recalled it and what corrected it', {
    schema: oneRecord,
    examples: [{ id: '01K9ZQ3F' }],
    run: (cairn, { id }) => cairn.why(id),
  }),
  log: reads('show who wrote, purged or exported records, newest first', {
    schema: requests.logRequest,
    examples: [{}, { author: 'ada', since: '7d' }],
    method: (cairn, input) => cairn.log(input),
  }),
  briefing: reads('show decisions, deadlines, corrections and recently used records', {
    schema: requests.briefingRequest,
    examples: [{}, { budget: 500 }],
    method: (cairn, input) => cairn.briefing(input),
  }),
  replay: reads('repeat recorded searches and show which ranks changed', {
    schema: requests.replayRequest,
    examples: [{ session: 'standup' }],
    method: (cairn, input) => cairn.replay(input),
  }),
}
