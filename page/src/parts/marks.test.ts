/** Marks never change the text. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutAtMarks } from './marks.js'

const range = fc.record({ start: fc.nat(60), end: fc.nat(60) })

test('the pieces are the text, whatever the ranges are', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), fc.array(range), (text, ranges) => {
      expect(
        cutAtMarks(text, ranges)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }),
  )
})

test('a character is marked where a range covers it, and nowhere else', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), fc.array(range), (text, ranges) => {
      const marked = cutAtMarks(text, ranges).flatMap((piece) =>
        [...Array(piece.text.length)].map(() => piece.isMarked),
      )
      const wanted = [...Array(text.length).keys()].map((at) =>
        ranges.some(({ start, end }) => start <= at && at < end),
      )
      expect(marked).toEqual(wanted)
    }),
  )
})
