/** Pieces become lines wherever a page puts them, also where that is nowhere. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { composeText } from './compose.js'
import { readLines } from './lines.js'

const number = fc.oneof(
  fc.double(),
  fc.integer({ min: -10, max: 800 }),
  fc.constantFrom(0, 1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
)
const item = fc.record({
  str: fc.constantFrom(
    '',
    ' ',
    'word',
    'infor-',
    'mation',
    'Two words.',
    '12',
    'a\u00ad',
    '• item',
  ),
  transform: fc.oneof(
    fc.array(number, { maxLength: 6 }),
    fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 60 })).map(([x, y]) => {
      return [10, 0, 0, 10, x * 100, y * 12]
    }),
  ),
  width: number,
  height: number,
  hasEOL: fc.boolean(),
})

test('pieces in any places become text, with pages that follow each other', () => {
  const pages = fc.array(fc.array(item, { maxLength: 15 }), { maxLength: 6 })
  fc.assert(
    fc.property(pages, (given) => {
      const read = given.map((items) => ({ label: null, lines: readLines(items) }))
      const { text, pages: spans } = composeText(read)
      let end = 0
      for (const span of spans) {
        expect(span.start).toBeGreaterThanOrEqual(end)
        expect(span.end).toBeGreaterThanOrEqual(span.start)
        end = span.end
      }
      expect(spans).toHaveLength(given.length)
      expect(end).toBe(text.length)
      expect(text).not.toContain('\u00ad')
    }),
    { numRuns: 1000 },
  )
})

test('pieces of one line are told by their height, not by their order alone', () => {
  const at = (str: string, x: number, y: number) => {
    return { str, transform: [10, 0, 0, 10, x, y], width: 30, height: 10, hasEOL: false }
  }
  const lines = readLines([at('one', 72, 700), at('line', 105, 700), at('below', 72, 688)])
  expect(lines.map(({ text }) => text)).toEqual(['one line', 'below'])
})
