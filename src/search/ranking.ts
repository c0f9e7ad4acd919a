/** Ranks candidates: scores each with an explanation, applies lens, boosts and time preference, keeps the best. */

import type { Explanation } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import { effectiveSalience } from '../core/salience.js'
import { asksForWords } from '../query/terms.js'
import type { TimeRange } from '../query/time-range.js'
import type { GatheredRecord } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import {
  BOOST_DEPTH,
  type Candidates,
  DEPTH_FACTOR,
  type Found,
  type FoundCounts,
  gatherCandidates,
  KEYWORD_CANDIDATES,
  TIME_DEPTH,
  VECTOR_CANDIDATES,
} from './candidates.js'
import {
  leaf,
  type Scored,
  scoreBeforeCap,
  scoreKeywords,
  scoreListed,
  scoreSimilarity,
  sum,
} from './explain.js'
import {
  type Candidate,
  clampUnit,
  explainCalibrated,
  findLargest,
  keywordStrength,
  type Match,
} from './fusion.js'
import { applyLens, type Lens } from './lenses.js'
import type { SearchPlan } from './plan.js'
import { applyBoosts, findMaxSignals, preferRange, TIME_BONUS } from './signals.js'

/** `weak`: below the similarity floor. */
export type Ranked = Found & { readonly explanation: Explanation; readonly weak?: true }
export type RankedList = FoundCounts & { readonly records: readonly Ranked[] }

/** The weight of adjacent query words that are also adjacent in the record. */
export const PAIR_WEIGHT = 0.25

/**
 * Gathers and ranks as many records as the window needs. Candidates come in rounds of fixed sizes, and those of a deeper
 * round follow all earlier ones, so that a page never changes the order of another page.
 */
export async function gatherAndRank(storage: Storage, plan: SearchPlan): Promise<RankedList> {
  let found: RankedList | null = null
  const gather = (depth: number) => gatherCandidates(storage, plan, depth)
  let gathering = gather(1)
  for (let depth = 1; ; depth *= DEPTH_FACTOR) {
    // If the page certainly needs the next round, start it now: on a server both share their round trips.
    const most = (KEYWORD_CANDIDATES + VECTOR_CANDIDATES) * depth
    const needsDeeper = plan.window > most && plan.embedding !== null && plan.usesWords
    const deeper = needsDeeper ? gather(depth * DEPTH_FACTOR) : null
    deeper?.catch(() => {})
    const candidates = await gathering
    const ranked = await rankCandidates(storage, plan, candidates)
    found = found === null ? ranked : appendRanked(found, ranked, plan.window)
    const isAll = candidates.isExact && candidates.records.length >= candidates.total
    if (candidates.kind === 'list' || isAll || found.records.length >= plan.window) return found
    gathering = deeper ?? gather(depth * DEPTH_FACTOR)
  }
}

/** Appends a deeper round. Its scores are capped at the last score before it. */
function appendRanked(head: RankedList, deeper: RankedList, window: number): RankedList {
  const known = new Set(head.records.map(({ id }) => id))
  const most = head.records.at(-1)?.explanation.score ?? 1
  const tail = deeper.records
    .filter(({ id }) => !known.has(id))
    .map((record): Ranked => {
      const { name, score } = record.explanation
      if (score <= most) return record
      const after = leaf(`after the first ${known.size}`, most - score)
      return { ...record, explanation: sum(name, [record.explanation, after]) }
    })
  return { ...deeper, records: [...head.records, ...tail].slice(0, window) }
}

async function rankCandidates(
  storage: Storage,
  plan: SearchPlan,
  candidates: Candidates,
): Promise<RankedList> {
  if (candidates.kind === 'both') return rankBoth(storage, plan, candidates)
  const listed = candidates.records.map(explainFound)
  const boosted = await boost(storage, plan, listed.slice(0, BOOST_DEPTH))
  const ordered = [...boosted, ...listed.slice(BOOST_DEPTH)]
  const timely = await preferTime(storage, plan, ordered.slice(0, TIME_DEPTH))
  const records = [...timely, ...ordered.slice(TIME_DEPTH)].slice(0, plan.window)
  return { ...candidates, records }
}

export function explainFound(found: Found): Ranked {
  const { bm25, similarity, relaxed } = found
  if (similarity !== null) return { ...found, explanation: scoreSimilarity(similarity) }
  return { ...found, explanation: bm25 === null ? scoreListed() : scoreKeywords(bm25, relaxed) }
}

async function rankBoth(
  storage: Storage,
  plan: SearchPlan,
  candidates: Extract<Candidates, { kind: 'both' }>,
): Promise<RankedList> {
  const { lens, window, request, scope } = plan
  const { embedding, cover, widest } = candidates
  const { minSimilarity } = embedding
  // Formulas by rank or share accept semantic matches only above the floor; the others weight the cosine itself.
  const weighsCosine = lens.fusion.kind === 'calibrated' || lens.fusion.kind === 'memory'
  const floor = weighsCosine ? -1 : minSimilarity
  const matched = candidates.records.map((record) => ({ record, ...toMatch(record, floor) }))
  const context = {
    cover,
    strongest: findLargest(matched.map(keywordStrength)),
    now: plan.now,
    threshold: minSimilarity,
    wordsFirst: asksForWords(plan.query),
  }
  const hasShortlist = lens.fusion.kind === 'calibrated' && request.boosts.length === 0
  const { first, rest } = hasShortlist
    ? splitShortlist(lens, matched, { ...context, window, bonus: plan.time ? 1 + TIME_BONUS : 1 })
    : { first: matched, rest: () => [] }
  let described = await describeMatches(storage, plan, first)
  let fused = applyLens(lens, described, context)
  const others = rest(fused)
  if (others.length > 0) {
    described = [...described, ...(await describeMatches(storage, plan, others))]
    fused = applyLens(lens, described, context)
  }
  const boosted = await boost(storage, plan, fused)
  const best = (await preferTime(storage, plan, boosted)).slice(0, window)
  const ids = best.map(({ id }) => id)
  const nearest = await storage.vectors.bestChunks(embedding.model.id, embedding.vector, ids)
  const chunks = new Map(nearest.map(({ id, chunk }) => [id, chunk]))
  const recordsById = new Map(described.map(({ id, record }) => [id, record]))
  const records = best.flatMap(({ id, explanation }): Ranked[] => {
    const record = recordsById.get(id)
    if (record === undefined) return []
    const { bm25, similarity, isSuperseded } = record
    // The stored chunks belong to the current text, not to the past one.
    const isChanged = record.isPast && scope.asOfMs !== undefined
    return [
      {
        id,
        bm25,
        similarity,
        chunk: isChanged ? null : (chunks.get(id) ?? null),
        relaxed: widest === 'prefix' && bm25 !== null ? 'prefix' : null,
        isSuperseded,
        matchType: chooseMatchType(record, minSimilarity),
        explanation,
      },
    ]
  })
  // A fusion may drop candidates.
  return { ...candidates, records, total: candidates.total - (described.length - fused.length) }
}

function toMatch(record: GatheredRecord, floor: number): Match {
  const { passageBm25, pairBm25, similarity, wholeSimilarity, words } = record
  const bm25 =
    record.bm25 === null
      ? null
      : Math.min(record.bm25, passageBm25 ?? 0) + PAIR_WEIGHT * (pairBm25 ?? 0)
  const isSimilar = similarity !== null && similarity >= floor
  return { bm25, similarity: isSimilar ? similarity : null, wholeSimilarity, words }
}

function chooseMatchType({ bm25, similarity }: GatheredRecord, floor: number): Found['matchType'] {
  if (bm25 === null) return 'semantic'
  return similarity !== null && similarity >= floor ? 'both' : 'keyword'
}

/** Sums in a different order differ by rounding errors, which are far smaller than this. */
const ROUNDING = 1e-9
/** The shortlist is the window and this many more: on two pages of three, no other match can enter the window. */
const SHORTLIST_EXTRA = 10

type ShortlistOptions = Readonly<Record<'cover' | 'strongest' | 'window', number>> & {
  /** The largest factor that is applied after the signals. */
  readonly bonus?: number
}

/**
 * Splits the matches so that signals are loaded only for those that can enter the window: with the largest possible
 * signals, a match must still score at least as much as the last record of the window.
 * By hand, signals up to 1.2: if the window ends with .6, a match of .5 can just enter it, and one of .49 cannot.
 *
 * Without it a hybrid search of 20,000 records takes 1.4 times as long.
 */
export function splitShortlist<T extends Match>(
  { signals }: Lens,
  matches: readonly T[],
  { window, strongest, bonus = 1, ...context }: ShortlistOptions,
) {
  const size = window + SHORTLIST_EXTRA
  if (matches.length <= size) return { first: matches, rest: (): T[] => [] }
  const cover = clampUnit(context.cover)
  const scored = matches.map((match) => ({
    match,
    score: explainCalibrated(match, { cover, strongest }).score,
  }))
  scored.sort((a, b) => b.score - a.score)
  const largest = bonus * (signals === null ? 1 : findMaxSignals(signals))
  return {
    first: scored.slice(0, size).map(({ match }) => match),
    /** The other matches that can enter the window, given the ranking of the first. */
    rest(ranked: readonly Scored[]): T[] {
      const last = ranked[window - 1]
      const least = last === undefined ? -Infinity : scoreBeforeCap(last.explanation) - ROUNDING
      return scored
        .slice(size)
        .filter(({ score }) => score * largest >= least)
        .map(({ match }) => match)
    },
  }
}

type Described = Candidate & { readonly record: GatheredRecord }

/** Loads the facts of each matched record. Records deleted since are left out. */
async function describeMatches(
  storage: Storage,
  { now, decay, scope }: SearchPlan,
  matches: readonly (Match & { readonly record: GatheredRecord })[],
): Promise<Described[]> {
  const records = matches.map(({ record }) => record)
  const facts = await storage.vectors.describe(records, { asOfMs: scope.asOfMs, atMs: now })
  return matches.flatMap((match, i): Described[] => {
    const known = facts[i]
    if (known == null) return []
    const { id, createdAtMs, sector, confidence } = known
    const salience = effectiveSalience(known, now, decay)
    const { isSuperseded } = match.record
    return [{ ...match, id, facts: { createdAtMs, salience, sector, confidence, isSuperseded } }]
  })
}

async function boost<T extends Scored>(
  storage: Storage,
  { request, scope }: SearchPlan,
  ranked: readonly T[],
): Promise<readonly T[]> {
  const { boosts } = request
  if (boosts.length === 0) return ranked
  const ids = ranked.map(({ id }) => id)
  const records = await storage.get(ids, { asOfMs: scope.asOfMs })
  return applyBoosts(ranked, new Map(records.map((record) => [record.id, record])), boosts)
}

/** Loads only the records that the bonus can lift into the window. */
async function preferTime<T extends Scored & Partial<Pick<Found, 'relaxed'>>>(
  storage: Storage,
  { time, scope, window }: SearchPlan,
  ranked: readonly T[],
): Promise<readonly T[]> {
  if (time === null) return ranked
  const last = ranked[window - 1]
  const least = last === undefined ? 0 : scoreBeforeCap(last.explanation) - ROUNDING
  const near = ranked.filter(
    ({ explanation }) => scoreBeforeCap(explanation) * (1 + TIME_BONUS) >= least,
  )
  const ids = near.map(({ id }) => id)
  const records = await storage.get(ids, { asOfMs: scope.asOfMs })
  const inTime = records.filter((record) => isWithin(record, time)).map(({ id }) => id)
  return preferRange(ranked, new Set(inTime), time)
}

/** A work counts by its publication date, any other record by when it occurred or was created. */
function isWithin({ kind, occurredAt, createdAt }: CairnRecord, range: TimeRange): boolean {
  const date = occurredAt ?? (kind === 'work' ? null : createdAt)
  if (date === null) return false
  const ms = Date.parse(date)
  return ms >= range.fromMs && ms < range.toMs
}
