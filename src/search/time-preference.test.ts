import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Cairn, Explanation, Hit, SearchInput } from '../index.js'
import { openCairn } from '../index.js'
import { TIME_BONUS } from './signals.js'

const NOW = Date.UTC(2026, 10, 16, 8)
const DAY = 86_400_000
const WORDS = 'deploy release build test server last week notes plan review'.split(' ')

let cairn: Cairn
beforeAll(async () => {
  const vectors = { provider: 'fake', dimensions: 24 } as const
  cairn = await openCairn({ file: ':memory:', vectors, now: () => NOW, cache: false })
  const records = fc.sample(
    fc.record({
      body: fc
        .array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 12 })
        .map((all) => all.join(' ')),
      occurredAt: fc
        .integer({ min: 0, max: 40 })
        .map((days) => new Date(NOW - days * DAY).toISOString()),
    }),
    { numRuns: 160, seed: 7 },
  )
  await cairn.addMany(records)
  return () => cairn.close()
})

function findBonus(tree: Explanation): Explanation | null {
  if (tree.name === 'of 2026-11-09 to 2026-11-15') return tree
  return tree.parts.map(findBonus).find((one) => one !== null) ?? null
}

test('a time in the query adds and removes no record, and raises no score by more than the bonus', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
      fc.constantFrom('keyword', 'semantic', 'hybrid'),
      fc.constantFrom('balanced', 'rank', 'memory', 'cascade'),
      async (words, mode, lens) => {
        const request: SearchInput = { mode, lens, limit: 1000, explain: true, facets: true }
        const query = [...words, 'last week'].join(' ')
        const on = await cairn.search(query, request)
        const off = await cairn.search(query, { ...request, time: 'off' })
        expect(on.total).toEqual(off.total)
        expect(on.facets).toEqual(off.facets)
        const scores = new Map(off.hits.map(({ id, score }) => [id, score]))
        const isCapped = ({ explanation }: Hit): boolean =>
          explanation?.parts.at(-1)?.name.startsWith('after the first') ?? false
        const later = new Set([...on.hits, ...off.hits].filter(isCapped).map(({ id }) => id))
        expect(new Set(on.hits.map(({ id }) => id))).toEqual(new Set(scores.keys()))
        for (const { id, score, explanation, record } of on.hits) {
          const before = scores.get(id) ?? 0
          const bonus = explanation && findBonus(explanation)
          const time = new Date(record.occurredAt ?? '')
          const isLastWeek = time >= new Date(2026, 10, 9) && time < new Date(2026, 10, 16)
          expect(score).toBeGreaterThanOrEqual(before - 1e-9)
          expect(score).toBeLessThanOrEqual(before * (1 + TIME_BONUS) + 1e-9)
          if (bonus !== null) expect(isLastWeek).toBe(true)
          // Candidates of a deeper round stay below the last of the first round, which may have risen.
          if (bonus === null && !later.has(id)) expect(score).toBeCloseTo(before, 9)
        }
        const pages = []
        for (const offset of [0, 7, 14]) {
          pages.push(...(await cairn.search(query, { ...request, limit: 7, offset })).hits)
        }
        expect(pages.map(({ id }) => id)).toEqual(on.hits.slice(0, 21).map(({ id }) => id))
      },
    ),
    { numRuns: 7 },
  )
})

test('the answer says which time is preferred', async () => {
  const { query, hits } = await cairn.search('deploy last week', { explain: true, limit: 3 })
  expect(query.readAs).toBe('deploy last week (preferably of 2026-11-09 to 2026-11-15)')
  expect(hits.some(({ explanation }) => explanation && findBonus(explanation))).toBe(true)
  const off = await cairn.search('deploy last week', { time: 'off' })
  expect(off.query.readAs).toBe('deploy last week')
})
