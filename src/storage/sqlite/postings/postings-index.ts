/** What a query seeks is at hand as lists with their weights, true to the moment of the search. */

import { BM25_K1, idfOf } from '../bm25.js'
import type { Statements } from '../statements.js'
import { isDense, rankBits, unionOf } from './bits.js'
import { createReadVersion, type IndexVersion } from './index-version.js'
import { createLeafReader } from './leaf-reader.js'
import { ListCache } from './list-cache.js'
import type { Leaf } from './plan.js'
import { bytesOf, inColumns, type PostingList } from './posting-list.js'
import { RowLengths } from './row-lengths.js'
import { type Ground, highestShare, normsUpTo, type Term } from './scoring.js'
import { Tallies } from './tallies.js'
import { createTermLists } from './term-lists.js'
import { expectThat } from './unreadable.js'

/** What is kept of lists at most: as segments have them; merged ones and phrases; narrowed to columns or as bits. */
export const CACHE_BYTES = {
  segments: 128 * 1024 * 1024,
  made: 32 * 1024 * 1024,
  views: 32 * 1024 * 1024,
} as const

const LN = 'SELECT ln(?)'

export type IndexOptions = {
  readonly table: string
  /** Of each column. */
  readonly weights: readonly number[]
  /** Those columns that say how long a text is. */
  readonly textColumns: readonly number[]
  readonly cacheBytes?: Readonly<Record<keyof typeof CACHE_BYTES, number>>
}

/** A list in some columns. `share` is the most of its weight that a row gets at an average length. */
type View = Pick<Term, 'rows' | 'tallies' | 'bits' | 'ranked'> & {
  readonly share: number
  readonly averageLength: number
}

export type PostingsIndex = ReturnType<typeof createPostingsIndex>

export function createPostingsIndex(statements: Statements, options: IndexOptions) {
  const { table, weights, textColumns, cacheBytes = CACHE_BYTES } = options
  const tallies = new Tallies(weights)
  const leaves = createLeafReader(statements, table)
  const readVersion = createReadVersion(statements, table, leaves)
  const isText = weights.map((_, column) => textColumns.includes(column))
  const lengths = new RowLengths(statements, table, isText)
  const lists = createTermLists(leaves, tallies, {
    segmentBytes: cacheBytes.segments,
    madeBytes: cacheBytes.made,
  })
  const views = new ListCache<View>(cacheBytes.views)
  const numbers = new WeakMap<PostingList, number>()
  const idfs = new Map<number, number>()
  let numbered = 0
  let version: IndexVersion | null = null
  let ground: Ground = { words: lengths.words, norms: new Float64Array(0) }
  let normsFor = Number.NaN

  const current = (): IndexVersion => {
    expectThat(version !== null, 'a version')
    return version
  }

  const numberOf = (list: PostingList): number => {
    const known = numbers.get(list)
    if (known === undefined) numbers.set(list, ++numbered)
    return known ?? numbered
  }

  /** Rows that have changed are in no list that stayed the same, so what was seen of a list stays true. */
  const viewOf = (whole: PostingList, columns: number): View => {
    const key = `${numberOf(whole)} ${columns}`
    const known = views.get(key)
    if (known !== undefined) return known
    const list = inColumns(whole, tallies, columns)
    expectThat((list.rows.at(-1) ?? 0) < ground.words.length, 'rows with a length')
    const share = highestShare(list, tallies.frequencies(columns), ground)
    const bits = isDense(list.rows) ? unionOf([list]) : null
    const ranked = bits === null ? null : rankBits(bits)
    const view = { ...list, bits, ranked, share, averageLength: current().averageLength }
    const bitBytes = (bits?.byteLength ?? 0) + (ranked?.before.byteLength ?? 0)
    return views.set(key, view, (list === whole ? 0 : bytesOf(list)) + bitBytes)
  }

  const idfFor = (matching: number): number => {
    const known = idfs.get(matching)
    if (known !== undefined) return known
    const idf = idfOf(current().records, matching, (value) => Number(statements.value(LN, [value])))
    idfs.set(matching, idf)
    return idf
  }

  return {
    get version(): IndexVersion {
      return current()
    },
    get ground(): Ground {
      return ground
    },
    get bytes(): number {
      return lists.bytes + views.bytes
    },
    textWordsOf: (row: number): number => lengths.textWords[row] ?? 0,
    areLengthsLoaded: (): boolean => lengths.isLoaded,

    /** Inside a transaction, before anything else. */
    look(): IndexVersion {
      const change = readVersion(version)
      if (version?.number !== change.version.number) idfs.clear()
      // Where reading the rest fails, the next look begins from nothing.
      version = null
      if (change.added === null) lengths.isLoaded = false
      else if (lengths.isLoaded && change.added.length > 0) {
        lengths.refresh(new Set(change.added.flatMap((segment) => [...leaves.rowsIn(segment)])))
      }
      version = change.version
      return version
    },

    /** What every score needs, where it is not there or not true any more. */
    prepare(): void {
      if (!lengths.isLoaded) lengths.load()
      const { averageLength } = current()
      const isSame = normsFor === averageLength && ground.norms.length > lengths.longest
      const norms = isSame ? ground.norms : normsUpTo(lengths.longest, averageLength)
      ground = { words: lengths.words, norms }
      normsFor = averageLength
    },

    termOf({ terms, columns }: Leaf): Term {
      const { rows, bits, ranked, share, ...view } = viewOf(lists.read(current(), terms), columns)
      const idf = idfFor(rows.length)
      // Norms shrink at most as much as the average grows; where no row has a word, there is no average.
      const growth = share === 0 ? 1 : Math.max(1, current().averageLength / view.averageLength)
      const ceiling = (BM25_K1 + 1) * idf * share * growth
      const frequency = tallies.frequencies(columns)
      return { rows, tallies: view.tallies, bits, ranked, frequency, idf, ceiling }
    },
  }
}
