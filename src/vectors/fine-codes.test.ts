import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantise } from './codes.js'
import { cosine } from './cosine.js'
import { cosineFine, decodeFine, encodeFine } from './fine-codes.js'

const vector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 })
  .map((values) => Float32Array.from(values))
  .filter((values) => Math.hypot(...values) > 0.01)

const unit = (values: Float32Array): Float32Array => {
  const length = Math.hypot(...values)
  return values.map((x) => x / length)
}

test('the cosine of stored vectors is the exact one to a ten-thousandth', () => {
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      const codes = encodeFine(b)
      if (codes === null) throw new Error('no codes')
      expect(cosineFine(unit(a), codes)).toBeCloseTo(cosine(a, b), 4)
    }),
  )
})

test('a vector comes back at length 1 and is nearest to itself', () => {
  fc.assert(
    fc.property(vector, (a) => {
      const codes = encodeFine(a)
      if (codes === null) throw new Error('no codes')
      expect(Math.hypot(...decodeFine(codes))).toBeCloseTo(1, 3)
      expect(cosineFine(unit(a), codes)).toBeCloseTo(1, 4)
    }),
  )
})

test('a zero vector has no codes', () => {
  expect(encodeFine(new Float32Array(8))).toBeNull()
})

test('codes are rounded to the nearest, as Math.round does', () => {
  fc.assert(
    fc.property(vector, (a) => {
      const largest = Math.max(...a.map(Math.abs))
      const fine = a.map((x) => Math.round(x * (32_767 / largest)))
      expect([...(encodeFine(a)?.codes ?? [])]).toEqual([...fine].map((x) => x + 0))
      const coarse = [...a].map((x) => Math.round((x / largest) * 127) + 0)
      expect([...(quantise(a)?.bytes.subarray(0, a.length) ?? [])]).toEqual(coarse)
    }),
    { numRuns: 500 },
  )
})

test('an array that is used again holds nothing of the vector before', () => {
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      const bytes = new Int8Array(32)
      const codes = new Int16Array(24)
      quantise(a, bytes)
      encodeFine(a, codes)
      expect(quantise(b, bytes)).toEqual(quantise(b))
      expect(encodeFine(b, codes)).toEqual(encodeFine(b))
    }),
  )
})
