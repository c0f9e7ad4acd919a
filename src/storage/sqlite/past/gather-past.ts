/** What was there joins the candidates, scored on both sides like all others. */

import type { Gathered, GatheredRecord } from '../../search.js'
import { readWordCounts } from '../bm25.js'
import type { FullText } from '../full-text.js'
import type { Statements } from '../statements.js'
import type { GatheredPresent, PreparedGather } from '../vectors/gather.js'
import type { KnownModel } from '../vectors/models.js'
import { findPastNear } from './past-near.js'
import { compilePast } from './past-states.js'
import { createPastWords, NO_PAST_MATCHES } from './past-words.js'

export function createGatherPast(statements: Statements, fullText: FullText) {
  const findWords = createPastWords(statements, fullText)
  return (model: KnownModel, request: PreparedGather, present: GatheredPresent): Gathered => {
    const past = compilePast(request.near.filter)
    if (past === null) return present
    const { words, pairs, floor } = request
    const byWords = words === null ? NO_PAST_MATCHES : findWords(words, past)
    const inPairs =
      words === null || pairs === null
        ? NO_PAST_MATCHES
        : findWords({ ...words, root: pairs }, past)
    const near = findPastNear(
      statements,
      { ...request.near, model: model.row, vector: request.vector },
      past,
    )
    const found = new Map(byWords.matches.map((match) => [match.revision, match]))
    const onlyNear = near.filter(
      ({ revision, similarity }) => similarity >= floor && !found.has(revision),
    )
    const similarity = new Map(near.map((one) => [one.revision, one.similarity]))
    const pairBm25 = new Map(inPairs.matches.map((match) => [match.revision, match.bm25]))
    const states = [...found.values(), ...onlyNear]
    const lengths = readWordCounts(
      statements,
      'revisions_ft',
      states.map(({ revision }) => revision),
    )
    const records = states.map(
      ({ revision, isSuperseded }): GatheredRecord => ({
        key: revision,
        bm25: found.get(revision)?.bm25 ?? null,
        pairBm25: pairBm25.get(revision) ?? null,
        similarity: similarity.get(revision) ?? null,
        wholeSimilarity: null,
        words: lengths.get(revision) ?? 0,
        isPast: true,
        isSuperseded,
      }),
    )
    const [best] = [...byWords.matches].sort((a, b) => a.bm25 - b.bm25)
    const isBetter = best !== undefined && best.bm25 < present.bestBm25
    return {
      records: [...present.records, ...records],
      total: present.total + byWords.total + onlyNear.length,
      superseded: byWords.superseded + onlyNear.filter(({ isSuperseded }) => isSuperseded).length,
      isExact: present.isExact,
      rankedBy: present.rankedBy,
      bestByWords: isBetter ? { key: best.revision, isPast: true } : present.bestByWords,
    }
  }
}
