/** Every command of `cairn`, in the order that its help shows them. */

import type { Command, CommandGroup } from './command.js'
import { AGENT_COMMANDS } from './tables/agents.js'
import { CONFIG_COMMANDS } from './tables/config.js'
import { LITERATURE_COMMANDS } from './tables/literature.js'
import { CARE_COMMANDS } from './tables/maintenance.js'
import { MEMORY_COMMANDS } from './tables/memory.js'
import { RECORD_COMMANDS } from './tables/records.js'
import { SEARCH_COMMANDS } from './tables/search.js'
import { TRANSFER_COMMANDS } from './tables/transfer.js'

export const GROUPS: readonly CommandGroup[] = [
  { heading: 'Records', commands: RECORD_COMMANDS },
  { heading: 'Search', commands: SEARCH_COMMANDS },
  { heading: 'Memory', commands: MEMORY_COMMANDS },
  { heading: 'Literature', commands: LITERATURE_COMMANDS },
  { heading: 'Import and export', commands: TRANSFER_COMMANDS },
  { heading: 'Servers', commands: AGENT_COMMANDS },
  { heading: 'Models and care', commands: CARE_COMMANDS },
  { heading: 'Set-up', commands: CONFIG_COMMANDS },
]

export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ commands }) => commands)

/** What the commands of two words that begin alike are about. */
export const FAMILIES: Readonly<Record<string, string>> = {
  lens: 'search options under a name',
  session: 'conversations',
  openalex: 'works from OpenAlex, over the network',
  fact: 'what a record states, and how sure that is',
  mcp: 'agents, over the Model Context Protocol',
  config: 'settings, in files and elsewhere',
}

/** The commands whose first word this is, where there is more to say than that word. */
export function familyOf(word: string): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `))
}
