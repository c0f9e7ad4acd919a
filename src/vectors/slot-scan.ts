/** Compares a query with slots: estimates all slots, or computes the similarities of listed ones. */

import {
  decodeLevel,
  NO_THRESHOLD,
  OUTER_LEVEL,
  SCAN,
  SCAN_BYTES,
  SCAN_SCRATCH_BYTES,
  SCORE,
  SCORE_BYTES,
  type SegmentLayout,
  SLOTS_PER_SEGMENT,
  SLOTS_PER_TILE,
} from './memory.js'
import type { SlotStore } from './slot-store.js'

/** The kernel adds four table entries in one byte: 4 · 63 < 256. */
const LARGEST_ENTRY = 63
/** A sum minus its bias must fit into a signed 16-bit number, rounding included. */
const LARGEST_SUM = 30_000
/** A dot product must fit into 31 bits. The codes have a length of at most 127 √dimensions, which limits the query's. */
const LARGEST_DOT = 2 ** 31 * 0.9

const LEVELS = [0, 1, 2, 3].map(decodeLevel)

/** Returns null for a zero query. */
function normalise(query: Float32Array): Float64Array | null {
  let squares = 0
  for (let i = 0; i < query.length; i++) squares += (query[i] as number) * (query[i] as number)
  const length = Math.sqrt(squares)
  if (!(length > 0) || length === Number.POSITIVE_INFINITY) return null
  const unit = new Float64Array(query.length)
  for (let i = 0; i < query.length; i++) unit[i] = (query[i] as number) / length
  return unit
}

/** Quantises the query to 16 bits, padded. The dot product with a slot's codes, times its scale and `unit`, is the cosine. */
function quantiseQuery(query: Float64Array, { dimensions, width }: SegmentLayout) {
  let largest = 0
  for (let i = 0; i < query.length; i++) largest = Math.max(largest, Math.abs(query[i] as number))
  const scale = Math.min(32767 / largest, LARGEST_DOT / (127 * Math.sqrt(dimensions)))
  const words = new Int16Array(width)
  for (let i = 0; i < query.length; i++) words[i] = Math.round((query[i] as number) * scale)
  return { words, unit: Math.fround(1 / scale) }
}

function createScanTables(unit: Float64Array, layout: SegmentLayout) {
  const pairs = layout.width / 2
  /** The largest partial sum of each pair of dimensions. */
  const largest = new Float64Array(pairs)
  for (let i = 0; i < unit.length; i++) {
    largest[i >> 1] = (largest[i >> 1] as number) + OUTER_LEVEL * Math.abs(unit[i] as number)
  }
  const total = largest.reduce((sum, x) => sum + x, 0)
  const widest = largest.reduce((most, x) => Math.max(most, x), 0)
  const scale = Math.min(LARGEST_ENTRY / (2 * widest), LARGEST_SUM / total)
  // For each pair of dimensions, 16 partial sums from 0 to 63.
  const tables = new Uint8Array(pairs * 16)
  for (let pair = 0; pair < pairs; pair++) {
    const [first, second] = [unit[pair * 2] ?? 0, unit[pair * 2 + 1] ?? 0]
    for (let nibble = 0; nibble < 16; nibble++) {
      const sum = (LEVELS[nibble & 3] ?? 0) * first + (LEVELS[nibble >> 2] ?? 0) * second
      tables[pair * 16 + nibble] = (sum + (largest[pair] ?? 0)) * scale + 0.5
    }
  }
  // `largest` was added to every entry so that none is negative; the bias subtracts it from the sums.
  const bias = Math.round(total * scale)
  // Each entry is rounded by up to a half, so a sum is off by up to half the number of pairs.
  const shift = Math.max(0, Math.floor(Math.log2(32_000 / (bias + pairs / 2))))
  return { tables, bias, shift, scoreUnit: 32768 / (scale * 2 ** shift * layout.factorUnit) }
}

function isEqual(a: Float32Array, b: Float32Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

export type ScanOptions = {
  readonly want: number
  /** Only slots with a higher estimate are returned. A score, not a cosine. */
  readonly above?: number
  /** One bit per owner: bit `owner & 7` of byte `owner >> 3`. */
  readonly allow?: Uint8Array | undefined
}

/** Slots with their estimates, copied because growing the memory detaches its views. */
export type Candidates = {
  readonly slots: Uint32Array
  readonly scores: Int32Array
  /** The cosine of one point of a score. */
  readonly unit: number
  /** Slots at or below this score were left out; NO_THRESHOLD if none was. */
  readonly threshold: number
}

/** A region of memory that is replaced by a larger one when it is too small. */
type Region = { address: number; bytes: number }

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
  /** A copy of the current query, and the query at length 1. */
  #query = new Float32Array(0)
  #unit: Float64Array | null = null
  #scoreUnit: number | null = null

  constructor(store: SlotStore) {
    const { arena, layout } = store
    this.#store = store
    this.#scanJob = arena.allocate(SCAN_BYTES)
    this.#scoreJob = arena.allocate(SCORE_BYTES)
    this.#words = arena.allocate(layout.width * 2)
    this.#tables = arena.allocate(layout.width * 8)
    this.#write(this.#scanJob, SCAN.scratch, arena.allocate(SCAN_SCRATCH_BYTES))
    this.#write(this.#scanJob, SCAN.quads, layout.width / 8)
    this.#write(this.#scanJob, SCAN.tables, this.#tables)
    this.#write(this.#scoreJob, SCORE.width, layout.width)
    this.#write(this.#scoreJob, SCORE.scales, layout.scales)
    this.#write(this.#scoreJob, SCORE.query, this.#words)
  }

  /** Sets the query of the following calls. Returns false for a zero query. */
  setQuery(query: Float32Array): boolean {
    // A search calls this more than once, and the tables of a query cost as much as scoring hundreds of slots.
    if (this.#unit !== null && isEqual(query, this.#query)) return true
    this.#unit = normalise(query)
    this.#scoreUnit = null
    if (this.#unit === null) return false
    this.#query = query.slice()
    const { words, unit } = quantiseQuery(this.#unit, this.#store.layout)
    const { views } = this.#store.arena
    views.i16.set(words, this.#words >>> 1)
    views.f32[(this.#scoreJob >>> 2) + SCORE.unit] = unit
    return true
  }

  /** Creates the tables of the scan, which `similarities` does not need. Returns the cosine of one point of an estimate. */
  #prepareScan(): number {
    if (this.#scoreUnit !== null) return this.#scoreUnit
    const { arena, layout } = this.#store
    const { tables, bias, shift, scoreUnit } = createScanTables(
      this.#unit ?? new Float64Array(layout.dimensions),
      layout,
    )
    arena.views.u8.set(tables, this.#tables)
    this.#write(this.#scanJob, SCAN.bias, bias)
    this.#write(this.#scanJob, SCAN.shift, shift)
    this.#scoreUnit = scoreUnit
    return scoreUnit
  }

  /** Returns the `want` slots with the best estimates; of equal ones the first. */
  estimate({ want, above = NO_THRESHOLD, allow }: ScanOptions): Candidates {
    const { arena, kernels, layout, segments, slotCount } = this.#store
    const capacity = want * 4 + SLOTS_PER_TILE
    const job = this.#scanJob
    const unit = this.#prepareScan()
    this.#write(job, SCAN.slots, this.#reserve(this.#slots, capacity * 4))
    this.#write(job, SCAN.scores, this.#reserve(this.#scores, capacity * 4))
    this.#write(job, SCAN.allow, allow === undefined ? 0 : this.#reserve(this.#allow, allow.length))
    this.#write(job, SCAN.allowBytes, allow?.length ?? 0)
    if (allow !== undefined) arena.views.u8.set(allow, this.#allow.address)
    this.#write(job, SCAN.count, 0)
    this.#write(job, SCAN.threshold, above)
    this.#write(job, SCAN.want, want)
    this.#write(job, SCAN.capacity, capacity)
    for (const [i, segment] of segments.entries()) {
      const firstSlot = i * SLOTS_PER_SEGMENT
      const count = Math.min(SLOTS_PER_SEGMENT, slotCount - firstSlot)
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
    const [slots, scores] = [this.#slots.address >>> 2, this.#scores.address >>> 2]
    return {
      unit,
      slots: u32.slice(slots, slots + count),
      scores: i32.slice(scores, scores + count),
      threshold: i32[(job >>> 2) + SCAN.threshold] ?? NO_THRESHOLD,
    }
  }

  similarities(slots: Uint32Array | readonly number[]): Float32Array {
    const { arena, kernels, segments } = this.#store
    const count = slots.length
    const address = this.#reserve(this.#slots, count * 4)
    const out = this.#reserve(this.#similarities, count * 4)
    const table = this.#reserve(this.#segments, segments.length * 4)
    arena.views.u32.set(slots, address >>> 2)
    arena.views.u32.set(segments, table >>> 2)
    const job = this.#scoreJob
    this.#write(job, SCORE.slots, address)
    this.#write(job, SCORE.count, count)
    this.#write(job, SCORE.segments, table)
    this.#write(job, SCORE.similarities, out)
    kernels.score(job)
    return arena.views.f32.slice(out >>> 2, (out >>> 2) + count)
  }

  #write(job: number, field: number, value: number): void {
    this.#store.arena.views.i32[(job >>> 2) + field] = value
  }

  /** Returns the address of at least `bytes` bytes. Doubles a region that is too small, because the old one is never freed. */
  #reserve(region: Region, bytes: number): number {
    if (region.bytes >= bytes && region.address > 0) return region.address
    region.bytes = Math.max(bytes, region.bytes * 2, 1024)
    region.address = this.#store.arena.allocate(region.bytes)
    return region.address
  }
}
