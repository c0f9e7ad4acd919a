/** Finds the nearest slots: scans coarse estimates, learns how far they are off, and scores what can still matter. */

import { NO_THRESHOLD } from './memory.js'
import type { Candidates, SlotScan } from './slot-scan.js'
import type { SlotStore } from './slot-store.js'

export type VectorHit = {
  readonly slot: number
  readonly owner: number
  readonly similarity: number
}

export type VectorSearch = {
  /** Any length but zero: it is normalised. */
  readonly query: Float32Array
  readonly k: number
  /** So many of them are in their exact order. Default: all. */
  readonly ordered?: number | undefined
  /** One bit per owner: bit `owner & 7` of byte `owner >> 3`. Owners beyond its end are left out. */
  readonly allow?: Uint8Array | undefined
  readonly exclude?: Iterable<number> | undefined
  readonly minSimilarity?: number | undefined
  /** Gives similarities of slots from finer vectors, for an order without the rounding. */
  readonly exact?: ((slots: readonly number[]) => ArrayLike<number>) | undefined
}

/** Best first; equals by owner, then by slot, so that two runs never differ. */
export function compareHits(a: VectorHit, b: VectorHit): number {
  return b.similarity - a.similarity || a.owner - b.owner || a.slot - b.slot
}

/** Keeps the best `k` owners of any number of slots, each with its best slot. */
export class BestOwners {
  readonly k: number
  /** No slot below this can be among the best any more. */
  least: number
  #hits: VectorHit[] = []

  constructor(k: number, minSimilarity: number) {
    this.k = k
    this.least = minSimilarity
  }

  add(hit: VectorHit): void {
    this.#hits.push(hit)
    // Sorting in batches is simpler than a heap and as fast: the bar rises with each, and few pass it.
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

/** The rounded and the exact order differ only among neighbours: so many more are compared exactly. */
const EXACT_MARGIN = 1.5
const EXACT_EXTRA = 10
/** An upper bound of the error of a rounded similarity. */
const ROUNDING_ERROR = 0.02

/** The best `k` of what `find` finds, the first `ordered` in their exact order where it is asked for. */
export function searchWith(
  { k, ordered = k, minSimilarity = Number.NEGATIVE_INFINITY, exact }: VectorSearch,
  find: (best: BestOwners) => VectorHit[],
): VectorHit[] {
  if (k < 1) return []
  if (exact === undefined) return find(new BestOwners(k, minSimilarity))
  const wanted = Math.ceil(k * EXACT_MARGIN) + EXACT_EXTRA
  const hits = find(new BestOwners(wanted, minSimilarity - ROUNDING_ERROR))
  const first = Math.ceil(ordered * EXACT_MARGIN) + EXACT_EXTRA
  // Of those further down it only matters whether they are similar enough.
  const isOpen = ({ similarity }: VectorHit, i: number): boolean =>
    i < first || similarity < minSimilarity + ROUNDING_ERROR
  const open = hits.filter(isOpen)
  const similarities = exact(open.map(({ slot }) => slot))
  const scored = open
    .map((hit, i) => ({ ...hit, similarity: similarities[i] ?? Number.NaN }))
    .filter(({ similarity }) => similarity >= minSimilarity)
    .sort(compareHits)
  const others = hits.filter((hit, i) => !isOpen(hit, i))
  const rest = [...scored.slice(ordered), ...others].sort(compareHits)
  return [...scored.slice(0, ordered), ...rest].slice(0, k)
}

type NearestSearch = {
  readonly store: SlotStore
  readonly scan: SlotScan
  readonly allow: Uint8Array | undefined
}

/** How many of the best estimates a scan keeps: a share of all, and some for each record wanted. */
const CANDIDATE_SHARE = 1 / 100
const CANDIDATES_PER_WANTED = 8
/** Of these so many are scored first, to learn from. */
const SCORED_PER_WANTED = 2
/** A slot is left out only if its estimate would have to be wrong by this many standard deviations. */
const SAFE_DEVIATIONS = 3.5
/** Up to this many slots are scored one by one: estimates gain nothing. */
const FEW_SLOTS = 2000
/** A filter that passes a smaller share lists its slots: to find and score one costs as much as 30 estimates. */
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
    // Too few owners yet to rule anything out.
    if (safe === NO_THRESHOLD) continue
    const more = scan.estimate({ want: most, above: safe, allow })
    if (more.threshold !== safe) break
    return addSlots(search, best, more.slots).best()
  }
  return addSlots(search, best, listAllowed(store, allow)).best()
}

/** The slots to score one by one where the filter passes few; null where estimating all is quicker. */
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
    const owner = store.ownerOf(slot)
    if (allow === undefined || ((allow[owner >>> 3] ?? 0) >> (owner & 7)) & 1) slots.push(slot)
  }
  return slots
}

/**
 * Scores the best of the candidates, learns from them how far the estimates are off, then scores those that can still
 * matter. Returns the score up to which no slot can, candidate or not.
 */
function refine(search: NearestSearch, best: BestOwners, found: Candidates): number {
  const cut = nearNthLargest(found.scores, best.k * SCORED_PER_WANTED)
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

/** The slots whose score is at least `from` and below `to`, with their scores. */
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

/** A score that at least n scores reach, and few more: counted in cells of 8 points, as it need not be exact. */
function nearNthLargest(scores: Int32Array, n: number): number {
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
 * The score up to which a slot cannot be among the best: `least` less the error of the estimates of this very query. So
 * hard queries are careful and easy ones quick.
 */
function safeThreshold(
  { mean, deviation }: ReturnType<typeof measureErrors>,
  least: number,
  unit: number,
): number {
  const safe = least - Math.max(0, mean) - SAFE_DEVIATIONS * deviation
  // One point less: slots that tie with the least one still matter.
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
