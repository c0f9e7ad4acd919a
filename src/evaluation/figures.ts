/** Many answered queries become the eight figures that an evaluation reports. */

import {
  averagePrecision,
  type Judgements,
  mean,
  median,
  ndcgAt,
  percentile,
  type Ranking,
  recallAt,
  reciprocalRankAt,
} from './metrics.js'

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

/** How well one query was answered, and how fast. */
export type Answered = Readonly<Record<Measure, number>> & { readonly ms: number }

export type Figures = Readonly<Record<Measure | 'medianMs' | 'p95Ms', number>>

export function judge(ranking: Ranking, judged: Judgements, ms: number): Answered {
  const scores = MEASURES.map((name) => [name, QUALITY[name](ranking, judged)] as const)
  return { ...(Object.fromEntries(scores) as Record<Measure, number>), ms }
}

/** Means of the measures over the queries; of the times, the median and the 95th percentile. */
export function summarize(answered: readonly Answered[]): Figures {
  const means = MEASURES.map(
    (name) => [name, round(mean(answered.map((one) => one[name])))] as const,
  )
  const times = answered.map(({ ms }) => ms)
  return {
    ...(Object.fromEntries(means) as Record<Measure, number>),
    medianMs: round(median(times)),
    p95Ms: round(percentile(0.95, times)),
  }
}

/** Four digits: with hundreds of queries the fifth is chance. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
