/** What a file looks like from afar is what counting its records one by one gives. */

import { expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { jsonOf, terminal } from '../../test/support/terminal.js'
import { DECAY_RATES } from '../core/salience.js'
import { NO_DETAILS } from '../core/work.js'

const NOW = Date.UTC(2026, 5, 15, 12)
const DAY = 86_400_000

test('an empty file has an overview of the same shape', async () => {
  const cairn = await libraryOf([], { now: () => NOW })
  expect(await cairn.overview()).toEqual({
    by: 'day',
    overTime: [],
    kinds: { memory: 0, document: 0, work: 0 },
    sectors: { episodic: 0, semantic: 0, procedural: 0, emotional: 0, reflective: 0 },
    salience: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    coverage: { withVectors: 0, waiting: 0 },
    mostCited: [],
    recalls: [],
  })
})

test('records are counted by when they occurred, by kind and by sector', async () => {
  const cairn = await libraryOf(
    [
      { body: 'one', sector: 'semantic', occurredAt: '2026-06-01' },
      { body: 'two', sector: 'semantic', occurredAt: '2026-06-01T23:59:59Z' },
      { body: 'three', sector: 'episodic', occurredAt: '2026-06-03' },
      { body: 'four', kind: 'document' },
      { body: 'gone', sector: 'semantic', occurredAt: '2026-06-01' },
    ],
    { now: () => NOW },
  )
  const { records } = await cairn.list({ limit: 10 })
  await cairn.delete(records.filter(({ body }) => body === 'gone').map(({ id }) => id))
  const overview = await cairn.overview()
  expect(overview).toMatchObject({
    by: 'day',
    overTime: [
      { at: '2026-06-01', kind: 'memory', sector: 'semantic', count: 2 },
      { at: '2026-06-03', kind: 'memory', sector: 'episodic', count: 1 },
      { at: '2026-06-15', kind: 'document', sector: null, count: 1 },
    ],
    kinds: { memory: 3, document: 1, work: 0 },
    sectors: { semantic: 2, episodic: 1 },
    coverage: { withVectors: 4, waiting: 0 },
  })
  expect((await cairn.overview({ by: 'month' })).overTime.map(({ at }) => at)).toEqual([
    '2026-06',
    '2026-06',
    '2026-06',
  ])
})

test('a long period is grouped by months, a longer one by years', async () => {
  const months = [
    { body: 'a', occurredAt: '2021-01-01' },
    { body: 'b', occurredAt: '2026-01-01' },
  ]
  const cairn = await libraryOf(months, { now: () => NOW })
  expect((await cairn.overview()).by).toBe('month')
  await cairn.add({ body: 'c', occurredAt: '1905-06-30' })
  const { by, overTime } = await cairn.overview()
  expect({ by, first: overTime[0]?.at }).toEqual({ by: 'year', first: '1905' })
})

test('salience is as it is now, and not as it was stored', async () => {
  let now = NOW
  const cairn = await libraryOf([{ body: 'fresh', sector: 'episodic', salience: 1 }], {
    now: () => now,
  })
  expect((await cairn.overview()).salience).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  now += 100 * DAY
  const faded = 0.05 + 0.95 * Math.exp(-DECAY_RATES.episodic * 100 * 0.75)
  const bins = (await cairn.overview()).salience
  expect(bins.indexOf(1)).toBe(Math.floor(faded * 10))
})

test('recalls of the last year are counted by day, and so are records that wait for vectors', async () => {
  let now = NOW
  const cairn = await libraryOf(['The pool is large.', 'A pool of cars.'], {
    now: () => now,
    vectors: false,
  })
  await cairn.sessions.start({ id: 'talk' })
  const recall = () => cairn.search('pool', { recallSession: 'talk' })
  await recall()
  await recall()
  now += DAY
  await recall()
  await cairn.replay()
  const { recalls, coverage } = await cairn.overview()
  expect(recalls).toEqual([
    { day: '2026-06-15', count: 4, searches: 2 },
    { day: '2026-06-16', count: 2, searches: 1 },
  ])
  expect(coverage).toEqual({ withVectors: 0, waiting: 2 })
  now += 400 * DAY
  expect((await cairn.overview()).recalls).toEqual([])
})

test('[A5] it can be narrowed to namespaces, and a pin cannot be left', async () => {
  const cairn = await libraryOf([{ body: 'a' }, { body: 'b', namespace: 'shop' }])
  expect((await cairn.overview()).kinds.memory).toBe(2)
  expect(await cairn.overview({ namespaces: 'shop' })).toMatchObject({
    kinds: { memory: 1 },
    coverage: { withVectors: 1, waiting: 0 },
  })
  const pinned = await libraryOf([{ body: 'mine' }], { namespace: 'shop', pinned: true })
  await expect(pinned.overview({ namespaces: ['default'] })).rejects.toThrow(
    'Only the namespace "shop" is accessible',
  )
  expect((await pinned.overview()).kinds.memory).toBe(1)
})

test('the command shows it as bars and as JSON', async () => {
  const run = terminal(temporaryFile())
  await run('add', 'We deploy on Thursdays.')
  const shown = await jsonOf(run)<{ kinds: { memory: number } }>('overview', '--by', 'year')
  expect(shown.kinds.memory).toBe(1)
  const { out } = await run('overview', '--by', 'year')
  expect(out).toContain('records by year\n  2026  ████')
  expect((await run('overview', '--by', 'week')).code).toBe(2)
})

test('works are counted by their stored citations, in both directions', async () => {
  const cairn = await libraryOf([], { now: () => NOW })
  const work = (key: string, cites: readonly string[]) => ({
    ...NO_DETAILS,
    title: `On ${key}`,
    abstract: null,
    tags: [],
    citationKey: key,
    references: cites.map((cited) => `key:${cited}`),
  })
  await cairn.works.import([
    work('a', ['b']),
    work('b', ['c', 'nobody']),
    work('c', []),
    work('d', []),
  ])
  const { mostCited } = await cairn.overview()
  expect(mostCited.map(({ title, citations }) => [title, citations])).toEqual([
    ['On b', 2],
    ['On a', 1],
    ['On c', 1],
  ])
})
