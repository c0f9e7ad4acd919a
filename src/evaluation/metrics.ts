/** Computes the measures of retrieval quality as trec_eval does, and their means over queries. */

export type Ranking = readonly string[]

/** The judged documents of one query; a score above zero is relevant, a document without one is not. */
export type Judgements = ReadonlyMap<string, number>

/**
 * Normalized discounted cumulative gain, with linear gain: the sum over ranks i = 1..k of rel(i) / log2(i + 1),
 * divided by the same sum over all judged documents in the best order (Järvelin and Kekäläinen, 2002).
 * By hand, k = 10, a judged 2 and b judged 1, found as x, a, b:
 * (2 / log2 3 + 1 / log2 4) / (2 / log2 2 + 1 / log2 3) = (1.26186 + 0.5) / (2 + 0.63093) = 0.66967.
 */
export function ndcgAt(k: number, ranking: Ranking, judged: Judgements): number {
  const ideal = [...judged.values()].sort((a, b) => b - a)
  const best = discountedGain(ideal.slice(0, k))
  if (best === 0) return 0
  return discountedGain(ranking.slice(0, k).map((id) => judged.get(id) ?? 0)) / best
}

/**
 * The share of all relevant documents that is among the first k.
 * By hand, k = 5: four relevant, one at rank 2 and one at rank 6 → 1 / 4 = 0.25.
 */
export function recallAt(k: number, ranking: Ranking, judged: Judgements): number {
  const relevant = countRelevant(judged)
  if (relevant === 0) return 0
  return ranking.slice(0, k).filter((id) => isRelevant(id, judged)).length / relevant
}

/**
 * One divided by the rank of the first relevant document, and 0 if none is among the first k. Its mean over
 * queries is the mean reciprocal rank.
 * By hand, k = 10: first relevant at rank 4 → 1 / 4 = 0.25; at rank 11 → 0.
 */
export function reciprocalRankAt(k: number, ranking: Ranking, judged: Judgements): number {
  const at = ranking.slice(0, k).findIndex((id) => isRelevant(id, judged))
  return at < 0 ? 0 : 1 / (at + 1)
}

/**
 * The precision at the rank of each relevant document, summed and divided by the number of all relevant ones: one
 * that was not found counts as zero. Its mean over queries is MAP.
 * By hand: three relevant, two found, at ranks 1 and 4 → (1/1 + 2/4) / 3 = 0.5.
 */
export function averagePrecision(ranking: Ranking, judged: Judgements): number {
  const relevant = countRelevant(judged)
  if (relevant === 0) return 0
  let found = 0
  let sum = 0
  for (const [i, id] of ranking.entries()) {
    if (!isRelevant(id, judged)) continue
    found++
    sum += found / (i + 1)
  }
  return sum / relevant
}

const QUALITY = {
  'ndcg@10': (ranking: Ranking, judged: Judgements) => ndcgAt(10, ranking, judged),
  'recall@5': (ranking: Ranking, judged: Judgements) => recallAt(5, ranking, judged),
  'recall@10': (ranking: Ranking, judged: Judgements) => recallAt(10, ranking, judged),
  'recall@100': (ranking: Ranking, judged: Judgements) => recallAt(100, ranking, judged),
  'mrr@10': (ranking: Ranking, judged: Judgements) => reciprocalRankAt(10, ranking, judged),
  map: averagePrecision,
} as const

type Measure = keyof typeof QUALITY
export const MEASURES = Object.keys(QUALITY) as readonly Measure[]

export type Answered = Readonly<Record<Measure, number>> & {
  readonly ms: number
  /** Whether the first relevant hit shows the answer, 0 or 1; only where passages are judged. */
  readonly passage?: number
}

export type Figures = Readonly<Record<Measure | 'medianMs' | 'p95Ms', number>> & {
  readonly passage?: number
}

export function judge(ranking: Ranking, judged: Judgements, ms: number): Answered {
  const scores = MEASURES.map((name) => [name, QUALITY[name](ranking, judged)])
  return { ...(Object.fromEntries(scores) as Record<Measure, number>), ms }
}

export function summarize(answered: readonly Answered[]): Figures {
  // Four digits: with hundreds of queries the fifth is chance.
  const round = (value: number): number => Math.round(value * 10_000) / 10_000
  const means = MEASURES.map((name) => [name, round(mean(answered.map((one) => one[name])))])
  const times = answered.map(({ ms }) => ms)
  const shown = answered.flatMap(({ passage }) => passage ?? [])
  return {
    ...(Object.fromEntries(means) as Record<Measure, number>),
    ...(shown.length > 0 && { passage: round(mean(shown)) }),
    medianMs: round(median(times)),
    p95Ms: round(percentile(0.95, times)),
  }
}

/** The sum divided by the count. By hand: 1, 2, 6 → 3; of nothing: 0. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The mean of the one or two values in the middle. By hand: 9, 1, 3 → 3; 4, 1, 3, 9 → 3.5. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length / 2
  return mean(sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1))
}

/**
 * The least value that at least this share of the values does not exceed (nearest rank).
 * By hand, share 0.95: of 1, 2 … 20 → 19, as 19 of 20 are 95 %; of 5, 7 → 7.
 */
export function percentile(share: number, values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0
}

export type Span = { readonly start: number; readonly end: number }

/**
 * Whether a snippet shows a passage: it has at least half of it, or is itself half inside it.
 * By hand: a snippet from 0 to 100 and a passage from 80 to 110 share 20 of 30 → yes; from 90 to 120, 10 of 30 → no.
 */
export function showsPassage(snippet: Span, passage: Span): boolean {
  const shared = Math.min(snippet.end, passage.end) - Math.max(snippet.start, passage.start)
  const shorter = Math.min(snippet.end - snippet.start, passage.end - passage.start)
  return shorter > 0 && shared >= shorter / 2
}

function discountedGain(gains: readonly number[]): number {
  // A judgement below zero means "worse than not relevant" in some sets; it takes nothing away here.
  return gains.reduce((sum, gain, i) => sum + Math.max(0, gain) / Math.log2(i + 2), 0)
}

function isRelevant(id: string, judged: Judgements): boolean {
  return (judged.get(id) ?? 0) > 0
}

function countRelevant(judged: Judgements): number {
  return [...judged.values()].filter((score) => score > 0).length
}
