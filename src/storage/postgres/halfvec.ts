/** Converts vectors to and from what pgvector reads and writes: `halfvec`, two bytes a dimension. */

import { badInput } from '../../core/errors.js'

/** The header of an array in PostgreSQL's binary form, and of each element: its length, the dimensions and two unused bytes. */
const ARRAY_HEADER = 20
const ELEMENT_HEADER = 8

/**
 * `halfvec[]` in its binary form, for a statement that inserts many: 20 times as fast to make and to read as text. Each vector
 * is scaled to length 1; a zero vector, which has no direction, and null become NULL. `type` is the OID of `halfvec`.
 */
export function encodeHalfvecs(vectors: readonly (Float32Array | null)[], type: number) {
  const lengths = vectors.map((vector) => vector && measureLength(vector))
  const size = vectors.reduce((sum, vector, i) => {
    return sum + (vector && lengths[i] ? ELEMENT_HEADER + 2 * vector.length : 4)
  }, ARRAY_HEADER)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  const hasNull = lengths.some((length) => !length)
  for (const [i, number] of [1, hasNull ? 1 : 0, type, vectors.length, 1].entries()) {
    view.setInt32(4 * i, number)
  }
  let at = ARRAY_HEADER
  for (const [i, vector] of vectors.entries()) {
    const length = lengths[i]
    if (!vector || !length) {
      view.setInt32(at, -1)
      at += 4
      continue
    }
    view.setInt32(at, 4 + 2 * vector.length)
    view.setInt16(at + 4, vector.length)
    at += ELEMENT_HEADER
    // A plain loop: this runs for every passage that is added.
    for (let k = 0; k < vector.length; k++) {
      const half = toHalf((vector[k] as number) / length)
      bytes[at++] = half >>> 8
      bytes[at++] = half & 0xff
    }
  }
  return bytes
}

function measureLength(vector: Float32Array): number {
  let squared = 0
  for (let i = 0; i < vector.length; i++) squared += (vector[i] as number) ** 2
  if (!Number.isFinite(squared))
    throw badInput('A vector holds a value that is not a finite number.')
  return Math.sqrt(squared)
}

const FLOAT = new Float32Array(1)
const BITS = new Uint32Array(FLOAT.buffer)

/**
 * The bits of the nearest number with 5 bits of exponent and 10 of mantissa (IEEE 754 binary16), for −1 to 1.
 * By hand: 1 → 0x3c00, −0.5 → 0xb800.
 */
export function toHalf(number: number): number {
  FLOAT[0] = number
  const bits = BITS[0] as number
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const mantissa = bits & 0x7fffff
  if (exponent > 0) return sign | (((exponent << 10) | (mantissa >>> 13)) + ((mantissa >>> 12) & 1))
  // Below 2⁻¹⁴ the numbers are multiples of 2⁻²⁴.
  const shift = 14 - exponent
  return shift > 24 ? sign : sign | (((mantissa | 0x800000) + (1 << (shift - 1))) >>> shift)
}

const HALVES_START = 4
/** The values of the 32 exponents; the last one, of infinity and NaN, is in no vector. */
const EXPONENTS = Array.from({ length: 32 }, (_, exponent) => 2 ** (Math.max(1, exponent) - 25))

/** The numbers in what `halfvec_send` gives: two bytes each, after the dimensions and two unused bytes. */
export function decodeHalves(bytes: Uint8Array): Float32Array {
  const numbers = new Float32Array((bytes.length - HALVES_START) / 2)
  for (let i = 0; i < numbers.length; i++) {
    const at = HALVES_START + 2 * i
    const high = bytes[at] as number
    const exponent = (high >>> 2) & 31
    const mantissa = ((high & 3) << 8) | (bytes[at + 1] as number)
    const size = (exponent === 0 ? mantissa : mantissa + 1024) * (EXPONENTS[exponent] as number)
    numbers[i] = high > 127 ? -size : size
  }
  return numbers
}

/** As a value of a statement. */
export function formatVector(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}

export function parseVector(text: unknown): Float32Array {
  return Float32Array.from(JSON.parse(String(text)) as number[])
}
