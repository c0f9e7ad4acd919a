/** Promise: the commands that let assistants reach the file. */

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
