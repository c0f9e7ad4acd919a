/** Describes the hooks of each client: its settings, the names of its events, its input and its output. */

import { badInput } from '../core/errors.js'
import { isFields, textAt } from '../core/json-fields.js'
import { addJsonItem, type JsonMember, removeJsonObjects } from '../text/json-edit.js'
import { findKnown } from '../text/nearest-name.js'
import { readSettings, resolvePath, type SettingsPath, type System } from './clients.js'

export const HOOK_EVENTS = ['session-start', 'prompt', 'session-end'] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** After this time the client goes on without the hook. */
const TIMEOUT_SECONDS = 10

type Known = {
  readonly title: string
  readonly path: SettingsPath
  /** The client's names for the events; an event without a name has no suitable hook. */
  readonly events: Readonly<Partial<Record<HookEvent, string>>>
  /** The format of its transcripts, as `cairn import` names it. */
  readonly transcript: 'claude-code' | 'codex' | 'gemini' | 'chat'
  readonly entry: (command: string) => object
  /** Other members that the file needs. */
  readonly base?: object
  /** Shown to the person who installs the hooks. */
  readonly notes: readonly string[]
}

const inGroup = (command: string, more: object) => ({
  hooks: [{ type: 'command', command, ...more }],
})

const KNOWN = {
  'claude-code': {
    title: 'Claude Code',
    path: 'home/.claude/settings.json',
    events: {
      'session-start': 'SessionStart',
      prompt: 'UserPromptSubmit',
      'session-end': 'SessionEnd',
    },
    transcript: 'claude-code',
    entry: (command) => inGroup(command, { timeout: TIMEOUT_SECONDS }),
    notes: [],
  },
  codex: {
    title: 'Codex',
    path: 'home/.codex/hooks.json',
    events: { 'session-start': 'SessionStart', prompt: 'UserPromptSubmit', 'session-end': 'Stop' },
    transcript: 'codex',
    entry: (command) => inGroup(command, { timeout: TIMEOUT_SECONDS }),
    notes: [
      'Codex documents no hook for the end of a session: the transcript is imported after every turn (Stop).',
      'Codex runs a new hook only after you have trusted it there.',
    ],
  },
  gemini: {
    title: 'Gemini CLI',
    path: 'home/.gemini/settings.json',
    events: { 'session-start': 'SessionStart', prompt: 'BeforeAgent', 'session-end': 'SessionEnd' },
    transcript: 'gemini',
    entry: (command) => inGroup(command, { name: 'cairn', timeout: TIMEOUT_SECONDS * 1000 }),
    notes: [],
  },
  cursor: {
    title: 'Cursor',
    path: 'home/.cursor/hooks.json',
    events: { 'session-start': 'sessionStart', 'session-end': 'sessionEnd' },
    transcript: 'chat',
    entry: (command) => ({ command, timeout: TIMEOUT_SECONDS }),
    base: { version: 1 },
    notes: [
      'Cursor documents no way for a prompt hook to add text: memories come with the briefing and the MCP server only.',
    ],
  },
} satisfies Readonly<Record<string, Known>>

export type HookClient = keyof typeof KNOWN
export const HOOK_CLIENTS = Object.keys(KNOWN) as readonly HookClient[]

export function findHookClient(client: string): HookClient {
  return findKnown('client', client, HOOK_CLIENTS)
}

export type HookSettings = ReturnType<typeof describeHooks>

/** Describes the hooks of one client on one system; reads and writes nothing. `launch` is the command line for an event. */
export function describeHooks(
  client: HookClient,
  launch: (words: readonly string[]) => string,
  system: System,
) {
  const { title, path, events, entry, base = {}, notes }: Known = KNOWN[client]
  const supported = HOOK_EVENTS.flatMap((event) => {
    const name = events[event]
    return name === undefined ? [] : [{ event, name, entry: entry(launch(words(event, client))) }]
  })
  const hooks = Object.fromEntries(supported.map((one) => [one.name, [one.entry]]))
  return {
    ...{ client, title, path: resolvePath(path, system), events, notes, supported, hooks },
    /** The text of a new file. */
    text: `${JSON.stringify({ ...base, hooks }, null, 2)}\n`,
  }
}

/** The end of our command lines, by which they are recognised whatever stands before and after. */
function words(event: HookEvent, client: HookClient): readonly string[] {
  return ['hook', 'run', event, '--client', client]
}

/** Puts our hooks before those that are there and changes nothing else; a missing file is given as ''. */
export function mergeHooks(existing: string, settings: HookSettings): string {
  if (existing.trim() === '' || existing.trim() === '{}') return settings.text
  return settings.supported.reduceRight(
    (text, { name, entry }) => {
      const root = readSettings(text, settings.path)
      const merged = addJsonItem(text, root, ['hooks', name], entry)
      if (merged !== null) return merged
      const hint = 'Put it right, or add the hook by hand.'
      throw badInput(`"hooks" in ${settings.path} has no list for ${name}.`, hint)
    },
    removeHooks(existing, settings),
  )
}

/** Removes our hooks from the text of the settings. Without hooks the text is unchanged. */
export function removeHooks(existing: string, { path, client }: HookSettings): string {
  if (existing.trim() === '') return existing
  const endings = HOOK_EVENTS.map((event) => words(event, client).join(' '))
  const isOurs = ({ name, value: { start, end } }: JsonMember): boolean =>
    name === 'command' && endings.some((ending) => existing.slice(start, end).includes(ending))
  return removeJsonObjects(existing, readSettings(existing, path), { name: 'hooks', isOurs })
}

/** The input that a client sends to a hook. */
export type HookInput = {
  readonly prompt: string | null
  readonly session: string | null
  readonly transcript: string | null
}

export function readHookInput(json: string): HookInput {
  const value: unknown = JSON.parse(json)
  if (!isFields(value)) throw badInput('A hook reads an object from standard input.')
  return {
    prompt: textAt(value, 'prompt'),
    session: textAt(value, 'session_id') ?? textAt(value, 'conversation_id'),
    transcript: textAt(value, 'transcript_path'),
  }
}

/** The output of a hook; null adds nothing to the conversation. */
export function formatHookAnswer(client: HookClient, event: HookEvent, text: string | null) {
  if (text === null) return {}
  if (client === 'cursor') return { additional_context: text }
  return {
    hookSpecificOutput: { hookEventName: KNOWN[client].events[event], additionalContext: text },
  }
}

export function transcriptFormat(client: HookClient): Known['transcript'] {
  return KNOWN[client].transcript
}
