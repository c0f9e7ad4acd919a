import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance, prefixDistance } from './edit-distance.js'

/** The textbook recursion with a full table: slow and simple. */
function naiveDistance(a: string, b: string): number {
  const table: number[][] = []
  for (let i = 0; i <= a.length; i++) {
    table.push([])
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        table[i]![j] = i + j
        continue
      }
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(
        table[i - 1]![j - 1]! + cost,
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
      )
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) least = Math.min(least, table[i - 2]![j - 2]! + 1)
      table[i]![j] = least
    }
  }
  return table[a.length]![b.length]!
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 9 })
const limit = fc.integer({ min: 0, max: 4 })

describe('editDistance', () => {
  test('counts typing mistakes, by hand', () => {
    expect(editDistance('', '', 2)).toBe(0)
    expect(editDistance('', 'ab', 2)).toBe(2)
    expect(editDistance('kitten', 'sitting', 5)).toBe(3)
    expect(editDistance('serach', 'search', 2)).toBe(1)
    expect(editDistance('ca', 'abc', 5)).toBe(3)
  })

  test('returns limit + 1 for any distance over the limit', () => {
    expect(editDistance('abcdef', 'uvwxyz', 2)).toBe(3)
    expect(editDistance('a', 'abcdef', 2)).toBe(3)
    expect(editDistance('a', 'b', 0)).toBe(1)
  })

  test('equals the textbook recursion, up to the limit', () => {
    fc.assert(
      fc.property(word, word, limit, (a, b, max) => {
        expect(editDistance(a, b, max)).toBe(Math.min(naiveDistance(a, b), max + 1))
      }),
      { numRuns: 300 },
    )
  })

  test('is the same in both directions, and zero only for equal words', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b, 9)).toBe(editDistance(b, a, 9))
        expect(editDistance(a, b, 9) === 0).toBe(a === b)
      }),
    )
  })

  test('a detour is never shorter than half the direct distance', () => {
    // Optimal string alignment breaks the triangle (ca → ac → abc), but by a swap at most.
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        const straight = editDistance(a, c, 20)
        expect(straight).toBeLessThanOrEqual(2 * (editDistance(a, b, 20) + editDistance(b, c, 20)))
      }),
    )
  })
})

describe('prefixDistance', () => {
  test('ignores the letters that are not typed yet', () => {
    expect(prefixDistance('serac', 'searching', 2)).toBe(1)
    expect(prefixDistance('auth', 'authentication', 1)).toBe(0)
    expect(prefixDistance('', 'anything', 1)).toBe(0)
    expect(prefixDistance('abc', '', 2)).toBe(3)
  })

  test('is the least distance to any prefix of the word', () => {
    fc.assert(
      fc.property(word, word, limit, (term, whole, max) => {
        let least = max + 1
        for (let n = 0; n <= whole.length; n++) {
          least = Math.min(least, naiveDistance(term, whole.slice(0, n)))
        }
        expect(prefixDistance(term, whole, max)).toBe(least)
      }),
      { numRuns: 300 },
    )
  })
})
