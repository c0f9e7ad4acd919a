/** Promise: ids become hits with their records, marks and reasons, in a fixed number of reads. */

import type { Hit } from '../core/answer.js'
import { scoreKeywords, scoreListed } from '../ranking/keyword-score.js'
import type { Found } from '../retrieval/keyword.js'
import type { Storage } from '../storage/storage.js'
import type { Marker } from './marks.js'

export type PageOptions = { readonly marker: Marker; readonly explain: boolean }

export async function loadPage(
  storage: Storage,
  found: readonly Found[],
  { marker, explain }: PageOptions,
): Promise<Hit[]> {
  if (found.length === 0) return []
  const records = await storage.get(found.map(({ id }) => id))
  const byId = new Map(records.map((record) => [record.id, record]))
  return found.flatMap(({ id, bm25, relaxed }) => {
    const record = byId.get(id)
    // Deleted by another process since it was ranked: it is no hit any more.
    if (record === undefined) return []
    const explanation = bm25 === null ? scoreListed() : scoreKeywords(bm25, relaxed)
    return {
      id,
      kind: record.kind,
      title: record.title,
      score: explanation.score,
      matchType: 'keyword',
      relaxed,
      bm25,
      similarity: null,
      ...marker(record),
      chunks: [],
      record,
      session: null,
      isSuperseded: false,
      supersededBy: null,
      relatedCount: 0,
      facts: [],
      effectiveConfidence: 1,
      explanation: explain ? explanation : null,
    }
  })
}
