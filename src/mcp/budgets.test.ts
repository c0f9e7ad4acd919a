/** Replies stay within the size an agent may read, and say how to get the rest. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../core/log.js'
import { agent, idOf, talkTo } from './agent.fixture.js'

describe('budgets', () => {
  const long = (i: number) =>
    `Note ${i} about the harbour. ${`It was windy that day, and "nobody" went out\n`.repeat(i * 3)}`

  test('[D3] no reply of any layer is longer, as text or as data', async () => {
    const { cairn, call } = await agent(
      Array.from({ length: 30 }, (_, i) => ({
        body: long(i),
        title: `Harbour ${'x'.repeat(i * 9)}`,
        tags: Array.from({ length: i % 12 }, (_, t) => `tag-${t}-${'y'.repeat(t * 7)}`),
        people: ['Ada', 'Grace'],
        metadata: { pad: 'z'.repeat(i * 60) },
        session: `chat-${i % 3}`,
      })),
    )
    const ids = (await cairn.list({ limit: 30 })).records.map(({ id }) => id)
    const [anchor = ''] = ids.slice(12)
    const calls: fc.Arbitrary<[string, Record<string, unknown>]> = fc.oneof(
      fc
        .record({
          query: fc.constantFrom('harbour', 'windy day', '', 'harbuor nobody'),
          limit: fc.integer({ min: 1, max: 30 }),
          explain: fc.boolean(),
          facets: fc.boolean(),
          context: fc.integer({ min: 0, max: 3 }),
          recall: fc.constant(false),
        })
        .map((args): [string, Record<string, unknown>] => ['search', args]),
      fc
        .subarray(ids, { minLength: 1 })
        .map((some): [string, Record<string, unknown>] => ['get', { ids: some }]),
      fc.constantFrom<[string, Record<string, unknown>]>(
        ['timeline', {}],
        ['timeline', { anchor, before: 10, after: 10 }],
        ['explore', { id: anchor, relation: 'similar', limit: 20 }],
        ['explore', { id: anchor, relation: 'why' }],
      ),
    )
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 400, max: 3000 }), async ([name, args], budget) => {
        const { text, data, isError } = await call(name, { ...args, budget })
        expect({ name, args, isError, text: isError ? text : '' }).toEqual({
          name,
          args,
          isError: false,
          text: '',
        })
        expect(text.length / 4).toBeLessThanOrEqual(budget)
        expect(JSON.stringify(data).length / 4).toBeLessThanOrEqual(budget)
      }),
      { numRuns: 80 },
    )
  })

  test('what search left out comes with the offset it names', async () => {
    const { call } = await agent(
      Array.from({ length: 40 }, (_, i) => `harbour note ${i} ${'and more '.repeat(20)}`),
    )
    const seen = new Set<string>()
    for (let offset = 0; ; ) {
      const { text, data } = await call('search', {
        query: 'harbour',
        limit: 20,
        offset,
        budget: 400,
      })
      expect(text).toMatch(/^Hits for "harbour" \(hybrid, balanced\): (at least )?40\n/)
      for (const { id } of data.hits) seen.add(id)
      const [, next] = /"offset": (\d+)/.exec(text) ?? []
      if (next === undefined) break
      expect(Number(next)).toBe(offset + data.hits.length)
      offset = Number(next)
    }
    expect(seen.size).toBe(40)
  })

  test('[M4] only what was shown is recalled', async () => {
    const { cairn, call } = await agent(
      Array.from({ length: 10 }, (_, i) => `harbour note ${i} ${'and more '.repeat(20)}`),
    )
    const { data } = await call('search', { query: 'harbour', budget: 400 })
    expect(data.left).toBeGreaterThan(0)
    await cairn.why(data.hits[0].id)
    const [session] = (await cairn.sessions.list()).sessions
    expect(session?.counts.recalled).toBe(data.hits.length)
    const { queries } = await cairn.replay()
    expect(queries[0]).toMatchObject({ query: 'harbour', hits: data.hits.length })
  })

  test('[M4] without recall a server writes nothing when it searches', async () => {
    const { cairn } = await agent(['harbour note'])
    const { call } = talkTo(cairn, silentLog, { recall: false })
    expect((await call('search', { query: 'harbour' })).data.hits).toHaveLength(1)
    expect((await cairn.sessions.list()).sessions).toEqual([])
  })

  test('a long text is read to its end by the offsets that get names', async () => {
    const body = Array.from(
      { length: 300 },
      (_, i) => `Sentence number ${i} says "something".`,
    ).join(' ')
    const { cairn, call } = await agent([body])
    const id = await idOf(cairn, 'sentence')
    let read = ''
    for (let offset = 0; ; ) {
      const { text, data } = await call('get', { ids: [{ id, offset }], budget: 500 })
      const [record] = data.records
      read += record.text
      if (record.left === 0) break
      expect(record.text).toMatch(/\.$/)
      expect(text).toContain(`${record.left} characters left`)
      expect(record.nextOffset).toBe(offset + record.text.length)
      offset = record.nextOffset
    }
    expect(read).toBe(body)
  })

  test('a timeline goes on with the cursor it names, and shows at most 100 characters of each', async () => {
    const { call } = await agent(
      Array.from({ length: 60 }, (_, i) => `note ${i} ${'and so on '.repeat(30)}`),
    )
    const seen: string[] = []
    for (let cursor: string | null = null; ; ) {
      const { data } = await call('timeline', { limit: 40, budget: 600, ...(cursor && { cursor }) })
      for (const { id, summary } of data.entries) {
        expect(summary.length).toBeLessThanOrEqual(100)
        seen.push(id)
      }
      cursor = data.next
      if (cursor === null) break
    }
    expect(new Set(seen).size).toBe(60)
    expect(seen).toHaveLength(60)
  })

  test('[A1] without a model the reply says that words alone were searched', async () => {
    const { call } = await agent(['apple tree'], { vectors: false })
    const { text, data } = await call('search', { query: 'apple' })
    expect(data.hits).toHaveLength(1)
    expect(data.degraded.reason).toBeTruthy()
    expect(text).toContain(data.degraded.message.slice(0, 40))
  })

  test('[N5] an explanation in the data still adds up to the score', async () => {
    const { call } = await agent(['apple tree', 'apple pie'])
    const { data } = await call('search', { query: 'apple tree', explain: true })
    type Node = { score: number; op?: string; parts?: Node[] }
    const worth = ({ score, op, parts = [] }: Node): number =>
      parts.length === 0
        ? score
        : parts.map(worth).reduce((a, b) => (op === 'sum' ? a + b : a * b), op === 'sum' ? 0 : 1)
    for (const { score, explanation } of data.hits)
      expect(worth(explanation)).toBeCloseTo(score, 10)
  })
})
