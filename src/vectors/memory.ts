/**
 * The memory of the kernels: its layout, and how it grows.
 *
 * It holds segments of 4,096 slots. A segment consists of, in this order:
 *   codes    slots × width int8      the vectors, width = dimensions padded to 16
 *   coarse   slots × width / 4       tiles of 32 slots with 2 bits per dimension, derived from the codes
 *   scales   slots × f32             code · scale = component
 *   owners   slots × u32             the record that a slot belongs to
 *   factors  slots × i16             scale a slot's estimates so that its estimate of itself is 1 (see `factorUnit`)
 *   live     slots / 8               one bit per slot: 1 if it holds a vector that searches may find
 *
 * A tile holds 16 bytes for each pair of dimensions, in order. Slots 0–7 are the low nibbles of the even bytes, 8–15 those
 * of the odd bytes, and 16–31 the high nibbles in the same way. A nibble is `level(first) | level(second) << 2`. The
 * levels 0–3 stand for −10, −3, 3 and 10.
 */

import { badInput } from '../core/errors.js'
import { padWidth } from './quantise.js'

export const SLOTS_PER_SEGMENT = 4096
export const SLOTS_PER_TILE = 32

/** The optimal 2-bit quantiser for normally distributed numbers: edge at 0.98 σ, levels in the ratio 0.45 to 1.51 (Max, 1960). */
export const OUTER_LEVEL = 10
const INNER_LEVEL = 3
const EDGE_IN_SIGMAS = 0.98

/** Returns the value of a level: 0 → −10, 1 → −3, 2 → 3, 3 → 10. */
export function decodeLevel(level: number): number {
  const size = level === 0 || level === 3 ? OUTER_LEVEL : INNER_LEVEL
  return level < 2 ? -size : size
}

/** Σ |x| · level for a normally distributed unit vector, as a multiple of √dimensions. */
const TYPICAL_OVERLAP = 5.85
/** A typical factor as a share of the largest one, which leaves headroom for vectors with a few very large components. */
const TYPICAL_FACTOR = 1 / 4

export type SegmentLayout = ReturnType<typeof layOutSegment>

export function layOutSegment(dimensions: number) {
  const width = padWidth(dimensions)
  const coarse = SLOTS_PER_SEGMENT * width
  const scales = coarse + coarse / 4
  const owners = scales + SLOTS_PER_SEGMENT * 4
  const factors = owners + SLOTS_PER_SEGMENT * 4
  const live = factors + SLOTS_PER_SEGMENT * 2
  const bytes = live + SLOTS_PER_SEGMENT / 8
  const root = Math.sqrt(dimensions)
  // An edge is this times the length of the codes.
  const edgeUnit = Math.fround(EDGE_IN_SIGMAS / root)
  // A factor is this / (vector · levels), at most 32,767.
  const factorUnit = Math.fround(32768 * TYPICAL_FACTOR * TYPICAL_OVERLAP * root)
  return { dimensions, width, coarse, scales, owners, factors, live, bytes, edgeUnit, factorUnit }
}

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** Numbers the fields of a job: each is a 4-byte word, counted from the job's address. */
function numberFields<const Line extends string>(...lines: readonly Line[]) {
  const entries = lines
    .join(' ')
    .split(' ')
    .map((name, i) => [name, i])
  return Object.fromEntries(entries) as Readonly<Record<Words<Line> & string, number>>
}

export const SCAN = numberFields(
  'coarse tiles quads tables bias shift factors live owners allow allowBytes firstSlot',
  'slots scores count threshold want capacity scratch',
)
export const SCAN_BYTES = 80
/** 32 scores of a tile, then a histogram of 256 counts. */
export const SCAN_SCRATCH_BYTES = 64 + 1024
/** Lower than any score of a scan. */
export const NO_THRESHOLD = -32768

export const SCORE = numberFields('slots count segments width scales query unit similarities')
export const SCORE_BYTES = 32

/** The fields of the segment shape that `coarsen` reads. */
export const SHAPE = numberFields('width coarse scales factors edgeUnit factorUnit')
export const SHAPE_BYTES = 32

/** The part of WebAssembly.Memory that is used. `createPlainMemory` is the replacement without WebAssembly. */
export type GrowableMemory = {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

const PAGE_BYTES = 65536
/** 4 GiB: the limit of 32-bit addresses. */
export const MAX_PAGES = 65536

export type Views = {
  readonly u8: Uint8Array
  readonly i8: Int8Array
  readonly i16: Int16Array
  readonly i32: Int32Array
  readonly u32: Uint32Array
  readonly f32: Float32Array
}

export class Arena {
  readonly memory: GrowableMemory
  #views: Views
  #end = 16 // Address 0 stands for "none".

  constructor(memory: GrowableMemory) {
    this.memory = memory
    this.#views = createViews(memory.buffer)
  }

  /** Views of the whole memory. Growing detaches them, so get them again after every `allocate`. */
  get views(): Views {
    if (this.#views.u8.buffer !== this.memory.buffer) this.#views = createViews(this.memory.buffer)
    return this.#views
  }

  /** Returns the address, a multiple of 16, of `bytes` zeroed bytes. They are never freed. */
  allocate(bytes: number): number {
    const address = this.#end
    const end = address + Math.ceil(bytes / 16) * 16
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / PAGE_BYTES)
    if (missing > 0) this.#grow(missing)
    this.#end = end
    return address
  }

  /** Grows by at least half, because growing takes milliseconds and untouched pages cost nothing. */
  #grow(pages: number): void {
    const before = this.memory.buffer.byteLength / PAGE_BYTES
    const ample = Math.min(MAX_PAGES - before, Math.max(pages, Math.ceil(before / 2)))
    for (const step of [ample, pages]) {
      try {
        if (step < pages) break
        this.memory.grow(step)
        return
      } catch {
        // The system refused: try again with only the required pages.
      }
    }
    const neededMB = Math.floor(((before + pages) * PAGE_BYTES) / 2 ** 20)
    throw badInput(
      `The vectors need more than ${neededMB} MB of memory, which the system refused.`,
      'Use a model with fewer dimensions, or split the records over several databases.',
    )
  }
}

/** Memory for the plain kernels. Growing copies it, so it doubles each time. */
export function createPlainMemory(): GrowableMemory {
  let buffer = new ArrayBuffer(PAGE_BYTES)
  return {
    get buffer() {
      return buffer
    },
    grow(pages) {
      const before = buffer.byteLength / PAGE_BYTES
      const doubled = Math.min(MAX_PAGES, Math.max(before + pages, before * 2))
      const larger = new ArrayBuffer(doubled * PAGE_BYTES)
      new Uint8Array(larger).set(new Uint8Array(buffer))
      buffer = larger
      return before
    },
  }
}

function createViews(buffer: ArrayBuffer): Views {
  return {
    u8: new Uint8Array(buffer),
    i8: new Int8Array(buffer),
    i16: new Int16Array(buffer),
    i32: new Int32Array(buffer),
    u32: new Uint32Array(buffer),
    f32: new Float32Array(buffer),
  }
}
