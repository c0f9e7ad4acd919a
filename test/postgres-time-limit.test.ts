/** Searches that run out of time on a server; runs where CAIRN_TEST_POSTGRES names one. */

import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cairn, openCairn } from '../src/index.js'

const server = process.env.CAIRN_TEST_POSTGRES ?? ''
const schema = `late_${process.pid}`
const TIME_LIMIT_MS = 3000
/** After the share of the time that words and vectors have together, and well before the end. */
const RELEASE_MS = 0.7 * TIME_LIMIT_MS

describe.skipIf(server === '')('a search with a time limit on a server', () => {
  let cairn: Cairn
  const admin = new pg.Client(server)

  beforeAll(async () => {
    await admin.connect()
    cairn = await openCairn({
      url: `${server}?schema=${schema}`,
      vectors: { provider: 'fake', dimensions: 24 },
      timeLimitMs: TIME_LIMIT_MS,
      cache: false,
    })
    const bodies = Array.from({ length: 30 }, (_, i) => `the old ferry of day ${i} in the fog`)
    await cairn.addMany([...bodies, 'a bridge over the river'].map((body) => ({ body })))
    await cairn.embed()
    await cairn.search('ferry')
  }, 60_000)

  afterAll(async () => {
    await cairn.close()
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await admin.end()
  }, 60_000)

  /** Nobody can read the table until most of the time is over. */
  const searchWhileLocked = async (table: string) => {
    await admin.query('BEGIN')
    await admin.query(`LOCK TABLE ${schema}.${table}`)
    const answer = cairn.search({ query: 'ferry fog' })
    await setTimeout(RELEASE_MS)
    await admin.query('COMMIT')
    return answer
  }

  test('[N2] gives what words alone found where vectors are late, and says so', async () => {
    const whole = await cairn.search({ query: 'ferry fog' })
    expect(whole.degraded).toBeNull()
    expect(whole.hits.some(({ matchType }) => matchType === 'both')).toBe(true)
    const answer = await searchWhileLocked('chunks')
    const words = await cairn.search({ query: 'ferry fog', mode: 'keyword', limit: 100 })
    expect(answer.degraded).toMatchObject({ reason: 'too_expensive' })
    expect(answer.total.exact).toBe(false)
    expect(answer.hits).toHaveLength(whole.hits.length)
    expect(words.hits.map(({ id }) => id)).toEqual(
      expect.arrayContaining(answer.hits.map(({ id }) => id)),
    )
  })

  test('[N2] gives what vectors alone found where words are late, and says so', async () => {
    const answer = await searchWhileLocked('words')
    expect(answer.degraded).toMatchObject({ reason: 'too_expensive' })
    expect(answer.hits.length).toBeGreaterThan(0)
    expect(answer.hits.every(({ bm25 }) => bm25 === null)).toBe(true)
  })

  test('answers as before once nothing is late any more', async () => {
    expect(await cairn.search({ query: 'ferry fog' })).toMatchObject({ degraded: null })
  })
})
