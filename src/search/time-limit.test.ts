import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TimeBudget } from '../core/time-budget.js'
import { openCairn } from '../index.js'

const WORDS = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.split(' ')
const RECORDS = 1500

function wordAt(n: number): string {
  return WORDS[Math.floor(Math.abs(Math.sin(n) * 1e4)) % WORDS.length] ?? ''
}

/** Every record has most of the words several times, so no word of a query is rare. */
function writeBody(record: number): string {
  return `${record} ${Array.from({ length: 60 }, (_, i) => wordAt(record * 61 + i)).join(' ')}`
}

function near(first: number): string {
  const words = Array.from({ length: 8 }, (_, i) => WORDS[(first + 5 * i) % WORDS.length])
  return `NEAR(${words.join(' ')}, 30)`
}

const SLOW = Array.from({ length: 6 }, (_, i) => near(i)).join(' ')
const KEYWORD = { mode: 'keyword', limit: 100 } as const

const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
const file = join(folder, 'slow.cairn')

async function writeFile(path: string, records: number): Promise<void> {
  const writing = await openCairn({ file: path, vectors: false })
  await writing.addMany(Array.from({ length: records }, (_, i) => ({ body: writeBody(i) })))
  await writing.close()
}

beforeAll(() => writeFile(file, RECORDS))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function searchWithin(timeLimitMs: number, query: string) {
  const cairn = await openCairn({ file, vectors: false, timeLimitMs })
  await cairn.search('alpha', KEYWORD)
  const start = performance.now()
  const answer = await cairn.search(query, KEYWORD)
  const tookMs = performance.now() - start
  const again = await cairn.search(query, KEYWORD)
  await cairn.close()
  return { answer, tookMs, again }
}

test('[N2] a search that exceeds its time limit returns the hits found so far and says so', async () => {
  const whole = await searchWithin(0, SLOW)
  expect(whole.answer).toMatchObject({ degraded: null, total: { exact: true } })
  expect(whole.again.cached).toBe(true)
  const { answer, again } = await searchWithin(whole.tookMs / 3, SLOW)
  expect(answer.degraded).toMatchObject({ reason: 'too_expensive' })
  expect(answer.degraded?.message).toContain('stopped')
  expect(answer.hint).toContain('fewer words')
  expect(answer.total.exact).toBe(false)
  expect(answer.hits.length).toBeGreaterThan(0)
  expect(again.cached).toBe(false)
})

test('[N2] a stopped search still applies its negations', async () => {
  const query = `${SLOW} -NEAR(alpha beta, 0)`
  const { tookMs } = await searchWithin(0, query)
  const { answer } = await searchWithin(tookMs / 3, query)
  expect(answer.degraded).toMatchObject({ reason: 'too_expensive' })
  const bodies = answer.hits.map(({ record }) => record.body)
  expect(bodies.every((body) => body.split(' ').length === 61)).toBe(true)
  expect(bodies.filter((body) => /alpha beta|beta alpha/.test(body))).toEqual([])
})

test('a search with a time limit does not block the event loop, and gives the same answer', async () => {
  const { answer: whole } = await searchWithin(0, SLOW)
  const cairn = await openCairn({ file, vectors: false, timeLimitMs: 600_000 })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const [answer, other] = await Promise.all([
    cairn.search(SLOW, KEYWORD),
    cairn.search(near(7), KEYWORD),
  ])
  clearInterval(timer)
  await cairn.close()
  const describe = ({ hits, total, degraded }: typeof whole) => {
    return { total, degraded, hits: hits.map(({ record, score }) => [record.id, score]) }
  }
  expect(describe(answer)).toEqual(describe(whole))
  expect(other.degraded).toBeNull()
  expect(turns).toBeGreaterThan(0)
})

test('stopped searches, even waiting ones, answer at once with the hits found so far', async () => {
  const cairn = await openCairn({ file, vectors: false, timeLimitMs: 600_000 })
  const asked = [0, 1, 2].map((i) => cairn.search(`${SLOW} ${near(i)}`, KEYWORD))
  setTimeout(() => cairn.stopSearches(), 1)
  for (const answer of await Promise.all(asked)) {
    expect(answer.degraded).toMatchObject({ reason: 'too_expensive' })
  }
  expect(await cairn.search('alpha', { mode: 'keyword' })).toMatchObject({
    degraded: { reason: 'too_expensive' },
  })
  await cairn.close()
})

test('a file can be closed while a search is paused', async () => {
  // Large enough for several pauses on a fast machine.
  const large = join(folder, 'large.cairn')
  await writeFile(large, 4 * RECORDS)
  const cairn = await openCairn({ file: large, vectors: false, timeLimitMs: 600_000 })
  const asked = cairn.search(SLOW, KEYWORD)
  const refused = expect(asked).rejects.toMatchObject({ code: 'closed' })
  await new Promise((resolve) => setTimeout(resolve, 1))
  await cairn.close()
  await refused
})

test('NEAR of 900 pairs is shortened before it becomes SQL', async () => {
  const pairs = Array(900).fill('alpha beta').join(' ')
  const { answer, tookMs } = await searchWithin(0, `NEAR(${pairs}, 10)`)
  expect(answer.degraded).toMatchObject({ reason: 'too_expensive' })
  expect(answer.hits.length).toBeGreaterThan(0)
  expect(tookMs).toBeLessThan(5000)
})

test('a budget without a limit is never exceeded, and a new start resets it', () => {
  let now = 0
  const budget = new TimeBudget(() => now)
  now = 1e9
  expect(budget.isSpent()).toBe(false)
  budget.start(10)
  now += 9
  expect([budget.isSpent(), budget.isCut]).toEqual([false, false])
  now += 1
  expect([budget.isSpent(), budget.isCut]).toEqual([true, true])
  budget.start(null)
  expect([budget.isSpent(), budget.isCut, budget.hasLimit]).toEqual([false, false, false])
})
