import fc from 'fast-check'
import { expect, test } from 'vitest'
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
