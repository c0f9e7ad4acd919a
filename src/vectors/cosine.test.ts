import { describe, expect, test } from 'vitest'
import { cosine } from './cosine.js'

const vector = (...numbers: number[]) => Float32Array.from(numbers)

describe('cosine', () => {
  test('identical vectors give 1, whatever their length', () => {
    expect(cosine(vector(0.3, 0.4), vector(0.3, 0.4))).toBe(1)
    expect(cosine(vector(3, 4), vector(6, 8))).toBeCloseTo(1, 12)
  })

  test('orthogonal vectors give 0', () => {
    expect(cosine(vector(1, 0), vector(0, 5))).toBe(0)
  })

  test('opposite vectors give −1', () => {
    expect(cosine(vector(1, 2), vector(-1, -2))).toBe(-1)
  })

  test('a zero vector is like nothing', () => {
    expect(cosine(vector(0, 0), vector(1, 2))).toBe(0)
    expect(cosine(vector(1, 2), vector(0, 0))).toBe(0)
  })

  test('vectors of different lengths are refused', () => {
    const wrong = () => cosine(vector(1, 2), vector(1, 2, 3))
    expect(wrong).toThrow(expect.objectContaining({ code: 'dimension_mismatch' }))
    expect(wrong).toThrow('A vector has 2 dimensions where 3 are needed.')
  })
})
