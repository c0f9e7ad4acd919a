/** Knows the settings file of each MCP client, and adds the server to it. */

import { posix, win32 } from 'node:path'
import { badInput } from '../core/errors.js'
import { readJsonPlaces, removeJsonMember, setJsonMember } from '../text/json-edit.js'
import { findKnown } from '../text/nearest-name.js'

const SERVER_NAME = 'cairn'

/** From the home directory, the folder of the settings or `.config`. */
export type SettingsPath = `${'home' | 'settings' | 'config'}/${string}`
export type System = { readonly platform: string; readonly home: string }

type Known = {
  readonly title: string
  readonly path: SettingsPath
  /** Default: mcpServers. */
  readonly key?: string
  /** Whether the entry names its transport. */
  readonly hasType?: boolean
  /** The client's own command that adds a server, without the command of the server. */
  readonly ownCommand?: string
}

const KNOWN = {
  claude: {
    title: 'Claude Code',
    path: 'home/.claude.json',
    hasType: true,
    ownCommand: `claude mcp add --scope user ${SERVER_NAME}`,
  },
  'claude-desktop': { title: 'Claude Desktop', path: 'settings/Claude/claude_desktop_config.json' },
  cursor: { title: 'Cursor', path: 'home/.cursor/mcp.json' },
  vscode: {
    title: 'Visual Studio Code',
    path: 'settings/Code/User/mcp.json',
    key: 'servers',
    hasType: true,
  },
  windsurf: { title: 'Windsurf', path: 'home/.codeium/windsurf/mcp_config.json' },
  zed: { title: 'Zed', path: 'config/zed/settings.json', key: 'context_servers' },
  codex: {
    title: 'Codex',
    path: 'home/.codex/config.toml',
    key: 'mcp_servers',
    ownCommand: `codex mcp add ${SERVER_NAME}`,
  },
  gemini: { title: 'Gemini CLI', path: 'home/.gemini/settings.json' },
} satisfies Readonly<Record<string, Known>>

export const CLIENTS = Object.keys(KNOWN) as readonly (keyof typeof KNOWN)[]

export type ClientConfig = ReturnType<typeof describeClient>

/** Describes the configuration of one client on one system; reads and writes nothing. */
export function describeClient(
  client: string,
  launch: { readonly command: string; readonly args: readonly string[] },
  system: System,
) {
  const id = findKnown('client', client, CLIENTS)
  const known: Known = KNOWN[id]
  const { title, path, key = 'mcpServers', hasType = false, ownCommand } = known
  const format = path.endsWith('.toml') ? 'toml' : 'json'
  const { command, args } = launch
  const value = { ...(hasType && { type: 'stdio' }), command, args: [...args] }
  return {
    client: id,
    title,
    path: resolvePath(path, system),
    format,
    /** The key of the servers in the file. */
    key,
    value,
    /** The text of a new file. */
    text:
      format === 'toml'
        ? `[${key}.${SERVER_NAME}]\ncommand = ${writeToml(command)}\nargs = [${args.map(writeToml).join(', ')}]\n`
        : `${JSON.stringify({ [key]: { [SERVER_NAME]: value } }, null, 2)}\n`,
    /** The client's own command that does the same; null if it has none. */
    ownCommand:
      ownCommand === undefined ? null : [...ownCommand.split(' '), '--', command, ...args],
  }
}

export function resolvePath(path: SettingsPath, { platform, home }: System): string {
  const { join } = platform === 'win32' ? win32 : posix
  const config = platform === 'win32' ? join(home, 'AppData', 'Roaming') : join(home, '.config')
  // On a Mac some programs use `.config` as well, and others the folder of the system.
  const settings = platform === 'darwin' ? join(home, 'Library', 'Application Support') : config
  const [base = '', ...parts] = path.split('/')
  return join({ home, settings, config }[base] ?? home, ...parts)
}

/** A string of TOML is written as one of JSON, but for one control character. */
function writeToml(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', '\\u007F')
}

/** Puts our entry into the text of a configuration and changes nothing else; a missing file is given as ''. */
export function mergeConfig(existing: string, config: ClientConfig): string {
  if (existing.trim() === '') return config.text
  if (config.format === 'toml') return replaceTable(existing, config, config.text.trimEnd())
  const { path, key, value } = config
  const merged = setJsonMember(existing, readSettings(existing, path), [key, SERVER_NAME], value)
  if (merged !== null) return merged
  throw badInput(`"${key}" in ${path} is no object.`, 'Put it right, or add the entry by hand.')
}

/** Removes our entry from the text of a configuration. Without an entry the text is unchanged. */
export function removeFromConfig(existing: string, config: ClientConfig): string {
  if (existing.trim() === '') return existing
  if (config.format === 'toml') return replaceTable(existing, config, null)
  const root = readSettings(existing, config.path)
  return removeJsonMember(existing, root, [config.key, SERVER_NAME])
}

/** Replaces our table and those inside it, or adds it at the end; null takes them out. */
function replaceTable(existing: string, { key }: ClientConfig, text: string | null): string {
  const own = `${key}.${SERVER_NAME}`
  const lines = existing.split('\n')
  const readTable = (line: string): string | null =>
    /^\s*\[+([^\]]+)\]/.exec(line)?.[1]?.trim() ?? null
  const start = lines.findIndex((line) => readTable(line) === own)
  if (start < 0) return text === null ? existing : `${existing.trimEnd()}\n\n${text}\n`
  const length = lines.slice(start + 1).findIndex((line) => {
    const name = readTable(line)
    return name !== null && name !== own && !name.startsWith(`${own}.`)
  })
  const rest =
    length < 0 ? [] : [...(text === null ? [] : ['']), ...lines.slice(start + 1 + length)]
  const kept = [...lines.slice(0, start), ...(text === null ? [] : [text]), ...rest]
  return `${kept.join('\n').trimEnd()}\n`
}

/** JSON as editors write it, with comments. */
export function readSettings(existing: string, path: string) {
  const read = readJsonPlaces(existing, { comments: true })
  if (read.kind !== 'broken' && read.root.members !== null) return read.root
  throw badInput(
    `${path} is not JSON: line ${read.kind === 'broken' ? read.line : 1} cannot be read.`,
    'Put it right first; nothing was changed.',
  )
}
