/** Promise: words and meaning become one order, in which every place can be explained. */

import { boost } from './answering/boosting.js'
import type { Filter } from './core/filter.js'
import { effectiveSalience } from './core/salience.js'
import { asksForWords } from './query/intent.js'
import type { Reading } from './query/steps.js'
import type { Field, Query } from './query/tree.js'
import type { Boost } from './ranking/boosts.js'
import type { Candidate } from './ranking/candidate.js'
import { coverOf } from './ranking/cover.js'
import { type Lens, rankCandidates } from './ranking/lenses.js'
import { type Both, gatherBoth } from './retrieval/both.js'
import type { Found, FoundPage } from './retrieval/found.js'
import type { GatheredRecord } from './storage/candidates.js'
import type { ModelInfo } from './storage/meaning.js'
import type { Page, Storage } from './storage/storage.js'

export type HybridSearch = {
  readonly query: Query
  readonly reading: Reading
  readonly lens: Lens
  readonly model: ModelInfo
  readonly vector: Float32Array
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  readonly threshold: number | null
  readonly page: Page
  readonly boosts: readonly Boost[]
  /** The moment that salience, facts and age are seen from. */
  readonly now: number
  /** How fast salience fades, as a multiple of the usual. */
  readonly decay: number
}

export async function findByBoth(storage: Storage, search: HybridSearch): Promise<FoundPage> {
  const { model, lens, threshold } = search
  const { limit, offset } = search.page
  const both = await gatherBoth(storage, {
    ...search,
    root: search.query.root,
    reach: offset + limit,
    atMs: search.now,
  })
  const floor = threshold ?? model.floor
  const isCounted = lens.fusion.kind === 'calibrated' || lens.fusion.kind === 'memory'
  // A list of the nearest ends at the floor; a formula that weighs the cosine itself takes it as it is.
  const candidates = both.records.map((record) =>
    toCandidate(record, isCounted ? -1 : floor, search),
  )
  const fused = rankCandidates(lens, candidates, {
    cover: both.weighed === null ? 0 : coverOf(both.weighed.words, both.weighed.records),
    now: search.now,
    threshold: threshold ?? model.cascadeThreshold,
    wordsFirst: asksForWords(search.query),
  })
  const { boosts, filter } = search
  const ranked = await boost(storage, fused, { boosts, asOfMs: filter.asOfMs })
  const page = ranked.slice(offset, offset + limit)
  const ids = page.map(({ id }) => id)
  const near = await storage.meaning.bestChunks(model.id, search.vector, ids)
  const chunks = new Map(near.map(({ id, chunk }) => [id, chunk]))
  const byId = new Map(both.records.map((record) => [record.id, record]))
  const found = page.flatMap(({ id, explanation }): Found[] => {
    const record = byId.get(id)
    if (record === undefined) return []
    const { bm25, similarity } = record
    // The chunks of a text that has changed since are those of another text.
    const isChanged = record.revision !== null && search.filter.asOfMs !== undefined
    const chunk = isChanged ? null : (chunks.get(id) ?? null)
    return [
      {
        id,
        bm25,
        similarity,
        chunk,
        relaxed: both.widest === 'prefix' && bm25 !== null ? 'prefix' : null,
        isSuperseded: record.isSuperseded,
        matchType: matchTypeOf(record, floor),
        explanation,
      },
    ]
  })
  return {
    found,
    total: totalOf(both, ranked.length),
    superseded: both.superseded,
    isExact: both.isExact,
    relaxed: false,
    widest: both.widest,
    rankedBy: both.rankedBy,
  }
}

/** A fusion may leave some of the candidates out. */
function totalOf({ total, records }: Both, ranked: number): number {
  return ranked < records.length ? ranked : total
}

/** Words that stand together as they were asked for count a quarter more. */
export const PAIR_WEIGHT = 0.25

function toCandidate(
  record: GatheredRecord,
  floor: number,
  { now, decay }: Pick<HybridSearch, 'now' | 'decay'>,
): Candidate {
  const { createdAtMs, sector, pairBm25, similarity, confidence, isSuperseded } = record
  const isNear = similarity !== null && similarity >= floor
  const bm25 = record.bm25 === null ? null : record.bm25 + PAIR_WEIGHT * (pairBm25 ?? 0)
  return {
    id: record.id,
    bm25,
    similarity: isNear ? similarity : null,
    wholeSimilarity: record.wholeSimilarity,
    words: record.words,
    facts: {
      createdAtMs,
      salience: effectiveSalience(record, now, decay),
      sector,
      confidence,
      isSuperseded,
    },
  }
}

function matchTypeOf({ bm25, similarity }: GatheredRecord, floor: number): Found['matchType'] {
  const isNear = similarity !== null && similarity >= floor
  if (bm25 === null) return 'semantic'
  return isNear ? 'both' : 'keyword'
}
