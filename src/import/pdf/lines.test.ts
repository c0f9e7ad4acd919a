/** Pieces become lines wherever a page puts them, also where that is nowhere. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomText } from '../../text/random-text.fixture.js'
import { composeText } from './compose-text.js'
import { cleanLine, cleanPart, readLines } from './lines.js'

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
    { numRuns: 300 },
  )
})

test('pieces of one line are recognised by their height, not by their order alone', () => {
  const at = (str: string, x: number, y: number) => {
    return { str, transform: [10, 0, 0, 10, x, y], width: 30, height: 10, hasEOL: false }
  }
  const lines = readLines([at('one', 72, 700), at('line', 105, 700), at('below', 72, 688)])
  expect(lines.map(({ text }) => text)).toEqual(['one line', 'below'])
})

/** Halves of characters included. */
const anyUnits = fc.uint16Array({ maxLength: 40 }).map((units) => String.fromCharCode(...units))
const clean = (text: string): string => cleanLine(cleanPart(text))

describe('cleaning', () => {
  test('halves of characters, control characters and private glyphs are gone', () => {
    expect(clean('a\ud800b\udc00c\u0000d\u0007e\uf8fff\uffffg')).toBe('abcdefg')
  })

  test('the bullet of the Symbol font is one, and dots that lead to a page are short', () => {
    expect(clean('\uf0b7 item')).toBe('• item')
    expect(clean('1 Introduction . . . . . . . . . 12')).toBe('1 Introduction … 12')
    expect(clean('and so on...')).toBe('and so on...')
  })

  test('accents are joined to their letters, and stay alone if there is no such letter', () => {
    expect(clean('Poincar´e, G¨odel, Erd˝os, na¨ıve')).toBe('Poincaré, Gödel, Erdős, naïve')
    expect(clean('´x')).toBe('´x')
  })

  test('symbols that are not ligatures stay as they are', () => {
    expect(clean('x² ½ ™ Ⅳ ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ')).toBe('x² ½ ™ Ⅳ ff fi fl ffi ffl st st')
  })

  test('any text comes out well-formed, trimmed and without control characters', () => {
    fc.assert(
      fc.property(fc.oneof(randomText, anyUnits), (text) => {
        const cleaned = clean(text)
        expect(cleaned.isWellFormed()).toBe(true)
        expect(cleaned).not.toMatch(/\p{Cc}| {2}/u)
        expect(cleaned).toBe(cleaned.trim())
        expect(cleaned.slice(0, -1)).not.toContain('\u00ad')
      }),
    )
  })
})
