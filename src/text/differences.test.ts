import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differences, sharedWords } from './differences.js'

test.each([
  ['The port is 5432.', 'The port is 6543.', ['5432 → 6543']],
  ['We deploy on Fridays', 'We never deploy on Fridays', ['(nothing) → never']],
  ['It is safe', "It isn't safe", ["is → isn't"]],
  ['a red apple', 'a green apple', []],
  ['same text', 'same text', []],
  ['v2026.4.10 is out', 'v2026.4.11 is out', ['v2026.4.10 → v2026.4.11']],
  ['3 of 5 at 10:00', '4 of 5 at 11:30', ['3 → 4', '10:00 → 11:30']],
])('%j and %j differ in %j', (before, after, expected) => {
  expect(differences(before, after)).toEqual(expected)
})

test('a text does not differ from itself, and any two texts can be compared', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(differences(a, a)).toEqual([])
      differences(a, b)
    }),
  )
})

test('the share of common words is symmetric, 1 for a text and itself, and counts each word once', () => {
  expect(sharedWords('port is 5432', 'port is 6543')).toBeCloseTo(4 / 6, 9)
  expect(sharedWords('a a a', 'a')).toBeCloseTo(2 / 4, 9)
  fc.assert(
    fc.property(fc.lorem(), fc.lorem(), (a, b) => {
      expect(sharedWords(a, b)).toBeCloseTo(sharedWords(b, a), 9)
      expect(sharedWords(a, a)).toBe(1)
    }),
  )
})
