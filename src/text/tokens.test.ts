import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldWord, hasToken, tokenize } from './tokens.js'

const termsOf = (text: string): string[] => tokenize(text).map((token) => token.term)

function range(from: number, to: number): fc.Arbitrary<string> {
  return fc.integer({ min: from, max: to }).map((code) => String.fromCodePoint(code))
}

const character = fc.oneof(
  { weight: 6, arbitrary: range(0x20, 0x7e) },
  { weight: 4, arbitrary: range(0x61, 0x7a) },
  { weight: 4, arbitrary: range(0xa0, 0x24f) },
  range(0x250, 0x2ff),
  { weight: 3, arbitrary: range(0x300, 0x36f) },
  { weight: 2, arbitrary: range(0x370, 0x3ff) },
  { weight: 2, arbitrary: range(0x400, 0x52f) },
  range(0x1e00, 0x1fff),
  range(0x2000, 0x206f),
  range(0x3040, 0x30ff),
  range(0x4e00, 0x9fff),
  range(0xac00, 0xd7a3),
  range(0xff00, 0xffef),
  range(0x1f300, 0x1faff),
  range(0x1, 0xd7ff),
  range(0xe000, 0xffff),
  range(0x10000, 0x10ffff),
  fc.constantFrom(' ', '\n', '-', '_', '.', 'ing', 'ed', 'ness', 'ational', 's', 'y', '\u0301'),
)
const randomText = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''))

describe('tokenize', () => {
  test('an empty text and a text of separators have no tokens', () => {
    expect(tokenize('')).toEqual([])
    expect(tokenize(' \n—…!?')).toEqual([])
    expect(hasToken(' \n—…!?')).toBe(false)
    expect(hasToken('… a')).toBe(true)
  })

  test('offsets count UTF-16 units of the given text', () => {
    expect(tokenize('😀 Les Cafés')).toEqual([
      { term: 'le', start: 3, end: 6 },
      { term: 'cafe', start: 7, end: 12 },
    ])
  })

  test('an accent counts the same composed and decomposed, and stays inside its token', () => {
    expect(tokenize('café'.normalize('NFC'))).toEqual([{ term: 'cafe', start: 0, end: 4 }])
    expect(tokenize('café'.normalize('NFD'))).toEqual([{ term: 'cafe', start: 0, end: 5 }])
    expect(foldWord('ÉLAN')).toBe('elan')
  })

  test('every token is where it says it is, and tokens never overlap', () => {
    fc.assert(
      fc.property(randomText, (text) => {
        let last = -1
        for (const { term, start, end } of tokenize(text)) {
          expect(start).toBeGreaterThan(last)
          expect(termsOf(text.slice(start, end))).toEqual([term])
          last = end
        }
      }),
    )
  })

  test('a megabyte of text is read to its end', () => {
    const text = 'The quick brown fox éats ünder a lazy dog, running happily. '.repeat(17_500)
    expect(tokenize(text).length).toBe(17_500 * 11)
  })
})
