/** Creates the MCP server: its tools, resources and prompts, for stdio and HTTP alike. */

import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type Implementation,
  isSpecType,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { badInput } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { VERSION } from '../core/version.js'
import { performNamed } from '../operations/operations.js'
import { DEFAULT_BUDGET } from '../schemas/fields.js'
import { suggestName } from '../schemas/names.js'
import type { Conversation } from './conversation.js'
import { brief } from './render.js'
import { describeError, shortenIds } from './reply.js'
import {
  listPrompts,
  listResources,
  RESOURCE_TEMPLATE,
  readResource,
  writePrompt,
} from './resources.js'
import { type Call, describeTool, readArguments, type Tool } from './tool.js'
import { CHATGPT_TOOLS } from './tools/chatgpt.js'
import { exploreTool } from './tools/explore.js'
import { getTool } from './tools/get.js'
import { rememberTool } from './tools/remember.js'
import { briefingTool, searchTool, timelineTool } from './tools/search.js'
import { forgetTool, updateTool } from './tools/update.js'

export const INSTRUCTIONS = `Cairn is a memory that outlasts this conversation, and a library of documents and works.
Begin with briefing. Look before you answer: timeline (cheapest) → search (snippets) → get (whole texts).
remember what will matter later: decisions with reasons, preferences, how-tos. One idea a record.
When something has changed, supersede the old record instead of adding a second truth.`

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
  /** Most tokens of a reply when the client does not say. Default: 2000. */
  readonly budget?: number | undefined
  /** Whether what a search returned is logged as recalled. Default: true. */
  readonly recall?: boolean | undefined
  /** `chatgpt`: only search and fetch, in the shapes of its connectors. Default: all tools. */
  readonly profile?: string | undefined
}

export type ServerParts = ServerSettings & {
  /** The conversation of a client; the name is null where the client gives none. */
  readonly conversationFor: (client: string | null) => Conversation
  readonly log: Log
}

export function createServer(parts: ServerParts): McpServer {
  const server = new McpServer(
    { name: 'cairn', title: 'Cairn', version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  const protocol = server.server
  const start = (context: ServerContext): CallParts => ({
    ...parts,
    conversation: parts.conversationFor(nameClient(context, protocol.getClientVersion())),
    signal: context.mcpReq.signal,
  })
  const answer = async <T>(context: ServerContext, work: (call: Call) => Promise<T>) => {
    const call = start(context)
    try {
      return await work(await createCall(call))
    } catch (error) {
      const message = await describeError(error, () => call.conversation.cairn(), parts.log)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
    }
  }
  protocol.setRequestHandler('tools/list', async () => ({
    tools: describeTools(parts.budget, listTools(parts)),
  }))
  protocol.setRequestHandler('tools/call', ({ params }, context) =>
    callTool(params, start(context)),
  )
  protocol.setRequestHandler('resources/list', (_, context) =>
    answer(context, async (call) => ({ resources: await listResources(call) })),
  )
  protocol.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [RESOURCE_TEMPLATE],
  }))
  protocol.setRequestHandler('resources/read', ({ params }, context) =>
    answer(context, async () => ({ contents: [await openResource(params.uri, start(context))] })),
  )
  protocol.setRequestHandler('prompts/list', async () => ({ prompts: listPrompts() }))
  protocol.setRequestHandler('prompts/get', ({ params }, context) =>
    answer(context, (call) => writePrompt(call, params.name, params.arguments ?? {})),
  )
  return server
}

/** The answer to `tools/list`, with the default budget of this server. */
export function describeTools(budget = DEFAULT_BUDGET, tools = TOOLS) {
  return tools.map((tool) => describeTool(tool, budget))
}

function listTools({ profile }: ServerSettings): readonly Tool[] {
  return profile === 'chatgpt' ? CHATGPT_TOOLS : TOOLS
}

type CallParts = Omit<ServerParts, 'conversationFor'> & Pick<Call, 'conversation' | 'signal'>

async function createCall(parts: CallParts): Promise<Call> {
  const { conversation, signal, log, budget = DEFAULT_BUDGET, recall = true } = parts
  const cairn = await conversation.cairn()
  return {
    ...{ cairn, conversation, signal, budget, recall },
    perform: (operation, input) => {
      log('debug', 'mcp.perform', { operation })
      return performNamed(operation, cairn, input, { signal })
    },
  }
}

export async function openResource(uri: string, parts: CallParts) {
  return readResource(await createCall(parts), uri, listTools(parts))
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

/** `claude-code 2.1.0`, in one line. Clients of the newer protocol say who they are with every request. */
function nameClient({ mcpReq }: ServerContext, initialized?: Implementation): string | null {
  const sent: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_INFO_META_KEY)
  const info = isSpecType.Implementation(sent) ? sent : initialized
  if (info === undefined) return null
  return brief(`${info.name} ${info.version}`.replace(/\p{Cc}/gu, ' '), 100) || null
}
