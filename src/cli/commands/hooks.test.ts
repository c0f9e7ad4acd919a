/** An assistant calls Cairn at its hooks, with the input that it documents; none of them was run inside the real program. */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { jsonOf, stdin, terminal } from '../../../test/support/terminal.js'
import { openCairn } from '../../cairn/open.js'
import { CHARACTERS_PER_TOKEN } from '../../schemas/fields.js'
import {
  BRIEFING_BUDGET,
  CLEAR_SCORE,
  CLEAR_SIMILARITY,
  MOST_MEMORIES,
  SOME_SIMILARITY,
} from './hooks.js'

function assistant() {
  const file = temporaryFile()
  const home = join(dirname(file), 'home')
  return { file, home, run: terminal(file, { home }) }
}

describe('hook install and hook remove', () => {
  const clients = [
    ['claude-code', '.claude/settings.json'],
    ['codex', '.codex/hooks.json'],
    ['gemini', '.gemini/settings.json'],
    ['cursor', '.cursor/hooks.json'],
  ] as const

  test.each(clients)('%s: what was there is back byte for byte', async (client, name) => {
    const { home, run, file } = assistant()
    const path = join(home, name)
    mkdirSync(dirname(path), { recursive: true })
    const settings = [
      '{}',
      '{ }\n',
      '',
      '{"hooks": {}}',
      '{\n\t"hooks": {"SessionStart": [], "sessionStart": [{"command": "date"}]},\n\t"a": 1 // one\n}',
      '\uFEFF{"version": 1}\r\n',
    ]
    for (const before of settings) {
      writeFileSync(path, before)
      await run('hook', 'install', client, '--namespace', 'shop')
      const installed = readFileSync(path, 'utf8')
      const line = `hook run session-start --client ${client} --db ${resolve(file)} --namespace shop`
      expect(installed).toContain(line)
      // Removed from another shell, where the file and the namespace are not given.
      expect((await run('hook', 'remove', client)).code).toBe(0)
      expect(readFileSync(path, 'utf8')).toBe(before)
      for (const backup of readdirSync(dirname(path)).filter((one) => one.endsWith('.bak'))) {
        writeFileSync(join(dirname(path), backup), '')
      }
    }
  })

  test('a file that was not there is gone again, and nothing is left to remove', async () => {
    const { home, run } = assistant()
    const path = join(home, '.cursor/hooks.json')
    const { out } = await run('hook', 'install', 'cursor')
    expect(out).toContain('Cursor calls Cairn from now on (sessionStart, sessionEnd)')
    expect(out).toContain('Cursor documents no way for a prompt hook to add text')
    const removed = await jsonOf(run)('hook', 'remove', 'cursor')
    expect(removed).toMatchObject({ client: 'cursor', path, removed: true })
    expect(existsSync(path)).toBe(false)
    expect((await run('hook', 'remove', 'cursor')).out).toContain('has no hook of Cairn')
  })

  test('what was edited since stays', async () => {
    const { home, run } = assistant()
    const path = join(home, '.claude/settings.json')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '{\n  "model": "opus"\n}\n')
    await run('hook', 'install', 'claude-code')
    writeFileSync(path, readFileSync(path, 'utf8').replace('opus', 'sonnet'))
    await run('hook', 'remove', 'claude-code')
    expect(readFileSync(path, 'utf8')).toBe('{\n  "model": "sonnet"\n}\n')
  })

  test('--print writes nothing, and a person is asked', async () => {
    const { file, home, run } = assistant()
    const { out } = await run('hook', 'install', 'codex', '--print')
    expect(out).toContain('"UserPromptSubmit"')
    expect(out).toContain(`This belongs in ${join(home, '.codex/hooks.json')}.`)
    expect(out).toContain('after every turn (Stop)')
    const refused = await terminal(file, { home, confirm: async () => false })(
      ...['hook', 'install', 'codex'],
    )
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(existsSync(home)).toBe(false)
    expect((await run('hook', 'install', 'zed')).err).toContain('claude-code, codex, gemini')
  })
})

describe('hook run', () => {
  /** The input as each client documents it. */
  const PROMPTS = {
    'claude-code': {
      session_id: 'abc123',
      transcript_path: '/me/.claude/projects/shop/abc123.jsonl',
      cwd: '/me/shop',
      permission_mode: 'default',
      hook_event_name: 'UserPromptSubmit',
    },
    codex: {
      session_id: 'abc123',
      turn_id: 't1',
      transcript_path: null,
      cwd: '/me/shop',
      model: 'gpt-6',
      permission_mode: 'default',
      hook_event_name: 'UserPromptSubmit',
    },
    gemini: {
      session_id: 'abc123',
      transcript_path: '/me/.gemini/tmp/1f/chats/session-1.jsonl',
      cwd: '/me/shop',
      hook_event_name: 'BeforeAgent',
      timestamp: '2026-06-15T12:00:00Z',
    },
  }

  let file = ''
  let log = ''
  beforeAll(async () => {
    file = join(mkdtempSync(join(tmpdir(), 'cairn-hooks-')), 'test.cairn')
    log = join(dirname(file), 'home/.local/share/cairn/hooks.log')
    await using cairn = await openCairn({ file })
    await cairn.addMany([
      { body: 'The staging database listens on port 6543.' },
      { body: 'Decided: we deploy on Thursdays.', extractFacts: true },
      { body: 'Priya prefers tabs over spaces.' },
      { body: 'How to connect to the staging database?', session: 'abc123', people: ['user'] },
      { body: 'How do I connect to the staging database?', session: 'earlier', people: ['user'] },
      ...['a', 'b', 'c', 'd'].map((name) => ({
        body: `The nightly backup of disk ${name} is kept for ten days.`,
      })),
    ])
  })
  afterAll(() => rmSync(dirname(file), { recursive: true, force: true }))

  async function hook(event: string, client: string, input: unknown, ...more: string[]) {
    const text = typeof input === 'string' ? input : JSON.stringify(input)
    const world = { home: join(dirname(file), 'home'), readStdin: stdin(text) }
    const args = ['hook', 'run', event, '--client', client, ...more]
    const { code, out, err } = await terminal(file, world)(...args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return JSON.parse(out)
  }

  test.each(Object.entries(PROMPTS))('%s: a prompt gets what is relevant', async (client, base) => {
    const prompt = 'How do I connect to the staging database?'
    const { hookSpecificOutput } = await hook('prompt', client, { ...base, prompt })
    expect(hookSpecificOutput.hookEventName).toBe(base.hook_event_name)
    const [, ...lines] = hookSpecificOutput.additionalContext.split('\n')
    // The same question in this very conversation is nothing new.
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^[0-9A-Z]{14} {2}\d{4}-\d\d-\d\d {2}The staging database listens/)
  })

  test('a prompt gets three memories at most, and none for what has little to do with it', async () => {
    const ask = (prompt: string) => hook('prompt', 'claude-code', { prompt })
    const { hookSpecificOutput } = await ask('how long is the nightly backup of a disk kept?')
    expect(hookSpecificOutput.additionalContext.split('\n')).toHaveLength(1 + MOST_MEMORIES)
    const { hookSpecificOutput: typed } = await ask(
      'NOT now, but: -database "staging" title:port, which one is it?',
    )
    expect(typed.additionalContext).toContain('The staging database listens on port 6543.')
    const others = [
      'continue',
      'thanks, looks good',
      'write a function that sorts a list',
      ' ',
      '"',
    ]
    for (const prompt of others) expect(await ask(prompt)).toEqual({})
    expect(await hook('prompt', 'claude-code', {})).toEqual({})
    expect(existsSync(log)).toBe(false)
  })

  test('docs/mcp.md has the thresholds as they are', () => {
    const page = readFileSync('docs/mcp.md', 'utf8')
    expect(page).toContain(
      `similarity is at least ${CLEAR_SIMILARITY}, or its score at least ${CLEAR_SCORE} and its similarity ${SOME_SIMILARITY}`,
    )
    expect(page).toContain(`at most ${BRIEFING_BUDGET.toLocaleString('en')} tokens`)
  })

  test('a session starts with the briefing, within its budget', async () => {
    const start = { session_id: 's', hook_event_name: 'SessionStart', source: 'startup' }
    const { hookSpecificOutput } = await hook('session-start', 'claude-code', start)
    expect(hookSpecificOutput.additionalContext).toContain('Decided: we deploy on Thursdays.')
    const cursor = { conversation_id: 'c', session_id: 'c', is_background_agent: false }
    expect(await hook('session-start', 'cursor', cursor)).toEqual({
      additional_context: hookSpecificOutput.additionalContext,
    })
    await using cairn = await openCairn({ file })
    const decided = Array.from({ length: 60 }, (_, i) => ({
      body: `Decided: the service number ${i} moves to another region, ${'because '.repeat(9)}.`,
      tags: ['decision'],
    }))
    await cairn.addMany(decided)
    const { additional_context: long } = await hook('session-start', 'cursor', cursor)
    expect(long.length).toBeGreaterThan(BRIEFING_BUDGET)
    expect(long.length).toBeLessThanOrEqual(BRIEFING_BUDGET * CHARACTERS_PER_TOKEN)
  })

  test('a failure adds nothing, stops nothing, and is logged', async () => {
    expect(await hook('prompt', 'claude-code', 'no JSON')).toEqual({})
    expect(await hook('prompt', 'claude-cod', {})).toEqual({})
    expect(await hook('never', 'claude-code', {})).toEqual({})
    const missing = ['--db', '/no/such/file.cairn']
    expect(await hook('session-start', 'gemini', {}, ...missing)).toEqual({})
    const args = ['hook', 'run', 'prompt', '--nonsense']
    const home = join(dirname(file), 'home')
    expect(await terminal(file, { home })(...args)).toEqual({ code: 0, out: '', err: '' })
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(Array(4).fill('hook.failed'))
    expect(lines[1]).toContain('Did you mean \\"claude-code\\"?')
    expect(lines[3]).toContain('has no option --nonsense')
  })

  test('the end of a session imports its transcript in the background, once', async () => {
    const { file, home, run } = assistant()
    const transcript = resolve('test/fixtures/import/claude-code.jsonl')
    const input = JSON.stringify({ session_id: '5e55-aa', transcript_path: transcript })
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), CAIRN_DB: file }
    const args = ['dist/cairn.cjs', 'hook', 'run', 'session-end', '--client', 'claude-code']
    expect(execFileSync(process.execPath, args, { input, env, encoding: 'utf8' })).toBe('{}\n')
    const count = async () => (await jsonOf(run)<{ records: unknown[] }>('list')).records.length
    for (let i = 0; i < 300 && (await count().catch(() => 0)) < 3; i++) await setTimeout(20)
    expect(readFileSync(join(home, 'data/cairn/hooks.log'), 'utf8')).toBe('')
    const again = await jsonOf(run)('import', transcript, '--format', 'claude-code')
    expect(again).toMatchObject({ imports: [{ created: 0, unchanged: 3 }] })
  })
})
