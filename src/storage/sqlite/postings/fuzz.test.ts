import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { TEXT_COLUMNS } from '../../bm25.js'
import { readVarints, readWordCounts } from '../bm25.js'
import { createSnapshots } from '../runner.js'
import { createStatements } from '../statements.js'
import { addRows, createBits } from './bits.js'
import type { Leaf, Plan } from './plan.js'
import { openPostings, type Postings } from './postings.js'

/** `npm run stress -- postings` sets a higher number. */
const TABLES = Number(process.env.STRESS_TABLES ?? 2)
const SEED = Number(process.env.STRESS_SEED ?? 1)
const STEPS = 14
const QUERIES_PER_STEP = 4

const COLUMNS = ['title', 'body', 'tags', 'people', 'context'] as const
const WEIGHTS = [1.25, 1, 1, 1, 0.5] as const
const EVERY_COLUMN = 31

type Random = () => number
type Db = Database.Database

/** Creates a generator of doubles in [0, 1) from a seed (mulberry32). */
function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T
}

function upTo(random: Random, most: number): number {
  return Math.floor(random() * (most + 1))
}

/** Common words come first. Some share a prefix, some are long. */
function makeVocabulary(random: Random): string[] {
  const size = pick(random, [3, 12, 60, 400])
  return Array.from({ length: size }, (_, i) => {
    const word = `${pick(random, ['k', 'ka', 'kab', 'z', 'é'])}${i}${'q'.repeat(upTo(random, 3))}`
    return random() < 0.05 ? word + 'y'.repeat(upTo(random, 90)) : word
  })
}

type Made = { readonly random: Random; readonly words: readonly string[]; readonly longest: number }

function makeText({ random, words, longest }: Made): string {
  const length = upTo(random, random() < 0.05 ? 20 * longest : longest)
  return Array.from({ length }, () => words[Math.floor(words.length * random() ** 2.5)]).join(' ')
}

function createTable(db: Db, random: Random): void {
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (${COLUMNS.join(', ')},
    tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')`)
  const set = (option: string, value: number): void => {
    db.exec(`INSERT INTO t (t, rank) VALUES ('${option}', ${value})`)
  }
  set('pgsz', pick(random, [32, 40, 64, 150, 600, 4050]))
  set('automerge', pick(random, [0, 2, 4, 8, 16]))
  set('crisismerge', pick(random, [2, 4, 16]))
  set('usermerge', pick(random, [2, 4]))
  set('hashsize', pick(random, [200, 2000, 1_000_000]))
}

/** Runs one transaction of one connection: inserts, updates and deletes rows, and merges the index. */
function change(db: Db, made: Made): void {
  const { random } = made
  const all = db.prepare('SELECT rowid FROM t').pluck().all() as number[]
  const rows = [...new Set(Array.from({ length: 12 }, () => pick(random, all)))].slice(
    0,
    all.length,
  )
  const next = all.at(-1) ?? 0
  const texts = () => COLUMNS.map((_, i) => (i === 1 || random() < 0.4 ? makeText(made) : ''))
  const insert = db.prepare(`INSERT OR REPLACE INTO t (rowid, ${COLUMNS.join(', ')})
    VALUES (?, ?, ?, ?, ?, ?)`)
  const kind = random()
  if (kind < 0.5) {
    const count = pick(random, [1, 1, 3, 40])
    for (let i = 1; i <= count; i++) {
      insert.run(next + i + (random() < 0.1 ? upTo(random, 50) * 100 : 0), ...texts())
    }
  } else if (kind < 0.65) {
    for (const row of rows.slice(0, 1 + upTo(random, 10))) insert.run(row, ...texts())
  } else if (kind < 0.72) {
    const same = db.prepare('UPDATE t SET context = ? WHERE rowid = ?')
    for (const row of rows.slice(0, 3)) same.run(makeText(made), row)
  } else if (kind < 0.85) {
    const remove = db.prepare('DELETE FROM t WHERE rowid = ?')
    for (const row of rows.slice(0, 1 + upTo(random, 11))) remove.run(row)
  } else if (kind < 0.93) {
    db.exec(`INSERT INTO t (t, rank) VALUES ('merge', ${pick(random, [-8, 1, 4, 30])})`)
  } else if (kind < 0.97) {
    db.exec(`INSERT INTO t (t) VALUES ('optimize')`)
  } else {
    // As Cairn does, because nothing else shows a rebuild with certainty.
    db.exec(`INSERT INTO t (t) VALUES ('rebuild'); INSERT INTO t (t, rank) VALUES ('usermerge', 4)`)
  }
}

function makeLeaf({ random, words }: Made): Leaf {
  const word = () =>
    random() < 0.04 ? 'nowhere' : (words[Math.floor(words.length * random() ** 1.5)] as string)
  const length = random() < 0.75 ? 1 : pick(random, [2, 2, 3])
  const columns = random() < 0.6 ? EVERY_COLUMN : 1 + upTo(random, EVERY_COLUMN - 1)
  return { terms: Array.from({ length }, word), columns }
}

function makePlan(made: Made): Plan {
  const { random } = made
  const clause = () =>
    Array.from({ length: random() < 0.3 ? 1 : 1 + upTo(random, 7) }, () => makeLeaf(made))
  const clauses = Array.from({ length: random() < 0.6 ? 1 : 1 + upTo(random, 2) }, clause)
  return { clauses, refused: random() < 0.2 ? clause() : [] }
}

function expressionOf({ clauses, refused }: Plan): string {
  const leaf = ({ terms, columns }: Leaf): string => {
    const names = COLUMNS.filter((_, i) => columns & (1 << i))
    return `{${names.join(' ')}} : "${terms.join(' ')}"`
  }
  const any = (leaves: readonly Leaf[]) => `(${leaves.map(leaf).join(' OR ')})`
  const wanted = clauses.map(any).join(' AND ')
  return refused.length === 0 ? wanted : `(${wanted}) NOT ${any(refused)}`
}

/** Returns the terms that the index has for a word: stemmed and folded. */
function stemmed({ clauses, refused }: Plan, stemOf: (word: string) => string): Plan {
  const leaf = ({ terms, columns }: Leaf): Leaf => ({ terms: terms.map(stemOf), columns })
  return { clauses: clauses.map((clause) => clause.map(leaf)), refused: refused.map(leaf) }
}

type Reader = { readonly db: Db; readonly postings: Postings }

function compare({ db, postings }: Reader, made: Made, stemOf: (word: string) => string): string {
  const { random } = made
  const plan = makePlan(made)
  const limit = pick(random, [1, 3, 10, 50, 1000])
  const all = db.prepare('SELECT rowid FROM t').pluck().all() as number[]
  const kept = random() < 0.7 ? null : all.filter(() => random() < pick(random, [0.02, 0.5]))
  const allowed = kept && createBits(Math.max(0, ...kept))
  if (kept && allowed) addRows(allowed, Uint32Array.from(kept))
  const among = kept === null ? '' : 'AND +rowid IN (SELECT value FROM json_each(?))'
  const matching = db
    .prepare(`SELECT rowid FROM t WHERE t MATCH ? ${among}`)
    .pluck()
    .all(expressionOf(plan), ...(kept === null ? [] : [JSON.stringify(kept)])) as number[]
  const sought = stemmed(plan, stemOf)
  const expected = scorePlainly(db, sought, matching)
  const found = postings.read((reader) => ({
    ranked: reader.rank(sought, allowed, limit),
    scored: reader.score(
      sought,
      allowed,
      expected.slice(0, 5).map(({ row }) => row),
    ),
    inPassages: reader.scorePassages(sought, expected),
    words: all.map((row) => [row, reader.textWordsOf(row)]),
  }))
  if (found === null) return all.length === 0 ? 'empty' : 'sql'
  // No list shows that a row has lost its last word.
  const lengths = [...readWordCounts(createStatements(db), 't', all)].filter(
    ([, words]) => words > 0,
  )
  expect(found.words).toEqual(expect.arrayContaining(lengths))
  const shown = expressionOf(plan)
  expect(found.ranked.total, shown).toBe(expected.length)
  expect(new Set(found.ranked.best.map(({ row }) => row)).size, shown).toBe(
    Math.min(limit, expected.length),
  )
  const plain = new Map(expected.map(({ row, bm25 }) => [row, bm25]))
  for (const [i, { row, bm25 }] of found.ranked.best.entries()) {
    expect(Math.abs(bm25 - (plain.get(row) ?? 0)), shown).toBeLessThan(1e-9)
    expect(Math.abs(bm25 - (expected[i]?.bm25 ?? 0)), shown).toBeLessThan(1e-9)
  }
  expect(found.scored.map(({ row }) => row)).toEqual(expected.slice(0, 5).map(({ row }) => row))
  for (const { row, bm25 } of found.scored) {
    expect(Math.abs(bm25 - (plain.get(row) ?? 0)), shown).toBeLessThan(1e-9)
  }
  const long = new Map(expected.map(({ row, passage }) => [row, passage]))
  expect(found.inPassages.map(({ row }) => row).sort(byNumber), shown).toEqual(
    expected
      .filter(({ passage }) => passage !== null)
      .map(({ row }) => row)
      .sort(byNumber),
  )
  for (const { row, bm25 } of found.inPassages) {
    expect(Math.abs(bm25 - (long.get(row) ?? 0)), shown).toBeLessThan(1e-9)
  }
  return 'postings'
}

function byNumber(a: number, b: number): number {
  return a - b
}

/** Computes BM25 row by row from `fts5vocab` and the stored lengths. */
function scorePlainly(db: Db, { clauses }: Plan, rows: readonly number[]) {
  const records = Number(db.prepare('SELECT count(*) FROM t').pluck().get())
  const instances = db.prepare('SELECT doc, col, offset FROM v WHERE term = ?').raw()
  const leaves = clauses.flat().map(({ terms, columns }) => {
    const [first = [], ...others] = terms.map((term) => instances.all(term) as Instance[])
    const following = others.map((own) => new Set(own.map(keyOf)))
    const frequency = new Map<number, number>()
    const places = new Map<number, Place[]>()
    for (const [row, column, offset] of first) {
      const index = COLUMNS.indexOf(column)
      const isPhrase = following.every((own, i) => own.has(keyOf([row, column, offset + i + 1])))
      if ((columns & (1 << index)) === 0 || !isPhrase) continue
      const weight = WEIGHTS[index] ?? 0
      frequency.set(row, (frequency.get(row) ?? 0) + weight)
      const offsetInBody = column === 'body' ? offset : null
      places.set(row, [...(places.get(row) ?? []), { weight, offsetInBody }])
    }
    return { frequency, places, idf: Math.log((records + 2) / (frequency.size + 1)) }
  })
  const size = db.prepare('SELECT sz FROM t_docsize WHERE id = ?').pluck()
  const scored = rows.map((row) => {
    const words = readVarints(size.get(row) as Uint8Array).reduce((sum, own) => sum + own, 0)
    let points = 0
    for (const { frequency, idf } of leaves) {
      const own = frequency.get(row) ?? 0
      points += (idf * own * 1.9) / (own + 0.9 * (0.4 + 0.6 * (words / 100)))
    }
    const sizes = readVarints(size.get(row) as Uint8Array)
    const isLong = TEXT_COLUMNS.reduce((sum, column) => sum + (sizes[column] ?? 0), 0) > 300
    const passages = Array.from({ length: Math.ceil((sizes[1] ?? 0) / 100) + 1 }, (_, block) => {
      const isInside = ({ offsetInBody: at }: Place) =>
        at === null || (at >= 100 * block && at < 100 * block + 200)
      return leaves.reduce((sum, { places, idf }) => {
        const inside = (places.get(row) ?? []).filter(isInside)
        const own = inside.reduce((all, { weight }) => all + weight, 0)
        return sum + (idf * own * 1.9) / (own + 0.9 * (0.4 + 0.6 * 2))
      }, 0)
    })
    return { row, bm25: -points, passage: isLong ? -Math.max(...passages) : null }
  })
  return scored.sort((a, b) => a.bm25 - b.bm25 || a.row - b.row)
}

/** Returns the positions of a leaf with the weights of their columns. Outside of the body they belong to every passage. */
type Place = { readonly weight: number; readonly offsetInBody: number | null }

function keyOf([row, column, offset]: Instance): number {
  return (row * COLUMNS.length + COLUMNS.indexOf(column)) * 10_000 + offset
}

type Instance = [row: number, column: (typeof COLUMNS)[number], offset: number]

/** Turns words into terms in the way of FTS5. */
function createStems(): (word: string) => string {
  const db = new Database(':memory:')
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE v USING fts5vocab (t, 'row')`)
  const add = db.prepare('INSERT INTO t (rowid, x) VALUES (1, ?)')
  const read = db.prepare('SELECT term FROM v').pluck()
  const known = new Map<string, string>()
  return (word) => {
    const stem = known.get(word)
    if (stem !== undefined) return stem
    add.run(word)
    known.set(word, String(read.get()))
    db.exec('DELETE FROM t')
    return known.get(word) ?? word
  }
}

function openReader(file: string): Reader {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = OFF')
  const statements = createStatements(db)
  return {
    db,
    postings: openPostings(createSnapshots(db), statements, {
      table: 't',
      weights: WEIGHTS,
      textColumns: TEXT_COLUMNS,
    }),
  }
}

test(`posting lists give the results of SQL: ${TABLES} tables with deletes, merges and several connections`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-postings-'))
  const stemOf = createStems()
  const answers: Record<string, number> = { postings: 0, sql: 0, empty: 0 }
  for (let table = 0; table < TABLES; table++) {
    const random = createRandom(SEED * 1_000_003 + table)
    const readers = Array.from({ length: 3 }, () => openReader(join(folder, `${table}.db`)))
    const made = { random, words: makeVocabulary(random), longest: pick(random, [4, 15, 60]) }
    try {
      createTable((readers[0] as Reader).db, random)
      for (let step = 0; step < STEPS; step++) {
        const { db } = pick(random, readers)
        for (let i = upTo(random, pick(random, [1, 1, 6])); i >= 0; i--) {
          db.exec('BEGIN IMMEDIATE')
          change(db, made)
          db.exec(random() < 0.1 ? 'ROLLBACK' : 'COMMIT')
        }
        for (let i = 0; i < QUERIES_PER_STEP; i++) {
          const answer = compare(pick(random, readers), made, stemOf)
          answers[answer] = (answers[answer] ?? 0) + 1
        }
      }
    } catch (error) {
      throw new Error(`table ${table} of seed ${SEED}`, { cause: error })
    } finally {
      for (const { db } of readers) db.close()
    }
  }
  rmSync(folder, { recursive: true })
  expect(answers.sql).toBe(0)
  expect(answers.postings).toBeGreaterThan(TABLES * STEPS * 3)
}, 3_600_000)
