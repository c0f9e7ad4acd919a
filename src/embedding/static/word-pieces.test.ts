/** Promise: the fast reader and the plain definition give the same ids for any text. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldText } from './characters.js'
import { findBundledModel, readVocabularyText } from './model-file.js'
import { Vocabulary } from './vocabulary.js'
import { WordPieces } from './word-pieces.js'

const text = readVocabularyText(findBundledModel())
const vocabulary = new Vocabulary(text)
const ids = new Map(
  text
    .trimEnd()
    .split('\n')
    .map((piece, id) => [piece, id]),
)
const pieces = new WordPieces(vocabulary, 1000)

function read(of: string): number[] {
  pieces.read(of)
  return [...pieces.ids.subarray(0, pieces.count)]
}

/** The definition in models/, word for word: slow and obvious. */
function readByDefinition(of: string): number[] {
  const folded = of
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .toLowerCase()
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => piecesOf([...word]))
}

function piecesOf(letters: readonly string[]): number[] {
  if (letters.length > 64) return []
  const found: number[] = []
  for (let at = 0; at < letters.length; ) {
    let end = letters.length
    const piece = () => (at === 0 ? '' : '##') + letters.slice(at, end).join('')
    while (end > at && !ids.has(piece())) end--
    if (end === at) return []
    found.push(ids.get(piece()) ?? -1)
    at = end
  }
  return found
}

const awkward = fc.constantFrom(
  ...[
    'a',
    'B',
    'HTTP',
    'Server',
    'get',
    'É',
    'é',
    'ﬁ',
    '½',
    'Σ',
    'σ',
    'ΟΔΟΣ',
    '東京',
    'が',
    '한국',
    '한',
  ],
  ...[
    ' ',
    '\n',
    '\t',
    '.',
    "'",
    '_',
    '-',
    '—',
    '’',
    '…',
    '\u00a0',
    '\u0301',
    '\u0316',
    '\u0903',
    '\u302e',
  ],
  ...[
    '😀',
    '𝐀',
    '𝟙',
    '\ud83d',
    '\ude00',
    'K',
    'İ',
    'ß',
    'ẞ',
    'ǅ',
    'ﾊﾞ',
    '™',
    '²',
    'Ⅷ',
    'ª',
    '12',
    '\0',
  ],
)
const mixed = fc.array(fc.oneof(awkward, fc.string({ maxLength: 6 })), { maxLength: 30 })

describe('word pieces', () => {
  test('[N1] the fast reader agrees with the definition on text made of awkward parts', () => {
    fc.assert(
      fc.property(mixed, (parts) => {
        const whole = parts.join('')
        expect(read(whole)).toEqual(readByDefinition(whole))
      }),
      { numRuns: 2000 },
    )
  })

  test('the fast reader agrees with the definition on any Unicode text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (whole) => {
        expect(read(whole)).toEqual(readByDefinition(whole))
      }),
      { numRuns: 400 },
    )
  })

  test('every character of the first plane reads as the definition says between two letters', () => {
    const differing: string[] = []
    for (let code = 0; code < 0x10000; code++) {
      const whole = `aB${String.fromCharCode(code)}cD`
      if (String(read(whole)) !== String(readByDefinition(whole))) differing.push(code.toString(16))
    }
    expect(differing).toEqual([])
  })

  test('a word of 64 characters is read and one of 65 is left out', () => {
    expect(read('a1'.repeat(32)).length).toBeGreaterThan(0)
    expect(read(`${'a1'.repeat(32)}a`)).toEqual([])
  })

  test('a word with a part that no piece covers is left out whole and counts as unknown', () => {
    expect(read('tower 東京tower')).toEqual(read('tower'))
    pieces.read('東京都庁')
    expect([pieces.count, pieces.unknownTokens]).toEqual([0, 1])
  })

  test('ids past the limit are cut', () => {
    const few = new WordPieces(vocabulary, 3)
    few.read('one two three four five')
    expect(few.count).toBe(3)
  })

  // Work that grew with the square of the length would run into the time limit of the suite.
  test('a hostile run of marks folds to its letters', () => {
    const marks = `a${'\u0301\u0316'.repeat(250_000)}b`
    expect(foldText(marks)).toBe('ab')
  })
})

describe('the vocabulary', () => {
  test('an empty line is refused as a damaged model', () => {
    expect(() => new Vocabulary('a\n\nb\n')).toThrow(/Line 2 of the word piece list is empty/)
  })

  test('a piece and its continuation are different ids', () => {
    const small = new WordPieces(new Vocabulary('[UNK]\nab\n##ab\n'), 10)
    small.read('abab ab')
    expect([...small.ids.subarray(0, small.count)]).toEqual([1, 2, 1])
  })
})
