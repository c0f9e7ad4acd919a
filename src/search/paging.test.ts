/** Pages of any size are slices of one list, and totals do not depend on the page. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import type { Cairn, SearchInput } from '../index.js'
import { LENS_NAMES, MODES } from '../schemas/search-request.js'

const WORDS = 'deploy release server login token cache index query bread garden river cloud'.split(
  ' ',
)
const RECORDS = 420

/** Every word is in a third of the records, by a fixed pattern; every thirtieth record is superseded by the next one. */
async function makeLibrary(): Promise<Cairn> {
  const bodies = Array.from({ length: RECORDS }, (_, i) => {
    const own = WORDS.filter((_, w) => (i * 7 + w * 5 + ((i * i) % 11)) % 3 === 0)
    return { body: `${own.join(' ')} note ${i} auth${i % 40}`, tags: i % 5 === 0 ? ['five'] : [] }
  })
  const cairn = await libraryOf(bodies)
  const { records } = await cairn.list({ limit: 1000 })
  for (const [i, record] of records.entries()) {
    const next = records[i + 1]
    if (i % 30 === 0 && next !== undefined) await cairn.supersede(record.id, next.id)
  }
  return cairn
}

const requests = fc.record({
  query: fc.constantFrom(
    'deploy',
    'release server',
    'auth1',
    'auth',
    'gardens by a river',
    'token zzz',
  ),
  mode: fc.constantFrom(...MODES),
  lens: fc.constantFrom(...LENS_NAMES),
  threshold: fc.constantFrom(undefined, 0.1, -1),
  boosts: fc.constantFrom<NonNullable<SearchInput['boosts']>>(
    [],
    [{ field: 'tag', value: 'five', factor: 2 }],
  ),
})
const pages = fc.record({
  limit: fc.integer({ min: 1, max: 400 }),
  offset: fc.oneof(fc.nat(20), fc.nat(460)),
})

test('[M1] a page is a slice of the list with the same total, for every limit and offset', async () => {
  const cairn = await makeLibrary()
  const lists = new Map<string, ReturnType<Cairn['search']>>()
  const search = (request: SearchInput) =>
    cairn.search({ highlight: false, includeFacts: false, ...request })
  await fc.assert(
    fc.asyncProperty(requests, pages, async ({ threshold, ...rest }, page) => {
      const request = { ...rest, ...(threshold !== undefined && { threshold }) }
      const key = JSON.stringify(request)
      const whole = await (lists.get(key) ?? search({ ...request, limit: 1000 }))
      lists.set(key, Promise.resolve(whole))
      const { hits, total } = await search({ ...request, ...page })
      const ids = whole.hits.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(hits.map(({ id }) => id)).toEqual(ids.slice(page.offset, page.offset + page.limit))
      expect(whole.total).toEqual({ value: ids.length, exact: true })
      if (total.exact) expect(total.value).toBe(ids.length)
      else expect(total.value).toBeLessThanOrEqual(ids.length)
      const scores = whole.hits.map(({ score }) => score)
      const rises = scores.filter((score, i) => score > (scores[i - 1] ?? 1) + 1e-9)
      if (rest.boosts.length === 0) expect(rises).toEqual([])
    }),
    { numRuns: 18 },
  )
})

test('[M1] all pages together hold every record once, for every limit', async () => {
  const cairn = await libraryOf(Array.from({ length: 23 }, (_, i) => `note ${i}`))
  const all = (await cairn.list({ limit: 1000 })).records.map(({ id }) => id)
  for (let limit = 1; limit <= 24; limit++) {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<Cairn['list']>> = await cairn.list({ limit, cursor })
      seen.push(...page.records.map(({ id }) => id))
      cursor = page.next
    } while (cursor !== null)
    expect(seen).toEqual(all)
  }
})
