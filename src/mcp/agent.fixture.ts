/** Calls the tools of an agent without a connection around them. */

import { libraryOf } from '../../test/support/library.js'
import type { Answer } from '../../test/support/mcp.js'
import { silentLog } from '../core/log.js'
import type { Cairn, OpenOptions, RecordInput } from '../index.js'
import { callTool, createCall, listTools, type ServerSettings } from './call-tool.js'
import { Conversation } from './conversation.js'
import { readResource } from './resources.js'

export async function agent(
  records: readonly (string | RecordInput)[] = [],
  options: Partial<OpenOptions> = {},
) {
  return talkTo(await libraryOf(records, options))
}

/** Calls the tools of a server of this library. */
export function talkTo(cairn: Cairn, log = silentLog, settings: ServerSettings = {}) {
  const conversation = new Conversation(async () => cairn, log, 'agent 1.0')
  const call = async (name: string, args: unknown = {}): Promise<Answer> => {
    const { signal } = new AbortController()
    const result = await callTool(
      { name, arguments: args },
      { conversation, signal, log, ...settings },
    )
    const [first] = result.content
    return {
      text: first?.type === 'text' ? first.text : '',
      isError: result.isError === true,
      data: result.structuredContent,
    }
  }
  /** The text of a resource. */
  const read = async (uri: string): Promise<string> => {
    const { signal } = new AbortController()
    const call = await createCall({ conversation, signal, log })
    return (await readResource(call, uri, listTools({}))).text
  }
  return { cairn, call, read }
}

export const idOf = async (cairn: Cairn, query: string): Promise<string> =>
  (await cairn.search({ query, mode: 'keyword' })).hits[0]?.id ?? ''
