/** The commands on sessions, facts, links, salience and provenance. */

import type { Command } from '../command.js'
import { operationCommand } from '../operation-command.js'

const SUMMARY = 'a summary; `-` is standard input'

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
    positionals: { id: 'ID' },
    flags: { summary: { summary: { help: SUMMARY } } },
    seeAlso: ['session summarise', 'session show'],
    steps: async () => (await import('../commands/memory.js')).SUMMARY,
  }),
  operationCommand('session.summarise', {
    positionals: { id: 'ID', summary: { name: 'TEXT', help: SUMMARY } },
    seeAlso: ['session end', 'session show'],
    steps: async () => (await import('../commands/memory.js')).SUMMARY,
  }),
  operationCommand('session.list', {
    seeAlso: ['session show'],
    show: async () => (await import('../commands/memory.js')).showSessions,
  }),
  operationCommand('session.show', {
    positionals: { id: 'ID' },
    seeAlso: ['replay', 'timeline'],
    show: async () => (await import('../commands/memory.js')).showSession,
  }),
  operationCommand('fact.add', {
    positionals: {
      record: 'RECORD',
      subject: 'SUBJECT',
      predicate: 'PREDICATE',
      object: 'OBJECT',
    },
    seeAlso: ['fact list', 'add'],
    show: async () => (await import('../commands/memory.js')).showFact,
  }),
  operationCommand('fact.list', {
    seeAlso: ['fact add', 'fact remove'],
    show: async () => (await import('../commands/memory.js')).showFacts,
  }),
  operationCommand('fact.reinforce', {
    positionals: { id: 'ID' },
    seeAlso: ['fact list', 'reinforce'],
    show: async () => (await import('../commands/memory.js')).showFact,
  }),
  operationCommand('fact.remove', {
    positionals: { id: 'ID' },
    seeAlso: ['fact list'],
    show: async () => (await import('../commands/memory.js')).showEndedFact,
  }),
  operationCommand('supersede', {
    positionals: { older: 'OLD', newer: 'NEW' },
    seeAlso: ['edit', 'unlink', 'why'],
    show: async () => (await import('../commands/memory.js')).showSuperseded,
  }),
  operationCommand('link', {
    positionals: { from: 'FROM', to: 'TO' },
    seeAlso: ['links', 'unlink', 'supersede'],
    show: async () => (await import('../commands/memory.js')).showLinked,
  }),
  operationCommand('unlink', {
    positionals: { from: 'FROM', to: 'TO' },
    seeAlso: ['link', 'links'],
    show: async () => (await import('../commands/memory.js')).showUnlinked,
  }),
  operationCommand('links', {
    positionals: { id: 'ID' },
    seeAlso: ['link', 'why'],
    show: async () => (await import('../commands/memory.js')).showLinks,
  }),
  operationCommand('reinforce', {
    positionals: { ids: 'ID' },
    seeAlso: ['deemphasize', 'fact reinforce'],
    show: async () => (await import('../commands/records.js')).showStrength,
  }),
  operationCommand('deemphasize', {
    positionals: { ids: 'ID' },
    seeAlso: ['reinforce', 'delete'],
    show: async () => (await import('../commands/records.js')).showStrength,
  }),
  operationCommand('why', {
    positionals: { id: 'ID' },
    seeAlso: ['history', 'links', 'replay'],
    show: async () => (await import('../commands/history.js')).showWhy,
  }),
  operationCommand('replay', {
    seeAlso: ['search', 'session show'],
    show: async () => (await import('../commands/history.js')).showReplay,
  }),
]
