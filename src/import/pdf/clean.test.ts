/** Whatever a font claims its glyphs are, what is kept can be typed. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomText } from '../../text/random-text.fixture.js'
import { cleanLine, cleanPart } from './clean.js'

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

  test('accents go on their letters, and stay where there is no such letter', () => {
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
