/** Lists the tools of an agent, in the order it needs them, and the operations that no tool performs. */

import * as z from 'zod/mini'
import type { OperationName } from '../operations/operations.js'
import { DEFAULT_BUDGET } from '../schemas/reply-budget.js'
import { nearestName } from '../text/nearest-name.js'
import { listProperties, type Tool } from './tool.js'
import { exploreTool } from './tools/explore.js'
import { getTool } from './tools/get.js'
import { rememberTool } from './tools/remember.js'
import { searchTool } from './tools/search.js'
import { statusTool } from './tools/status.js'
import { timelineTool } from './tools/timeline.js'
import { updateTool } from './tools/update.js'

export const TOOLS: readonly Tool[] = [
  searchTool,
  timelineTool,
  getTool,
  rememberTool,
  updateTool,
  exploreTool,
  statusTool,
]

/** The answer to `tools/list`, with the default budget of this server. */
export function describeTools(budget = DEFAULT_BUDGET) {
  return TOOLS.map(({ name, title, description, inputSchema, output, hints }) => {
    const properties = listProperties(inputSchema)
    const { $schema: _, ...outputSchema } = z.toJSONSchema(output, { unrepresentable: 'any' })
    return {
      name,
      title,
      description: description.replace(inWords(DEFAULT_BUDGET), inWords(budget)),
      inputSchema: {
        ...inputSchema,
        properties: {
          ...properties,
          ...('budget' in properties && { budget: { ...properties.budget, default: budget } }),
        },
      },
      outputSchema: { ...outputSchema, type: 'object' as const },
      annotations: { title, openWorldHint: false, ...hints },
    }
  })
}

function inWords(budget: number): string {
  return budget.toLocaleString('en-US')
}

export function findTool(name: string): Tool | null {
  return TOOLS.find((tool) => tool.name === name) ?? null
}

export function describeMissingTool(name: string): string {
  const names = TOOLS.map((tool) => tool.name)
  const near = nearestName(name, names)
  const question = near === null ? '' : ` Did you mean "${near}"?`
  return `There is no tool "${name}".${question} There are ${names.join(', ')}.`
}

const NETWORK = 'it uses the network, which a person decides'
const FILES = 'it reads or writes paths of the machine, which an agent has its own tools for'
const MAINTENANCE = 'it maintains the whole file, which belongs to its owner'

/** The operations that an agent cannot perform, each with the reason. */
export const NOT_FOR_AGENTS = {
  list: 'search with an empty query lists, within the budget of a reply',
  'add.many': 'remember stores up to a hundred, one by one, and names what each nearly repeats',
  'session.start': 'a connection is a session: it starts when it first writes',
  'session.end': 'a connection is a session: it ends with the connection',
  purge: 'it cannot be undone; update forgets, and a person purges',
  'models.remove': 'it cannot be undone',
  import: FILES,
  export: FILES,
  'import.works': FILES,
  'openalex.get': NETWORK,
  'openalex.search': NETWORK,
  'openalex.expand': NETWORK,
  overview: 'counts for plots; status tells an agent what there is',
  backup: FILES,
  embed: MAINTENANCE,
  optimize: MAINTENANCE,
} as const satisfies Partial<Record<OperationName, string>>
