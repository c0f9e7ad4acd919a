/** Promise: the commands that let assistants, programs and browsers reach the file. */

import type { Command } from '../command.js'
import { FILE_FLAGS } from '../flags.js'

export const AGENT_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'the web page and the HTTP API, on this machine',
    usage: 'serve [options]',
    examples: ['cairn serve --open', 'cairn serve --port 8080', 'cairn serve --host 0.0.0.0'],
    flags: {
      port: {
        type: 'number',
        value: 'n',
        help: 'the port; 0 for any that is free',
        default: '4747',
      },
      host: {
        type: 'text',
        value: 'name',
        help: 'where to listen; beyond this machine a token is needed',
        default: '127.0.0.1',
      },
      token: {
        type: 'text',
        value: 'text',
        help: 'what must be known to get in; at least 16 characters',
        default: '$CAIRN_TOKEN, else none on this machine',
      },
      open: { type: 'switch', help: 'open it in the browser' },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/serve.js')).runServeCommand,
  },
  {
    name: 'mcp',
    summary: 'serve agents over the Model Context Protocol',
    usage: 'mcp [options]',
    examples: ['cairn mcp', 'cairn mcp --namespace shop --pinned', 'cairn mcp --http --port 7377'],
    flags: {
      http: { type: 'switch', help: 'over HTTP on this machine, with a token' },
      port: { type: 'number', value: 'n', help: 'with --http: the port', default: '7377' },
      token: {
        type: 'text',
        value: 'text',
        help: 'with --http: what clients must send; at least 16 characters',
        default: '$CAIRN_TOKEN, else a new one is printed',
      },
      namespace: { type: 'text', value: 'name', help: 'where memories go', default: 'default' },
      pinned: { type: 'switch', help: 'with --namespace: nothing else can be read or written' },
      ...FILE_FLAGS,
    },
    maxWords: 0,
    load: async () => (await import('../commands/mcp.js')).runMcpCommand,
  },
  {
    name: 'mcp install',
    summary: 'show, or write, the set-up of an assistant',
    usage: 'mcp install CLIENT [options]',
    examples: ['cairn mcp install claude', 'cairn mcp install cursor --write'],
    flags: {
      write: { type: 'switch', help: 'merge it into the settings; a backup is kept beside them' },
      namespace: { type: 'text', value: 'name', help: 'where memories go', default: 'default' },
      pinned: { type: 'switch', help: 'with --namespace: nothing else can be read or written' },
      ...FILE_FLAGS,
    },
    maxWords: 1,
    load: async () => (await import('../commands/mcp.js')).runMcpInstall,
  },
]
