/** The commands on sessions, facts, links, salience and provenance. */

import type { Command } from '../command.js'
import { createCommands } from '../operation-command.js'

const command = createCommands(() => import('../commands/memory.js'))
const pastCommand = createCommands(() => import('../commands/history.js'))

const SUMMARY = 'a summary; `-` is standard input'

export const MEMORY_COMMANDS: readonly Command[] = [
  command('session.start', {
    flags: { id: { name: {} } },
    without: { attached: 'the process of a command ends as soon as it has printed the id' },
    examples: ['S=$(cairn session start --title "Planning")'],
    seeAlso: ['add', 'session end', 'session list'],
    creates: true,
  }),
  command('session.end', {
    flags: { summary: { summary: { help: SUMMARY } } },
    seeAlso: ['session summarise', 'session show'],
  }),
  command('session.summarise', {
    positionals: { id: 'ID', summary: { name: 'TEXT', help: SUMMARY } },
    seeAlso: ['session end', 'session show'],
  }),
  command('session.list', { seeAlso: ['session show'] }),
  command('session.show', { seeAlso: ['replay', 'timeline'] }),
  command('fact.add', { seeAlso: ['fact list', 'add'] }),
  command('fact.list', { seeAlso: ['fact add', 'fact remove'] }),
  command('fact.reinforce', { seeAlso: ['fact list', 'reinforce'] }),
  command('fact.remove', { seeAlso: ['fact list'] }),
  command('supersede', {
    positionals: { older: 'OLD', newer: 'NEW' },
    seeAlso: ['edit', 'unlink', 'why'],
  }),
  command('link', { seeAlso: ['links', 'unlink', 'supersede'] }),
  command('unlink', { seeAlso: ['link', 'links'] }),
  command('links', { seeAlso: ['link', 'why'] }),
  command('reinforce', { seeAlso: ['deemphasize', 'fact reinforce'] }),
  command('deemphasize', { seeAlso: ['reinforce', 'delete'] }),
  pastCommand('why', { seeAlso: ['history', 'links', 'replay'] }),
  pastCommand('log', { seeAlso: ['why', 'history', 'timeline'] }),
  command('briefing', { seeAlso: ['timeline', 'search', 'mcp'] }),
  pastCommand('replay', { seeAlso: ['search', 'session show'] }),
]
