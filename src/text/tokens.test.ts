import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomText } from './random-text.fixture.js'
import { foldWord, hasToken, tokenize } from './tokens.js'

const termsOf = (text: string): string[] => tokenize(text).map((token) => token.term)

function listTokens(text: string) {
  return tokenize(text).map(({ term, start, end }) => ({ term, start, end }))
}

describe('tokenize', () => {
  test('an empty text and a text of separators have no tokens', () => {
    expect(tokenize('')).toEqual([])
    expect(tokenize(' \n—…!?')).toEqual([])
    expect(hasToken(' \n—…!?')).toBe(false)
    expect(hasToken('… a')).toBe(true)
  })

  test('offsets count UTF-16 units of the given text', () => {
    expect(listTokens('😀 Les Cafés')).toEqual([
      { term: 'le', start: 3, end: 6 },
      { term: 'cafe', start: 7, end: 12 },
    ])
  })

  test('composed and decomposed accents give the same term, and an accent stays inside its token', () => {
    expect(listTokens('café'.normalize('NFC'))).toEqual([{ term: 'cafe', start: 0, end: 4 }])
    expect(listTokens('café'.normalize('NFD'))).toEqual([{ term: 'cafe', start: 0, end: 5 }])
    expect(foldWord('ÉLAN')).toBe('elan')
  })

  test('the offsets of every token are correct, and tokens never overlap', () => {
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
