/** Ranks words from the index's own lists, where these can be read with certainty; everywhere else SQL is asked. */

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
  createTerm,
  createWorkspace,
  holdsRow,
  type Lengths,
  rankAll,
  rankAny,
  scoreRow,
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

/** The part of the index that counts as all of it: N and n of a word are those of these rows. */
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
  const views = new ListCache<Term>(cacheBytes / 2)
  let version: IndexVersion | null = null
  let collection: Collection | null = null
  let lengths: Lengths = { words: rowLengths.words, norms: new Float64Array(0) }
  let workspace = createWorkspace(0)

  const current = (): IndexVersion => {
    expectThat(version !== null, 'a version')
    return version
  }

  /** Inside a transaction, before anything else. */
  const synchronise = (): IndexVersion => {
    const change = readVersion(version)
    // Where reading the rest fails, the next search begins from nothing.
    version = null
    if (change.added === null) rowLengths.isLoaded = false
    else if (rowLengths.isLoaded && change.added.length > 0) {
      rowLengths.refresh(new Set(change.added.flatMap((segment) => [...segments.rowsIn(segment)])))
    }
    version = change.version
    lists.retain(version)
    views.retain(version)
    return version
  }

  const prepareLengths = (): void => {
    if (!rowLengths.isLoaded) rowLengths.load()
    const { words, longest } = rowLengths
    const isKnown = lengths.norms.length > longest
    lengths = { words, norms: isKnown ? lengths.norms : computeNorms(longest) }
    if (workspace.points.length < words.length) workspace = createWorkspace(words.length)
  }

  const readTerm = ({ terms, columns }: Leaf): Term => {
    const { number, marker } = current()
    const part = collection === null ? '' : JSON.stringify([marker, collection.name])
    const key = `v${number} ${part} ${columns} ${terms.join(' ')}`
    const known = views.get(key)
    if (known !== undefined) return known
    const everywhere = readList(current(), terms)
    const whole = collection === null ? everywhere : selectRows(everywhere, collection.rows)
    // After the list was read: it may have brought new tallies.
    const frequency = tallies.frequencies(columns)
    const list = selectTallies(whole, (tally) => (frequency[tally] as number) > 0)
    expectThat((list.rows.at(-1) ?? 0) < lengths.words.length, 'rows with a length')
    const idf = idfOf(reader.records, list.rows.length)
    const term = createTerm({ ...list, frequency, idf, columns }, lengths)
    // In full, also where the list is cached elsewhere: a view keeps it when it is dropped there.
    const bytes = (term.bits?.length ?? 0) + term.points.byteLength + countBytes(list)
    return views.set(key, term, bytes)
  }

  const readClauses = ({ clauses }: Plan): Term[][] => clauses.map((clause) => clause.map(readTerm))

  const withoutRefused = ({ refused }: Plan, allowed: Bits | null): Bits | null => {
    if (refused.length === 0) return allowed
    const bits = createBits(lengths.words.length)
    for (const leaf of refused) addRows(bits, readTerm(leaf).rows)
    return subtractRows(allowed, bits)
  }

  const countPostings = (clause: readonly Leaf[]): number =>
    clause.reduce((sum, leaf) => sum + readTerm(leaf).rows.length, 0)

  const reader = {
    get records(): number {
      return collection === null ? current().records : countRows(collection.rows)
    },
    /** Changes with every commit, by anyone. */
    get marker(): string {
      return current().marker
    },
    /** The best rows among the allowed ones (null: all), and how many match. */
    rank(plan: Plan, passing: Bits | null, limit: number) {
      const clauses = readClauses(plan)
      const allowed = withoutRefused(plan, passing)
      const [terms = [], ...more] = clauses
      if (more.length > 0) return rankAll({ clauses, lengths, allowed, limit })
      const most = Math.min(limit, lengths.words.length)
      const best = rankAny({ terms, lengths, allowed, limit: most }, workspace)
      return { best, total: best.length < limit ? best.length : countAny(terms, allowed) }
    },
    score(plan: Plan, given: Bits | null, rows: readonly number[]): ScoredRow[] {
      const clauses = readClauses(plan)
      const allowed = withoutRefused(plan, given)
      const terms = clauses.flat()
      const passing = allowed === null ? rows : rows.filter((row) => hasRow(allowed, row))
      const scored = passing.map((row) => ({ row, bm25: scoreRow(row, terms, lengths) }))
      return scored.filter((one) => holdsAll(one, clauses))
    },
    scorePassages: (plan: Plan, found: readonly ScoredRow[]): ScoredRow[] =>
      scorePassages(found, readClauses(plan).flat(), rowLengths),
    maxMatching: ({ clauses }: Plan): number => Math.min(...clauses.map(countPostings)),
    /** The rows of the rarest clause: every row that matches is among them. */
    candidates({ clauses }: Plan): Uint32Array {
      const [rarest = []] = clauses.toSorted((a, b) => countPostings(a) - countPostings(b))
      return listRows(uniteRows(rarest.map(readTerm)))
    },
    /** The length of the text of a row that holds some word. */
    textWordsOf: (row: number): number => rowLengths.textWords[row] ?? 0,
    rowsWith: (leaf: Leaf): Uint32Array => readTerm(leaf).rows,
  }

  return {
    /** The answer, or null where SQL has to be asked. Everything is read from one snapshot; `choose` narrows the collection. */
    read<T>(
      work: (postings: typeof reader) => T,
      choose: ((marker: string) => Collection) | null = null,
    ): T | null {
      // What this connection has written and not committed is not in the lists yet.
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
        // SQL reports better what is wrong with a file; a mistake of ours must not hide behind it.
        if (!(error instanceof Unreadable) && sqliteCode(error) === null) throw error
        workspace = createWorkspace(0)
        return null
      }
    },
    cachedBytes: (): number => lists.bytes + views.bytes,
  }
}

function countAny(terms: readonly Term[], allowed: Bits | null): number {
  const [only, another] = terms
  if (another === undefined && allowed === null) return only?.rows.length ?? 0
  return countRows(uniteRows(terms), allowed)
}

function holdsAll({ row, bm25 }: ScoredRow, clauses: readonly (readonly Term[])[]): boolean {
  // A row that holds a term has points for it.
  if (clauses.length === 1) return bm25 !== 0
  return clauses.every((clause) => clause.some((term) => holdsRow(term, row)))
}
