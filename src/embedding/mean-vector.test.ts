/** A mean is where one would compute it by hand, and is nobody else's afterwards. */

import { expect, test } from 'vitest'
import { meanOf } from './mean-vector.js'

const vectorOf = (values: number[]) => ({ vector: Float32Array.from(values) })
const mean = (first: number[], ...others: number[][]) =>
  meanOf(vectorOf(first), others.map(vectorOf))

test('the mean of two directions lies between them and has length 1', () => {
  const half = Math.fround(Math.SQRT1_2)
  expect([...mean([1, 0], [0, 1])]).toEqual([half, half])
  expect([...mean([2, 0, 0], [0, 1, 0], [0, 1, 0])]).toEqual([half, half, 0])
})

test('a mean stays as it is while others are made, of whatever length', () => {
  const first = mean([0, 3], [0, 1])
  const others = Array.from({ length: 200 }, (_, i) => mean(Array(1 + (i % 5)).fill(1)))
  expect([...first]).toEqual([0, 1])
  for (const [i, other] of others.entries()) {
    expect(other.length).toBe(1 + (i % 5))
    expect(Math.hypot(...other)).toBeCloseTo(1, 6)
  }
})
