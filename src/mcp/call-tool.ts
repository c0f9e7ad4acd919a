/** Runs the tools: finds the one that is named, reads its arguments, and answers in text and data. */

import type { CallToolResult } from '@modelcontextprotocol/server'
import { badInput } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { performNamed } from '../operations/operations.js'
import { DEFAULT_BUDGET } from '../schemas/fields.js'
import { suggestName } from '../schemas/names.js'
import { brief } from './render.js'
import { describeError, shortenIds } from './reply.js'
import { type Call, describeTool, readArguments, type Tool } from './tool.js'
import { CHATGPT_TOOLS } from './tools/chatgpt.js'
import { exploreTool } from './tools/explore.js'
import { getTool } from './tools/get.js'
import { rememberTool } from './tools/remember.js'
import { briefingTool, searchTool, timelineTool } from './tools/search.js'
import { forgetTool, updateTool } from './tools/update.js'

/** In the order in which an agent needs them. */
const TOOLS: readonly Tool[] = [
  searchTool,
  getTool,
  timelineTool,
  briefingTool,
  rememberTool,
  updateTool,
  forgetTool,
  exploreTool,
]

export type ServerSettings = {
  /** The maximum number of tokens of a reply, unless the client gives one. Default: 2000. */
  readonly budget?: number | undefined
  /** Whether the hits of a search are logged as recalled. Default: true. */
  readonly recall?: boolean | undefined
  /** `chatgpt`: only search and fetch, in the shapes of its connectors. Default: all tools. */
  readonly profile?: string | undefined
}

/** The answer to `tools/list`, with the default budget of this server. */
export function describeTools(budget = DEFAULT_BUDGET, tools = TOOLS) {
  return tools.map((tool) => describeTool(tool, budget))
}

export function listTools({ profile }: ServerSettings): readonly Tool[] {
  return profile === 'chatgpt' ? CHATGPT_TOOLS : TOOLS
}

export type CallParts = ServerSettings &
  Pick<Call, 'conversation' | 'signal'> & { readonly log: Log }

export async function createCall(parts: CallParts): Promise<Call> {
  const { conversation, signal, log, budget = DEFAULT_BUDGET, recall = true } = parts
  const cairn = await conversation.cairn()
  return {
    ...{ cairn, conversation, signal, budget, recall },
    perform: (operation, input) => {
      log('debug', 'mcp.perform', { operation })
      return performNamed(operation, cairn, input, { signal, isRemote: true })
    },
  }
}

/** Never throws: an error is a result that says so. */
export async function callTool(
  params: { readonly name: string; readonly arguments?: unknown },
  parts: CallParts,
): Promise<CallToolResult> {
  const { conversation, log } = parts
  const name = brief(params.name, 60)
  try {
    const tools = listTools(parts)
    const tool = tools.find((known) => known.name === params.name)
    const names = tools.map((known) => known.name)
    if (tool === undefined) throw badInput(`There is no tool "${name}".`, suggestName(name, names))
    const args = readArguments(tool, params.arguments)
    const { budget = parts.budget } = args as { budget?: number }
    const call = await createCall({ ...parts, budget })
    const reply = await tool.run(args as never, call)
    const text = await shortenIds(call.cairn, reply)
    log('info', 'mcp.call', { tool: name, characters: text.length })
    return { content: [{ type: 'text', text }], structuredContent: { ...reply.data } }
  } catch (error) {
    log('info', 'mcp.call', { tool: name, failed: true })
    const text = await describeError(error, () => conversation.cairn(), log)
    return { content: [{ type: 'text', text }], isError: true }
  }
}
