/** Adapter for the Vercel AI SDK: the tools of the MCP server, for a model that a program calls itself. */

import { jsonSchema, type Tool, tool } from 'ai'
import type { Cairn } from './cairn/cairn.js'
import { silentLog } from './core/log.js'
import { callTool, describeTools } from './mcp/call-tool.js'
import { Conversation } from './mcp/conversation.js'

export type CairnToolsOptions = {
  /** The maximum number of tokens of a reply, unless the model gives one. Default: 2000. */
  readonly budget?: number
  /** Whether the hits of a search are logged as recalled, in a session of these tools. Default: true. */
  readonly recall?: boolean
}

/** `search`, `get`, `timeline`, `briefing`, `remember`, `update`, `forget` and `explore`, as docs/mcp.md describes them. */
export function createCairnTools(
  cairn: Cairn,
  { budget, recall }: CairnToolsOptions = {},
): Record<string, Tool<Record<string, unknown>, string>> {
  const conversation = new Conversation(async () => cairn, silentLog, 'ai-sdk')
  const tools = describeTools(budget).map(({ name, description, inputSchema }) => {
    const execute = async (args: Record<string, unknown>, call: { abortSignal?: AbortSignal }) => {
      const signal = call.abortSignal ?? new AbortController().signal
      const parts = { conversation, signal, budget, recall, log: silentLog }
      const { content } = await callTool({ name, arguments: args }, parts)
      return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    }
    const schema = jsonSchema<Record<string, unknown>>(inputSchema)
    return [name, tool({ description, inputSchema: schema, execute })] as const
  })
  return Object.fromEntries(tools)
}
