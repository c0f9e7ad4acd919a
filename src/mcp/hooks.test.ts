/** The hooks of each client stand in its settings as it documents them, and leave no trace when they are removed. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  describeHooks,
  findHookClient,
  formatHookAnswer,
  HOOK_CLIENTS,
  type HookClient,
  mergeHooks,
  readHookInput,
  removeHooks,
} from './hooks.js'

const settingsOf = (client: HookClient, db = 'notes.cairn') =>
  describeHooks(client, (words) => `node cairn.js ${words.join(' ')} --db ${db}`, {
    platform: 'linux',
    home: '/users/ada',
  })

const command = (event: string, client: string) =>
  `node cairn.js hook run ${event} --client ${client} --db notes.cairn`

describe('the settings of a client', () => {
  test('Claude Code: groups of commands with a timeout in seconds', () => {
    const { path, text } = settingsOf('claude-code')
    const group = (event: string) => [
      { hooks: [{ type: 'command', command: command(event, 'claude-code'), timeout: 10 }] },
    ]
    expect(path).toBe('/users/ada/.claude/settings.json')
    expect(JSON.parse(text)).toEqual({
      hooks: {
        SessionStart: group('session-start'),
        UserPromptSubmit: group('prompt'),
        SessionEnd: group('session-end'),
      },
    })
  })

  test('Codex: the same groups in a file of their own; Stop stands for the end, and it says so', () => {
    const { path, events, notes } = settingsOf('codex')
    expect(path).toBe('/users/ada/.codex/hooks.json')
    expect(events['session-end']).toBe('Stop')
    expect(notes.join(' ')).toContain('no hook for the end of a session')
  })

  test('Gemini CLI: named, with a timeout in milliseconds', () => {
    const { path, text } = settingsOf('gemini')
    expect(path).toBe('/users/ada/.gemini/settings.json')
    expect(JSON.parse(text).hooks.BeforeAgent).toEqual([
      {
        hooks: [
          { type: 'command', command: command('prompt', 'gemini'), name: 'cairn', timeout: 10_000 },
        ],
      },
    ])
  })

  test('Cursor: a version and plain commands, without a hook for prompts, and it says so', () => {
    const { path, text, notes } = settingsOf('cursor')
    expect(path).toBe('/users/ada/.cursor/hooks.json')
    expect(JSON.parse(text)).toEqual({
      version: 1,
      hooks: {
        sessionStart: [{ command: command('session-start', 'cursor'), timeout: 10 }],
        sessionEnd: [{ command: command('session-end', 'cursor'), timeout: 10 }],
      },
    })
    expect(notes.join(' ')).toContain('no way for a prompt hook to add text')
  })

  test('an unknown client is answered with the nearest', () => {
    expect(() => findHookClient('claude')).toThrow('There is no client "claude".')
    expect(() => findHookClient('curser')).toThrow('Did you mean "cursor"?')
  })
})

describe('other settings', () => {
  const OTHER = `{
  // my settings
  "model": "opus", /* always */
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [{ "type": "command", "command": "git status" }] }, // mine
    ],
    "PreToolUse": [],
  },
}
`

  test('other hooks and comments stay, and ours come and go without a trace', () => {
    const settings = settingsOf('claude-code')
    const merged = mergeHooks(OTHER, settings)
    expect(merged).toContain('// my settings')
    expect(merged.match(/hook run/g)).toHaveLength(3)
    expect(merged).toContain('"command": "git status" }] }, // mine')
    expect(removeHooks(merged, settings)).toBe(OTHER)
  })

  test('hooks are replaced, whatever stands around their words, and the second time nothing changes', () => {
    const old = mergeHooks(OTHER, settingsOf('claude-code', 'old.cairn'))
    const settings = settingsOf('claude-code')
    const merged = mergeHooks(old, settings)
    expect(merged).not.toContain('old.cairn')
    expect(mergeHooks(merged, settings)).toBe(merged)
    expect(removeHooks(OTHER, settings)).toBe(OTHER)
  })

  test('a hook that a person put into our group stays', () => {
    const settings = settingsOf('claude-code')
    const [ours] = JSON.parse(settings.text).hooks.SessionStart
    const shared = { hooks: [...ours.hooks, { type: 'command', command: 'date' }] }
    const text = JSON.stringify({ hooks: { SessionStart: [shared] } })
    expect(JSON.parse(removeHooks(text, settings))).toEqual({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'date' }] }] },
    })
  })

  test('hooks that are no lists, and text that is no JSON, are refused', () => {
    const settings = settingsOf('gemini')
    expect(() => mergeHooks('{"hooks": {"SessionStart": 1}}', settings)).toThrow('has no list')
    expect(() => mergeHooks('{"hooks": []}', settings)).toThrow('has no list')
    expect(() => mergeHooks('{ broken', settings)).toThrow(/settings\.json is not JSON: line 1/)
  })

  test('any settings with a member are the same, byte for byte, after ours came and went', () => {
    const hooks = fc.dictionary(
      fc.constantFrom('SessionStart', 'Stop', 'sessionEnd', 'Other'),
      fc.array(fc.record({ command: fc.string({ minLength: 1 }) }), { minLength: 1 }),
      { minKeys: 1 },
    )
    fc.assert(
      fc.property(
        fc.record(
          { hooks, model: fc.jsonValue({ maxDepth: 2 }), other: fc.constantFrom({}, [], '') },
          { requiredKeys: ['model'] },
        ),
        fc.constantFrom(0, 1, 2, 4),
        fc.constantFrom(...HOOK_CLIENTS),
        (object, indent, client) => {
          const before = JSON.stringify(object, null, indent)
          const settings = settingsOf(client)
          const merged = mergeHooks(before, settings)
          expect(merged.match(/hook run/g)).toHaveLength(settings.supported.length)
          expect(removeHooks(merged, settings)).toBe(before)
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('what is sent and read', () => {
  test('the fields that all clients document, under the name that each has', () => {
    const input = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/p', prompt: 'Why?' }
    expect(readHookInput(JSON.stringify(input))).toEqual({
      session: 's',
      transcript: '/t.jsonl',
      prompt: 'Why?',
    })
    const cursor = { conversation_id: 'c', transcript_path: null, workspace_roots: ['/p'] }
    expect(readHookInput(JSON.stringify(cursor))).toEqual({
      session: 'c',
      transcript: null,
      prompt: null,
    })
    expect(() => readHookInput('[]')).toThrow('an object')
  })

  test('an answer has the form of its client, and nothing to add is an empty object', () => {
    expect(formatHookAnswer('gemini', 'prompt', 'text')).toEqual({
      hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'text' },
    })
    expect(formatHookAnswer('cursor', 'session-start', 'text')).toEqual({
      additional_context: 'text',
    })
    for (const client of HOOK_CLIENTS) {
      expect(formatHookAnswer(client, 'session-end', null)).toEqual({})
    }
  })
})
