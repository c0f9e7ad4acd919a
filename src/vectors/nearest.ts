/**
 * Finds the nearest slots. Scans coarse estimates of all slots, measures the error of the best estimates, then scores every
 * slot that can still be among the nearest.
 */

import { NO_THRESHOLD } from './memory.js'
import type { Candidates, SlotScan } from './slot-scan.js'
import type { SlotStore } from './slot-store.js'

export type VectorHit = {
  readonly slot: number
  readonly owner: number
  readonly similarity: number
}

export type VectorSearch = {
  /** Need not be normalised. */
  readonly query: Float32Array
  readonly k: number
  /** The first `ordered` hits are in exact order. Default: all. */
  readonly ordered?: number | undefined
  /** One bit per owner: bit `owner & 7` of byte `owner >> 3`. Owners beyond its end are not allowed. */
  readonly allow?: Uint8Array | undefined
  readonly exclude?: Iterable<number> | undefined
  readonly minSimilarity?: number | undefined
  /** Computes the similarities of slots from their two-byte codes, to order hits more exactly. */
  readonly exact?: ((slots: readonly number[]) => ArrayLike<number>) | undefined
}

/** Best first. Ties are ordered by owner, then by slot, so that two runs never differ. */
export function compareHits(a: VectorHit, b: VectorHit): number {
  return b.similarity - a.similarity || a.owner - b.owner || a.slot - b.slot
}

/** Collects the best `k` owners, each with its best slot. */
export class BestOwners {
  readonly k: number
  /** A slot with a lower similarity cannot be among the best any more. */
  least: number
  #hits: VectorHit[] = []

  constructor(k: number, minSimilarity: number) {
    this.k = k
    this.least = minSimilarity
  }

  add(hit: VectorHit): void {
    this.#hits.push(hit)
    // Sorting in batches is simpler than a heap and as fast: `least` rises with each batch, and few hits pass it.
    if (this.#hits.length >= 4 * this.k + 64) this.best()
  }

  best(): VectorHit[] {
    const seen = new Set<number>()
    const best: VectorHit[] = []
    for (const hit of this.#hits.sort(compareHits)) {
      if (best.length === this.k) break
      if (seen.has(hit.owner)) continue
      seen.add(hit.owner)
      best.push(hit)
    }
    const worst = best[this.k - 1]
    if (worst !== undefined) this.least = Math.max(this.least, worst.similarity)
    this.#hits = best
    return [...best]
  }
}

/** The order by one-byte and by two-byte codes differs only between close hits. This many more hits are scored exactly. */
const EXACT_MARGIN = 1.5
const EXACT_EXTRA = 10
/** The largest error of a similarity from one-byte codes. */
const ROUNDING_ERROR = 0.02

/** Returns the best `k` hits of `find`. With `exact`, the first `ordered` of them are in exact order. */
export function searchWith(
  { k, ordered = k, minSimilarity = Number.NEGATIVE_INFINITY, exact }: VectorSearch,
  find: (best: BestOwners) => VectorHit[],
): VectorHit[] {
  if (k < 1) return []
  if (exact === undefined) return find(new BestOwners(k, minSimilarity))
  const wanted = Math.ceil(k * EXACT_MARGIN) + EXACT_EXTRA
  const hits = find(new BestOwners(wanted, minSimilarity - ROUNDING_ERROR))
  const first = Math.ceil(ordered * EXACT_MARGIN) + EXACT_EXTRA
  // Hits further down are scored exactly only if rounding may have lifted them over the minimum.
  const needsExact = ({ similarity }: VectorHit, i: number): boolean =>
    i < first || similarity < minSimilarity + ROUNDING_ERROR
  const rounded = hits.filter(needsExact)
  const similarities = exact(rounded.map(({ slot }) => slot))
  const scored = rounded
    .map((hit, i) => ({ ...hit, similarity: similarities[i] ?? Number.NaN }))
    .filter(({ similarity }) => similarity >= minSimilarity)
    .sort(compareHits)
  const others = hits.filter((hit, i) => !needsExact(hit, i))
  const rest = [...scored.slice(ordered), ...others].sort(compareHits)
  return [...scored.slice(0, ordered), ...rest].slice(0, k)
}

type NearestSearch = {
  readonly store: SlotStore
  readonly scan: SlotScan
  readonly allow: Uint8Array | undefined
}

/** A scan keeps this share of all slots as candidates, plus this many per wanted record. */
const CANDIDATE_SHARE = 1 / 100
const CANDIDATES_PER_WANTED = 8
/** This many of the best candidates per wanted record are scored first, to measure the error of the estimates. */
const SCORED_PER_WANTED = 2
/** A slot is skipped only if it could be among the best with an error of more than this many standard deviations. */
const SAFE_DEVIATIONS = 3.5
/** Up to this many slots are all scored, because estimating them first is no faster. */
const FEW_SLOTS = 2000
/** If a filter passes a smaller share of the slots, they are all scored: finding and scoring one costs 30 estimates. */
const LISTED_SHARE = 0.03

export function findNearest(search: NearestSearch, best: BestOwners): VectorHit[] {
  const { store, scan, allow } = search
  const listed = listSlots(store, allow)
  if (listed !== null) return addSlots(search, best, listed).best()
  const most = Math.ceil(store.liveCount / 4)
  const first = Math.ceil(store.liveCount * CANDIDATE_SHARE) + best.k * CANDIDATES_PER_WANTED
  for (let want = first; want <= most; want *= 8) {
    const candidates = scan.estimate({ want, allow })
    const safe = refine(search, best, candidates)
    if (candidates.threshold <= safe) return best.best()
    // With fewer than k owners no slot can be ruled out.
    if (safe === NO_THRESHOLD) continue
    const more = scan.estimate({ want: most, above: safe, allow })
    if (more.threshold !== safe) break
    return addSlots(search, best, more.slots).best()
  }
  return addSlots(search, best, listAllowed(store, allow)).best()
}

/** Lists the live slots that pass the filter if they are few; returns null if estimating all slots is faster. */
function listSlots(store: SlotStore, allow: Uint8Array | undefined): number[] | null {
  const few = Math.max(FEW_SLOTS, store.liveCount * LISTED_SHARE)
  if (store.liveCount <= few) return listAllowed(store, allow)
  if (allow === undefined) return null
  const owners: number[] = []
  for (let byte = 0; byte < allow.length; byte++) {
    for (let bits = allow[byte] as number; bits !== 0; bits &= bits - 1) {
      owners.push(byte * 8 + 31 - Math.clz32(bits & -bits))
    }
    if (owners.length > few) return null
  }
  const slots: number[] = []
  for (const owner of owners) store.collectSlots(owner, slots)
  return slots.length > few ? null : slots.filter((slot) => store.isLive(slot))
}

function listAllowed(store: SlotStore, allow: Uint8Array | undefined): number[] {
  const slots: number[] = []
  for (let slot = 0; slot < store.slotCount; slot++) {
    if (!store.isLive(slot)) continue
    if (isAllowed(allow, store.ownerOf(slot))) slots.push(slot)
  }
  return slots
}

export function isAllowed(allow: Uint8Array | undefined, owner: number): boolean {
  return allow === undefined || (((allow[owner >>> 3] ?? 0) >> (owner & 7)) & 1) === 1
}

/**
 * Scores the best candidates, measures the error of their estimates, then scores the other candidates that can still be
 * among the best. Returns the estimate up to which no slot, candidate or not, can be among the best.
 */
function refine(search: NearestSearch, best: BestOwners, found: Candidates): number {
  const cut = findNthLargest(found.scores, best.k * SCORED_PER_WANTED)
  const head = pickSlots(found, cut, Number.POSITIVE_INFINITY)
  const similarities = search.scan.similarities(head.slots)
  addScored(search.store, best, { slots: head.slots, similarities }).best()
  const errors = measureErrors(head.scores, similarities, found.unit)
  const safe = safeThreshold(errors, best.least, found.unit)
  const rest = pickSlots(found, safe + 1, cut)
  addSlots(search, best, rest.slots).best()
  // The least similarity may have risen, and the threshold with it.
  return safeThreshold(errors, best.least, found.unit)
}

/** Returns the slots whose score is at least `from` and below `to`, with their scores. */
function pickSlots(found: Candidates, from: number, to: number) {
  const slots = new Uint32Array(found.slots.length)
  const scores = new Int32Array(found.slots.length)
  let count = 0
  for (let i = 0; i < found.slots.length; i++) {
    const score = found.scores[i] as number
    if (score < from || score >= to) continue
    slots[count] = found.slots[i] as number
    scores[count++] = score
  }
  return { slots: slots.subarray(0, count), scores: scores.subarray(0, count) }
}

/** Returns a score that n or slightly more scores reach. A histogram with cells of 8 points is exact enough. */
function findNthLargest(scores: Int32Array, n: number): number {
  const counts = new Uint32Array(65536 / 8)
  for (let i = 0; i < scores.length; i++) {
    const cell = ((scores[i] as number) - NO_THRESHOLD) >> 3
    counts[cell] = (counts[cell] as number) + 1
  }
  let left = n
  let cell = counts.length
  while (left > 0 && cell > 0) left -= counts[--cell] as number
  return cell * 8 + NO_THRESHOLD
}

function measureErrors(scores: Int32Array, similarities: Float32Array, unit: number) {
  let sum = 0
  let squares = 0
  for (let i = 0; i < scores.length; i++) {
    const error = (similarities[i] as number) - (scores[i] as number) * unit
    sum += error
    squares += error * error
  }
  const count = Math.max(1, scores.length)
  const mean = sum / count
  return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean ** 2)) }
}

/**
 * Returns the estimate up to which a slot cannot be among the best: `least` minus the error that was measured for this
 * query. A query with large errors scores more slots.
 */
function safeThreshold(
  { mean, deviation }: ReturnType<typeof measureErrors>,
  least: number,
  unit: number,
): number {
  const safe = least - Math.max(0, mean) - SAFE_DEVIATIONS * deviation
  // One point less, because slots that tie with `least` can still be among the best.
  return Math.max(NO_THRESHOLD, Math.floor(safe / unit) - 1)
}

type Slots = Uint32Array | readonly number[]

function addSlots({ store, scan }: NearestSearch, best: BestOwners, slots: Slots): BestOwners {
  return addScored(store, best, { slots, similarities: scan.similarities(slots) })
}

function addScored(
  store: SlotStore,
  best: BestOwners,
  { slots, similarities }: { readonly slots: Slots; readonly similarities: Float32Array },
): BestOwners {
  for (let i = 0; i < similarities.length; i++) {
    const similarity = similarities[i] as number
    if (!(similarity >= best.least)) continue
    const slot = slots[i] as number
    best.add({ slot, owner: store.ownerOf(slot), similarity })
  }
  return best
}
