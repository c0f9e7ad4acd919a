/** The pages of a range equal those found by testing every character. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PageSpan } from '../core/work.js'
import { findPages } from './page.js'

/** Consecutive pages, some empty, with or without gaps between them. */
const documents = fc
  .array(fc.record({ gap: fc.nat(2), length: fc.nat(5) }), { minLength: 1, maxLength: 8 })
  .map((parts) => {
    let at = 0
    return parts.map(({ gap, length }, index): PageSpan => {
      if (length > 0 && index > 0) at += gap
      const start = at
      at += length
      return { page: index + 1, start, end: at }
    })
  })

test('a range is on the pages that hold its characters', () => {
  fc.assert(
    fc.property(documents, fc.nat(40), fc.nat(10), (pages, start, length) => {
      const range = { start, end: start + length }
      const held = pages.filter((page) =>
        [...Array(Math.max(1, length)).keys()].some(
          (step) => start + step >= page.start && start + step < page.end,
        ),
      )
      const before = pages.filter((page) => page.end > page.start && page.start <= start).at(-1)
      const none = before?.page ?? 1
      expect(findPages(pages, range)).toEqual({
        first: held[0]?.page ?? none,
        last: held.at(-1)?.page ?? none,
      })
    }),
    { numRuns: 300 },
  )
})

test('without pages a range is on the first page', () => {
  expect(findPages([], { start: 3, end: 9 })).toEqual({ first: 1, last: 1 })
})
