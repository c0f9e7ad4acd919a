/** Conversations of every tool are read in their order; what is left out is counted. */

import { describe, expect, test } from 'vitest'
import type { RecordEntry } from './importer.js'
import { fileOf, fixture, readAll } from './reading.fixture.js'

const print = ({ record }: RecordEntry) => `${String(record.people)}: ${record.body}`
const times = (records: readonly RecordEntry[]) => records.map(({ record }) => record.occurredAt)

describe('chatgpt', () => {
  test('a conversation is the branch that was open last, in its order', async () => {
    const { records } = await readAll(fixture('chatgpt.json'))
    expect(records.map(print)).toEqual([
      'user: How do I bake bread without yeast?',
      'assistant: Use baking soda and buttermilk.',
      'user: Is this loaf done?',
    ])
    expect(records[0]?.session).toEqual({
      id: '6f1c-bread',
      title: 'Bread without yeast',
      startedAt: '2026-01-01T08:30:00.500Z',
      endedAt: '2026-01-01T08:33:20.250Z',
    })
    expect(records[2]?.record.metadata).toEqual({ role: 'user', attachments: ['loaf.jpg'] })
  })

  test('a message without a time follows the one before it', async () => {
    const { records } = await readAll(fixture('chatgpt.json'))
    expect(times(records)).toEqual([
      '2026-01-01T08:30:00.500Z',
      '2026-01-01T08:30:00.501Z',
      '2026-01-01T08:31:40.000Z',
    ])
  })

  test('a value that is not a conversation is reported with its line, and omitted parts are counted', async () => {
    const { skipped } = await readAll(fixture('chatgpt.json'))
    expect(skipped.map(({ name, line }) => [name, line])).toEqual([
      ['Damaged', 104],
      ['Empty one', 105],
      ['chatgpt.json', null],
    ])
    expect(skipped[2]?.reason).toBe(
      'Left out: messages of the system (1), calls of tools (1), messages of the tool (1).',
    )
  })

  test('a branch that goes round in a circle ends', async () => {
    const message = (id: string) => ({ id, author: { role: 'user' }, content: { parts: [id] } })
    const mapping = {
      a: { parent: 'b', children: ['b'], message: message('a') },
      b: { parent: 'a', children: ['a'], message: message('b') },
    }
    const file = fileOf('c.json', JSON.stringify([{ id: 'x', mapping, current_node: 'b' }]))
    expect((await readAll(file)).records.map(({ record }) => record.body)).toEqual(['a', 'b'])
  })

  test('without a current node the branch ends at the latest leaf', async () => {
    const node = (parent: string | null, children: string[], at: number) => ({
      parent,
      children,
      message: { author: { role: 'user' }, create_time: at, content: { parts: [`at ${at}`] } },
    })
    const mapping = { r: node(null, ['x', 'y'], 1), x: node('r', [], 9), y: node('r', [], 5) }
    const file = fileOf('c.json', JSON.stringify([{ id: 'x', mapping }]))
    expect((await readAll(file)).records.map(({ record }) => record.body)).toEqual(['at 1', 'at 9'])
  })
})

describe('claude', () => {
  test('messages keep their order, their files and pasted texts', async () => {
    const { records, skipped } = await readAll(fixture('claude.json'))
    expect(records.map(print)).toEqual([
      'user: Help me name a boat.\n\nnotes.txt:\nIt is a blue dinghy.',
      'assistant: How about Bluebell?',
      'user: ok',
    ])
    expect(records[1]?.record.metadata).toEqual({ role: 'assistant', attachments: ['boat.png'] })
    expect(skipped.map(({ name }) => name)).toEqual(['Without an id', 'claude.json'])
  })

  test('two messages with one timestamp are a millisecond apart', async () => {
    const { records } = await readAll(fixture('claude.json'))
    expect(times(records).slice(1)).toEqual([
      '2026-01-10T08:00:09.000Z',
      '2026-01-10T08:00:09.001Z',
    ])
  })
})

describe('claude-code', () => {
  test('messages are imported, parts of tools and subagents are counted', async () => {
    const { records, skipped } = await readAll(fixture('claude-code.jsonl'))
    expect(records.map(print)).toEqual([
      'user: The clock test fails at midnight.',
      'assistant: It compares local days. I will look at the test.',
      'assistant: Fixed: the test now uses UTC.',
    ])
    expect(skipped).toEqual([
      { kind: 'skipped', name: 'claude-code.jsonl', line: 10, reason: 'It is not valid JSON.' },
      expect.objectContaining({ line: null, reason: expect.stringContaining('subagents (1)') }),
    ])
  })

  test('the session is named by its summary, wherever that stands', async () => {
    const { records } = await readAll(fixture('claude-code.jsonl'))
    expect(records[0]?.session).toMatchObject({ id: '5e55-aa', title: 'Fix the flaky clock test' })
    const line = '{"type":"user","sessionId":"s","uuid":"u","message":{"content":"hi"}}\n'
    const late = fileOf('s.jsonl', `${line}{"type":"summary","summary":"Late","leafUuid":"u"}\n`)
    expect((await readAll(late)).records[0]?.session?.title).toBe('Late')
    const none = fileOf('s.jsonl', line)
    expect((await readAll(none)).records[0]?.session?.title).toBe('hi')
  })
})

describe('codex', () => {
  test('messages of both become turns; notes of the program, thoughts and tools do not', async () => {
    const { records, skipped } = await readAll(fixture('codex'))
    expect(records.map(print)).toEqual([
      'user: Add a basket to the shop.',
      'assistant: The basket keeps its items in a cookie.',
    ])
    expect(records[0]?.session).toMatchObject({
      id: 'abc-1',
      title: 'Add a basket to the shop.',
      startedAt: '2026-02-03T10:00:00.000Z',
    })
    expect(skipped[0]?.reason).toContain('calls and results of tools (2)')
  })

  test('the older form, without payloads, is read as well', async () => {
    const lines = [
      { id: 'old-1', timestamp: '2025-05-01T00:00:00Z', instructions: null },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
    ]
    const file = fileOf('rollout-x.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'))
    const { records } = await readAll(file)
    expect(records.map(print)).toEqual(['user: Hello.'])
    expect(records[0]?.key).toBe('old-1/0')
  })
})

describe('gemini', () => {
  const expected = [
    'user: Which port has the staging database?',
    'assistant: It listens on port 6543.',
    'user: Thanks, note it down.',
  ]

  test('in a log, the last version of each message counts, and rewound messages do not', async () => {
    const { format, records, skipped } = await readAll(
      fixture('gemini/session-2026-06-02T10-00-5c1e8a90.jsonl'),
    )
    expect(format).toBe('gemini')
    expect(records.map(print)).toEqual(expected)
    expect(records[0]?.session).toMatchObject({
      id: '5c1e8a90-77aa-4a51-9d3c-0c1f3d9a2b11',
      title: 'The staging port',
      startedAt: '2026-06-02T10:00:00.000Z',
    })
    expect(skipped[0]?.reason).toBe(
      'Left out: calls and results of tools (1), entries of the kind info (1).',
    )
  })

  test('an older file is one object with all messages', async () => {
    const messages = [
      { id: 'a', type: 'user', content: 'Which port has the staging database?' },
      { id: 'b', type: 'gemini', content: 'It listens on port 6543.' },
      { id: 'c', type: 'user', content: 'Thanks, note it down.' },
    ]
    const whole = { sessionId: 's', projectHash: 'p', startTime: '2026-06-02T10:00:00Z', messages }
    const file = fileOf('session-1.json', JSON.stringify(whole, null, 2))
    expect((await readAll(file)).records.map(print)).toEqual(expected)
  })
})

describe('chat', () => {
  test('a transcript of Cursor has its texts inside `message`', async () => {
    const line = (role: string, ...content: object[]) =>
      JSON.stringify({ role, message: { content } })
    const text = (one: string) => ({ type: 'text', text: one })
    const file = fileOf(
      'a1.jsonl',
      `${line('user', text('Add a basket.'))}\n${line('assistant', text('It is there.'), { type: 'tool_use', name: 'Shell', input: {} })}\n`,
    )
    const { format, records } = await readAll(file)
    expect(format).toBe('chat')
    expect(records.map(print)).toEqual(['user: Add a basket.', 'assistant: It is there.'])
  })

  test('a list of messages is one conversation', async () => {
    const { records, skipped } = await readAll(fixture('chat.json'))
    expect(records.map(print)).toEqual([
      'user: Which knot for a hammock?',
      'assistant: A bowline.',
      'user: ok',
      'user: ok',
    ])
    expect(new Set(records.map(({ session }) => session?.id)).size).toBe(1)
    expect(new Set(records.map(({ key }) => key)).size).toBe(4)
    expect(skipped.map(({ line }) => line)).toEqual([7, null])
  })

  test('lines may belong to several conversations, or hold a whole one', async () => {
    const { records } = await readAll(fixture('chat.jsonl'))
    expect(records.map(({ session, record }) => `${session?.id} ${record.body}`)).toEqual([
      't-1 The ferry leaves at nine.',
      't-2 Who feeds the cat?',
      't-1 Then we meet at eight.',
      't-3 A whole talk in one line.',
      't-3 With its answer.',
    ])
    expect(records[1]?.record.occurredAt).toBe('2026-04-01T07:00:00.000Z')
  })

  test('files of one name in two folders are two conversations', async () => {
    const text = '[{"role":"user","content":"hi"}]'
    const [a, b] = await Promise.all([
      readAll(fileOf('chat.json', text)),
      readAll(fileOf('chat.json', text)),
    ])
    expect(a.records[0]?.session?.id).not.toBe(b.records[0]?.session?.id)
    expect(a.records[0]?.key).toBe(b.records[0]?.key)
  })
})
