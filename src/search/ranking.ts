/** Ranks candidates: explains the score of each, applies the lens and the boosts, keeps the best. */

import type { Explanation } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import { effectiveSalience } from '../core/salience.js'
import { asksForWords } from '../query/terms.js'
import type { TimeRange } from '../query/time-range.js'
import type { GatheredRecord } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import {
  BOOST_REACH,
  type Candidates,
  DEEPER,
  type Found,
  type FoundCounts,
  gatherCandidates,
  KEYWORD_CANDIDATES,
  TIME_REACH,
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

/** `weak`: below the floor, and perhaps related. */
export type Ranked = Found & { readonly explanation: Explanation; readonly weak?: true }
export type RankedList = FoundCounts & { readonly records: readonly Ranked[] }

/** Words that stand together as they were asked for count a quarter more. */
export const PAIR_WEIGHT = 0.25

/**
 * The best of a search, as many as its window. Candidates are gathered in sizes that do not depend on the window, and
 * those of a larger size follow all of the smaller: no page changes the order of another.
 */
export async function findRanked(storage: Storage, plan: SearchPlan): Promise<RankedList> {
  let found: RankedList | null = null
  const gather = (depth: number) => gatherCandidates(storage, plan, depth)
  let next = gather(1)
  for (let depth = 1; ; depth *= DEEPER) {
    const current = next
    // A page below all of these candidates needs the next ones: on a server they come in the same round trips.
    const most = (KEYWORD_CANDIDATES + VECTOR_CANDIDATES) * depth
    const isShort = plan.window > most && plan.embedding !== null && plan.usesWords
    const deeper = isShort ? gather(depth * DEEPER) : null
    deeper?.catch(() => {})
    const candidates = await current
    const ranked = await rankCandidates(storage, plan, candidates)
    found = found === null ? ranked : appendRanked(found, ranked, plan.window)
    const isAll = candidates.isExact && candidates.records.length >= candidates.total
    if (candidates.kind === 'list' || isAll || found.records.length >= plan.window) return found
    next = deeper ?? gather(depth * DEEPER)
  }
}

/** No score is above those before it. */
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
  const boosted = await boost(storage, plan, listed.slice(0, BOOST_REACH))
  const ordered = [...boosted, ...listed.slice(BOOST_REACH)]
  const timely = await preferTime(storage, plan, ordered.slice(0, TIME_REACH))
  const records = [...timely, ...ordered.slice(TIME_REACH)].slice(0, plan.window)
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
  // Rank and share formulas take semantic matches from the floor on; the others weigh the cosine itself.
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
    // The chunks of a text that has changed since are those of another text.
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
  // A fusion may leave some of the candidates out.
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

/** Scores before and after the signals are sums in another order: they differ by far less than this. */
const ROUNDING = 1e-9
/** Beside twice the window, so many of the best matches are ranked first. */
const SPARE = 20

type ShortlistOptions = Readonly<Record<'cover' | 'strongest' | 'window', number>> & {
  /** The largest factor that follows the signals. */
  readonly bonus?: number
}

/**
 * Splits the matches so that signals are loaded only for those that can reach the window: the last record in the
 * window says what another one must reach with the largest signals there are.
 * By hand, signals up to 1.2: the window ends with .6, so a match of .5 can just reach it, and one of .49 cannot.
 *
 * Without it a hybrid search of 20,000 records takes 1.4 times as long.
 */
export function splitShortlist<T extends Match>(
  { signals }: Lens,
  matches: readonly T[],
  { window, strongest, bonus = 1, ...context }: ShortlistOptions,
) {
  const size = 2 * window + SPARE
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
    /** What else can be in the window, now that the first ones are ranked. */
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

/** Adds what is known of each record besides its match; one that is gone is left out. */
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

/** Only what can come into the window with the bonus is looked at. */
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

/** A work by when it was published, anything else by when it occurred or was created. */
function isWithin({ kind, occurredAt, createdAt }: CairnRecord, range: TimeRange): boolean {
  const date = occurredAt ?? (kind === 'work' ? null : createdAt)
  if (date === null) return false
  const ms = Date.parse(date)
  return ms >= range.fromMs && ms < range.toMs
}
