import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import type { SearchInput } from '../index.js'
import { openCairn } from '../index.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const

type Scalar = string | number | boolean
type Test =
  | Scalar
  | Scalar[]
  | { gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar; exists?: boolean }

/** The same rules in JavaScript: the stored value decides how it is compared. */
function passes(stored: unknown, test: Test): boolean {
  if (Array.isArray(test)) return test.some((one) => passes(stored, one))
  if (typeof test === 'object') {
    return Object.entries(test).every(([name, wanted]) =>
      name === 'exists'
        ? ((stored ?? null) !== null) === wanted
        : holds(stored, name, String(wanted)),
    )
  }
  return holds(stored, 'is', String(test))
}

function holds(stored: unknown, name: string, wanted: string): boolean {
  if (Array.isArray(stored))
    return stored.some((one) => !Array.isArray(one) && holds(one, name, wanted))
  if (typeof stored === 'boolean') return name === 'is' && String(stored) === wanted
  if (typeof stored === 'string')
    return compare(Buffer.compare(Buffer.from(stored), Buffer.from(wanted)), name)
  if (typeof stored !== 'number' || !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(wanted)) return false
  return compare(stored - Number(wanted), name)
}

function compare(difference: number, name: string): boolean {
  switch (name) {
    case 'gt':
      return difference > 0
    case 'gte':
      return difference >= 0
    case 'lt':
      return difference < 0
    case 'lte':
      return difference <= 0
    default:
      return difference === 0
  }
}

const scalar = fc.oneof(
  fc.constantFrom<Scalar>(
    '2020',
    '2021-05-01',
    '2021-11-30',
    'true',
    '',
    'Ünï "x"',
    2020,
    2020.5,
    -1,
    true,
    false,
  ),
  fc.string({ maxLength: 3 }).map((text) => text.replaceAll('\0', '')),
)
const value = fc.oneof(
  scalar,
  fc.constant(null),
  fc.array(scalar, { maxLength: 3 }),
  fc.constant([[1], 2]),
)
const comparison = fc.record(
  { gt: scalar, gte: scalar, lt: scalar, lte: scalar, exists: fc.boolean() },
  { requiredKeys: [] },
)
const anyTest: fc.Arbitrary<Test> = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), comparison)

const metadata = fc.record({ a: value, 'b c': fc.record({ d: value }) }, { requiredKeys: [] })

test('a metadata filter passes the same records as a simple filter in JavaScript, before the limit', async () => {
  const all = fc.sample(metadata, 60)
  const cairn = await libraryOf(
    all.map((one, i) => ({ body: `wren ${i}`, metadata: one })),
    FAKE,
  )
  await fc.assert(
    fc.asyncProperty(
      fc.record({ a: anyTest, 'b c.d': anyTest }, { requiredKeys: [] }),
      fc.constantFrom('keyword', 'semantic', 'hybrid'),
      async (where, mode) => {
        const passing = all.flatMap((stored, i) => {
          const isA = where.a === undefined || passes(stored.a, where.a)
          const isB = where['b c.d'] === undefined || passes(stored['b c']?.d, where['b c.d'])
          return isA && isB ? [`wren ${i}`] : []
        })
        const request: SearchInput = { query: 'wren', mode, threshold: -1, where, facets: true }
        const { hits, total, facets } = await cairn.search({ ...request, limit: 100 })
        expect(hits.map(({ record }) => record.body).sort()).toEqual(passing.sort())
        expect(total.value).toBe(passing.length)
        expect(facets?.kind[0]?.count ?? 0).toBe(passing.length)
        expect((await cairn.search({ ...request, limit: 1 })).total.value).toBe(passing.length)
      },
    ),
    { numRuns: 50 },
  )
})

test('metadata filters in the query language give the same records, alone and with words', async () => {
  const cairn = await libraryOf(
    [
      { body: 'wren one', metadata: { status: 'active', year: 2019, tags: ['x', 'y'] } },
      { body: 'wren two', metadata: { status: 'active', year: 2021, author: { name: 'Ada L.' } } },
      { body: 'robin three', metadata: { status: 'done', year: 2022 } },
    ],
    FAKE,
  )
  const find = async (query: string, options: SearchInput = {}) => {
    const { hits } = await cairn.search(query, { mode: 'keyword', match: 'all', ...options })
    return hits.map(({ record }) => record.body.split(' ')[1]).sort()
  }
  expect(await find('meta.status:active')).toEqual(['one', 'two'])
  expect(await find('wren meta.year:>=2020')).toEqual(['two'])
  expect(await find('meta.author.name:"Ada L."')).toEqual(['two'])
  expect(await find('meta.tags:y')).toEqual(['one'])
  expect(await find('-meta.author:*')).toEqual(['one', 'three'])
  expect(await find('meta.year:2019 OR meta.status:done')).toEqual(['one', 'three'])
  expect(await find('meta.year:>=2020', { where: { status: 'active' } })).toEqual(['two'])
  const { query, hint, hits } = await cairn.search('wren meta.year:>2030')
  expect(query.readAs).toBe('wren meta.year:>2030')
  expect(hits).toEqual([])
  expect(hint).toMatch(/filters/)
})

test('a search of the past tests the past metadata', async () => {
  let now = Date.UTC(2026, 0, 1)
  const cairn = await openCairn({ file: ':memory:', ...FAKE, now: () => now })
  onTestFinished(() => cairn.close())
  const { id } = await cairn.add({ body: 'wren', metadata: { status: 'draft' } })
  const asOf = now
  now += 86_400_000
  await cairn.edit(id, { metadata: { status: 'active' } })
  const count = async (options: SearchInput) => (await cairn.search('wren', options)).total.value
  expect(await count({ where: { status: 'draft' } })).toBe(0)
  expect(await count({ where: { status: 'draft' }, asOf })).toBe(1)
  expect(await count({ where: { status: 'active' }, asOf })).toBe(0)
})

test('a path is data', async () => {
  const cairn = await libraryOf(
    [{ body: 'wren', metadata: { "a') OR 1 --": 'x', '$[0]': 'y' } }],
    FAKE,
  )
  const count = async (where: SearchInput['where']) =>
    (await cairn.search('wren', { ...(where && { where }) })).total.value
  expect(await count({ "a') OR 1 --": 'x' })).toBe(1)
  expect(await count({ "a') OR 1 --": 'y' })).toBe(0)
  expect(await count({ '$[0]': 'y' })).toBe(1)
  await expect(count({ 'a"."b': 1 })).rejects.toThrow(
    'where must name keys of metadata, joined by dots',
  )
  await expect(count({ 'a..b': 1 })).rejects.toThrow(
    'where must name keys of metadata, joined by dots',
  )
})
