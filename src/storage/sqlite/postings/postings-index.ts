/** Promise: what a query seeks is at hand as lists with their weights, true to the moment of the search. */

import { Buffer } from 'node:buffer'
import { BM25_K1, idfOf } from '../bm25.js'
import type { Statements } from '../statements.js'
import { createReadVersion, type IndexVersion } from './index-version.js'
import { ListCache } from './list-cache.js'
import { findPhrase } from './phrase-list.js'
import type { Leaf } from './plan.js'
import {
  bytesOf,
  inColumns,
  mergeNewestFirst,
  type PostingList,
  rowsInAll,
} from './posting-list.js'
import { RowLengths } from './row-lengths.js'
import { type Ground, highestShare, normsUpTo, type Term } from './scoring.js'
import { createSegmentReader, type Positions } from './segment-reader.js'
import { Tallies } from './tallies.js'
import { expectThat } from './unreadable.js'

/** Lists as the segments have them. */
export const SEGMENT_CACHE_BYTES = 64 * 1024 * 1024
/** What is made of them where it differs: merged, narrowed to columns, phrases. */
export const MADE_CACHE_BYTES = 32 * 1024 * 1024

/** The index of all terms, as opposed to those of beginnings. */
const MAIN_INDEX = '0'

const LN = 'SELECT ln(?)'

export type IndexOptions = {
  readonly table: string
  /** Of each column. */
  readonly weights: readonly number[]
  readonly segmentCacheBytes?: number
  readonly madeCacheBytes?: number
}

/** A list in some columns, and the highest share of its weight that a row has at an average length. */
type View = { readonly list: PostingList; readonly share: number; readonly averageLength: number }

export type PostingsIndex = ReturnType<typeof createPostingsIndex>

export function createPostingsIndex(statements: Statements, options: IndexOptions) {
  const { table, weights } = options
  const tallies = new Tallies(weights)
  const reader = createSegmentReader(statements, table, tallies)
  const readVersion = createReadVersion(statements, table, reader)
  const lengths = new RowLengths(statements, table, weights.length)
  const lists = new ListCache<PostingList | null>(options.segmentCacheBytes ?? SEGMENT_CACHE_BYTES)
  const made = new ListCache<View>(options.madeCacheBytes ?? MADE_CACHE_BYTES)
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
    if (known !== undefined) return known
    numbers.set(list, ++numbered)
    return numbered
  }

  const makeOnce = (
    key: string,
    make: () => PostingList,
    isShared: (list: PostingList) => boolean,
  ) => {
    const known = made.get(key)
    if (known !== undefined) return known.list
    const list = make()
    made.set(key, { list, share: 0, averageLength: 0 }, isShared(list) ? 0 : bytesOf(list))
    return list
  }

  const listOf = (term: string): PostingList => {
    const bytes = Buffer.from(MAIN_INDEX + term)
    const parts: PostingList[] = []
    return makeOnce(
      `${current().number} ${term}`,
      () => {
        for (const segment of current().segments) {
          const key = `${segment.serial} ${term}`
          let list = lists.get(key)
          if (list === undefined) {
            list = reader.readList(segment, bytes)
            lists.set(key, list, list === null ? 0 : bytesOf(list))
          }
          if (list !== null) parts.push(list)
        }
        return mergeNewestFirst(parts)
      },
      (list) => parts.includes(list),
    )
  }

  const positionsOf = (term: string, rows: Uint32Array): Positions => {
    const bytes = Buffer.from(MAIN_INDEX + term)
    const isKnown = new Uint8Array(rows.length)
    const positions: Positions = {
      at: new Float64Array(2 * rows.length),
      length: 0,
      from: new Uint32Array(rows.length),
      to: new Uint32Array(rows.length),
    }
    for (const segment of current().segments) {
      reader.addPositions(segment, bytes, { rows, isKnown }, positions)
    }
    return positions
  }

  const phraseOf = (terms: readonly string[]): PostingList =>
    makeOnce(
      `${current().number} ${terms.join(' ')}`,
      () => {
        const distinct = [...new Set(terms)]
        const rows = rowsInAll(distinct.map(listOf))
        const positions = new Map(distinct.map((term) => [term, positionsOf(term, rows)]))
        return findPhrase(
          rows,
          terms.flatMap((term) => positions.get(term) ?? []),
          tallies,
        )
      },
      () => false,
    )

  /** Rows that have changed are in no list that stayed the same, so what was seen of a list stays true. */
  const viewOf = (whole: PostingList, columns: number): View => {
    const key = `${numberOf(whole)}#${columns}`
    const known = made.get(key)
    if (known !== undefined) return known
    const list = inColumns(whole, tallies, columns)
    expectThat((list.rows.at(-1) ?? 0) < ground.words.length, 'rows with a length')
    const share = highestShare(list, tallies.frequencies(columns), ground)
    const view = { list, share, averageLength: current().averageLength }
    return made.set(key, view, list === whole ? 0 : bytesOf(list))
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
      return lists.bytes + made.bytes
    },
    areLengthsLoaded: (): boolean => lengths.isLoaded,

    /** Inside a transaction, before anything else. */
    look(): IndexVersion {
      const change = readVersion(version)
      const isOther = version?.number !== change.version.number
      // Where reading the rest fails, the next look begins from nothing.
      version = null
      if (isOther) idfs.clear()
      if (lengths.isLoaded && !change.isSame) {
        if (change.added === null) lengths.isLoaded = false
        else
          lengths.refresh(new Set(change.added.flatMap((segment) => [...reader.rowsIn(segment)])))
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
      const [only = '', ...more] = terms
      const whole = more.length === 0 ? listOf(only) : phraseOf(terms)
      const { list, share, averageLength } = viewOf(whole, columns)
      const idf = idfFor(list.rows.length)
      // Norms shrink at most as much as the average grows; where no row has a word, there is no average.
      const growth = share === 0 ? 1 : Math.max(1, current().averageLength / averageLength)
      const ceiling = (BM25_K1 + 1) * idf * share * growth
      return { ...list, frequency: tallies.frequencies(columns), idf, ceiling }
    },
  }
}
