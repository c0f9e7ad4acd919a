/** Lists every command of `cairn`, in the order of the help. */

import type { OperationName } from '../operations/operations.js'
import type { Command } from './command.js'
import { LITERATURE_COMMANDS, TRANSFER_COMMANDS } from './tables/literature.js'
import { MEMORY_COMMANDS } from './tables/memory.js'
import { RECORD_COMMANDS, SEARCH_COMMANDS } from './tables/records.js'
import { CONFIG_COMMANDS, MAINTENANCE_COMMANDS, SERVER_COMMANDS } from './tables/system.js'

export const GROUPS: readonly { heading: string; commands: readonly Command[] }[] = [
  { heading: 'Records', commands: RECORD_COMMANDS },
  { heading: 'Search', commands: SEARCH_COMMANDS },
  { heading: 'Memory', commands: MEMORY_COMMANDS },
  { heading: 'Literature', commands: LITERATURE_COMMANDS },
  { heading: 'Import and export', commands: TRANSFER_COMMANDS },
  { heading: 'Servers', commands: SERVER_COMMANDS },
  { heading: 'Models and maintenance', commands: MAINTENANCE_COMMANDS },
  { heading: 'Configuration', commands: CONFIG_COMMANDS },
]

export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ commands }) => commands)

/** Names that other tools have for these commands. */
export const ALIASES: Readonly<Record<string, string>> = {
  find: 'search',
  rm: 'delete',
  remove: 'delete',
  show: 'get',
  ls: 'list',
  update: 'edit',
}

/** Summaries of the families of commands, by the first word of their names. */
export const FAMILIES: Readonly<Record<string, string>> = {
  lens: 'saved search options',
  session: 'conversations',
  works: 'works that stand for the same publication',
  openalex: 'works from OpenAlex, over the network',
  fact: 'facts of records, and how certain they are',
  mcp: 'agents, over the Model Context Protocol',
  hook: 'memory for assistants at the start of a session, at a prompt and at the end',
  token: 'tokens that let named callers use a server',
  config: 'settings, in files and elsewhere',
}

export function listFamily(word: string): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `))
}

/** Operations without a command, and why. */
export const NO_COMMAND: Partial<Record<OperationName, string>> = {
  'add.many': '`cairn import FILE` reads many records from a file',
  'import.works': '`cairn import FILE` reads works from a file of references',
}
