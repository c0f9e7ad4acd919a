/** One query against the slots: estimates for all of them, similarities for those listed. */

import {
  NO_THRESHOLD,
  SCAN,
  SCAN_BYTES,
  SCAN_SCRATCH_BYTES,
  SCORE,
  SCORE_BYTES,
  SLOTS_PER_SEGMENT,
  SLOTS_PER_TILE,
} from './layout.js'
import type { QueryTables } from './query-tables.js'
import type { SlotStore } from './slot-store.js'

/** A piece of the memory that is taken again, larger, when it no longer suffices. */
type Region = { address: number; bytes: number }

export type ScanOptions = {
  /** How many of the best estimates to find. */
  readonly want: number
  /** Only slots whose estimate is above this; a score, not a cosine. */
  readonly above?: number
  /** A bit for each owner number; bit `owner & 7` of byte `owner >> 3`. */
  readonly allow?: Uint8Array | undefined
}

/** Copies, because a memory that grows takes its views away. */
export type Candidates = {
  readonly slots: Uint32Array
  readonly scores: Int32Array
  /** Slots at or below this score were left out; NO_THRESHOLD where none was. */
  readonly threshold: number
}

export class SlotScan {
  readonly #store: SlotStore
  readonly #scanJob: number
  readonly #scoreJob: number
  readonly #words: number
  readonly #tables: number
  readonly #segments: Region = { address: 0, bytes: 0 }
  readonly #allow: Region = { address: 0, bytes: 0 }
  readonly #slots: Region = { address: 0, bytes: 0 }
  readonly #scores: Region = { address: 0, bytes: 0 }
  readonly #similarities: Region = { address: 0, bytes: 0 }

  constructor(store: SlotStore) {
    const { arena, layout } = store
    this.#store = store
    this.#scanJob = arena.take(SCAN_BYTES)
    this.#scoreJob = arena.take(SCORE_BYTES)
    this.#words = arena.take(layout.width * 2)
    this.#tables = arena.take(layout.width * 8)
    this.#write(this.#scanJob, SCAN.scratch, arena.take(SCAN_SCRATCH_BYTES))
    this.#write(this.#scanJob, SCAN.quads, layout.width / 8)
    this.#write(this.#scanJob, SCAN.tables, this.#tables)
    this.#write(this.#scoreJob, SCORE.width, layout.width)
    this.#write(this.#scoreJob, SCORE.scales, layout.scales)
    this.#write(this.#scoreJob, SCORE.query, this.#words)
  }

  /** Makes `tables` the query of the calls that follow. */
  ask(tables: QueryTables): void {
    const { views } = this.#store.arena
    views.i16.set(tables.words, this.#words >>> 1)
    views.u8.set(tables.tables, this.#tables)
    views.f32[(this.#scoreJob >>> 2) + SCORE.unit] = tables.unit
    this.#write(this.#scanJob, SCAN.bias, tables.bias)
    this.#write(this.#scanJob, SCAN.shift, tables.shift)
  }

  /** The slots with the best estimates: score down, slot up decides who is among them. */
  estimate({ want, above = NO_THRESHOLD, allow }: ScanOptions): Candidates {
    const { arena, kernels, layout, segments, slotCount } = this.#store
    const capacity = want * 4 + SLOTS_PER_TILE
    const job = this.#scanJob
    this.#write(job, SCAN.slots, this.#room(this.#slots, capacity * 4))
    this.#write(job, SCAN.scores, this.#room(this.#scores, capacity * 4))
    this.#write(job, SCAN.allow, allow === undefined ? 0 : this.#room(this.#allow, allow.length))
    this.#write(job, SCAN.allowBytes, allow?.length ?? 0)
    if (allow !== undefined) arena.views.u8.set(allow, this.#allow.address)
    this.#write(job, SCAN.count, 0)
    this.#write(job, SCAN.threshold, above)
    this.#write(job, SCAN.want, want)
    this.#write(job, SCAN.capacity, capacity)
    for (const [i, segment] of segments.entries()) {
      const firstSlot = i * SLOTS_PER_SEGMENT
      const count = Math.min(SLOTS_PER_SEGMENT, slotCount - firstSlot)
      if (count <= 0) break
      this.#write(job, SCAN.tiles, Math.ceil(count / SLOTS_PER_TILE))
      this.#write(job, SCAN.firstSlot, firstSlot)
      for (const field of ['coarse', 'factors', 'live', 'owners'] as const) {
        this.#write(job, SCAN[field], segment + layout[field])
      }
      kernels.scan(job)
    }
    kernels.keepBest(job)
    const { i32, u32 } = arena.views
    const count = u32[(job >>> 2) + SCAN.count] ?? 0
    const slots = this.#slots.address >>> 2
    const scores = this.#scores.address >>> 2
    return {
      slots: u32.slice(slots, slots + count),
      scores: i32.slice(scores, scores + count),
      threshold: i32[(job >>> 2) + SCAN.threshold] ?? NO_THRESHOLD,
    }
  }

  /** The similarity of each of the slots, in their order. */
  similarities(slots: Uint32Array | readonly number[]): Float32Array {
    const { arena, kernels, segments } = this.#store
    const count = slots.length
    const address = this.#room(this.#slots, count * 4)
    const out = this.#room(this.#similarities, count * 4)
    const table = this.#room(this.#segments, segments.length * 4)
    arena.views.u32.set(slots, address >>> 2)
    arena.views.u32.set(segments, table >>> 2)
    const job = this.#scoreJob
    this.#write(job, SCORE.slots, address)
    this.#write(job, SCORE.count, count)
    this.#write(job, SCORE.segments, table)
    this.#write(job, SCORE.similarities, out)
    kernels.score(job)
    const similarities = arena.views.f32.slice(out >>> 2, (out >>> 2) + count)
    // Rounded codes may overstep by a millionth what a cosine can be.
    for (let i = 0; i < count; i++) {
      similarities[i] = Math.max(-1, Math.min(1, similarities[i] ?? Number.NaN))
    }
    return similarities
  }

  #write(job: number, field: number, value: number): void {
    this.#store.arena.views.i32[(job >>> 2) + field] = value
  }

  /** Doubles, because what was taken before is lost. */
  #room(region: Region, bytes: number): number {
    if (region.bytes >= bytes && region.address > 0) return region.address
    const larger = Math.max(bytes, region.bytes * 2, 1024)
    region.address = this.#store.arena.take(larger)
    region.bytes = larger
    return region.address
  }
}
