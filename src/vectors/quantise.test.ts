import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cosineFine, decodeFine, quantiseVector } from './quantise.js'
import {
  clusteredVectors,
  cosine,
  dequantise,
  entryOf,
  quantised,
  seeded,
  unit,
} from './random-vectors.fixture.js'

/** Any vector except zero, with numbers of similar size, as models make them. */
const component = fc.double({ min: -1, max: 1, noNaN: true }).map((x) => Math.round(x * 1e4) / 1e4)
const vectors = fc
  .array(component, { minLength: 1, maxLength: 80 })
  .map((numbers) => Float32Array.from(numbers))
  .filter((vector) => vector.some((x) => x !== 0))

describe('one-byte codes', () => {
  test('are within half a step of the normalised vector and keep its direction', () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        const entry = entryOf(1, vector)
        const back = dequantise(entry, vector.length)
        const tolerance = entry.codes.scale * 0.5 + 0.01
        for (const [i, x] of unit(vector).entries()) {
          expect(Math.abs((back[i] ?? 0) - x)).toBeLessThanOrEqual(tolerance)
        }
        expect(cosine(vector, back)).toBeGreaterThan(0.998)
      }),
    )
  })

  test('change a cosine by a thousandth or two at 256 dimensions', () => {
    const made = clusteredVectors({ count: 60, dimensions: 256, clusters: 5, random: seeded(1) })
    for (const a of made) {
      const back = dequantise(entryOf(1, a), 256)
      for (const b of made) {
        const dot = back.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
        expect(Math.abs(dot - cosine(a, b))).toBeLessThan(0.002)
      }
    }
  })

  test('are padded with zeros to a multiple of 16', () => {
    const { bytes } = quantised(Float32Array.from({ length: 17 }, (_, i) => i + 1)).codes
    expect(bytes.length).toBe(32)
    expect([...bytes.subarray(15, 19)]).toEqual([120, 127, 0, 0])
  })
})

test('the cosine of two-byte codes differs from the exact one by less than a ten-thousandth', () => {
  fc.assert(
    fc.property(vectors, (a) => {
      const { fine } = quantised(a)
      expect(Math.hypot(...decodeFine(fine))).toBeCloseTo(1, 3)
      const other = a.map((x, i) => x + Math.sin(i + 1))
      expect(cosineFine(unit(other), fine)).toBeCloseTo(cosine(a, other), 4)
    }),
  )
  const wrong = () => cosineFine(Float32Array.of(1, 2), quantised(Float32Array.of(1, 2, 3)).fine)
  expect(wrong).toThrow(expect.objectContaining({ code: 'dimension_mismatch' }))
})

test('codes are rounded like Math.round', () => {
  fc.assert(
    fc.property(vectors, (a) => {
      const largest = Math.max(...a.map(Math.abs))
      const { codes, fine } = quantised(a)
      expect([...fine.codes]).toEqual([...a].map((x) => Math.round(x * (32_767 / largest)) + 0))
      expect([...codes.bytes.subarray(0, a.length)]).toEqual(
        [...a].map((x) => Math.round(x * (127 / largest)) + 0),
      )
    }),
  )
})

test('a zero vector has no codes, and NaN and infinity are rejected', () => {
  expect(quantiseVector(new Float32Array(8))).toBeNull()
  expect(quantiseVector(new Float32Array(0))).toBeNull()
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => quantiseVector(Float32Array.from([1, wrong]))).toThrow('not a finite number')
  }
})
