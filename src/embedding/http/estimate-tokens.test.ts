/** The estimate errs on the side of too many, and a cut text fits it. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutToTokens, estimateTokens } from './estimate-tokens.js'

test('[L3] English is estimated at no fewer tokens than words, and CJK at one a character', () => {
  expect(estimateTokens('')).toBe(2)
  expect(estimateTokens('The cat sat on the mat.')).toBe(9)
  expect(estimateTokens('東京都')).toBe(5)
})

test('a cut text is the beginning of the text and fits', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 3, max: 40 }),
      (text, most) => {
        const cut = cutToTokens(text, most)
        expect(text.startsWith(cut)).toBe(true)
        expect(estimateTokens(cut)).toBeLessThanOrEqual(most)
        if (estimateTokens(text) <= most) expect(cut).toBe(text)
      },
    ),
  )
})

test('a text of one endless word is cut to what fits rather than to nothing', () => {
  const cut = cutToTokens('a'.repeat(1000), 12)
  expect(cut.length).toBe(40)
})
