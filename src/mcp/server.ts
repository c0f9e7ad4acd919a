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
import type { Cairn } from '../cairn/cairn.js'
import type { Log } from '../core/log.js'
import { VERSION } from '../core/version.js'
import { performNamed } from '../operations/operations.js'
import { DEFAULT_BUDGET } from '../schemas/fields.js'
import type { Conversation } from './conversation.js'
import { describeError } from './errors.js'
import { brief } from './reply.js'
import {
  listPrompts,
  listResources,
  RESOURCE_TEMPLATE,
  readResource,
  writePrompt,
} from './resources.js'
import { readArguments } from './tool.js'
import { describeMissingTool, describeTools, findTool } from './tools.js'

export const INSTRUCTIONS = `Cairn is a memory that outlasts this conversation, and a library of documents and works.
Look before you answer: timeline (cheapest) → search (snippets) → get (whole texts).
remember what will matter later: decisions with reasons, preferences, how-tos. One idea a record.
When something has changed, supersede the old record instead of adding a second truth.`

export type ServerParts = {
  /** The conversation of a client; the name is null where the client gives none. */
  readonly conversationFor: (client: string | null) => Conversation
  readonly log: Log
  /** Most tokens of a reply when the client does not say. Default: 2000. */
  readonly budget?: number | undefined
}

export function createServer({ conversationFor, log, budget }: ServerParts): McpServer {
  const server = new McpServer(
    { name: 'cairn', title: 'Cairn', version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  const protocol = server.server
  const conversation = (context: ServerContext) =>
    conversationFor(nameClient(readClient(context) ?? protocol.getClientVersion()))

  protocol.setRequestHandler('tools/list', async () => ({ tools: describeTools(budget) }))
  protocol.setRequestHandler('tools/call', ({ params }, context) =>
    callTool(params, {
      conversation: conversation(context),
      signal: context.mcpReq.signal,
      log,
      budget,
    }),
  )
  const asProtocolError = async <T>(context: ServerContext, work: (cairn: Cairn) => Promise<T>) => {
    const open = () => conversation(context).cairn()
    try {
      return await work(await open())
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      throw invalid(await describeError(error, open, log))
    }
  }
  protocol.setRequestHandler('resources/list', (_, context) =>
    asProtocolError(context, async (cairn) => ({ resources: await listResources(cairn) })),
  )
  protocol.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [RESOURCE_TEMPLATE],
  }))
  protocol.setRequestHandler('resources/read', ({ params }, context) =>
    asProtocolError(context, async (cairn) => {
      const page = await readResource(cairn, params.uri)
      if (page !== null) return { contents: [page] }
      const { uriTemplate } = RESOURCE_TEMPLATE
      throw invalid(`"${params.uri}" is no resource of Cairn; they are ${uriTemplate}.`)
    }),
  )
  protocol.setRequestHandler('prompts/list', async () => ({ prompts: listPrompts() }))
  protocol.setRequestHandler('prompts/get', async ({ params }) => {
    try {
      return writePrompt(params.name, params.arguments ?? {})
    } catch (error) {
      throw invalid(error instanceof Error ? error.message : String(error))
    }
  })
  return server
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

type ToolParts = {
  readonly conversation: Conversation
  readonly signal: AbortSignal
  readonly log: Log
  readonly budget?: number | undefined
}

/** Never throws: an error is a result that says so. */
export async function callTool(
  params: { readonly name: string; readonly arguments?: unknown },
  { conversation, signal, log, budget: defaultBudget = DEFAULT_BUDGET }: ToolParts,
): Promise<CallToolResult> {
  const tool = findTool(params.name)
  if (tool === null) return failure(describeMissingTool(brief(params.name, 60)))
  const open = () => conversation.cairn()
  try {
    const args = readArguments(tool, params.arguments)
    const { budget = defaultBudget } = args as { budget?: number }
    const cairn = await open()
    const { text, data } = await tool.run(args as never, {
      cairn,
      perform: (name, input) => {
        log('debug', 'mcp.perform', { operation: name })
        return performNamed(name, cairn, input, { signal })
      },
      conversation,
      signal,
      budget,
    })
    log('info', 'mcp.call', { tool: tool.name, characters: text.length })
    return { content: [{ type: 'text', text }], structuredContent: { ...data } }
  } catch (error) {
    log('info', 'mcp.call', { tool: tool.name, failed: true })
    return failure(await describeError(error, open, log))
  }
}

function failure(sentence: string): CallToolResult {
  return { content: [{ type: 'text', text: sentence }], isError: true }
}

/** Clients of the newer protocol say who they are with every request. */
function readClient({ mcpReq }: ServerContext): Implementation | undefined {
  const info: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_INFO_META_KEY)
  return isSpecType.Implementation(info) ? info : undefined
}

/** `claude-code 2.1.0`, in one line. */
function nameClient(info: Pick<Implementation, 'name' | 'version'> | undefined): string | null {
  if (info === undefined) return null
  const plain = `${info.name} ${info.version}`.replace(/\p{Cc}/gu, ' ')
  return brief(plain, 100) || null
}
