import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sizeOf } from './size.js'

test('the size of a vector is what the obvious sums give, whatever its length', () => {
  const component = fc.double({ min: -10, max: 10, noNaN: true })
  fc.assert(
    fc.property(fc.array(component, { maxLength: 40 }), (numbers) => {
      const vector = Float32Array.from(numbers)
      const { squared, largest } = sizeOf(vector)
      const sum = vector.reduce((total, x) => total + x * x, 0)
      expect(squared).toBeCloseTo(sum, 8)
      expect(largest).toBe(Math.max(0, ...vector.map(Math.abs)))
    }),
  )
})

test('what is not a number makes the size none', () => {
  expect(sizeOf(Float32Array.of(1, Number.NaN, 2)).squared).toBeNaN()
  expect(sizeOf(Float32Array.of(1, 2, Number.POSITIVE_INFINITY)).squared).toBe(
    Number.POSITIVE_INFINITY,
  )
})
