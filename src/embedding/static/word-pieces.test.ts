/** The fast reader, the plain reader and the definition give the same ids for any text. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldText } from './characters.js'
import { learnFast } from './fast-vocabulary.js'
import { type FoundPieces, WORD } from './found-pieces.js'
import { findBundledModel, readVocabularyText } from './model-file.js'
import { type PieceReader, WordPieces } from './word-pieces.js'

const text = readVocabularyText(findBundledModel())
const ids = new Map(
  text
    .trimEnd()
    .split('\n')
    .map((piece, id) => [piece, id]),
)
const fast = new WordPieces(() => text, { maxIds: 1000 })
const plain = new WordPieces(() => text, { maxIds: 1000, wasm: false })

function idsOf({ ids, count }: FoundPieces): number[] {
  return [...ids.subarray(0, count)]
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

/** Everything that is known of a text, as lists that can be compared. */
function allOf(found: FoundPieces, length: number) {
  const places = [...found.places.subarray(0, length + 1)]
  const words = [...found.words.subarray(0, ((places.at(-1) ?? 0) + 1) * WORD.width)]
  return { ids: idsOf(found), unknownTokens: found.unknownTokens, places, words }
}

function expectTwins(one: WordPieces, other: WordPieces, whole: string): void {
  const noted = allOf(one.noting.read(whole), whole.length)
  expect(noted).toEqual(allOf(other.noting.read(whole), whole.length))
  const { count, unknownTokens, ...found } = one.whole.read(whole)
  expect([count, unknownTokens]).toEqual([noted.ids.length, noted.unknownTokens])
  expect(idsOf({ ...found, count, unknownTokens })).toEqual(noted.ids)
}

describe('the two readers', () => {
  test('this machine has WebAssembly, so the tests below compare two different things', () => {
    expect(learnFast(text, 1000)?.size).toBe(ids.size)
    expect([fast.size, plain.size]).toEqual([ids.size, ids.size])
  })

  test('agree on ids, unknown words and where each word lies, on text made of awkward parts', () => {
    fc.assert(
      fc.property(mixed, (parts) => expectTwins(fast, plain, parts.join(''))),
      { numRuns: 2000 },
    )
  })

  test('agree on long words of small letters, which are read eight letters at a time', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aeinrst'), minLength: 1, maxLength: 70 })
    const between = fc.constantFrom(' ', '-', ' A', 'é', 'B', '7', '\u0301 ', '\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(letters, between), { maxLength: 12 }), (parts) =>
        expectTwins(fast, plain, parts.flat().join('')),
      ),
      { numRuns: 1000 },
    )
  })

  test('agree on every piece of the vocabulary, alone and with a letter more', () => {
    const words = [...ids.keys()].map((piece) => piece.replace(/^##/, ''))
    for (let from = 0; from < words.length; from += 100) {
      const some = words.slice(from, from + 100)
      expectTwins(fast, plain, some.join(' '))
      expectTwins(fast, plain, some.map((word) => `${word}x`).join(' '))
    }
  })

  test('agree on any small vocabulary, repeated pieces included', () => {
    const piece = fc.stringMatching(/^(##)?[abé]{1,10}$/)
    const whole = fc.string({ unit: fc.constantFrom(...'abéA '), maxLength: 60 })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 20 }), whole, (list, read) => {
        const options = { maxIds: 50 }
        const one = new WordPieces(() => list.join('\n'), options)
        expectTwins(one, new WordPieces(() => list.join('\n'), { ...options, wasm: false }), read)
      }),
      { numRuns: 300 },
    )
  })

  // Among so many, some words have the hash of a piece, and only their letters tell them apart.
  test.each([
    ['after the eighth letter', 'abcdefgh', 'a', 26],
    ['in letters of two bytes', '', '一', 12_000],
  ])(
    'many words that differ from many pieces only %s are told from them',
    (_, same, firstLetter, letters) => {
      let seed = 1
      const letter = () => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
        return String.fromCharCode(firstLetter.charCodeAt(0) + ((seed >>> 8) % letters))
      }
      const words = (count: number) =>
        Array.from({ length: count }, () => same + Array.from({ length: 8 }, letter).join(''))
      const list = words(20_000).join('\n')
      const one = new WordPieces(() => list, { maxIds: 20_000 })
      for (let i = 0; i < 16; i++) expect(one.whole.read(words(10_000).join(' ')).count).toBe(0)
      expect(one.whole.read(list.slice(0, 180_000)).count).toBeGreaterThan(9000)
    },
  )

  test('agree on a text that is longer than the fast one holds, and on one just short of it', () => {
    const many = { maxIds: 2 ** 20 }
    const one = new WordPieces(() => text, many)
    const other = new WordPieces(() => text, { ...many, wasm: false })
    for (const length of [199_999, 200_000, 200_001]) {
      expectTwins(one, other, 'aB'.repeat(length / 2 + 1).slice(0, length))
    }
  })

  test('a text that folds to more ids than it has characters is read to its end', () => {
    const one = new WordPieces(() => text, { maxIds: 2 ** 20 })
    expect(idsOf(one.whole.read('㎨'.repeat(200_000))).length).toBeGreaterThan(200_000)
  })
})

describe.each([
  ['fast', fast.whole],
  ['plain', plain.whole],
])('the %s reader', (_, reader: PieceReader) => {
  const read = (of: string) => idsOf(reader.read(of))

  test('[N1] agrees with the definition on text made of awkward parts', () => {
    fc.assert(
      fc.property(mixed, (parts) => {
        const whole = parts.join('')
        expect(read(whole)).toEqual(readByDefinition(whole))
      }),
      { numRuns: 2000 },
    )
  })

  test('agrees with the definition on any Unicode text', () => {
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
    const { count, unknownTokens } = reader.read('東京都庁')
    expect([count, unknownTokens]).toEqual([0, 1])
  })
})

describe('word pieces', () => {
  test.each([true, false])('ids past the limit are cut, wasm %s', (wasm) => {
    const few = new WordPieces(() => text, { maxIds: 3, wasm })
    expect(few.whole.read('one two three four five').count).toBe(3)
    expect(few.noting.read('one two three four five').count).toBe(3)
  })

  // Work that grew with the square of the length would run into the time limit of the suite.
  test('a hostile run of marks folds to its letters', () => {
    const marks = `a${'\u0301\u0316'.repeat(250_000)}b`
    expect(foldText(marks)).toBe('ab')
  })
})

describe.each([true, false])('the vocabulary, wasm %s', (wasm) => {
  const learn = (list: string) => new WordPieces(() => list, { maxIds: 10, wasm })

  test.each(['a\n\nb\n', 'a\n##\nb', 'a\n\n'])('an empty line is refused: %j', (list) => {
    expect(() => learn(list)).toThrow(/Line 2 of the word piece list is empty/)
  })

  test.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
  ])('%j has as many pieces as lines', (list, size) => {
    expect(learn(list).size).toBe(size)
  })

  test('a piece and its continuation are different ids', () => {
    expect(idsOf(learn('[UNK]\nab\n##ab\n').whole.read('abab ab'))).toEqual([1, 2, 1])
  })
})
