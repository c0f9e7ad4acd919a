/** Creates the MCP server: its tools, resources and prompts, for stdio and HTTP alike. */

import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  isSpecType,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Log } from '../core/log.js'
import { VERSION } from '../core/version.js'
import {
  type CallParts,
  callTool,
  createCall,
  describeTools,
  listTools,
  type ServerSettings,
} from './call-tool.js'
import type { Conversation } from './conversation.js'
import { brief } from './render.js'
import { describeError } from './reply.js'
import * as resources from './resources.js'
import type { Call } from './tool.js'

export const INSTRUCTIONS = `Cairn is a memory that outlasts this conversation, and a library of documents and works.
Begin with briefing. Look before you answer: timeline (cheapest) → search (snippets) → get (whole texts).
remember what will matter later: decisions with reasons, preferences, how-tos. One idea a record.
When something has changed, supersede the old record instead of adding a second one.`

export type ServerParts = ServerSettings & {
  /** The conversation of a client; the name is null if the client gives none. */
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
    answer(context, async (call) => ({ resources: await resources.listResources(call) })),
  )
  protocol.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [resources.RESOURCE_TEMPLATE],
  }))
  protocol.setRequestHandler('resources/read', ({ params }, context) =>
    answer(context, async (call) => ({
      contents: [await resources.readResource(call, params.uri, listTools(parts))],
    })),
  )
  protocol.setRequestHandler('prompts/list', async () => ({ prompts: resources.listPrompts() }))
  protocol.setRequestHandler('prompts/get', ({ params }, context) =>
    answer(context, (call) => resources.writePrompt(call, params.name, params.arguments ?? {})),
  )
  return server
}

/** `claude-code 2.1.0`, in one line. Clients of the newer protocol say who they are with every request. */
function nameClient({ mcpReq }: ServerContext, initialized?: Implementation): string | null {
  const sent: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_INFO_META_KEY)
  const info = isSpecType.Implementation(sent) ? sent : initialized
  if (info === undefined) return null
  return brief(`${info.name} ${info.version}`.replace(/\p{Cc}/gu, ' '), 100) || null
}
