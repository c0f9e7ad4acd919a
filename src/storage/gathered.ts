/** Joins the candidates by words and by vectors, of the present and of the past, for every backend. */

import type { RankedBy } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Gathered, GatheredRecord } from './search.js'
import type { ListedPage, Page, RankedPage } from './storage.js'
import type { NearRecord, NearSearch } from './vectors.js'

type ScoredRow = { readonly row: number; readonly bm25: number }
type Scores = ReadonlyMap<number, number>

export type FoundByWords = {
  /** Best first. */
  readonly ranked: readonly ScoredRow[]
  /** The scores of long texts by their best passage. */
  readonly passages: Scores
  /** The scores of the pairs alone. */
  readonly pairs: Scores
  readonly total: number
  /** False if more may match. Default: true. */
  readonly isExact?: boolean
  readonly rankedBy: RankedBy | null
}

const NO_SCORES: Scores = new Map()
export const NO_WORDS: FoundByWords = {
  ranked: [],
  passages: NO_SCORES,
  pairs: NO_SCORES,
  total: 0,
  rankedBy: null,
}

export function mapScores(scored: readonly ScoredRow[]): Scores {
  return new Map(scored.map(({ row, bm25 }) => [row, bm25]))
}

/** The scores of a present candidate besides its bm25. */
export type ComparedRow = Pick<GatheredRecord, 'similarity' | 'wholeSimilarity' | 'words'>

type FoundPresent = {
  readonly byWords: FoundByWords
  /** The rows found by vectors, at most `limit`. */
  readonly near: readonly number[]
  readonly limit: number
  readonly compared: ReadonlyMap<number, ComparedRow>
  readonly vectorsMs: number
}

/** The present candidates, and the bm25 of the best one by words. */
export type GatheredPresent = Gathered & { readonly bestBm25: number }

/** Candidates found by words come first, best first, then those found only by vectors. */
export function joinPresent(found: FoundPresent): GatheredPresent {
  const { byWords, near, limit, compared, vectorsMs } = found
  const bm25 = mapScores(byWords.ranked)
  const ranked = byWords.ranked.map(({ row }) => row)
  const onlyNear = near.filter((row) => !bm25.has(row))
  const records = [...ranked, ...onlyNear].map((row): GatheredRecord => {
    const { similarity = null, wholeSimilarity = null, words = 0 } = compared.get(row) ?? {}
    return {
      key: row,
      bm25: bm25.get(row) ?? null,
      passageBm25: byWords.passages.get(row) ?? null,
      pairBm25: byWords.pairs.get(row) ?? null,
      similarity,
      wholeSimilarity,
      words,
      isPast: false,
      isSuperseded: false,
    }
  })
  const [first] = byWords.ranked
  return {
    records,
    total: byWords.total + onlyNear.length,
    superseded: 0,
    isExact: near.length < limit && byWords.isExact !== false,
    bestByWords: first === undefined ? null : { key: first.row, isPast: false },
    rankedBy: byWords.rankedBy,
    bestBm25: first?.bm25 ?? 0,
    vectorsMs,
  }
}

/** The result of a search without time left. */
export const NOTHING_GATHERED: Gathered = {
  records: [],
  total: 0,
  superseded: 0,
  isExact: false,
  bestByWords: null,
  rankedBy: null,
  vectorsMs: 0,
}

export type PastState = {
  readonly id: RecordId
  readonly revision: number
  readonly isSuperseded: boolean
}

export type PastMatches = {
  readonly matches: readonly (PastState & { readonly bm25: number })[]
  readonly total: number
  readonly superseded: number
}

export const NO_MATCHES: PastMatches = { matches: [], total: 0, superseded: 0 }

/** A page of both, best first. */
export function joinRanked(
  present: Pick<RankedPage, 'total' | 'rankedBy'> & {
    readonly ranked: readonly { readonly id: RecordId; readonly bm25: number }[]
  },
  past: PastMatches | null,
  page: Page,
): RankedPage {
  const { total, rankedBy } = present
  const ranked = present.ranked.map(({ id, bm25 }) => ({ id, bm25, isSuperseded: false }))
  if (past === null) return { ranked, total, superseded: 0, rankedBy }
  const states = past.matches.map(({ id, bm25, isSuperseded }) => ({ id, bm25, isSuperseded }))
  const all = [...ranked, ...states]
  all.sort((a, b) => a.bm25 - b.bm25 || (a.id < b.id ? -1 : 1))
  return {
    ranked: all.slice(page.offset, page.offset + page.limit),
    total: total + past.total,
    superseded: past.superseded,
    rankedBy,
  }
}

type Dated = { readonly id: RecordId; readonly createdAtMs: number }

/** A page of both, newest first. */
export function joinNewest(
  present: { readonly dated: readonly Dated[]; readonly total: number },
  past: readonly (PastState & Dated)[] | null,
  page: Page,
): ListedPage {
  const { total } = present
  const listed = present.dated.map((one) => ({ ...one, isSuperseded: false }))
  if (past === null) return { listed, total, superseded: 0 }
  const all = [...listed, ...past]
  all.sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
  return {
    listed: all.slice(page.offset, page.offset + page.limit),
    total: total + past.length,
    superseded: countSuperseded(past),
  }
}

/** Past states may come before present records, so everything up to the end of the page is read. */
export function fromStart({ limit, offset }: Page): Page {
  return { limit: offset + limit, offset: 0 }
}

/** A state of the past with its cosine. */
export type NearState = PastState & { readonly similarity: number }

export type FoundPast = {
  readonly byWords: PastMatches
  readonly inPairs: PastMatches
  readonly near: readonly NearState[]
  /** The lowest similarity of a state that has none of the words. */
  readonly floor: number
}

/** Chooses the past states that are candidates. */
export function choosePast({ byWords, near, floor }: FoundPast): PastState[] {
  const known = new Set(byWords.matches.map(({ revision }) => revision))
  const onlyNear = near.filter((one) => one.similarity >= floor && !known.has(one.revision))
  return [...byWords.matches, ...onlyNear]
}

/** `words` maps each state of `choosePast` to its number of words. */
export function addPast(
  present: GatheredPresent,
  found: FoundPast,
  words: ReadonlyMap<unknown, number>,
): Gathered {
  const { byWords, inPairs, near } = found
  const states = choosePast(found)
  const onlyNear = states.slice(byWords.matches.length)
  const [bm25, pairs] = [byWords, inPairs].map(
    ({ matches }) => new Map(matches.map((one) => [one.revision, one.bm25])),
  )
  const similarity = new Map(near.map((one) => [one.revision, one.similarity]))
  const records = states.map(
    ({ revision, isSuperseded }): GatheredRecord => ({
      key: revision,
      bm25: bm25?.get(revision) ?? null,
      passageBm25: null,
      pairBm25: pairs?.get(revision) ?? null,
      similarity: similarity.get(revision) ?? null,
      wholeSimilarity: null,
      words: words.get(revision) ?? 0,
      isPast: true,
      isSuperseded,
    }),
  )
  const [best] = byWords.matches.toSorted((a, b) => a.bm25 - b.bm25)
  const isBetter = best !== undefined && best.bm25 < present.bestBm25
  return {
    ...present,
    records: [...present.records, ...records],
    total: present.total + byWords.total + onlyNear.length,
    superseded: byWords.superseded + countSuperseded(onlyNear),
    bestByWords: isBetter ? { key: best.revision, isPast: true } : present.bestByWords,
  }
}

/** Best first; ties in the order of their ids. */
export function addPastNear(
  present: readonly NearRecord[],
  past: readonly NearState[],
  { minSimilarity, exclude, limit }: Pick<NearSearch, 'minSimilarity' | 'exclude' | 'limit'>,
): NearRecord[] {
  const near = past
    .filter(({ id, similarity }) => similarity >= minSimilarity && !exclude.includes(id))
    .map(({ id, similarity, isSuperseded }) => ({ id, similarity, isSuperseded, chunk: null }))
  return [...present, ...near]
    .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
}

export function countSuperseded(states: readonly PastState[]): number {
  return states.filter(({ isSuperseded }) => isSuperseded).length
}
