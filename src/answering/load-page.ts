/** Promise: ids become hits with their records, marks and reasons, in a fixed number of reads. */

import type { Explanation, Hit } from '../core/answer.js'
import { scoreKeywords, scoreListed } from '../ranking/keyword-score.js'
import { scoreSimilarity } from '../ranking/similarity-score.js'
import type { Found } from '../retrieval/found.js'
import type { Storage } from '../storage/storage.js'
import type { Marker, WordsIn } from './marks.js'

export type PageOptions = {
  readonly marker: Marker
  readonly withReasons: boolean
  /** Says which of the words a record has itself; null where hits are labelled already. */
  readonly wordsIn: WordsIn | null
}

export async function loadPage(
  storage: Storage,
  found: readonly Found[],
  { marker, withReasons, wordsIn }: PageOptions,
): Promise<Hit[]> {
  if (found.length === 0) return []
  const records = await storage.get(found.map(({ id }) => id))
  const byId = new Map(records.map((record) => [record.id, record]))
  return found.flatMap((one) => {
    const { id, bm25, similarity, chunk } = one
    const record = byId.get(id)
    // Deleted by another process since it was ranked: it is no hit any more.
    if (record === undefined) return []
    const own = one.relaxed === null ? (wordsIn?.(record) ?? null) : null
    const hasSomeWord = bm25 !== null && own !== null && own.of > 0
    const isByNeighbours = hasSomeWord && own.has === 0 && record.sessionId !== null
    const explanation = isByNeighbours ? namingNeighbours(explain(one)) : explain(one)
    const relaxed = hasSomeWord && own.has < own.of ? 'any' : one.relaxed
    return {
      id,
      kind: record.kind,
      title: record.title,
      score: explanation.score,
      matchType: one.matchType,
      relaxed,
      bm25,
      similarity,
      ...marker(record, chunk),
      chunks:
        chunk === null
          ? []
          : [
              {
                ...chunk,
                similarity: similarity ?? 0,
                text: record.body.slice(chunk.start, chunk.end),
              },
            ],
      record,
      session: null,
      isSuperseded: false,
      supersededBy: null,
      relatedCount: 0,
      facts: [],
      effectiveConfidence: 1,
      explanation: withReasons ? explanation : null,
    }
  })
}

/** The score is computed from this, so that the two cannot differ. */
function explain({ bm25, similarity, relaxed, explanation }: Found): Explanation {
  if (explanation !== null) return explanation
  if (similarity !== null) return scoreSimilarity(similarity)
  return bm25 === null ? scoreListed() : scoreKeywords(bm25, relaxed)
}

/** What a turn has only from what stands around it is said as such. */
function namingNeighbours(node: Explanation): Explanation {
  const name = node.name === 'keyword' ? 'keyword, by its neighbours' : node.name
  return { ...node, name, parts: node.parts.map(namingNeighbours) }
}
