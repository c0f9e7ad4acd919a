/** The commands on sessions, facts, links, salience and provenance. */

import type { Command, Missing } from '../command.js'
import { operationCommand } from '../operation-command.js'
import { RECORD, RECORDS } from './records.js'

const SESSION = {
  key: 'id',
  name: 'ID',
  missing: ['Which session? Give its id.', '`cairn session list` shows the sessions.'],
} as const
const FACT = {
  key: 'id',
  name: 'ID',
  missing: ['Which fact? Give its id.', '`cairn fact list` shows the ids.'],
} as const
const SUMMARY = 'a summary; `-` is standard input'
const WHOLE_FACT: Missing = [
  'A fact is a record, a subject, a predicate and an object.',
  'As in `cairn fact add ID Priya prefers tabs`.',
]
const LIST = '`cairn list` shows the ids.'
const TWO_RECORDS: Missing = ['Give two ids: the older record, then the newer one.', LIST]
const TWO_ENDS: Missing = ['Give two ids: from where, then to where.', LIST]
const ENDS = [
  { key: 'from', name: 'FROM', missing: TWO_ENDS },
  { key: 'to', name: 'TO', missing: TWO_ENDS },
] as const

export const MEMORY_COMMANDS: readonly Command[] = [
  operationCommand('session.start', {
    flags: { id: { name: {} } },
    without: { attached: 'the process of a command ends as soon as it has printed the id' },
    examples: ['S=$(cairn session start --title "Planning")'],
    seeAlso: ['add', 'session end', 'session list'],
    creates: true,
    show: async () => (await import('../commands/memory.js')).showStarted,
  }),
  operationCommand('session.end', {
    positionals: [SESSION],
    flags: { summary: { summary: { help: SUMMARY } } },
    seeAlso: ['session summarise', 'session show'],
    steps: async () => (await import('../commands/memory.js')).SUMMARY,
  }),
  operationCommand('session.summarise', {
    positionals: [SESSION, { key: 'summary', name: 'TEXT', help: SUMMARY }],
    seeAlso: ['session end', 'session show'],
    steps: async () => (await import('../commands/memory.js')).SUMMARY,
  }),
  operationCommand('session.list', {
    seeAlso: ['session show'],
    show: async () => (await import('../commands/memory.js')).showSessions,
  }),
  operationCommand('session.show', {
    positionals: [SESSION],
    seeAlso: ['replay', 'timeline'],
    show: async () => (await import('../commands/memory.js')).showSession,
  }),
  operationCommand('fact.add', {
    positionals: [
      { key: 'record', name: 'RECORD', missing: WHOLE_FACT },
      { key: 'subject', name: 'SUBJECT', missing: WHOLE_FACT },
      { key: 'predicate', name: 'PREDICATE', missing: WHOLE_FACT },
      { key: 'object', name: 'OBJECT', missing: WHOLE_FACT },
    ],
    seeAlso: ['fact list', 'add'],
    show: async () => (await import('../commands/memory.js')).showFact,
  }),
  operationCommand('fact.list', {
    seeAlso: ['fact add', 'fact remove'],
    show: async () => (await import('../commands/memory.js')).showFacts,
  }),
  operationCommand('fact.reinforce', {
    positionals: [FACT],
    seeAlso: ['fact list', 'reinforce'],
    show: async () => (await import('../commands/memory.js')).showFact,
  }),
  operationCommand('fact.remove', {
    positionals: [FACT],
    seeAlso: ['fact list'],
    show: async () => (await import('../commands/memory.js')).showEndedFact,
  }),
  operationCommand('supersede', {
    positionals: [
      { key: 'older', name: 'OLD', missing: TWO_RECORDS },
      { key: 'newer', name: 'NEW', missing: TWO_RECORDS },
    ],
    seeAlso: ['edit', 'unlink', 'why'],
    show: async () => (await import('../commands/memory.js')).showSuperseded,
  }),
  operationCommand('link', {
    positionals: ENDS,
    seeAlso: ['links', 'unlink', 'supersede'],
    show: async () => (await import('../commands/memory.js')).showLinked,
  }),
  operationCommand('unlink', {
    positionals: ENDS,
    seeAlso: ['link', 'links'],
    show: async () => (await import('../commands/memory.js')).showUnlinked,
  }),
  operationCommand('links', {
    positionals: [RECORD],
    seeAlso: ['link', 'why'],
    show: async () => (await import('../commands/memory.js')).showLinks,
  }),
  operationCommand('reinforce', {
    positionals: [RECORDS],
    seeAlso: ['deemphasize', 'fact reinforce'],
    show: async () => (await import('../commands/records.js')).showStrength,
  }),
  operationCommand('deemphasize', {
    positionals: [RECORDS],
    seeAlso: ['reinforce', 'delete'],
    show: async () => (await import('../commands/records.js')).showStrength,
  }),
  operationCommand('why', {
    positionals: [RECORD],
    seeAlso: ['history', 'links', 'replay'],
    show: async () => (await import('../commands/history.js')).showWhy,
  }),
  operationCommand('replay', {
    seeAlso: ['search', 'session show'],
    show: async () => (await import('../commands/history.js')).showReplay,
  }),
]
