/**
 * Where every byte lies in the memory that the kernels read, told once.
 *
 * The memory holds segments of 4,096 slots. A segment is, one after the other:
 *   codes    slots × width int8      the vectors, width = dimensions padded to 16
 *   coarse   slots × width / 4       tiles of 32 slots with 2 bits a dimension, derived from the codes
 *   scales   slots × f32             code · scale = component
 *   owners   slots × u32             the record a slot belongs to
 *   factors  slots × i16             makes a slot's estimate of itself 1 (see `factorUnit`)
 *   live     slots / 8               one bit a slot: set where it holds a vector
 *
 * A tile holds 16 bytes for each pair of dimensions, in their order. Its slots 0–7 lie in the low nibbles
 * of the even bytes, 8–15 in those of the odd bytes, 16–31 likewise in the high nibbles. A nibble is
 * `level(first) | level(second) << 2`, and the levels 0–3 stand for −10, −3, 3 and 10.
 */

export const SLOTS_PER_SEGMENT = 4096
export const SLOTS_PER_TILE = 32

/** Marks a slot without a vector, in a stored block as in memory; no record may have this number. */
export const EMPTY_OWNER = 0xffffffff

/** The best 2-bit code for normal numbers: edge at 0.98 σ, levels in the ratio 0.45 to 1.51 (Max, 1960). */
const INNER_LEVEL = 3
export const OUTER_LEVEL = 10
const EDGE_IN_SIGMAS = 0.98

/** What a level stands for: 0 → −10, 1 → −3, 2 → 3, 3 → 10. */
export function levelValue(level: number): number {
  const size = level === 0 || level === 3 ? OUTER_LEVEL : INNER_LEVEL
  return level < 2 ? -size : size
}

/** What Σ |x| · level comes to for a normal unit vector, as a multiple of √dimensions. */
const TYPICAL_OVERLAP = 5.85
/** A typical factor as a share of the largest: leaves room for vectors a few times as spiky as normal. */
const TYPICAL_FACTOR = 1 / 4

export function paddedWidth(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16
}

export type SegmentLayout = {
  readonly dimensions: number
  readonly width: number
  readonly coarse: number
  readonly scales: number
  readonly owners: number
  readonly factors: number
  readonly live: number
  readonly bytes: number
  /** An edge is this times the length of the codes. */
  readonly edgeUnit: number
  /** A factor is this / (vector · levels), at most 32,767. */
  readonly factorUnit: number
}

export function segmentLayout(dimensions: number): SegmentLayout {
  const width = paddedWidth(dimensions)
  const coarse = SLOTS_PER_SEGMENT * width
  const scales = coarse + coarse / 4
  const owners = scales + SLOTS_PER_SEGMENT * 4
  const factors = owners + SLOTS_PER_SEGMENT * 4
  const live = factors + SLOTS_PER_SEGMENT * 2
  const bytes = live + SLOTS_PER_SEGMENT / 8
  const root = Math.sqrt(dimensions)
  const edgeUnit = Math.fround(EDGE_IN_SIGMAS / root)
  const factorUnit = Math.fround(32768 * TYPICAL_FACTOR * TYPICAL_OVERLAP * root)
  return { dimensions, width, coarse, scales, owners, factors, live, bytes, edgeUnit, factorUnit }
}

/** Fields of a scan job, as 4-byte words from its address. */
export const SCAN = {
  coarse: 0,
  tiles: 1,
  quads: 2,
  tables: 3,
  bias: 4,
  shift: 5,
  factors: 6,
  live: 7,
  owners: 8,
  allow: 9,
  allowBytes: 10,
  firstSlot: 11,
  slots: 12,
  scores: 13,
  count: 14,
  threshold: 15,
  want: 16,
  capacity: 17,
  scratch: 18,
} as const
export const SCAN_BYTES = 80
/** 32 scores of a tile, then a histogram of 256 counts. */
export const SCAN_SCRATCH_BYTES = 64 + 1024
/** Below every score a scan can give. */
export const NO_THRESHOLD = -32768

/** Fields of a score job, as 4-byte words. */
export const SCORE = {
  slots: 0,
  count: 1,
  segments: 2,
  width: 3,
  scales: 4,
  query: 5,
  unit: 6,
  similarities: 7,
} as const
export const SCORE_BYTES = 32

/** Fields of the shape that coarsening needs, as 4-byte words. */
export const SHAPE = {
  width: 0,
  coarse: 1,
  scales: 2,
  factors: 3,
  edgeUnit: 4,
  factorUnit: 5,
} as const
export const SHAPE_BYTES = 32
