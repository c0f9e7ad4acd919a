/** Ranks matches from the posting lists of the FTS5 index. The caller uses SQL if the index cannot be read with certainty. */

import { idfOf } from '../../bm25.js'
import { sqliteCode } from '../errors.js'
import type { ScoredRow } from '../full-text.js'
import type { Snapshots } from '../runner.js'
import type { Statements } from '../statements.js'
import {
  addRows,
  type Bits,
  countRows,
  createBits,
  hasRow,
  listRows,
  subtractRows,
  uniteRows,
} from './bits.js'
import { expectThat, Unreadable } from './fts5-pages.js'
import { scorePassages } from './passages.js'
import type { Leaf, Plan } from './plan.js'
import {
  computeNorms,
  countPostings,
  createTerm,
  createWorkspace,
  holdsRow,
  type Lengths,
  rankAll,
  rankAny,
  scoreRow,
  sortByRarity,
  type Term,
} from './rank.js'
import { RowLengths } from './row-lengths.js'
import { createSegmentReader, createVersionReader, type IndexVersion } from './segments.js'
import { Tallies } from './tallies.js'
import {
  countBytes,
  createTermLists,
  ListCache,
  type PostingList,
  selectRows,
  selectTallies,
} from './term-lists.js'

const CACHE_BYTES = 192 * 1024 * 1024

export type PostingsOptions = {
  readonly table: string
  readonly weights: readonly number[]
  readonly textColumns: readonly number[]
  readonly cacheBytes?: number
}

/** The rows that count as the whole collection: N and n of BM25 are counted among them. */
export type Collection = { readonly name: string; readonly rows: Bits }

export type Postings = ReturnType<typeof openPostings>
export type PostingsReader = Parameters<Parameters<Postings['read']>[0]>[0]

export function openPostings(
  snapshots: Snapshots,
  statements: Statements,
  options: PostingsOptions,
) {
  const { table, weights, cacheBytes = CACHE_BYTES } = options
  const tallies = new Tallies(weights)
  const segments = createSegmentReader(statements, table)
  const readVersion = createVersionReader(segments)
  const rowLengths = new RowLengths(statements, options)
  const lists = new ListCache<PostingList | null>(cacheBytes / 2)
  const readList = createTermLists(segments, tallies, { cache: lists, statements, rowLengths })
  const termCache = new ListCache<Term>(cacheBytes / 2)
  let version: IndexVersion | null = null
  let collection: Collection | null = null
  let lengths: Lengths = { words: rowLengths.words, norms: new Float64Array(0) }
  let workspace = createWorkspace(0)

  const current = (): IndexVersion => {
    expectThat(version !== null, 'a version')
    return version
  }

  /** Must run first in the transaction of a search. */
  const synchronise = (): IndexVersion => {
    const change = readVersion(version)
    // If the rest fails, the next search starts from scratch.
    version = null
    if (change.added === null) rowLengths.isLoaded = false
    else if (rowLengths.isLoaded && change.added.length > 0) {
      rowLengths.refresh(
        new Set(change.added.flatMap((segment) => [...segments.listRows(segment)])),
      )
    }
    version = change.version
    lists.retain(version)
    termCache.retain(version)
    return version
  }

  const prepareLengths = (): void => {
    if (!rowLengths.isLoaded) rowLengths.load()
    const { words, longest } = rowLengths
    const hasNorms = lengths.norms.length > longest
    lengths = { words, norms: hasNorms ? lengths.norms : computeNorms(longest) }
    if (workspace.points.length < words.length) workspace = createWorkspace(words.length)
  }

  const readTerm = ({ terms, columns }: Leaf): Term => {
    const { number, marker } = current()
    const part = collection === null ? '' : JSON.stringify([marker, collection.name])
    const key = `v${number} ${part} ${columns} ${terms.join(' ')}`
    const known = termCache.get(key)
    if (known !== undefined) return known
    const inAllRows = readList(current(), terms)
    const inAllColumns = collection === null ? inAllRows : selectRows(inAllRows, collection.rows)
    // Only after the list was read, because reading may add tallies.
    const frequency = tallies.frequencies(columns)
    const list = selectTallies(inAllColumns, (tally) => (frequency[tally] as number) > 0)
    expectThat((list.rows.at(-1) ?? 0) < lengths.words.length, 'rows with a length')
    const idf = idfOf(reader.records, list.rows.length)
    const term = createTerm({ ...list, frequency, idf, columns }, lengths)
    // The bytes of the list count here too: the term keeps the list in memory after `lists` has evicted it.
    const bytes = (term.bits?.length ?? 0) + term.points.byteLength + countBytes(list)
    return termCache.set(key, term, bytes)
  }

  const readClauses = ({ clauses }: Plan): Term[][] => clauses.map((clause) => clause.map(readTerm))

  const subtractRefused = ({ refused }: Plan, allowed: Bits | null): Bits | null => {
    if (refused.length === 0) return allowed
    const bits = createBits(lengths.words.length)
    for (const leaf of refused) addRows(bits, readTerm(leaf).rows)
    return subtractRows(allowed, bits)
  }

  const reader = {
    get records(): number {
      return collection === null ? current().records : countRows(collection.rows)
    },
    /** Changes with every commit of any connection. */
    get marker(): string {
      return current().marker
    },
    /** Returns the best of the rows in `passing` (null: of all rows), and how many match. */
    rank(plan: Plan, passing: Bits | null, limit: number) {
      const clauses = readClauses(plan)
      const allowed = subtractRefused(plan, passing)
      const [terms = [], ...more] = clauses
      if (more.length > 0) return rankAll({ clauses, lengths, allowed, limit })
      const most = Math.min(limit, lengths.words.length)
      const best = rankAny({ terms, lengths, allowed, limit: most }, workspace)
      return { best, total: best.length < limit ? best.length : countAny(terms, allowed) }
    },
    score(plan: Plan, given: Bits | null, rows: readonly number[]): ScoredRow[] {
      const clauses = readClauses(plan)
      const allowed = subtractRefused(plan, given)
      const terms = clauses.flat()
      const passing = allowed === null ? rows : rows.filter((row) => hasRow(allowed, row))
      const scored = passing.map((row) => ({ row, bm25: scoreRow(row, terms, lengths) }))
      return scored.filter((one) => matchesAll(one, clauses))
    },
    scorePassages: (plan: Plan, found: readonly ScoredRow[]): ScoredRow[] =>
      scorePassages(found, readClauses(plan).flat(), rowLengths),
    /** An upper bound of the number of matching rows. */
    maxMatching: (plan: Plan): number => Math.min(...readClauses(plan).map(countPostings)),
    /** The rows of the rarest clause. Every matching row is among them. */
    candidates(plan: Plan): Uint32Array {
      const [rarest = []] = sortByRarity(readClauses(plan))
      return listRows(uniteRows(rarest))
    },
    /** The number of words in the text of a row. */
    textWordsOf: (row: number): number => rowLengths.textWords[row] ?? 0,
    rowsWith: (leaf: Leaf): Uint32Array => readTerm(leaf).rows,
  }

  return {
    /**
     * Runs `work` on one snapshot of the index. Returns null if the index cannot be read; then the caller uses SQL.
     * `choose` narrows the collection.
     */
    read<T>(
      work: (postings: typeof reader) => T,
      choose: ((marker: string) => Collection) | null = null,
    ): T | null {
      // FTS5 writes its segments at the commit: rows of an open transaction are in no list yet.
      if (snapshots.mayBeWriting()) return null
      try {
        return snapshots.read(() => {
          const { marker } = synchronise()
          collection = choose === null ? null : choose(marker)
          if (reader.records === 0) return null
          prepareLengths()
          return work(reader)
        })
      } catch (error) {
        // SQL gives better messages about a damaged file. Any other error is a bug and must be seen.
        if (!(error instanceof Unreadable) && sqliteCode(error) === null) throw error
        workspace = createWorkspace(0)
        return null
      }
    },
    cachedBytes: (): number => lists.bytes + termCache.bytes,
  }
}

function countAny(terms: readonly Term[], allowed: Bits | null): number {
  const [only, another] = terms
  if (another === undefined && allowed === null) return only?.rows.length ?? 0
  return countRows(uniteRows(terms), allowed)
}

function matchesAll({ row, bm25 }: ScoredRow, clauses: readonly (readonly Term[])[]): boolean {
  // Every term that a row holds adds to its score, so the score of a match is not 0.
  if (clauses.length === 1) return bm25 !== 0
  return clauses.every((clause) => clause.some((term) => holdsRow(term, row)))
}
