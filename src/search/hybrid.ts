/** Words and meaning become one order, in which every place can be explained. */

import type { Boost, Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { effectiveSalience } from '../core/salience.js'
import { asksForWords } from '../query/intent.js'
import type { ReadQuery } from '../query/steps.js'
import type { Field, Query } from '../query/tree.js'
import type { GatheredRecord } from '../storage/search.js'
import type { Page, Storage } from '../storage/storage.js'
import type { ModelInfo } from '../storage/vectors.js'
import { boost } from './boosting.js'
import { type Both, gatherBoth } from './both.js'
import { type Candidate, largestOf, type Match, type Scored, strengthOf } from './candidate.js'
import { coverOf } from './cover.js'
import type { Found, FoundPage } from './found.js'
import { type Lens, rankCandidates } from './lenses.js'
import { shortlist } from './shortlist.js'

export type HybridSearch = {
  readonly query: Query
  readonly reading: ReadQuery
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
  const { model, lens, threshold, boosts, filter } = search
  const { limit, offset } = search.page
  const reach = offset + limit
  const both = await gatherBoth(storage, { ...search, root: search.query.root, reach })
  const floor = threshold ?? model.floor
  const isCounted = lens.fusion.kind === 'calibrated' || lens.fusion.kind === 'memory'
  // A list of the nearest ends at the floor; a formula that weighs the cosine itself takes it as it is.
  const matches = both.records.map((record) => toMatch(record, isCounted ? -1 : floor))
  const context = {
    cover: both.weighed === null ? 0 : coverOf(both.weighed.words, both.weighed.records),
    strongest: largestOf(matches.map(strengthOf)),
    now: search.now,
    threshold: threshold ?? model.cascadeThreshold,
    wordsFirst: asksForWords(search.query),
  }
  // What is favoured may come from anywhere in the list.
  const list = shortlist(lens, matches, context, boosts.length > 0 ? Infinity : reach)
  const found = { both, matches }
  const first = await describe(storage, search, { ...found, places: list.first })
  const rank = (some: Described): Scored[] => rankCandidates(lens, [...some.values()], context)
  const early = rank(first)
  const rest = await describe(storage, search, { ...found, places: list.rest(early) })
  const candidates = new Map([...first, ...rest])
  const fused = rest.size === 0 ? early : rank(candidates)
  const ranked = await boost(storage, fused, { boosts, asOfMs: filter.asOfMs })
  const page = ranked.slice(offset, reach)
  const ids = page.map(({ id }) => id)
  const near = await storage.vectors.bestChunks(model.id, search.vector, ids)
  const chunks = new Map(near.map(({ id, chunk }) => [id, chunk]))
  const hits = page.flatMap(({ id, explanation }): Found[] => {
    const record = candidates.get(id)?.record
    if (record === undefined) return []
    const { bm25, similarity, isSuperseded } = record
    // The chunks of a text that has changed since are those of another text.
    const isChanged = record.isPast && filter.asOfMs !== undefined
    return [
      {
        id,
        bm25,
        similarity,
        chunk: isChanged ? null : (chunks.get(id) ?? null),
        relaxed: both.widest === 'prefix' && bm25 !== null ? 'prefix' : null,
        isSuperseded,
        matchType: matchTypeOf(record, floor),
        explanation,
      },
    ]
  })
  return {
    found: hits,
    // A fusion may leave some of the candidates out.
    total: ranked.length < candidates.size ? ranked.length : both.total,
    superseded: both.superseded,
    isExact: both.isExact,
    relaxed: false,
    widest: both.widest,
    rankedBy: both.rankedBy,
  }
}

/** Words that stand together as they were asked for count a quarter more. */
export const PAIR_WEIGHT = 0.25

function toMatch(record: GatheredRecord, floor: number): Match {
  const { pairBm25, similarity, wholeSimilarity, words } = record
  const bm25 = record.bm25 === null ? null : record.bm25 + PAIR_WEIGHT * (pairBm25 ?? 0)
  const isNear = similarity !== null && similarity >= floor
  return { bm25, similarity: isNear ? similarity : null, wholeSimilarity, words }
}

type Described = ReadonlyMap<RecordId, Candidate & { readonly record: GatheredRecord }>

type Places = {
  readonly both: Both
  readonly matches: readonly Match[]
  readonly places: readonly number[]
}

/** Candidates by id, with what is known of them; one that is gone is left out. */
async function describe(
  storage: Storage,
  { now, decay, filter }: HybridSearch,
  { both, matches, places }: Places,
): Promise<Described> {
  const records = places.flatMap((place) => both.records[place] ?? [])
  const moments = { asOfMs: filter.asOfMs, atMs: now }
  const facts = await storage.vectors.describe(records, moments)
  const described = new Map<RecordId, Candidate & { readonly record: GatheredRecord }>()
  for (const [i, place] of places.entries()) {
    const [record, match, own] = [both.records[place], matches[place], facts[i]]
    if (record === undefined || match === undefined || own == null) continue
    const { id, createdAtMs, sector, confidence } = own
    const salience = effectiveSalience(own, now, decay)
    const { isSuperseded } = record
    const known = { createdAtMs, salience, sector, confidence, isSuperseded }
    described.set(id, { ...match, id, facts: known, record })
  }
  return described
}

function matchTypeOf({ bm25, similarity }: GatheredRecord, floor: number): Found['matchType'] {
  const isNear = similarity !== null && similarity >= floor
  if (bm25 === null) return 'semantic'
  return isNear ? 'both' : 'keyword'
}
