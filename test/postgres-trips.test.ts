/** How many round trips a search takes; runs where CAIRN_TEST_POSTGRES names a server. */

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cairn, type OpenOptions, openCairn, type SearchInput } from '../src/index.js'
import { countTrips } from './support/counted-trips.js'

const server = process.env.CAIRN_TEST_POSTGRES ?? ''
const schema = `trips_${process.pid}`
const MOST_TRIPS = 6

/** Each kind of search, from one word to everything at once. */
const SEARCHES: Readonly<Record<string, SearchInput>> = {
  'one word': { query: 'ferry' },
  'several words': { query: 'old ferry in the harbour fog' },
  'words alone': { query: 'old ferry harbour', mode: 'keyword' },
  'vectors alone': { query: 'ships and water', mode: 'semantic' },
  'a filter': { query: 'ferry', namespaces: ['default'], tags: ['boat'], since: '2020-01-01' },
  'a phrase': { query: '"old ferry" fog' },
  'a field': { query: 'title:harbour ferry' },
  'words near each other': { query: 'NEAR(ferry fog, 4)' },
  'all words': { query: 'ferry fog lighthouse', match: 'all' },
  'a negation': { query: 'ferry NOT bridge' },
  'a filter alone': { tags: ['boat'] },
  'a symbol': { query: '++' },
  'relaxed words': { query: 'ferry lighthouse unicycles', mode: 'keyword' },
  'the beginning of a word': { query: 'lightho', mode: 'keyword' },
  'the beginning of a word, with vectors': { query: 'lightho' },
  'a misspelled word': { query: 'lighthuose', mode: 'keyword' },
  'a misspelled word, with vectors': { query: 'lighthuose' },
  'an unknown phrase': { query: '"ferry unicycle"' },
  'nothing known': { query: 'qqxzv wwkjq' },
  facets: { query: 'ferry', facets: true },
  'wide facets': {
    query: 'ferry',
    facets: true,
    wideFacets: true,
    tags: ['boat'],
    kinds: ['memory'],
  },
  'sorted by time': { query: 'ferry', sort: 'newest' },
  'a later page': { query: 'ferry', offset: 20, limit: 10 },
  'a deep page': { query: 'ferry', offset: 110, limit: 10 },
  boosts: { query: 'ferry', boosts: [{ field: 'tag', value: 'boat', factor: 2 }] },
  'a time': { query: 'ferry yesterday' },
  'turns around': { query: 'ferry', context: 2 },
  explained: { query: 'ferry', explain: true },
  'corrected records': { query: 'timetable' },
  'corrected records, shown': { query: 'timetable', includeSuperseded: true },
  'the past': { query: 'timetable', asOf: '2026-01-01T12:00:00Z' },
  'a lens of the user': { query: 'ferry', lens: 'words' },
  'a recall': { query: 'ferry', recallSession: 'trip' },
}

describe.skipIf(server === '')('a search on a server', () => {
  let cairn: Cairn
  /** Another process, whose round trips are not counted. */
  let writer: Cairn
  let trips: Awaited<ReturnType<typeof countTrips>>
  /** A search logs its recall after the answer, and this reads the log: its round trips must not count for the next search. */
  let waitForRecalls: () => Promise<unknown>
  const open = (options: Partial<OpenOptions> = {}) =>
    openCairn({ url: trips.url, vectors: { provider: 'fake', dimensions: 24 }, ...options })

  beforeAll(async () => {
    trips = await countTrips(`${server}?schema=${schema}`)
    let nowMs = Date.UTC(2026, 0, 1)
    const filling = await open({ now: () => nowMs })
    await filling.addMany(
      Array.from({ length: 200 }, (_, i) => ({
        title: i % 3 === 0 ? `harbour ${i}` : undefined,
        body: `the old ferry of day ${i} in the fog${i % 5 === 0 ? ', the lighthouse was on' : ''}`,
        tags: i % 2 === 0 ? ['boat'] : ['land'],
        ...(i % 4 === 0 && { session: 'trip' }),
      })),
    )
    const [one, two] = await filling.addMany([
      { body: 'the timetable of winter' },
      { body: 'the timetable of summer' },
    ])
    nowMs += 86_400_000
    await filling.supersede(one?.id ?? '', two?.id ?? '')
    await filling.lenses.save('words', { mode: 'keyword' })
    await filling.embed()
    await filling.close()
    cairn = await open()
    waitForRecalls = () => cairn.sessionContext(one?.id ?? '')
    writer = await open({ url: `${server}?schema=${schema}` })
    await cairn.search('ferry')
  }, 120_000)

  afterAll(async () => {
    await cairn.close()
    await writer.close()
    trips.close()
    const client = new pg.Client(server)
    await client.connect()
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await client.end()
  }, 60_000)

  test.each(Object.entries(SEARCHES))('[N9] takes few round trips: %s', async (_, input) => {
    const cold = await trips.count(() => cairn.search(input))
    await writer.add({ body: `something else ${Math.random()}` })
    await waitForRecalls()
    const after = await trips.count(() => cairn.search(input))
    await waitForRecalls()
    const again = await trips.count(() => cairn.search(input))
    expect(after.outcome.cached).toBe(false)
    expect([cold.trips, after.trips].filter((count) => count > MOST_TRIPS)).toEqual([])
    expect(again.trips).toBeLessThanOrEqual(again.outcome.cached ? 2 : MOST_TRIPS)
  })
})
