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
import * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import type { Log } from '../core/log.js'
import { VERSION } from '../core/version.js'
import { performNamed } from '../operations/operations.js'
import { DEFAULT_BUDGET } from '../schemas/fields.js'
import { unknownName } from '../text/nearest-name.js'
import type { Conversation } from './conversation.js'
import { brief, describeError } from './reply.js'
import {
  listPrompts,
  listResources,
  RESOURCE_TEMPLATE,
  readResource,
  writePrompt,
} from './resources.js'
import { listProperties, readArguments, type Tool } from './tool.js'
import { exploreTool } from './tools/explore.js'
import { getTool } from './tools/get.js'
import { rememberTool } from './tools/remember.js'
import { searchTool, timelineTool } from './tools/search.js'
import { statusTool } from './tools/status.js'
import { updateTool } from './tools/update.js'

export const INSTRUCTIONS = `Cairn is a memory that outlasts this conversation, and a library of documents and works.
Look before you answer: timeline (cheapest) → search (snippets) → get (whole texts).
remember what will matter later: decisions with reasons, preferences, how-tos. One idea a record.
When something has changed, supersede the old record instead of adding a second truth.`

/** In the order in which an agent needs them. */
const TOOLS: readonly Tool[] = [
  searchTool,
  timelineTool,
  getTool,
  rememberTool,
  updateTool,
  exploreTool,
  statusTool,
]

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
    conversationFor(nameClient(context, protocol.getClientVersion()))

  protocol.setRequestHandler('tools/list', async () => ({ tools: describeTools(budget) }))
  protocol.setRequestHandler('tools/call', ({ params }, context) =>
    callTool(params, {
      conversation: conversation(context),
      signal: context.mcpReq.signal,
      log,
      budget,
    }),
  )
  type Open = () => Promise<Cairn>
  const asProtocolError = async <T>(context: ServerContext, work: (open: Open) => Promise<T>) => {
    const open = () => conversation(context).cairn()
    try {
      return await work(open)
    } catch (error) {
      const message = await describeError(error, open, log)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
    }
  }
  protocol.setRequestHandler('resources/list', (_, context) =>
    asProtocolError(context, async (open) => ({ resources: await listResources(await open()) })),
  )
  protocol.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [RESOURCE_TEMPLATE],
  }))
  protocol.setRequestHandler('resources/read', ({ params }, context) =>
    asProtocolError(context, async (open) => ({
      contents: [await readResource(await open(), params.uri)],
    })),
  )
  protocol.setRequestHandler('prompts/list', async () => ({ prompts: listPrompts() }))
  protocol.setRequestHandler('prompts/get', ({ params }, context) =>
    asProtocolError(context, async () => writePrompt(params.name, params.arguments ?? {})),
  )
  return server
}

/** The answer to `tools/list`, with the default budget of this server. */
export function describeTools(budget = DEFAULT_BUDGET) {
  const format = (tokens: number) => tokens.toLocaleString('en-US')
  return TOOLS.map(({ name, title, description, inputSchema, output, hints }) => {
    const properties = listProperties(inputSchema)
    const own = 'budget' in properties && { budget: { ...properties.budget, default: budget } }
    const { $schema: _, ...outputSchema } = z.toJSONSchema(output, { unrepresentable: 'any' })
    return {
      name,
      title,
      description: description.replace(format(DEFAULT_BUDGET), format(budget)),
      inputSchema: { ...inputSchema, properties: { ...properties, ...own } },
      outputSchema: { ...outputSchema, type: 'object' as const },
      annotations: { title, openWorldHint: false, ...hints },
    }
  })
}

/** Never throws: an error is a result that says so. */
export async function callTool(
  params: { readonly name: string; readonly arguments?: unknown },
  parts: Pick<ServerParts, 'log' | 'budget'> & {
    readonly conversation: Conversation
    readonly signal: AbortSignal
  },
): Promise<CallToolResult> {
  const { conversation, signal, log, budget: defaultBudget = DEFAULT_BUDGET } = parts
  const name = brief(params.name, 60)
  const open = () => conversation.cairn()
  try {
    const tool = TOOLS.find((known) => known.name === params.name)
    const names = TOOLS.map((known) => known.name)
    if (tool === undefined) throw unknownName('tool', name, names)
    const args = readArguments(tool, params.arguments)
    const { budget = defaultBudget } = args as { budget?: number }
    const cairn = await open()
    const { text, data } = await tool.run(args as never, {
      cairn,
      perform: (operation, input) => {
        log('debug', 'mcp.perform', { operation })
        return performNamed(operation, cairn, input, { signal })
      },
      conversation,
      signal,
      budget,
    })
    log('info', 'mcp.call', { tool: name, characters: text.length })
    return { content: [{ type: 'text', text }], structuredContent: { ...data } }
  } catch (error) {
    log('info', 'mcp.call', { tool: name, failed: true })
    return {
      content: [{ type: 'text', text: await describeError(error, open, log) }],
      isError: true,
    }
  }
}

/** `claude-code 2.1.0`, in one line. Clients of the newer protocol say who they are with every request. */
function nameClient({ mcpReq }: ServerContext, initialized?: Implementation): string | null {
  const sent: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_INFO_META_KEY)
  const info = isSpecType.Implementation(sent) ? sent : initialized
  if (info === undefined) return null
  return brief(`${info.name} ${info.version}`.replace(/\p{Cc}/gu, ' '), 100) || null
}
