/** The commands about what is remembered: sessions, facts, corrections, links, and why. */

import { FACT_TYPES } from '../../core/fact.js'
import { SESSION_STATES } from '../../core/record.js'
import type { Command } from '../command.js'
import type { Missing } from '../flag-parser.js'
import { list, number, on, pairs, text } from '../forms.js'
import { commandOf } from '../operation-command.js'
import { limit } from '../record-forms.js'
import { twoWanted, WANTED, word, words } from '../words.js'

const SESSION = word({ key: 'id', name: 'ID', missing: WANTED.session })
const FACT = word({ key: 'id', name: 'ID', missing: WANTED.fact })
const RECORD = word({ key: 'id', name: 'ID', missing: WANTED.record })
const RECORDS = words({ key: 'ids', name: 'ID', missing: WANTED.records })

const SESSION_COMMANDS: readonly Command[] = [
  commandOf('session.start', {
    forms: {
      id: text({ name: 'name' }),
      title: text(),
      namespace: text(),
      startedAt: text({ name: 'started' }),
      metadata: pairs({ name: 'meta' }),
    },
    examples: ['S=$(cairn session start --title "Planning")'],
    seeAlso: ['add', 'session end', 'session list'],
    creates: true,
    show: async () => (await import('../commands/session.js')).showStarted,
  }),
  commandOf('session.end', {
    words: [SESSION],
    forms: { summary: text({ help: 'what was said; `-` is standard input' }) },
    seeAlso: ['session summarise', 'session show'],
    side: async () => (await import('../commands/session.js')).SUMMARY,
  }),
  commandOf('session.summarise', {
    words: [
      SESSION,
      word({ key: 'summary', name: 'TEXT', help: 'what was said; `-` is standard input' }),
    ],
    seeAlso: ['session end', 'session show'],
    side: async () => (await import('../commands/session.js')).SUMMARY,
  }),
  commandOf('session.list', {
    forms: {
      state: text({ choices: SESSION_STATES }),
      namespaces: list(),
      limit: limit(20),
      cursor: text(),
    },
    seeAlso: ['session show'],
    show: async () => (await import('../commands/session.js')).showSessions,
  }),
  commandOf('session.show', {
    words: [SESSION],
    seeAlso: ['replay', 'timeline'],
    show: async () => (await import('../commands/session.js')).showSession,
  }),
]

const WHOLE_FACT: Missing = [
  'A fact is a record, a subject, a predicate and an object.',
  'As in `cairn fact add ID Priya prefers tabs`.',
]

const FACT_COMMANDS: readonly Command[] = [
  commandOf('fact.add', {
    words: [
      word({ key: 'record', name: 'RECORD', missing: WHOLE_FACT }),
      word({ key: 'subject', name: 'SUBJECT', missing: WHOLE_FACT }),
      word({ key: 'predicate', name: 'PREDICATE', missing: WHOLE_FACT }),
      word({ key: 'object', name: 'OBJECT', missing: WHOLE_FACT }),
    ],
    forms: {
      type: text({ choices: FACT_TYPES, default: 'kv' }),
      confidence: number({ default: 1 }),
      quote: text(),
    },
    seeAlso: ['fact list', 'add'],
    show: async () => (await import('../commands/fact.js')).showFact,
  }),
  commandOf('fact.list', {
    forms: {
      records: list(),
      types: list({ choices: FACT_TYPES }),
      about: text(),
      contradictions: on(),
      minConfidence: number({ default: 0 }),
      namespaces: list(),
      limit: limit(100),
    },
    seeAlso: ['fact add', 'fact remove'],
    show: async () => (await import('../commands/fact.js')).showFacts,
  }),
  commandOf('fact.reinforce', {
    words: [FACT],
    forms: { amount: number() },
    seeAlso: ['fact list', 'reinforce'],
    show: async () => (await import('../commands/fact.js')).showFact,
  }),
  commandOf('fact.remove', {
    words: [FACT],
    seeAlso: ['fact list'],
    show: async () => (await import('../commands/fact.js')).showEndedFact,
  }),
]

const TWO_RECORDS = twoWanted('the older record', 'the newer one')
const TWO_ENDS = twoWanted('from where', 'to where')
const ENDS = [
  word({ key: 'from', name: 'FROM', missing: TWO_ENDS }),
  word({ key: 'to', name: 'TO', missing: TWO_ENDS }),
]

const LINK_COMMANDS: readonly Command[] = [
  commandOf('supersede', {
    words: [
      word({ key: 'older', name: 'OLD', missing: TWO_RECORDS }),
      word({ key: 'newer', name: 'NEW', missing: TWO_RECORDS }),
    ],
    forms: { note: text(), author: text() },
    seeAlso: ['edit', 'unlink', 'why'],
    show: async () => (await import('../commands/links.js')).showSuperseded,
  }),
  commandOf('link', {
    words: ENDS,
    forms: { type: text({ default: 'RELATED_TO' }), note: text(), author: text() },
    seeAlso: ['links', 'unlink', 'supersede'],
    show: async () => (await import('../commands/links.js')).showLinked,
  }),
  commandOf('unlink', {
    words: ENDS,
    forms: { type: text() },
    seeAlso: ['link', 'links'],
    show: async () => (await import('../commands/links.js')).showUnlinked,
  }),
  commandOf('links', {
    words: [RECORD],
    seeAlso: ['link', 'why'],
    show: async () => (await import('../commands/links.js')).showLinks,
  }),
]

const TRACE_COMMANDS: readonly Command[] = [
  commandOf('reinforce', {
    words: [RECORDS],
    forms: { amount: number(), session: text() },
    seeAlso: ['deemphasize', 'fact reinforce'],
    show: async () => (await import('../commands/strength.js')).showStrength,
  }),
  commandOf('deemphasize', {
    words: [RECORDS],
    forms: { amount: number(), session: text() },
    seeAlso: ['reinforce', 'delete'],
    show: async () => (await import('../commands/strength.js')).showStrength,
  }),
  commandOf('why', {
    words: [RECORD],
    seeAlso: ['history', 'links', 'replay'],
    show: async () => (await import('../commands/provenance.js')).showWhy,
  }),
  commandOf('replay', {
    forms: { session: text(), limit: limit(20) },
    seeAlso: ['search', 'session show'],
    show: async () => (await import('../commands/provenance.js')).showReplay,
  }),
]

export const MEMORY_COMMANDS: readonly Command[] = [
  ...SESSION_COMMANDS,
  ...FACT_COMMANDS,
  ...LINK_COMMANDS,
  ...TRACE_COMMANDS,
]
