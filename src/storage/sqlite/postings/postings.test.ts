import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createSnapshots } from '../runner.js'
import { createStatements } from '../statements.js'
import { openPostings } from './postings.js'
import { ListCache } from './term-lists.js'

const PLAN = { clauses: [[{ terms: ['fox'], columns: 1 }]], refused: [] }

function numbersUpTo(last: number): string {
  return `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n) SELECT value FROM n LIMIT ${last}`
}

function openTable(records: number) {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (body);
    INSERT INTO t (body) SELECT iif(value % 2, 'fox', 'hen') FROM (${numbersUpTo(records)})`)
  const postings = openPostings(createSnapshots(db), createStatements(db), {
    table: 't',
    weights: [1],
    textColumns: [0],
  })
  return { db, count: () => postings.read((reader) => reader.rank(PLAN, null, 3).total) }
}

test('SQL ranks during a transaction of this connection, whose rows are in no list yet', () => {
  const { db, count } = openTable(10)
  expect(count()).toBe(5)
  db.exec(`BEGIN; INSERT INTO t (body) VALUES ('fox')`)
  expect(count()).toBeNull()
  db.exec('COMMIT')
  expect(count()).toBe(6)
})

test('SQL answers for an empty index', () => {
  expect(openTable(0).count()).toBeNull()
})

test('alternating writes and searches keep no list of an earlier version', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { db, count } = openTable(20_000)
  const update = db.prepare('UPDATE t SET body = ? WHERE rowid = ?')
  const measureAfter = (rounds: number): number => {
    for (let i = 1; i <= rounds; i++) {
      update.run(`fox ${i}`, 2 * i)
      count()
    }
    // Twice, because the first collection finds unused buffers and the second frees them.
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = measureAfter(5)
  // A list of this word takes 60 kB, so the lists of 100 versions would take 6 MB.
  expect(measureAfter(100) - before).toBeLessThan(4_000_000)
})

test('cached lists stay within their memory limit', () => {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (body);
    INSERT INTO t (body) SELECT 'w' || (value % 50) || ' w' || (value % 7) FROM (${numbersUpTo(5000)})`)
  const cacheBytes = 15_000
  const options = { table: 't', weights: [1], textColumns: [0], cacheBytes }
  const postings = openPostings(createSnapshots(db), createStatements(db), options)
  for (let i = 0; i < 50; i++) {
    const plan = { clauses: [[{ terms: [`w${i}`], columns: 1 }]], refused: [] }
    const found = postings.read((reader) => reader.rank(plan, null, 10_000).total)
    const counted = db.prepare('SELECT count(*) FROM t WHERE t MATCH ?').pluck().get(`w${i}`)
    expect(found).toBe(counted)
    expect(postings.cachedBytes()).toBeLessThanOrEqual(cacheBytes)
  }
})

test('a cache never exceeds its limit and evicts the least recently used entry first', () => {
  const cache = new ListCache<number>(10_000)
  for (let i = 0; i < 100; i++) {
    cache.set(`${i}`, i, 1000)
    expect(cache.get('0')).toBe(0)
    expect(cache.bytes).toBeLessThanOrEqual(10_000)
  }
  expect(cache.get('1')).toBeUndefined()
  expect(cache.get('99')).toBe(99)
})

test('a value larger than the cache is returned and not cached', () => {
  const cache = new ListCache<string>(100)
  expect(cache.set('a', 'large', 1000)).toBe('large')
  expect(cache.get('a')).toBeUndefined()
  expect(cache.bytes).toBe(0)
})
