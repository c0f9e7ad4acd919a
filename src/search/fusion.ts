/** The five formulas that fuse keyword and vector matches into one score with an explanation. */

import type { Explanation } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Sector } from '../core/record.js'
import { daysSince } from '../core/time.js'
import {
  capAtOne,
  compareIds,
  HALF_STRENGTH,
  leaf,
  product,
  type Scored,
  sortBestFirst,
  sum,
} from './explain.js'

export type Match = {
  /** As SQLite computes it: negative, less is better. Null: the record has none of the words. */
  readonly bm25: number | null
  /** The raw cosine of the best chunk. Null: the record has no vector. */
  readonly similarity: number | null
  /** The cosine of the mean vector; only for records of several chunks. */
  readonly wholeSimilarity: number | null
  readonly words: number
}

export type RecordFacts = {
  readonly createdAtMs: number
  /** Effective, 0.05..1. */
  readonly salience: number
  /** Effective, 0..1; 1 if the record has no facts. */
  readonly confidence: number
  readonly sector: Sector | null
  readonly isSuperseded: boolean
}

/** A list of candidates holds each record once. */
export type Candidate = Match & { readonly id: RecordId; readonly facts: RecordFacts }

export type Fusion =
  | { readonly kind: 'calibrated' }
  | ({ readonly kind: 'rrf' } & RrfSettings)
  | ({ readonly kind: 'weighted' } & WeightedSettings)
  | ({ readonly kind: 'memory' } & MemorySettings)
  | { readonly kind: 'cascade' }

export type RankingContext = {
  /** How much of the query the best keyword hit covers, 0..1: see `computeCover`. */
  readonly cover: number
  /** The largest −bm25 of all records found. Default: of the given candidates. */
  readonly strongest?: number
  readonly now: number
  /** The least cosine of a semantic match in the cascade. It depends on the model. */
  readonly threshold: number
  /** True if the query has no semantic intent: quotes, fields, operators, a single identifier. */
  readonly wordsFirst: boolean
}

/** Best first. The order of the candidates does not matter. */
export function fuse(
  fusion: Fusion,
  candidates: readonly Candidate[],
  context: RankingContext,
): Scored[] {
  switch (fusion.kind) {
    case 'calibrated':
      return fuseCalibrated(candidates, context)
    case 'rrf':
      return fuseByRank(candidates, fusion)
    case 'weighted':
      return fuseWeighted(candidates, fusion)
    case 'memory':
      return fuseMemory(candidates, { ...fusion, now: context.now })
    case 'cascade':
      return fuseCascade(candidates, context)
  }
}

/** Tells which retrievers a fusion needs. The other is not run: with `alpha` 0 nothing is embedded. */
export function chooseRetrievers(fusion: Fusion) {
  if (fusion.kind === 'rrf') {
    const alpha = fusion.alpha ?? ALPHA
    return { keyword: alpha < 1, semantic: alpha > 0 }
  }
  if (fusion.kind === 'weighted') {
    const { keywordWeight = KEYWORD_WEIGHT, semanticWeight = SEMANTIC_WEIGHT } = fusion
    return { keyword: keywordWeight > 0, semantic: semanticWeight > 0 }
  }
  return { keyword: true, semantic: true }
}

/** Clamps to 0..1. NaN, such as the cosine of an empty vector, becomes 0. */
export function clampUnit(value: number): number {
  return value > 0 ? Math.min(1, value) : 0
}

/** −bm25: more is better; 0 if the record has none of the words. */
export function keywordStrength({ bm25 }: Match): number {
  return bm25 !== null && Number.isFinite(bm25) ? Math.max(0, -bm25) : 0
}

function clampSimilarity({ similarity }: Match): number {
  return clampUnit(similarity ?? 0)
}

function divideByBest(value: number, best: number): number {
  return best > 0 ? value / best : 0
}

/** 0 for an empty list. `Math.max(...values)` would fail on a very long list. */
export function findLargest(values: readonly number[]): number {
  return values.reduce((largest, value) => Math.max(largest, value), 0)
}

/** The shares of keyword match and similarity in the calibrated score. */
export const WORDS_SHARE = 0.4
export const MEANING_SHARE = 0.6
/** The share of the best chunk in the similarity; the whole record has the same. */
export const CHUNK_SHARE = 0.5
/** At this length the similarity counts half, because vectors of very short texts are unreliable. */
export const SHORT_RECORD_WORDS = 8

export function fuseCalibrated(
  candidates: readonly Candidate[],
  context: Pick<RankingContext, 'cover' | 'strongest'>,
): Scored[] {
  const strongest = context.strongest ?? findLargest(candidates.map(keywordStrength))
  const cover = clampUnit(context.cover)
  const explain = (match: Match): Explanation => explainCalibrated(match, { cover, strongest })
  return sortBestFirst(candidates.map((one) => ({ id: one.id, explanation: explain(one) })))
}

/**
 * .4 · √cover · kw/kw_max + .6 · cos · n/(n + 8), with kw = −bm25 and n the words of the record.
 * By hand: cover .64, kw 6 of at most 12, cos .5, n 16 → .4 · .8 · .5 + .6 · .5 · 16/24 = .16 + .2 = .36.
 *
 * Neither list is rescaled to 0..1: if no record is similar, that part stays small and the words decide.
 */
export function explainCalibrated(
  match: Match,
  { cover, strongest }: { readonly cover: number; readonly strongest: number },
): Explanation {
  const strength = divideByBest(keywordStrength(match), strongest)
  const length = match.words / (match.words + SHORT_RECORD_WORDS)
  return sum('calibrated', [
    product('keyword', [
      leaf('weight', WORDS_SHARE),
      leaf('root of cover', Math.sqrt(cover)),
      leaf('strength', strength),
    ]),
    product('meaning', [
      leaf('weight', MEANING_SHARE),
      explainSimilarity(match),
      leaf('length', length),
    ]),
  ])
}

/** The cosine of the only chunk, or the mean of the cosines of the best chunk and the whole record. */
function explainSimilarity(match: Match): Explanation {
  const { similarity, wholeSimilarity } = match
  if (similarity === null || wholeSimilarity === null || Number.isNaN(wholeSimilarity)) {
    return leaf('similarity', clampSimilarity(match))
  }
  const half = leaf('half', CHUNK_SHARE)
  const mean = sum('similarity', [
    product('best chunk', [half, leaf('cosine', Math.min(1, similarity))]),
    product('whole record', [half, leaf('cosine', Math.min(1, wholeSimilarity))]),
  ])
  return mean.score > 0 ? mean : leaf('similarity', 0)
}

/** The larger k is, the less the ranks differ in weight. */
export const RANK_K = 60
/** The weight of the vector list; the keyword list has 1 − alpha. */
export const ALPHA = 0.5

/** `k` is at least 0; `alpha` 0 is exactly the keyword list, 1 exactly the semantic one. */
export type RrfSettings = { readonly k?: number; readonly alpha?: number }

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): Σ weight / (k + rank), ranks from 1, with the weights
 * 1 − alpha for the keyword list and alpha for the vector list. A record only on a list of weight 0 is left out.
 * By hand, k = 60, alpha = .5: first by words, second by vector → .5/61 + .5/62 = .01626.
 */
export function fuseByRank(
  candidates: readonly Candidate[],
  { k = RANK_K, alpha = ALPHA }: RrfSettings = {},
): Scored[] {
  const byWords = rankBy(candidates, ({ bm25 }) => bm25)
  const byVector = rankBy(candidates, ({ similarity }) => similarity && -similarity)
  const invert = (rank: number | undefined): Explanation | null =>
    rank === undefined ? null : leaf(`1 / (${k} + rank ${rank})`, 1 / (k + rank))
  return sumSides('rank fusion', candidates, [
    { name: 'keyword', weight: 1 - alpha, explain: ({ id }) => invert(byWords.get(id)) },
    { name: 'meaning', weight: alpha, explain: ({ id }) => invert(byVector.get(id)) },
  ])
}

type Side = {
  readonly name: string
  readonly weight: number
  /** Null: the candidate is not on this list. */
  explain(candidate: Candidate): Explanation | null
}

/** Σ weight · value. A candidate only on lists of weight 0 is left out. */
function sumSides(
  name: string,
  candidates: readonly Candidate[],
  sides: readonly Side[],
): Scored[] {
  const weighted = sides.filter(({ weight }) => weight > 0)
  const scored = candidates.flatMap((candidate) => {
    const parts = weighted.flatMap((side) => {
      const value = side.explain(candidate)
      return value === null ? [] : [product(side.name, [leaf('weight', side.weight), value])]
    })
    if (parts.length === 0) return []
    return [{ id: candidate.id, explanation: capAtOne(sum(name, parts)) }]
  })
  return sortBestFirst(scored)
}

/** Ranks from 1, the smallest number first, ties by id. Candidates without the number have no rank. */
function rankBy(
  candidates: readonly Candidate[],
  readNumber: (candidate: Candidate) => number | null,
): ReadonlyMap<RecordId, number> {
  const listed = candidates.flatMap((candidate) => {
    const number = readNumber(candidate)
    return number === null || Number.isNaN(number) ? [] : [{ id: candidate.id, number }]
  })
  // Numbers are compared, not subtracted: the difference of two infinities is NaN.
  listed.sort((a, b) => {
    if (a.number === b.number) return compareIds(a.id, b.id)
    return a.number < b.number ? -1 : 1
  })
  return new Map(listed.map(({ id }, i) => [id, i + 1]))
}

export const KEYWORD_WEIGHT = 0.3
export const SEMANTIC_WEIGHT = 0.7

/** Weights are relative: 3 and 7 mean the same as 0.3 and 0.7. */
export type WeightedSettings = { readonly keywordWeight?: number; readonly semanticWeight?: number }

/**
 * Σ weight · value / best value of its list, the weights divided by their sum so that nothing is above 1.
 * A record only on a list of weight 0 is left out.
 * By hand, .3 and .7: kw 6 of at most 12, cos .4 of at most .8 → .3 · .5 + .7 · .5 = .5.
 */
export function fuseWeighted(
  candidates: readonly Candidate[],
  { keywordWeight = KEYWORD_WEIGHT, semanticWeight = SEMANTIC_WEIGHT }: WeightedSettings = {},
): Scored[] {
  const total = keywordWeight + semanticWeight
  const bestStrength = findLargest(candidates.map(keywordStrength))
  const bestSimilarity = findLargest(candidates.map(clampSimilarity))
  const share = (value: number, best: number): Explanation =>
    leaf('share of the best', divideByBest(value, best))
  return sumSides('weighted', candidates, [
    {
      name: 'keyword',
      weight: keywordWeight / total,
      explain: (one) => (one.bm25 === null ? null : share(keywordStrength(one), bestStrength)),
    },
    {
      name: 'meaning',
      weight: semanticWeight / total,
      explain: (one) =>
        one.similarity === null ? null : share(clampSimilarity(one), bestSimilarity),
    },
  ])
}

export const MEMORY_WEIGHTS = { similarity: 0.4, keyword: 0.25, salience: 0.2, recency: 0.15 }
/** The |bm25| from which the keyword part is 1. */
export const MEMORY_FULL_STRENGTH = 10
export const MEMORY_RECENCY_RATE = 0.05
export const SUPERSEDED_FACTOR = 0.5
export const SECTOR_BOOSTS: Readonly<Record<Sector, number>> = {
  reflective: 1.2,
  semantic: 1.1,
  procedural: 1,
  emotional: 0.9,
  episodic: 0.8,
}

export type MemoryWeights = Readonly<Record<keyof typeof MEMORY_WEIGHTS, number>>

export type MemorySettings = {
  readonly weights?: Partial<MemoryWeights>
  readonly fullStrength?: number
  readonly recencyRate?: number
  readonly supersededFactor?: number
  readonly sectorBoosts?: Partial<Readonly<Record<Sector, number>>>
}

/**
 * (.40 · cos + .25 · min(1, |bm25|/10) + .20 · salience + .15 · exp(−.05 · days)) · sector boost · .5 if superseded
 * · effective confidence, at most 1. The cosine is raw, a negative one counts as 0.
 * By hand: cos .5, bm25 −5, salience .5, created today, semantic, confidence 1
 * → (.2 + .125 + .1 + .15) · 1.1 = .575 · 1.1 = .6325.
 */
export function fuseMemory(
  candidates: readonly Candidate[],
  settings: MemorySettings & { readonly now: number },
): Scored[] {
  const weights = { ...MEMORY_WEIGHTS, ...settings.weights }
  const { fullStrength = MEMORY_FULL_STRENGTH, recencyRate = MEMORY_RECENCY_RATE } = settings
  const boosts = { ...SECTOR_BOOSTS, ...settings.sectorBoosts }
  const scored = candidates.map((candidate) => {
    const { createdAtMs, salience, confidence, sector, isSuperseded } = candidate.facts
    const part = (name: keyof MemoryWeights, value: number): Explanation =>
      product(name, [leaf('weight', weights[name]), leaf('value', value)])
    const parts = sum('parts', [
      part('similarity', clampSimilarity(candidate)),
      part('keyword', clampUnit(keywordStrength(candidate) / fullStrength)),
      part('salience', clampUnit(salience)),
      part('recency', Math.exp(-recencyRate * daysSince(createdAtMs, settings.now))),
    ])
    const factors = [parts]
    if (sector !== null) factors.push(leaf(`sector ${sector}`, boosts[sector]))
    if (isSuperseded) {
      factors.push(leaf('superseded', settings.supersededFactor ?? SUPERSEDED_FACTOR))
    }
    factors.push(leaf('confidence', clampUnit(confidence)))
    return { id: candidate.id, explanation: capAtOne(product('memory', factors)) }
  })
  return sortBestFirst(scored)
}

/** Each step has its own range of scores; the gap keeps the weakest of the first step above all of the second. */
export const CASCADE_STEPS = {
  first: { name: 'first step', floor: 0.5, range: 0.5 },
  second: { name: 'second step', floor: 0, range: 0.45 },
} as const

/**
 * Records at or above the threshold by cosine, then the other keyword matches by strength; with `wordsFirst` keyword
 * matches come first. If the first step finds nothing, the second is the whole answer.
 * floor + range · cos, and floor + range · s/(s + 5) with s = −bm25.
 * By hand, threshold .5: cos .8 → .5 + .5 · .8 = .9; cos .3 and bm25 −5 → 0 + .45 · 5/10 = .225.
 */
export function fuseCascade(
  candidates: readonly Candidate[],
  { threshold, wordsFirst }: Pick<RankingContext, 'threshold' | 'wordsFirst'>,
): Scored[] {
  const scored = candidates.flatMap((candidate) => {
    const isSimilar = candidate.similarity !== null && candidate.similarity >= threshold
    const hasWords = candidate.bm25 !== null
    if (!isSimilar && !hasWords) return []
    const byWords = hasWords && (wordsFirst || !isSimilar)
    const { name, floor, range } = CASCADE_STEPS[byWords === wordsFirst ? 'first' : 'second']
    const strength = keywordStrength(candidate)
    const value = byWords
      ? leaf('strength', strength / (strength + HALF_STRENGTH))
      : leaf('similarity', clampSimilarity(candidate))
    const match = product(byWords ? 'keyword' : 'meaning', [leaf('range', range), value])
    return [{ id: candidate.id, explanation: sum('cascade', [leaf(name, floor), match]) }]
  })
  return sortBestFirst(scored)
}
