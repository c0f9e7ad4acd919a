/** The nearest slots are found by the cheapest way that loses none, and the filter decides which. */

import type { BestOwners, VectorHit } from './best-owners.js'
import { NO_THRESHOLD } from './layout.js'
import type { OwnerSlots } from './owner-slots.js'
import { allSlots, listSlots } from './slot-lists.js'
import type { Candidates, SlotScan } from './slot-scan.js'
import type { SlotStore } from './slot-store.js'

export type Parts = {
  readonly store: SlotStore
  readonly scan: SlotScan
  ownerSlots(): OwnerSlots
}

export type Goal = {
  readonly best: BestOwners
  readonly k: number
  readonly allow: Uint8Array | undefined
  /** One point of an estimate as a cosine. */
  readonly unit: number
}

/** How many of the best estimates a scan keeps: a share of all, and some for each record wanted. */
const KEPT_SHARE = 1 / 100
const KEPT_PER_WANTED = 8
/** A slot is left out only if its estimate would have to be wrong by this many standard deviations. */
const SAFE_DEVIATIONS = 2.5

export function findNearest(parts: Parts, goal: Goal): VectorHit[] {
  const { store, scan } = parts
  const { best, allow } = goal
  const listed = listSlots(parts, allow)
  if (listed !== null) return addSlots(parts, best, listed).best()
  const most = Math.ceil(store.liveCount / 4)
  const first = Math.ceil(store.liveCount * KEPT_SHARE) + goal.k * KEPT_PER_WANTED
  for (let want = first; want <= most; want *= 8) {
    const candidates = scan.estimate({ want, allow })
    const safe = refine(parts, goal, candidates)
    if (candidates.threshold <= safe) return best.best()
    // Too few owners to say what is out of reach: anything left out might belong.
    if (safe === NO_THRESHOLD) continue
    const more = scan.estimate({ want: most, above: safe, allow })
    if (more.threshold !== safe) break
    return addSlots(parts, best, more.slots).best()
  }
  return addSlots(parts, best, allSlots(store, allow)).best()
}

/**
 * Scores the best of the candidates, learns from them how wrong estimates are, then scores those that can
 * still matter. Gives the score up to which no slot can, candidate or not.
 */
function refine(parts: Parts, { best, k, unit }: Goal, found: Candidates): number {
  const cut = nearNthLargest(found.scores, k * KEPT_PER_WANTED)
  const head = pick(found, (score) => score >= cut)
  const similarities = parts.scan.similarities(head.slots)
  addAll(parts.store, best, { slots: head.slots, similarities }).best()
  const errors = errorsOf(head.scores, similarities, unit)
  const safe = safeThreshold(errors, best.least, unit)
  const rest = pick(found, (score) => score < cut && score > safe)
  addSlots(parts, best, rest.slots).best()
  // The least similarity may have risen, and with it what is out of reach.
  return safeThreshold(errors, best.least, unit)
}

function pick(found: Candidates, wanted: (score: number) => boolean): Picked {
  const slots: number[] = []
  const scores: number[] = []
  for (let i = 0; i < found.scores.length; i++) {
    const score = found.scores[i] ?? NO_THRESHOLD
    if (!wanted(score)) continue
    slots.push(found.slots[i] ?? 0)
    scores.push(score)
  }
  return { slots, scores }
}

type Picked = { readonly slots: readonly number[]; readonly scores: readonly number[] }

/** A score that at least n reach, and few more: counted in cells of 8 points, as it need not be exact. */
function nearNthLargest(scores: Int32Array, n: number): number {
  const counts = new Uint32Array(65536 / 8)
  for (let i = 0; i < scores.length; i++) {
    const cell = ((scores[i] ?? 0) - NO_THRESHOLD) >> 3
    counts[cell] = (counts[cell] ?? 0) + 1
  }
  let left = n
  let cell = counts.length
  while (left > 0 && cell > 0) {
    cell -= 1
    left -= counts[cell] ?? 0
  }
  return cell * 8 + NO_THRESHOLD
}

type Errors = { readonly mean: number; readonly deviation: number }

/** By how much similarities differ from their estimates. */
function errorsOf(scores: readonly number[], similarities: Float32Array, unit: number): Errors {
  let sum = 0
  let squares = 0
  for (let i = 0; i < scores.length; i++) {
    const error = (similarities[i] ?? 0) - (scores[i] ?? 0) * unit
    sum += error
    squares += error * error
  }
  const mean = sum / Math.max(1, scores.length)
  return {
    mean,
    deviation: Math.sqrt(Math.max(0, squares / Math.max(1, scores.length) - mean ** 2)),
  }
}

/**
 * The score up to which a slot is out of reach: `least` less what estimates are wrong by, which the scored
 * candidates of this very query tell. It makes hard queries careful and easy ones quick.
 */
function safeThreshold({ mean, deviation }: Errors, least: number, unit: number): number {
  const outOfReach = least - Math.max(0, mean) - SAFE_DEVIATIONS * deviation
  // One point less: slots that tie with the least one are within reach.
  return Math.max(NO_THRESHOLD, Math.floor(outOfReach / unit) - 1)
}

function addSlots(
  parts: Parts,
  best: BestOwners,
  slots: Uint32Array | readonly number[],
): BestOwners {
  const similarities = parts.scan.similarities(slots)
  return addAll(parts.store, best, { slots, similarities })
}

type Found = {
  readonly slots: ArrayLike<number>
  readonly similarities: Float32Array
}

function addAll(store: SlotStore, best: BestOwners, { slots, similarities }: Found): BestOwners {
  // Plain loops here and above: they run over thousands of slots in every search.
  for (let i = 0; i < similarities.length; i++) {
    const similarity = similarities[i] ?? Number.NaN
    if (similarity < best.least) continue
    const slot = slots[i] ?? 0
    best.add({ slot, owner: store.ownerOf(slot), similarity })
  }
  return best
}
