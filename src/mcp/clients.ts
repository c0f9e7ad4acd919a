/** For every client we know, where its configuration is and what has to stand in it. */

import { posix, win32 } from 'node:path'
import { badInput } from '../core/errors.js'
import { nearestName } from '../text/nearest-name.js'

/** Under this name a client lists the server. */
export const SERVER_NAME = 'cairn'

export const CLIENTS = [
  'claude',
  'claude-desktop',
  'cursor',
  'vscode',
  'windsurf',
  'zed',
  'codex',
  'gemini',
] as const
export type ClientId = (typeof CLIENTS)[number]

/** How a client starts the server. */
export type Launch = {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type ClientConfig = {
  readonly client: ClientId
  /** What people call it. */
  readonly title: string
  readonly path: string
  readonly format: 'json' | 'toml'
  /** Under which key the servers stand. */
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
  /** The whole of a new file. */
  readonly text: string
  /** The client's own command that does the same, where it has one. */
  readonly ownCommand: readonly string[] | null
}

type Known = {
  readonly title: string
  readonly format: 'json' | 'toml'
  readonly key: string
  readonly path: (folders: Folders) => string
  readonly value: (launch: Launch) => Record<string, unknown>
  readonly ownCommand?: (launch: Launch) => string[]
}

type Folders = {
  readonly home: (...parts: string[]) => string
  /** Where programs of this system keep their settings. */
  readonly settings: (...parts: string[]) => string
  /** The same for those who keep to `.config` on a Mac as well. */
  readonly dotConfig: (...parts: string[]) => string
}

const KNOWN: Readonly<Record<ClientId, Known>> = {
  claude: {
    title: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    path: ({ home }) => home('.claude.json'),
    value: (launch) => ({ type: 'stdio', ...plain(launch) }),
    ownCommand: ({ command, args, env = {} }) => [
      ...['claude', 'mcp', 'add', '--scope', 'user'],
      ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...[SERVER_NAME, '--', command, ...args],
    ],
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    path: ({ settings }) => settings('Claude', 'claude_desktop_config.json'),
    value: plain,
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    path: ({ home }) => home('.cursor', 'mcp.json'),
    value: plain,
  },
  vscode: {
    title: 'Visual Studio Code',
    format: 'json',
    key: 'servers',
    path: ({ settings }) => settings('Code', 'User', 'mcp.json'),
    value: (launch) => ({ type: 'stdio', ...plain(launch) }),
  },
  windsurf: {
    title: 'Windsurf',
    format: 'json',
    key: 'mcpServers',
    path: ({ home }) => home('.codeium', 'windsurf', 'mcp_config.json'),
    value: plain,
  },
  zed: {
    title: 'Zed',
    format: 'json',
    key: 'context_servers',
    path: ({ dotConfig }) => dotConfig('zed', 'settings.json'),
    value: plain,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    path: ({ home }) => home('.codex', 'config.toml'),
    value: plain,
    ownCommand: ({ command, args, env = {} }) => [
      ...['codex', 'mcp', 'add', SERVER_NAME],
      ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...['--', command, ...args],
    ],
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    path: ({ home }) => home('.gemini', 'settings.json'),
    value: plain,
  },
}

/** Where and what, for one client on one system; nothing is read or written. */
export function configFor(
  client: string,
  launch: Launch,
  platform: string,
  home: string,
): ClientConfig {
  const id = CLIENTS.find((known) => known === client)
  if (id === undefined) {
    const near = nearestName(client, CLIENTS)
    throw badInput(
      `There is no client "${client}".${near === null ? '' : ` Did you mean "${near}"?`}`,
      `There are ${CLIENTS.join(', ')}.`,
    )
  }
  const { title, format, key, path, value, ownCommand } = KNOWN[id]
  const entry = value(launch)
  return {
    client: id,
    title,
    path: path(foldersOf(platform, home)),
    format,
    key,
    value: entry,
    text:
      format === 'toml'
        ? tomlTable(key, entry)
        : `${JSON.stringify({ [key]: { [SERVER_NAME]: entry } }, null, 2)}\n`,
    ownCommand: ownCommand?.(launch) ?? null,
  }
}

function plain({ command, args, env = {} }: Launch): Record<string, unknown> {
  const isEmpty = Object.keys(env).length === 0
  return { command, args: [...args], ...(isEmpty ? {} : { env: { ...env } }) }
}

function foldersOf(platform: string, home: string): Folders {
  const { join } = platform === 'win32' ? win32 : posix
  const dotConfig = platform === 'win32' ? join(home, 'AppData', 'Roaming') : join(home, '.config')
  const settings = platform === 'darwin' ? join(home, 'Library', 'Application Support') : dotConfig
  return {
    home: (...parts) => join(home, ...parts),
    settings: (...parts) => join(settings, ...parts),
    dotConfig: (...parts) => join(dotConfig, ...parts),
  }
}

/** `[mcp_servers.cairn]` with its command, and a table for the environment. */
export function tomlTable(key: string, value: Readonly<Record<string, unknown>>): string {
  const { env, ...rest } = value
  const lines = (entries: object) =>
    Object.entries(entries).map(([name, one]) => `${tomlKey(name)} = ${tomlValue(one)}`)
  const table = [`[${key}.${SERVER_NAME}]`, ...lines(rest)]
  const variables =
    env === undefined ? [] : ['', `[${key}.${SERVER_NAME}.env]`, ...lines(env as object)]
  return `${[...table, ...variables].join('\n')}\n`
}

function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : tomlValue(name)
}

/** A text of TOML is written as one of JSON is, but for one control character. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  return JSON.stringify(value).replaceAll('\u007F', '\\u007F')
}
