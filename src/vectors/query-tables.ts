/** A query becomes the two forms that the kernels multiply with, and zero becomes none. */

import { levelValue, OUTER_LEVEL, type SegmentLayout } from './layout.js'

export type QueryTables = {
  /** The query in 16 bits, padded; a dot product with codes, times the slot's scale and `unit`, is a cosine. */
  readonly words: Int16Array
  readonly unit: number
  /** 16 partial sums, 0..63, for each pair of dimensions. */
  readonly tables: Uint8Array
  /** What the entries were raised by in all, so that none is negative. */
  readonly bias: number
  /** How far a sum less its bias may be shifted left within 16 bits. */
  readonly shift: number
  /** What one point of a scan's score is as a cosine. */
  readonly scoreUnit: number
}

/** Four entries are added in one byte: 4 · 63 < 256. */
const LARGEST_ENTRY = 63
/** A sum less its bias must fit a signed 16-bit number, with room for rounding. */
const LARGEST_SUM = 30_000
/** A dot product must fit 31 bits: |codes| ≤ 127 √dimensions, so the query may be this over that long. */
const LARGEST_DOT = 2 ** 31 * 0.9

const LEVELS = Float64Array.from({ length: 4 }, (_, level) => levelValue(level))

export function queryTables(query: Float32Array, layout: SegmentLayout): QueryTables | null {
  const length = Math.sqrt(query.reduce((sum, x) => sum + x * x, 0))
  if (!(length > 0) || length === Number.POSITIVE_INFINITY) return null
  const unit = Float64Array.from(query, (x) => x / length)
  const largest = unit.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  const scale = Math.min(32767 / largest, LARGEST_DOT / (127 * Math.sqrt(layout.dimensions)))
  const words = new Int16Array(layout.width)
  for (const [i, x] of unit.entries()) words[i] = Math.round(x * scale)
  return { words, unit: Math.fround(1 / scale), ...scanTables(unit, layout) }
}

function scanTables(unit: Float64Array, layout: SegmentLayout) {
  const groups = layout.width / 2
  const reach = new Float64Array(groups)
  for (const [i, x] of unit.entries()) {
    reach[i >> 1] = (reach[i >> 1] ?? 0) + OUTER_LEVEL * Math.abs(x)
  }
  const total = reach.reduce((sum, x) => sum + x, 0)
  const widest = reach.reduce((most, x) => Math.max(most, x), 0)
  const scale = Math.min(LARGEST_ENTRY / (2 * widest), LARGEST_SUM / total)
  const tables = new Uint8Array(groups * 16)
  for (let group = 0; group < groups; group++) {
    const first = unit[group * 2] ?? 0
    const second = unit[group * 2 + 1] ?? 0
    for (let nibble = 0; nibble < 16; nibble++) {
      const sum = (LEVELS[nibble & 3] ?? 0) * first + (LEVELS[nibble >> 2] ?? 0) * second
      tables[group * 16 + nibble] = (sum + (reach[group] ?? 0)) * scale + 0.5
    }
  }
  const bias = Math.round(total * scale)
  // Each entry may be rounded by a half, so a sum may miss its bias by half the groups.
  const shift = Math.max(0, Math.floor(Math.log2(32_000 / (bias + groups / 2))))
  return { tables, bias, shift, scoreUnit: 32768 / (scale * 2 ** shift * layout.factorUnit) }
}
