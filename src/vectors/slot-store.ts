/** Holds the vectors of one model in memory, in the same slots as in the stored blocks. */

import { badInput, CairnError } from '../core/errors.js'
import { BLOCK_SLOTS, Block, EMPTY_OWNER } from './block.js'
import type { Kernels } from './kernels.js'
import {
  Arena,
  layOutSegment,
  type SegmentLayout,
  SHAPE,
  SHAPE_BYTES,
  SLOTS_PER_SEGMENT,
  SLOTS_PER_TILE,
} from './memory.js'

export class SlotStore {
  readonly layout: SegmentLayout
  readonly kernels: Kernels
  readonly arena: Arena
  readonly segments: number[] = []
  readonly #shape: number
  /** Built on first use, because a search without a filter does not need it. */
  #slotsByOwner: SlotsByOwner | null = null
  /** Slots in use, empty ones included. */
  slotCount = 0
  /** Slots with a vector that searches may find. */
  liveCount = 0

  constructor(dimensions: number, kernels: Kernels) {
    if (!Number.isInteger(dimensions) || dimensions < 1) {
      throw badInput(`Vectors cannot have ${dimensions} dimensions.`)
    }
    this.layout = layOutSegment(dimensions)
    this.kernels = kernels
    this.arena = new Arena(kernels.memory)
    this.#shape = this.arena.allocate(SHAPE_BYTES)
    const { i32, f32 } = this.arena.views
    const at = this.#shape >>> 2
    for (const field of ['width', 'coarse', 'scales', 'factors'] as const) {
      i32[at + SHAPE[field]] = this.layout[field]
    }
    f32[at + SHAPE.edgeUnit] = this.layout.edgeUnit
    f32[at + SHAPE.factorUnit] = this.layout.factorUnit
  }

  /** Loads a stored block into the slots from `block · 128` on, and replaces their vectors. */
  loadBlock(block: number, bytes: Uint8Array): void {
    const first = block * BLOCK_SLOTS
    for (let slot = first; slot < Math.min(first + BLOCK_SLOTS, this.slotCount); slot++) {
      this.#unlink(slot)
    }
    this.copyBlock(block, bytes)
    this.#coarsen(first, BLOCK_SLOTS)
    this.#markLive(first)
    if (this.#slotsByOwner !== null) this.#linkSlots(this.#slotsByOwner, first, first + BLOCK_SLOTS)
  }

  /** Copies a block without coarse codes, live bits and owner lists. Enough for `copySlots` and exact scores. */
  copyBlock(block: number, bytes: Uint8Array): void {
    const { dimensions, codes, scales, owners } = new Block(bytes)
    if (dimensions !== this.layout.dimensions) {
      throw new CairnError('dimension_mismatch', {
        message: `A stored block holds vectors of ${dimensions} dimensions; ${this.layout.dimensions} were expected.`,
        hint: 'Open the vectors with the model that made them, or embed the texts again.',
      })
    }
    const first = block * BLOCK_SLOTS
    while (this.segments.length * SLOTS_PER_SEGMENT < first + BLOCK_SLOTS) {
      this.segments.push(this.arena.allocate(this.layout.bytes))
    }
    this.slotCount = Math.max(this.slotCount, first + BLOCK_SLOTS)
    const { u8 } = this.arena.views
    u8.set(codes, this.#addressOf(first))
    u8.set(scales, this.#fieldAt(first, 'scales') * 4)
    u8.set(owners, this.#fieldAt(first, 'owners') * 4)
  }

  /** Copies the owners and scales of the first `count` slots of the first segment. */
  copySlots(count: number): { readonly owners: Uint32Array; readonly scales: Float32Array } {
    const { u32, f32 } = this.arena.views
    const [ownersAt, scalesAt] = [this.#fieldAt(0, 'owners'), this.#fieldAt(0, 'scales')]
    return {
      owners: u32.slice(ownersAt, ownersAt + count),
      scales: f32.slice(scalesAt, scalesAt + count),
    }
  }

  /** Sets the live bits of a block, 32 at a time. One call per slot would take half the time of a load. */
  #markLive(first: number): void {
    const { u32, f32 } = this.arena.views
    const ownersAt = this.#fieldAt(first, 'owners')
    const scalesAt = this.#fieldAt(first, 'scales')
    const liveAt = this.#liveAt(first)
    for (let tile = 0; tile < BLOCK_SLOTS; tile += 32) {
      let bits = 0
      for (let i = 0; i < 32; i++) {
        const isFilled =
          u32[ownersAt + tile + i] !== EMPTY_OWNER && (f32[scalesAt + tile + i] as number) > 0
        if (isFilled) bits |= 1 << i
      }
      const at = liveAt + (tile >>> 5)
      this.liveCount += countBits(bits) - countBits(u32[at] as number)
      u32[at] = bits
    }
  }

  #linkSlots(slots: SlotsByOwner, from: number, end: number): void {
    const { u32 } = this.arena.views
    for (let first = from; first < end; first += 32) {
      const ownersAt = this.#fieldAt(first, 'owners')
      const live = u32[this.#liveAt(first)] as number
      for (let i = 0; i < 32; i++) {
        if ((live >>> i) & 1) slots.add(u32[ownersAt + i] as number, first + i)
      }
    }
  }

  /** Clears a slot. Overwrites the vector, so that nothing of a purged record stays in memory. */
  remove(slot: number): void {
    if (slot >= this.slotCount || this.ownerOf(slot) === EMPTY_OWNER) return
    this.#unlink(slot)
    this.setLive(slot, false)
    const codes = this.#addressOf(slot)
    const { i8, f32, u32 } = this.arena.views
    i8.fill(0, codes, codes + this.layout.width)
    f32[this.#fieldAt(slot, 'scales')] = 0
    u32[this.#fieldAt(slot, 'owners')] = EMPTY_OWNER
    this.#coarsen(slot - (slot % SLOTS_PER_TILE), SLOTS_PER_TILE)
  }

  /** The record that a slot belongs to, or EMPTY_OWNER. */
  ownerOf(slot: number): number {
    return this.arena.views.u32[this.#fieldAt(slot, 'owners')] as number
  }

  isLive(slot: number): boolean {
    return (((this.arena.views.u32[this.#liveAt(slot)] as number) >>> (slot & 31)) & 1) === 1
  }

  setLive(slot: number, live: boolean): void {
    if (this.isLive(slot) === live) return
    const { u32 } = this.arena.views
    const at = this.#liveAt(slot)
    u32[at] = (u32[at] as number) ^ (1 << (slot & 31))
    this.liveCount += live ? 1 : -1
  }

  /** Appends the slots of an owner to `list`, in no particular order. */
  collectSlots(owner: number, list: number[]): void {
    if (this.#slotsByOwner === null) {
      this.#slotsByOwner = new SlotsByOwner()
      this.#linkSlots(this.#slotsByOwner, 0, this.slotCount)
    }
    this.#slotsByOwner.collect(owner, list)
  }

  #unlink(slot: number): void {
    if (this.#slotsByOwner !== null && this.isLive(slot)) {
      this.#slotsByOwner.remove(this.ownerOf(slot), slot)
    }
  }

  /** Derives the coarse codes of whole tiles. */
  #coarsen(first: number, count: number): void {
    const index = first % SLOTS_PER_SEGMENT
    this.kernels.coarsen(this.#shape, this.#segmentOf(first), index, index + count)
  }

  #segmentOf(slot: number): number {
    return this.segments[Math.floor(slot / SLOTS_PER_SEGMENT)] ?? 0
  }

  #addressOf(slot: number): number {
    return this.#segmentOf(slot) + (slot % SLOTS_PER_SEGMENT) * this.layout.width
  }

  /** The address of a slot's field in 4-byte words. */
  #fieldAt(slot: number, field: 'scales' | 'owners'): number {
    return (this.#segmentOf(slot) + this.layout[field]) / 4 + (slot % SLOTS_PER_SEGMENT)
  }

  #liveAt(slot: number): number {
    return (this.#segmentOf(slot) + this.layout.live) / 4 + ((slot % SLOTS_PER_SEGMENT) >>> 5)
  }
}

function countBits(word: number): number {
  let count = 0
  for (let bits = word; bits !== 0; bits &= bits - 1) count++
  return count
}

const NONE = -1

/**
 * A linked list of slots for each owner: `first` is indexed by owner, `next` by slot. Owners are row numbers and therefore
 * dense. A Map of a million arrays would take ten times the memory.
 */
class SlotsByOwner {
  #first = new Int32Array(0)
  #next = new Int32Array(0)

  add(owner: number, slot: number): void {
    if (owner >= this.#first.length) this.#first = grow(this.#first, owner)
    if (slot >= this.#next.length) this.#next = grow(this.#next, slot)
    this.#next[slot] = this.#first[owner] as number
    this.#first[owner] = slot
  }

  remove(owner: number, slot: number): void {
    const next = this.#next[slot] as number
    if (this.#first[owner] === slot) this.#first[owner] = next
    for (let at = this.#first[owner] ?? NONE; at !== NONE; at = this.#next[at] as number) {
      if (this.#next[at] === slot) this.#next[at] = next
    }
  }

  collect(owner: number, list: number[]): void {
    for (let at = this.#first[owner] ?? NONE; at !== NONE; at = this.#next[at] as number)
      list.push(at)
  }
}

function grow(array: Int32Array, index: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(1024, 2 * array.length, index + 1)).fill(NONE)
  larger.set(array)
  return larger
}
