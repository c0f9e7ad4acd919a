/** Slots live in segments of one memory, and their coarse codes always agree with their codes. */

import { badInput, CairnError } from '../core/errors.js'
import { Arena } from './arena.js'
import { readBlock, type SlotEntry } from './block.js'
import { checkDimensions } from './cosine.js'
import type { Kernels } from './kernels.js'
import {
  EMPTY_OWNER,
  type SegmentLayout,
  SHAPE,
  SHAPE_BYTES,
  SLOTS_PER_SEGMENT,
  segmentLayout,
} from './layout.js'

export class SlotStore {
  readonly layout: SegmentLayout
  readonly kernels: Kernels
  readonly arena: Arena
  readonly #shape: number
  #segments: number[] = []
  #slotCount = 0
  #liveCount = 0

  constructor(dimensions: number, kernels: Kernels) {
    this.layout = segmentLayout(dimensions)
    this.kernels = kernels
    this.arena = new Arena(kernels.memory)
    this.#shape = this.arena.take(SHAPE_BYTES)
    const { i32, f32 } = this.arena.views
    const at = this.#shape >>> 2
    for (const field of ['width', 'coarse', 'scales', 'factors'] as const) {
      i32[at + SHAPE[field]] = this.layout[field]
    }
    f32[at + SHAPE.edgeUnit] = this.layout.edgeUnit
    f32[at + SHAPE.factorUnit] = this.layout.factorUnit
  }

  get slotCount(): number {
    return this.#slotCount
  }

  get liveCount(): number {
    return this.#liveCount
  }

  get segments(): readonly number[] {
    return this.#segments
  }

  /** The record that a slot belongs to, or EMPTY_OWNER. */
  ownerOf(slot: number): number {
    if (slot >= this.#slotCount) return EMPTY_OWNER
    return this.arena.views.u32[this.#field(slot, 'owners') >>> 2] ?? EMPTY_OWNER
  }

  /** Makes room up to and including `slot`; the new slots are empty. */
  reach(slot: number): void {
    while (this.#segments.length * SLOTS_PER_SEGMENT <= slot) {
      const segment = this.arena.take(this.layout.bytes)
      const owners = (segment + this.layout.owners) >>> 2
      this.arena.views.u32.fill(EMPTY_OWNER, owners, owners + SLOTS_PER_SEGMENT)
      this.#segments.push(segment)
    }
    this.#slotCount = Math.max(this.#slotCount, slot + 1)
  }

  set(slot: number, { owner, codes }: SlotEntry): void {
    checkDimensions(codes.bytes, this.layout.width)
    if (!(owner >= 0 && owner < EMPTY_OWNER))
      throw badInput(`No record can have the number ${owner}.`)
    if (!(codes.scale > 0)) throw badInput('A zero vector points nowhere and cannot be stored.')
    this.reach(slot)
    const { i8, f32, u32 } = this.arena.views
    i8.set(codes.bytes, this.codesOf(slot))
    f32[this.#field(slot, 'scales') >>> 2] = codes.scale
    u32[this.#field(slot, 'owners') >>> 2] = owner
    this.setLive(slot, true)
    const index = slot % SLOTS_PER_SEGMENT
    this.kernels.coarsenPair(this.#shape, this.#segmentOf(slot), index & ~16)
  }

  /** Empties a slot: its vector is overwritten, so that nothing of a purged record stays in memory. */
  remove(slot: number): void {
    const codes = this.codesOf(slot)
    const { i8, f32, u32 } = this.arena.views
    i8.fill(0, codes, codes + this.layout.width)
    f32[this.#field(slot, 'scales') >>> 2] = 0
    u32[this.#field(slot, 'owners') >>> 2] = EMPTY_OWNER
    this.setLive(slot, false)
    this.kernels.coarsenPair(this.#shape, this.#segmentOf(slot), (slot % SLOTS_PER_SEGMENT) & ~16)
  }

  /** Shows a slot to searches, or hides it. */
  setLive(slot: number, live: boolean): void {
    const { i32 } = this.arena.views
    const at = (this.#segmentOf(slot) + this.layout.live) / 4 + ((slot % SLOTS_PER_SEGMENT) >>> 5)
    const before = i32[at] ?? 0
    const bit = 1 << (slot & 31)
    i32[at] = live ? before | bit : before & ~bit
    if (i32[at] !== before) this.#liveCount += live ? 1 : -1
  }

  isLive(slot: number): boolean {
    const at = (this.#segmentOf(slot) + this.layout.live) / 4 + ((slot % SLOTS_PER_SEGMENT) >>> 5)
    return (((this.arena.views.u32[at] ?? 0) >>> (slot & 31)) & 1) === 1
  }

  /** Appends the slots of a packed block in one piece per segment; gives the first slot. */
  loadBlock(bytes: Uint8Array): { readonly firstSlot: number; readonly count: number } {
    const block = readBlock(bytes)
    if (block.dimensions !== this.layout.dimensions)
      throw otherModel(block.dimensions, this.layout.dimensions)
    const firstSlot = this.#slotCount
    for (let done = 0; done < block.count; ) {
      const slot = firstSlot + done
      const count = Math.min(block.count - done, SLOTS_PER_SEGMENT - (slot % SLOTS_PER_SEGMENT))
      this.reach(slot + count - 1)
      const { u8 } = this.arena.views
      const end = done + count
      u8.set(
        block.codes.subarray(done * this.layout.width, end * this.layout.width),
        this.codesOf(slot),
      )
      u8.set(block.scales.subarray(done * 4, end * 4), this.#field(slot, 'scales'))
      u8.set(block.owners.subarray(done * 4, end * 4), this.#field(slot, 'owners'))
      this.#derive(slot, count)
      done = end
    }
    return { firstSlot, count: block.count }
  }

  /** Those of a run of slots that hold a vector, with their owners. */
  eachLive(from: number, to: number, visit: (owner: number, slot: number) => void): void {
    const { u32 } = this.arena.views
    for (let first = from; first < to; ) {
      const end = Math.min(to, (Math.floor(first / SLOTS_PER_SEGMENT) + 1) * SLOTS_PER_SEGMENT)
      const owners = this.#field(first, 'owners') >>> 2
      const live = (this.#segmentOf(first) + this.layout.live) >>> 2
      for (let slot = first; slot < end; slot++) {
        const bits = u32[live + ((slot % SLOTS_PER_SEGMENT) >>> 5)] as number
        if ((bits & (1 << (slot & 31))) !== 0) visit(u32[owners + slot - first] as number, slot)
      }
      first = end
    }
  }

  /** Copies a slot's content out, or null where it is empty. */
  entryOf(slot: number): SlotEntry | null {
    const owner = this.ownerOf(slot)
    if (owner === EMPTY_OWNER) return null
    const { i8, f32 } = this.arena.views
    const codes = this.codesOf(slot)
    const scale = f32[this.#field(slot, 'scales') >>> 2] ?? 0
    return { owner, codes: { bytes: i8.slice(codes, codes + this.layout.width), scale } }
  }

  codesOf(slot: number): number {
    return this.#segmentOf(slot) + (slot % SLOTS_PER_SEGMENT) * this.layout.width
  }

  /** What is not stored of new slots: their coarse codes, and which of them hold a vector. */
  #derive(firstSlot: number, count: number): void {
    const segment = this.#segmentOf(firstSlot)
    const first = firstSlot % SLOTS_PER_SEGMENT
    // Views once for all: a million slots are loaded before the first search.
    const { u32, f32 } = this.arena.views
    const owners = this.#field(firstSlot, 'owners') >>> 2
    const scales = this.#field(firstSlot, 'scales') >>> 2
    const live = (segment + this.layout.live) >>> 2
    for (let i = 0; i < count; i++) {
      const index = first + i
      // A pair is two slots 16 apart: once for both where both are in this run.
      if ((index & 16) === 0 || i < 16) this.kernels.coarsenPair(this.#shape, segment, index & ~16)
      if (u32[owners + i] === EMPTY_OWNER || !((f32[scales + i] ?? 0) > 0)) continue
      const at = live + (index >>> 5)
      u32[at] = (u32[at] as number) | (1 << (index & 31))
      this.#liveCount += 1
    }
  }

  #segmentOf(slot: number): number {
    return this.#segments[Math.floor(slot / SLOTS_PER_SEGMENT)] ?? 0
  }

  #field(slot: number, field: 'scales' | 'owners'): number {
    return this.#segmentOf(slot) + this.layout[field] + (slot % SLOTS_PER_SEGMENT) * 4
  }
}

function otherModel(got: number, needed: number): CairnError {
  return new CairnError('dimension_mismatch', {
    message: `A stored block holds vectors of ${got} dimensions where ${needed} are needed.`,
    hint: 'Open the vectors with the model that made them, or embed the texts again.',
  })
}
