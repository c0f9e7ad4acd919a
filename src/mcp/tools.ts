/** The tools of an agent are few, and listed in the order it needs them. */

import { DEFAULT_BUDGET } from '../schemas/reply-budget.js'
import { nearestName } from '../text/nearest-name.js'
import {
  inputSchemaOf,
  type JsonSchema,
  outputSchemaOf,
  plainSchemaOf,
  propertiesOf,
} from './schema.js'
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

/** What `tools/list` answers, with the budget of a reply to a client that does not say. */
export function describeTools(budget = DEFAULT_BUDGET) {
  return TOOLS.map(({ name, title, description, input, about, output, hints }) => ({
    name,
    title,
    description: description.replace(BUDGET_IN_WORDS, budget.toLocaleString('en-US')),
    inputSchema: withDefaultBudget(inputSchemaOf(input, about), budget),
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

/** The arguments, with that budget where the tool has one and the client did not say. */
export function withBudget(
  { input }: Tool,
  args: Record<string, unknown>,
  budget: number | undefined,
): Record<string, unknown> {
  const takesBudget = 'budget' in propertiesOf(plainSchemaOf(input))
  return budget === undefined || !takesBudget ? args : { budget, ...args }
}

const BUDGET_IN_WORDS = DEFAULT_BUDGET.toLocaleString('en-US')

function withDefaultBudget<S extends JsonSchema>(schema: S, budget: number): S {
  const properties = propertiesOf(schema)
  if (properties.budget === undefined) return schema
  return {
    ...schema,
    properties: { ...properties, budget: { ...properties.budget, default: budget } },
  }
}
