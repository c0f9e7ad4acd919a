/** A test speaks to the server as a client would: with the official client, in a process of its own. */

import { join } from 'node:path'
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'

const SERVER = JSON.stringify(join(import.meta.dirname, '../../dist/mcp.js'))

/** What starts a server in a process of its own, with these options besides the file. */
export function scriptOf(file: string, options: Readonly<Record<string, unknown>> = {}): string {
  const given = JSON.stringify({ file, ...options }).slice(0, -1)
  const log = `(level, event) => process.stderr.write(level + ' ' + event + '\\n')`
  return `const { runMcp } = await import(${SERVER}); await runMcp(${given}, log: ${log} })`
}

export function argsOf(file: string, options: Readonly<Record<string, unknown>> = {}): string[] {
  return ['--input-type=module', '-e', scriptOf(file, options)]
}

export type Talk = {
  readonly client: Client
  readonly pid: number | null
  readonly stderr: () => string
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<Answer>
}
export type Answer = {
  readonly text: string
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there.
  readonly data: any
}

/** Connects over standard input and output. */
export async function talkOver(
  file: string,
  options: Readonly<Record<string, unknown>> = {},
  clientOptions: ClientOptions = {},
): Promise<Talk> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: argsOf(file, options),
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (part) => {
    stderr += part
  })
  const client = new Client({ name: 'test-client', version: '1.2.3' }, clientOptions)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, pid: transport.pid, stderr: () => stderr, call: callerOf(client) }
}

/** Connects over HTTP. */
export async function talkTo(
  url: string,
  token: string,
  clientOptions: ClientOptions = {},
  name = 'http-client',
): Promise<Talk & { readonly transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  const client = new Client({ name, version: '1.0.0' }, clientOptions)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, transport, pid: null, stderr: () => '', call: callerOf(client) }
}

function callerOf(client: Client): Talk['call'] {
  return async (name, args = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as CallToolResult
    const [first] = result.content
    return {
      text: first?.type === 'text' ? first.text : '',
      isError: result.isError === true,
      data: result.structuredContent,
    }
  }
}
