/** Lists the tools of an agent, in the order it needs them. */

import * as z from 'zod/mini'
import { DEFAULT_BUDGET } from '../schemas/fields.js'
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
