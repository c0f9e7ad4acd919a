/** Promise: the commands about what is remembered: sessions, facts, corrections, links, and why. */

import { FACT_TYPES } from '../../../core/fact.js'
import { SESSION_STATES } from '../../../core/session.js'
import type { Command, Flag } from '../command.js'
import {
  AMOUNT,
  AUTHOR,
  CURSOR,
  FILE_FLAGS,
  limitFlag,
  NAMESPACE,
  NAMESPACES,
  NOTE,
} from '../flags.js'

const FACT_TYPE: Flag = {
  type: 'text',
  value: 'type',
  help: FACT_TYPES.join(' | '),
  choices: FACT_TYPES,
}

const SESSION_COMMANDS: readonly Command[] = [
  {
    name: 'session start',
    summary: 'begin a session and print its id',
    usage: 'session start [options]',
    examples: ['S=$(cairn session start --title "Planning")', 'cairn session start --name standup'],
    flags: {
      name: { type: 'text', value: 'name', help: 'a name of your own', default: 'an id is made' },
      title: { type: 'text', value: 'text', help: 'what it is about' },
      namespace: NAMESPACE,
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/session.js')).runSessionStart,
  },
  {
    name: 'session end',
    summary: 'end a session and keep a summary of it',
    usage: 'session end ID [options]',
    examples: [
      'cairn session end standup --summary "We release on Thursdays from now on."',
      'cairn session end standup',
    ],
    flags: {
      summary: {
        type: 'text',
        value: 'text',
        help: 'what was said; `-` is standard input',
        default: 'its own most salient sentences',
      },
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/session.js')).runSessionEnd,
  },
  {
    name: 'session summarise',
    summary: 'give a session another summary',
    usage: 'session summarise ID [TEXT] [options]',
    examples: [
      'cairn session summarise standup',
      'cairn session summarise standup "The cache was the culprit."',
    ],
    flags: { ...FILE_FLAGS },
    maxWords: 2,
    load: async () => (await import('../commands/session.js')).runSessionSummarise,
  },
  {
    name: 'session list',
    summary: 'list sessions, newest first',
    usage: 'session list [options]',
    examples: ['cairn session list --state open', 'cairn session list --namespace team'],
    flags: {
      state: {
        type: 'text',
        value: 'state',
        help: SESSION_STATES.join(' | '),
        choices: SESSION_STATES,
      },
      namespace: NAMESPACES,
      limit: limitFlag('sessions', 20),
      cursor: CURSOR,
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/session.js')).runSessionList,
  },
  {
    name: 'session show',
    summary: 'show a session and every record it touched',
    usage: 'session show ID [options]',
    examples: ['cairn session show standup'],
    flags: { ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/session.js')).runSessionShow,
  },
]

const FACT_COMMANDS: readonly Command[] = [
  {
    name: 'fact add',
    summary: 'state a fact of a record',
    usage: 'fact add RECORD SUBJECT PREDICATE OBJECT [options]',
    examples: ['cairn fact add 01K9ZQ3F Priya prefers tabs --type preference --confidence 0.9'],
    flags: {
      type: { ...FACT_TYPE, default: 'kv' },
      confidence: { type: 'number', value: '0..1', help: 'how sure it is', default: '1' },
      quote: { type: 'text', value: 'text', help: 'the sentence it was taken from' },
      ...FILE_FLAGS,
    },
    maxWords: 4,
    load: async () => (await import('../commands/fact.js')).runFactAdd,
  },
  {
    name: 'fact list',
    summary: 'list facts, newest first, with what contradicts them',
    usage: 'fact list [options]',
    examples: [
      'cairn fact list --about Priya',
      'cairn fact list --contradictions --min-confidence 0.3',
    ],
    flags: {
      record: { type: 'list', value: 'id', help: 'only of this record; repeatable' },
      type: { ...FACT_TYPE, type: 'list', help: `${FACT_TYPE.help}; repeatable` },
      about: { type: 'text', value: 'text', help: 'has this in its subject, predicate or object' },
      contradictions: { type: 'switch', help: 'only facts that contradict one another' },
      'min-confidence': {
        type: 'number',
        value: '0..1',
        help: 'is believed at least so much now',
        default: '0',
      },
      namespace: NAMESPACES,
      limit: limitFlag('facts', 100),
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/fact.js')).runFactList,
  },
  {
    name: 'fact reinforce',
    summary: 'make a fact more certain',
    usage: 'fact reinforce ID [options]',
    examples: ['cairn fact reinforce 01K9ZQ5C --amount 0.3'],
    flags: { amount: AMOUNT, ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/fact.js')).runFactReinforce,
  },
  {
    name: 'fact remove',
    summary: 'end a fact; of the past it stays true',
    usage: 'fact remove ID [options]',
    examples: ['cairn fact remove 01K9ZQ5C'],
    flags: { ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/fact.js')).runFactRemove,
  },
]

const LINK_COMMANDS: readonly Command[] = [
  {
    name: 'supersede',
    summary: 'put a newer record in the place of an older one',
    usage: 'supersede OLD NEW [options]',
    examples: ['cairn supersede 01K9ZQ3F 01K9ZQ4B --note "moved to Thursdays" --author Priya'],
    flags: { note: NOTE, author: AUTHOR, ...FILE_FLAGS },
    maxWords: 2,
    load: async () => (await import('../commands/links.js')).runSupersede,
  },
  {
    name: 'link',
    summary: 'join two records by a typed link',
    usage: 'link FROM TO [options]',
    examples: ['cairn link 01K9ZQ3F 01K9ZQ4B --type DEPENDS_ON --note "needs the new pooler"'],
    flags: {
      type: {
        type: 'text',
        value: 'TYPE',
        help: 'RELATED_TO, CONTRADICTS, DEPENDS_ON, CITES, PART_OF or a word of your own',
        default: 'RELATED_TO',
      },
      note: NOTE,
      author: AUTHOR,
      ...FILE_FLAGS,
    },
    maxWords: 2,
    load: async () => (await import('../commands/links.js')).runLink,
  },
  {
    name: 'unlink',
    summary: 'take links away; what one superseded is valid again',
    usage: 'unlink FROM TO [options]',
    examples: [
      'cairn unlink 01K9ZQ3F 01K9ZQ4B --type DEPENDS_ON',
      'cairn unlink 01K9ZQ4B 01K9ZQ3F --type SUPERSEDES',
    ],
    flags: {
      type: { type: 'text', value: 'TYPE', help: 'only links of this type', default: 'all' },
      ...FILE_FLAGS,
    },
    maxWords: 2,
    load: async () => (await import('../commands/links.js')).runUnlink,
  },
  {
    name: 'links',
    summary: 'show what a record is linked with, both ways',
    usage: 'links ID [options]',
    examples: ['cairn links 01K9ZQ3F'],
    flags: { ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/links.js')).runLinks,
  },
]

const TRACE_COMMANDS: readonly Command[] = [
  {
    name: 'reinforce',
    summary: 'make records more salient',
    usage: 'reinforce ID… [options]',
    examples: ['cairn reinforce 01K9ZQ3F --session standup'],
    flags: {
      amount: AMOUNT,
      session: { type: 'text', value: 'id', help: 'the session in which it is done' },
      ...FILE_FLAGS,
    },
    maxWords: null,
    load: async () => (await import('../commands/strength.js')).runReinforce,
  },
  {
    name: 'deemphasize',
    summary: 'make records less salient',
    usage: 'deemphasize ID… [options]',
    examples: ['cairn deemphasize 01K9ZQ3F --amount 0.3'],
    flags: { amount: { ...AMOUNT, help: 'how much; 0.05 is always left' }, ...FILE_FLAGS },
    maxWords: null,
    load: async () => (await import('../commands/strength.js')).runDeemphasize,
  },
  {
    name: 'why',
    summary: 'tell where a record came from, who recalled it and what corrected it',
    usage: 'why ID [options]',
    examples: ['cairn why 01K9ZQ3F'],
    flags: { ...FILE_FLAGS },
    maxWords: 1,
    load: async () => (await import('../commands/provenance.js')).runWhy,
  },
  {
    name: 'replay',
    summary: 'run recalled searches again and show what moved',
    usage: 'replay [options]',
    examples: ['cairn replay --session standup'],
    flags: {
      session: { type: 'text', value: 'id', help: 'only searches of this session', default: 'all' },
      limit: limitFlag('searches, the latest', 20),
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/provenance.js')).runReplay,
  },
]

export const MEMORY_COMMANDS: readonly Command[] = [
  ...SESSION_COMMANDS,
  ...FACT_COMMANDS,
  ...LINK_COMMANDS,
  ...TRACE_COMMANDS,
]
