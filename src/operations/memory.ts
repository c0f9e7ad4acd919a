/** What is remembered is told in sessions and facts, joined, corrected and weighed. */

import { defineOperation } from './operation.js'
import { AUTHOR, CURSOR, ID, IDS, LIMIT, NAMESPACE, NAMESPACES, NOTE } from './options.js'

const SESSION = { help: 'the session: its id or its name', value: 'id' }
const FACT = { help: 'the fact: its id, or a beginning of it', value: 'id' }
const AMOUNT = {
  help: 'how much, as a share of what is left to 1',
  value: '0..1',
  unset: '0.1',
}

export const SESSION_OPERATIONS = [
  defineOperation({
    name: 'session.start',
    summary: 'begin a session',
    effect: 'writes',
    schema: async () => (await import('../schemas/memory-requests.js')).sessionInput,
    options: {
      id: { help: 'a name of your own', value: 'name', unset: 'an id is made' },
      title: { help: 'what it is about', value: 'text' },
      namespace: NAMESPACE,
      startedAt: { help: 'when it began', value: 'moment', unset: 'now' },
      metadata: { help: 'anything else worth keeping, by name', value: 'key=value' },
      attached: { help: 'it ends when this process dies' },
    },
    examples: [{ id: 'standup', title: 'Planning' }, {}],
    run: (cairn, input) => cairn.sessions.start(input),
  }),
  defineOperation({
    name: 'session.end',
    summary: 'end a session and keep a summary of it',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).sessionEndRequest,
    options: {
      id: SESSION,
      summary: { help: 'what was said', value: 'text', unset: 'its own most salient sentences' },
    },
    examples: [{ id: 'standup', summary: 'We release on Thursdays from now on.' }],
    run: (cairn, { id, ...input }) => cairn.sessions.end(id, input),
  }),
  defineOperation({
    name: 'session.summarise',
    summary: 'give a session another summary',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).summariseRequest,
    options: {
      id: SESSION,
      summary: { help: 'what was said', value: 'text', unset: 'its own most salient sentences' },
    },
    examples: [{ id: 'standup' }, { id: 'standup', summary: 'The cache was the culprit.' }],
    run: (cairn, { id, summary }) => cairn.sessions.summarise(id, summary),
  }),
  defineOperation({
    name: 'session.list',
    summary: 'list sessions, newest first',
    effect: 'reads',
    schema: async () => (await import('../schemas/memory-requests.js')).sessionListRequest,
    options: {
      state: { help: 'only those in this state', value: 'state' },
      namespaces: NAMESPACES,
      limit: LIMIT,
      cursor: CURSOR,
    },
    examples: [{ state: 'open' }],
    run: (cairn, input) => cairn.sessions.list(input),
  }),
  defineOperation({
    name: 'session.show',
    summary: 'show a session and every record it touched',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).oneId,
    options: { id: SESSION },
    examples: [{ id: 'standup' }],
    run: (cairn, { id }) => cairn.sessions.show(id),
  }),
]

export const FACT_OPERATIONS = [
  defineOperation({
    name: 'fact.add',
    summary: 'state a fact of a record',
    effect: 'writes',
    schema: async () => (await import('../schemas/memory-requests.js')).factInput,
    options: {
      record: ID,
      subject: { help: 'what it is about', value: 'text' },
      predicate: { help: 'how the two are related', value: 'text' },
      object: { help: 'what is said of it', value: 'text' },
      type: { help: 'what kind of fact', value: 'type' },
      confidence: { help: 'how sure it is', value: '0..1' },
      quote: { help: 'the sentence it was taken from', value: 'text' },
    },
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
    run: (cairn, input) => cairn.facts.add(input),
  }),
  defineOperation({
    name: 'fact.list',
    summary: 'list facts, newest first, with what contradicts them',
    effect: 'reads',
    schema: async () => (await import('../schemas/memory-requests.js')).factListRequest,
    options: {
      records: { help: 'only of these records', value: 'id' },
      types: { help: 'only of these types', value: 'type' },
      about: { help: 'has this in its subject, predicate or object', value: 'text' },
      contradictions: { help: 'only facts that contradict one another' },
      minConfidence: { help: 'is believed at least so much now', value: '0..1' },
      namespaces: NAMESPACES,
      limit: LIMIT,
    },
    examples: [{ about: 'Priya' }, { contradictions: true, minConfidence: 0.3 }],
    run: (cairn, input) => cairn.facts.list(input),
  }),
  defineOperation({
    name: 'fact.reinforce',
    summary: 'make a fact more certain',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).factStrengthRequest,
    options: { id: FACT, amount: AMOUNT },
    examples: [{ id: '01K9ZQ5C', amount: 0.3 }],
    run: (cairn, { id, amount }) => cairn.facts.reinforce(id, amount),
  }),
  defineOperation({
    name: 'fact.remove',
    summary: 'end a fact; of the past it stays true',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).oneId,
    options: { id: FACT },
    examples: [{ id: '01K9ZQ5C' }],
    run: (cairn, { id }) => cairn.facts.remove(id),
  }),
]

export const LINK_OPERATIONS = [
  defineOperation({
    name: 'supersede',
    summary: 'put a newer record in the place of an older one',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).supersedeRequest,
    options: {
      older: { help: 'the record that no longer holds', value: 'id' },
      newer: { help: 'the record that takes its place', value: 'id' },
      note: NOTE,
      author: AUTHOR,
    },
    examples: [{ older: '01K9ZQ3F', newer: '01K9ZQ4B', note: 'moved to Thursdays' }],
    run: (cairn, { older, newer, ...input }) => cairn.supersede(older, newer, input),
  }),
  defineOperation({
    name: 'link',
    summary: 'join two records by a typed link',
    effect: 'writes',
    schema: async () => (await import('../schemas/memory-requests.js')).linkInput,
    options: {
      from: { help: 'the record it goes out from', value: 'id' },
      to: { help: 'the record it leads to', value: 'id' },
      type: {
        help: 'RELATED_TO, CONTRADICTS, DEPENDS_ON, CITES, PART_OF or a word of your own',
        value: 'TYPE',
      },
      note: NOTE,
      author: AUTHOR,
    },
    examples: [{ from: '01K9ZQ3F', to: '01K9ZQ4B', type: 'DEPENDS_ON', note: 'needs the pooler' }],
    run: (cairn, input) => cairn.links.add(input),
  }),
  defineOperation({
    name: 'unlink',
    summary: 'take links away; what one superseded is valid again',
    effect: 'writes',
    schema: async () => (await import('../schemas/memory-requests.js')).unlinkInput,
    options: {
      from: { help: 'the record it goes out from', value: 'id' },
      to: { help: 'the record it leads to', value: 'id' },
      type: { help: 'only links of this type', value: 'TYPE', unset: 'all' },
    },
    examples: [
      { from: '01K9ZQ3F', to: '01K9ZQ4B', type: 'DEPENDS_ON' },
      { from: '01K9ZQ4B', to: '01K9ZQ3F', type: 'SUPERSEDES' },
    ],
    run: async (cairn, input) => ({ unlinked: await cairn.links.remove(input) }),
  }),
  defineOperation({
    name: 'links',
    summary: 'show what a record is linked with, both ways',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).oneId,
    options: { id: ID },
    examples: [{ id: '01K9ZQ3F' }],
    run: (cairn, { id }) => cairn.links.of(id),
  }),
]

export const TRACE_OPERATIONS = [
  defineOperation({
    name: 'reinforce',
    summary: 'make records more salient',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).strengthenRequest,
    options: {
      ids: IDS,
      amount: AMOUNT,
      session: { help: 'the session in which it is done', value: 'id' },
    },
    examples: [{ ids: ['01K9ZQ3F'], session: 'standup' }],
    run: (cairn, { ids, ...input }) => cairn.reinforce(ids, input),
  }),
  defineOperation({
    name: 'deemphasize',
    summary: 'make records less salient',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).strengthenRequest,
    options: {
      ids: IDS,
      amount: { ...AMOUNT, help: 'how much; 0.05 is always left' },
      session: { help: 'the session in which it is done', value: 'id' },
    },
    examples: [{ ids: ['01K9ZQ3F'], amount: 0.3 }],
    run: (cairn, { ids, ...input }) => cairn.deemphasize(ids, input),
  }),
  defineOperation({
    name: 'why',
    summary: 'tell where a record came from, who recalled it and what corrected it',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).oneId,
    options: { id: ID },
    examples: [{ id: '01K9ZQ3F' }],
    run: (cairn, { id }) => cairn.why(id),
  }),
  defineOperation({
    name: 'replay',
    summary: 'run recalled searches again and show what moved',
    effect: 'reads',
    schema: async () => (await import('../schemas/memory-requests.js')).replayRequest,
    options: {
      session: { help: 'only searches of this session', value: 'id', unset: 'all' },
      limit: LIMIT,
    },
    examples: [{ session: 'standup' }],
    run: (cairn, input) => cairn.replay(input),
  }),
]
