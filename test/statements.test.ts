import { expect, test } from 'vitest'
import { type Cairn, openCairn, type SearchInput } from '../src/index.js'
import { temporaryFile } from './support/library.js'

async function countedLibrary(): Promise<{
  cairn: Cairn
  count: (run: () => Promise<unknown>) => Promise<number>
}> {
  let statements = 0
  const cairn = await openCairn({
    file: temporaryFile(),
    trace: () => {
      statements += 1
    },
  })
  const bodies = Array.from({ length: 300 }, (_, i) => ({
    body: `common ${i < 100 ? 'hundred' : ''} ${i === 7 ? 'single' : ''} filler${i}`,
    tags: ['t'],
    namespace: i % 2 === 0 ? 'even' : 'odd',
  }))
  await cairn.addMany(bodies)
  return {
    cairn,
    count: async (run) => {
      statements = 0
      await run()
      return statements
    },
  }
}

const SHAPES: readonly (readonly [string, SearchInput])[] = [
  ['all words', { mode: 'keyword', match: 'all' }],
  ['any word', { mode: 'keyword', match: 'any' }],
  ['filtered', { mode: 'keyword', match: 'all', namespaces: ['even', 'odd'], tags: ['t'] }],
  ['explained', { mode: 'keyword', match: 'all', explain: true }],
]

test.each(SHAPES)(
  '[D2] a search (%s) runs as many statements for one hit as for a hundred',
  async (_, options) => {
    const { cairn, count } = await countedLibrary()
    const one = await count(async () => {
      expect((await cairn.search('single', { limit: 100, ...options })).hits).toHaveLength(1)
    })
    const hundred = await count(async () => {
      expect((await cairn.search('hundred', { limit: 101, ...options })).hits).toHaveLength(100)
    })
    expect(hundred).toBe(one)
    expect(one).toBeLessThanOrEqual(7)
  },
)

test('[D2] a relaxed search has a fixed number of statements too', async () => {
  const { cairn, count } = await countedLibrary()
  // The vocabulary is read once and then kept.
  await cairn.search('zebra', { mode: 'keyword' })
  const few = await count(() => cairn.search('single zebra', { mode: 'keyword', limit: 290 }))
  const many = await count(() => cairn.search('hundred zebra', { mode: 'keyword', limit: 290 }))
  expect(many).toBe(few)
  expect(many).toBeLessThanOrEqual(14)
})

test('[D2] a search by meaning has a fixed number of statements too', async () => {
  const { cairn, count } = await countedLibrary()
  const search = (limit: number) =>
    cairn.search('common', { mode: 'semantic', threshold: -1, limit })
  await search(1)
  const one = await count(() => search(1))
  const hundred = await count(() => search(100))
  expect(hundred).toBe(one)
  expect(one).toBeLessThanOrEqual(13)
})

test('[D2] a search by both has a fixed number of statements too', async () => {
  const { cairn, count } = await countedLibrary()
  const search = (limit: number) => cairn.search('common', { limit })
  await search(1)
  const one = await count(async () => expect((await search(1)).hits).toHaveLength(1))
  const hundred = await count(async () => expect((await search(100)).hits).toHaveLength(100))
  expect(hundred).toBe(one)
  expect(one).toBeLessThanOrEqual(28)
})
