/** The commands that let assistants, programs and browsers reach the file. */

import type { Command, Flags } from '../command.js'
import { FILE_FLAGS } from '../flags.js'

const REACH: Flags = {
  namespace: {
    type: 'text',
    value: 'name',
    help: 'where memories go',
    default: 'of the configuration, else default',
    setting: 'namespace',
  },
  pinned: {
    type: 'switch',
    help: 'nothing outside that namespace can be read or written',
    setting: 'pinned',
  },
}

export const AGENT_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'the web page and the HTTP API, on this machine',
    words: [],
    examples: ['cairn serve --open', 'cairn serve --port 8080', 'cairn serve --host 0.0.0.0'],
    flags: {
      port: {
        type: 'number',
        value: 'n',
        help: 'the port; 0 for any that is free',
        default: 'of the configuration, else 4747',
        setting: 'http.port',
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
        setting: 'mcp.token',
      },
      open: { type: 'switch', help: 'open it in the browser' },
      ...REACH,
      ...FILE_FLAGS,
    },
    seeAlso: ['mcp', 'search'],
    load: async () => (await import('../commands/serve.js')).runServeCommand,
  },
  {
    name: 'mcp',
    summary: 'serve agents over the Model Context Protocol',
    words: [],
    examples: ['cairn mcp', 'cairn mcp --namespace shop --pinned', 'cairn mcp --http --port 7377'],
    flags: {
      http: { type: 'switch', help: 'over HTTP on this machine, with a token' },
      port: {
        type: 'number',
        value: 'n',
        help: 'with --http: the port',
        default: 'of the configuration, else 7377',
        setting: 'mcp.port',
      },
      token: {
        type: 'text',
        value: 'text',
        help: 'with --http: what clients must send; at least 16 characters',
        default: '$CAIRN_TOKEN, else a new one is printed',
        setting: 'mcp.token',
      },
      ...REACH,
      ...FILE_FLAGS,
    },
    seeAlso: ['mcp install'],
    load: async () => (await import('../commands/mcp.js')).runMcpCommand,
  },
  {
    name: 'mcp install',
    summary: 'show, or write, the set-up of an assistant',
    words: [
      {
        name: 'CLIENT',
        help: 'claude, claude-desktop, cursor, vscode, windsurf, zed, codex or gemini',
      },
    ],
    examples: ['cairn mcp install claude', 'cairn mcp install cursor --write'],
    flags: {
      write: { type: 'switch', help: 'merge it into the settings; a backup is kept beside them' },
      ...REACH,
      ...FILE_FLAGS,
    },
    seeAlso: ['mcp'],
    load: async () => (await import('../commands/mcp.js')).runMcpInstall,
  },
]
