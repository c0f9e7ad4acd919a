/** Where a filter passes few slots, exactly those are listed. */

import type { OwnerSlots } from './owner-slots.js'
import type { SlotStore } from './slot-store.js'

/** Up to this many slots are scored one by one: nothing to gain from estimates. */
const FEW_SLOTS = 2000
/** A filter that passes a smaller share lists its slots: to find and score one costs as much as 30 estimates. */
const LISTED_SHARE = 0.03

type Listed = { readonly store: SlotStore; ownerSlots(): OwnerSlots }

/** The slots to score one by one, or null where estimating all is quicker. */
export function listSlots(
  { store, ownerSlots }: Listed,
  allow: Uint8Array | undefined,
): number[] | null {
  const few = Math.max(FEW_SLOTS, store.liveCount * LISTED_SHARE)
  if (store.liveCount <= few) return allSlots(store, allow)
  if (allow === undefined) return null
  const words = new Uint32Array(Math.ceil(allow.length / 4))
  new Uint8Array(words.buffer).set(allow)
  if (bitCount(words) > few) return null
  const slots: number[] = []
  for (const [i, bits] of words.entries()) {
    for (let left = bits; left !== 0; left &= left - 1) {
      ownerSlots().collect(i * 32 + 31 - Math.clz32(left & -left), slots)
    }
    if (slots.length > few) return null
  }
  return slots.filter((slot) => store.isLive(slot))
}

function bitCount(words: Uint32Array): number {
  let count = 0
  for (const word of words) {
    const pairs = word - ((word >>> 1) & 0x55555555)
    const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
    count += Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** Every slot that holds a vector and passes the filter. */
export function allSlots(store: SlotStore, allow: Uint8Array | undefined): number[] {
  const slots: number[] = []
  for (let slot = 0; slot < store.slotCount; slot++) {
    if (store.isLive(slot) && isAllowed(allow, store.ownerOf(slot))) slots.push(slot)
  }
  return slots
}

function isAllowed(allow: Uint8Array | undefined, owner: number): boolean {
  return allow === undefined || (((allow[owner >>> 3] ?? 0) >> (owner & 7)) & 1) === 1
}
