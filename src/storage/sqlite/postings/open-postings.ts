/** Words are ranked from the index's own lists where these can be read for sure; else nobody is answered. */

import { sqliteCode } from '../errors.js'
import type { ScoredRow } from '../full-text.js'
import type { Moments } from '../runner.js'
import type { Statements } from '../statements.js'
import { bestOfAll } from './best-of-all.js'
import { bestOfAny, createWorkspace } from './best-of-any.js'
import { addRows, type Bits, countBits, createBits, has, rowsIn, unionOf, without } from './bits.js'
import type { Leaf, Plan } from './plan.js'
import { seek } from './posting-list.js'
import { createPostingsIndex, type IndexOptions } from './postings-index.js'
import { scoreRow, type Term } from './scoring.js'
import { Unreadable } from './unreadable.js'

/** Up to so many records, their lengths are read at once; it takes some milliseconds. */
export const EAGER_RECORDS = 20_000
/**
 * Beyond, the lengths are read once SQL has scored this share of the records: by then it has taken as long as the
 * reading takes, and a program that searches once does not wait for what only the next searches gain from.
 */
export const PATIENCE = 0.5

export type RankedPostings = { readonly best: readonly ScoredRow[]; readonly total: number }

/** What can be asked while the index stands still. */
export type PostingsReader = {
  readonly records: number
  /** Changes with every commit, by anyone. */
  readonly marker: string
  /** The best rows among those that are allowed (null: all), and how many match. */
  rank(plan: Plan, allowed: Bits | null, limit: number): RankedPostings
  /** The scores of those rows that match. */
  score(plan: Plan, allowed: Bits | null, rows: readonly number[]): ScoredRow[]
  /** At most so many rows match. */
  mostMatching(plan: Plan): number
  /** Rows of which all that match are some. */
  candidates(plan: Plan): Uint32Array
  /** How long the text of a row is that holds some word. */
  textWordsOf(row: number): number
  /** The rows that hold the leaf, ascending. */
  rowsWith(leaf: Leaf): Uint32Array
}

/** Up to this share of all records, rows that pass a filter are kept as numbers as well. */
export const FEW_SHARE = 1 / 20

export type Postings = ReturnType<typeof openPostings>

export function openPostings(moments: Moments, statements: Statements, options: IndexOptions) {
  const index = createPostingsIndex(statements, options)
  let workspace = createWorkspace(0)
  let scoredBySql = 0
  /** A filter's bits are asked about again and again, its rows are listed once; null where they are many. */
  const listed = new WeakMap<Bits, Uint32Array | null>()
  const fewIn = (bits: Bits, records: number): Uint32Array | null => {
    const known = listed.get(bits)
    if (known !== undefined) return known
    const isFew = countBits(bits, null) <= records * FEW_SHARE
    const rows = isFew ? Uint32Array.from(rowsIn(bits)) : null
    listed.set(bits, rows)
    return rows
  }

  const sizeOf = (clause: readonly Leaf[]): number =>
    clause.reduce((sum, leaf) => sum + index.termOf(leaf).rows.length, 0)

  const withoutRefused = ({ refused }: Plan, allowed: Bits | null): Bits | null => {
    if (refused.length === 0) return allowed
    const bits = createBits(index.ground.words.length)
    for (const leaf of refused) addRows(bits, index.termOf(leaf).rows)
    return without(allowed, bits)
  }

  const reader: PostingsReader = {
    get records() {
      return index.version.records
    },
    get marker() {
      return index.version.marker
    },
    rank(plan, passing, limit) {
      const clauses = plan.clauses.map((clause) => clause.map(index.termOf))
      const allowed = withoutRefused(plan, passing)
      const { ground } = index
      const [terms = [], ...more] = clauses
      if (more.length > 0) return bestOfAll({ clauses, ground, allowed, limit })
      if (workspace.points.length < ground.words.length) {
        workspace = createWorkspace(ground.words.length)
      }
      const most = Math.min(limit, ground.words.length)
      const few = allowed === null ? null : fewIn(allowed, index.version.records)
      const best = bestOfAny({ terms, ground, allowed, few, limit: most }, workspace)
      return { best, total: best.length < limit ? best.length : countAny(terms, allowed) }
    },
    score(plan, passing, rows) {
      const clauses = plan.clauses.map((clause) => clause.map(index.termOf))
      const allowed = withoutRefused(plan, passing)
      const { ground } = index
      const terms = clauses.flat()
      return rows
        .filter((row) => clauses.every((clause) => clause.some((term) => holds(term, row))))
        .filter((row) => allowed === null || has(allowed, row))
        .map((row) => ({ row, bm25: scoreRow(row, terms, ground) }))
    },
    mostMatching: (plan) => Math.min(...plan.clauses.map((clause) => sizeOf(clause))),
    candidates(plan) {
      const [rarest = []] = plan.clauses.toSorted((a, b) => sizeOf(a) - sizeOf(b))
      return Uint32Array.from(rowsIn(unionOf(rarest.map(index.termOf))))
    },
    textWordsOf: index.textWordsOf,
    rowsWith: (leaf) => index.termOf(leaf).rows,
  }

  return {
    /** The answer, or null where SQL has to be asked. Everything is read at one moment. */
    read<T>(work: (reader: PostingsReader) => T): T | null {
      // What this connection has written and not committed is not in the lists yet.
      if (moments.mayBeWriting()) return null
      try {
        return moments.read(() => {
          const { records } = index.look()
          if (records === 0) return null
          const isCold = !index.areLengthsLoaded() && records > EAGER_RECORDS
          if (isCold && scoredBySql < records * PATIENCE) return null
          index.prepare()
          // Where the lengths are lost again, patience begins anew.
          scoredBySql = 0
          return work(reader)
        })
      } catch (error) {
        if (!mayBeAskedOfSql(error)) throw error
        workspace = createWorkspace(0)
        return null
      }
    },
    /** Told of every ranking that SQL did. */
    noteSql(matches: number): void {
      scoredBySql += matches
    },
    /** Of the lists that are kept. */
    keptBytes: (): number => index.bytes,
  }
}

/** What is wrong with a file, SQL says better; a mistake of ours must not hide behind it. */
function mayBeAskedOfSql(error: unknown): boolean {
  return error instanceof Unreadable || sqliteCode(error) !== null
}

function holds({ rows }: Term, row: number): boolean {
  return rows[seek(rows, row)] === row
}

/** How many rows hold any of the terms. */
function countAny(terms: readonly Term[], allowed: Bits | null): number {
  const [only, another] = terms
  if (another === undefined && allowed === null) return only?.rows.length ?? 0
  return countBits(unionOf(terms), allowed)
}
