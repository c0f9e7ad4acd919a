import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findBundledModel, readVocabulary } from './model-file.js'
import { foldText, Tokenizer } from './tokenizer.js'
import { indexPieces } from './vocabulary.js'

const vocabulary = readVocabulary(findBundledModel())
const ids = new Map(
  vocabulary
    .trimEnd()
    .split('\n')
    .map((piece, id) => [piece, id]),
)
const tokenizer = new Tokenizer(indexPieces(vocabulary), 1000)
const read = (text: string) => tokenizer.tokenize(text).ids

/** The reference tokenizer: the definition in models/, word for word. Slow and obvious. */
function readByDefinition(text: string): number[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .toLowerCase()
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => splitWord([...word]))
}

function splitWord(letters: readonly string[]): number[] {
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

const AWKWARD =
  "a B HTTP Server get É é ﬁ ½ Σ σ ΟΔΟΣ 東京 が 한국 한 . ' _ - — ’ … 😀 𝐀 𝟙 K İ ß ẞ ǅ ﾊﾞ ™ ² Ⅷ ª 12"
const awkward = fc.constantFrom(
  ...AWKWARD.split(' '),
  ...[' ', '\n', '\t', '\u00a0', '\u0301', '\u0316', '\u0903', '\u302e', '\ud83d', '\ude00', '\0'],
)
const mixed = fc.array(fc.oneof(awkward, fc.string({ maxLength: 6 })), { maxLength: 30 })

describe('ids', () => {
  test('[N1] text made of difficult parts has the ids of the definition', () => {
    fc.assert(
      fc.property(mixed, (parts) => {
        const text = parts.join('')
        expect(read(text)).toEqual(readByDefinition(text))
      }),
      { numRuns: 300 },
    )
  })

  test('any Unicode text has the ids of the definition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(read(text)).toEqual(readByDefinition(text))
      }),
      { numRuns: 300 },
    )
  })

  test('every character of the basic plane, between two letters, folds as in the definition', () => {
    const differing: string[] = []
    for (let code = 0; code < 0x10000; code++) {
      const text = `aB${String.fromCharCode(code)}cD`
      if (String(read(text)) !== String(readByDefinition(text))) differing.push(code.toString(16))
    }
    expect(differing).toEqual([])
  })

  test('every piece of the vocabulary is found, alone and with one more letter', () => {
    const words = [...ids.keys()].map((piece) => piece.replace(/^##/, ''))
    for (let from = 0; from < words.length; from += 100) {
      const some = words.slice(from, from + 100)
      const text = `${some.join(' ')} ${some.map((word) => `${word}x`).join(' ')}`
      expect(read(text)).toEqual(readByDefinition(text))
    }
  })

  test('a word of 64 characters is used and one of 65 is skipped', () => {
    expect(read('a1'.repeat(32)).length).toBeGreaterThan(0)
    expect(read(`${'a1'.repeat(32)}a`)).toEqual([])
  })

  test('a word that the pieces do not cover is skipped, but counts as tokens', () => {
    expect(read('tower 東京tower')).toEqual(read('tower'))
    expect(tokenizer.tokenize('東京都庁')).toMatchObject({ ids: [], tokens: 1 })
  })

  test('ids beyond the limit are dropped', () => {
    expect(
      new Tokenizer(indexPieces(vocabulary), 3).tokenize('one two three four five').ids,
    ).toHaveLength(3)
  })
})

// Quadratic time would exceed the time limit of the suite.
test('a hostile run of marks folds to its letters', () => {
  expect(foldText(`a${'\u0301\u0316'.repeat(250_000)}b`)).toBe('ab')
})

describe('the vocabulary', () => {
  test.each(['a\n\nb\n', 'a\n##\nb', 'a\n\n'])('an empty line is rejected: %j', (list) => {
    expect(() => new Tokenizer(indexPieces(list), 10)).toThrow(
      /Line 2 of the word piece list is empty/,
    )
  })

  test.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
  ])('%j has as many pieces as lines', (list, size) => {
    expect(new Tokenizer(indexPieces(list), 10).size).toBe(size)
  })

  test('a piece and its continuation are different ids', () => {
    expect(new Tokenizer(indexPieces('[UNK]\nab\n##ab\n'), 10).tokenize('abab ab').ids).toEqual([
      1, 2, 1,
    ])
  })

  test('words with the same hash as a piece are not mistaken for it', () => {
    let seed = 1
    const letter = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return String.fromCharCode(0x4e00 + ((seed >>> 8) % 12_000))
    }
    const words = (count: number) =>
      Array.from({ length: count }, () => Array.from({ length: 8 }, letter).join(''))
    const list = words(20_000).join('\n')
    const many = new Tokenizer(indexPieces(list), 20_000)
    for (let i = 0; i < 10; i++) expect(many.tokenize(words(10_000).join(' ')).ids).toEqual([])
    expect(many.tokenize(list).ids).toHaveLength(20_000)
  })
})
