/** Promise: the tools of an agent are few, and listed in the order it needs them. */

import { nearestName } from './nearest.js'
import { inputSchemaOf, outputSchemaOf } from './schema.js'
import type { Tool } from './tool.js'
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

/** What `tools/list` answers. */
export function describeTools() {
  return TOOLS.map(({ name, title, description, input, about, output, hints }) => ({
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input, about),
    outputSchema: outputSchemaOf(output),
    annotations: { title, openWorldHint: false, ...hints },
  }))
}

export function findTool(name: string): Tool | null {
  return TOOLS.find((tool) => tool.name === name) ?? null
}

export function noTool(name: string): string {
  const names = TOOLS.map((tool) => tool.name)
  const near = nearestName(name, names)
  const question = near === null ? '' : ` Did you mean "${near}"?`
  return `There is no tool "${name}".${question} There are ${names.join(', ')}.`
}
