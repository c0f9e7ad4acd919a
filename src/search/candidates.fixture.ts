/** Creates candidates for tests, with neutral defaults. */

import type { Explanation } from '../core/answer.js'
import type { RecordId } from '../core/ids.js'
import type { Scored } from './explain.js'
import type { Candidate, RecordFacts } from './fusion.js'

export const NOW = Date.UTC(2026, 5, 1)
const DAY_MS = 86_400_000

export type CandidateWishes = Partial<Omit<Candidate, 'id' | 'facts'>> &
  Partial<Omit<RecordFacts, 'createdAtMs'>> & { readonly ageDays?: number }

/** By default: no match, 20 words long, created today, neutral signals. */
export function makeCandidate(id: string, wishes: CandidateWishes = {}): Candidate {
  return {
    id: id as RecordId,
    bm25: wishes.bm25 ?? null,
    similarity: wishes.similarity ?? null,
    wholeSimilarity: wishes.wholeSimilarity ?? null,
    words: wishes.words ?? 20,
    facts: makeFacts(wishes),
  }
}

export function makeFacts(wishes: CandidateWishes = {}): RecordFacts {
  return {
    createdAtMs: NOW - (wishes.ageDays ?? 0) * DAY_MS,
    salience: wishes.salience ?? 0.5,
    confidence: wishes.confidence ?? 1,
    sector: wishes.sector ?? null,
    isSuperseded: wishes.isSuperseded ?? false,
  }
}

/** Computes the score of a tree from its leaves alone. */
export function evaluate({ score, op, parts }: Explanation): number {
  if (parts.length === 0) return score
  return parts.map(evaluate).reduce((a, b) => (op === 'sum' ? a + b : a * b))
}

export function idsOf(scored: readonly Scored[]): string[] {
  return scored.map(({ id }) => id)
}

export function scoresOf(scored: readonly Scored[]): number[] {
  return scored.map(({ explanation }) => explanation.score)
}

/** The score of the record with that id, or NaN, which equals nothing. */
export function scoreOf(id: string, scored: readonly Scored[]): number {
  return scored.find((one) => one.id === id)?.explanation.score ?? Number.NaN
}
