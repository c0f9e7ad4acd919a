/** Whatever the text and wherever it is cut, a part of it reads as if it stood alone. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StaticEmbedder } from './static-embedder.js'

const embedder = new StaticEmbedder()
const piece = fc.constantFrom(
  ...['wind', 'Tunnel', 'getUserById', 'XMLHttp', 'É', 'e\u0301', 'ﬁne', 'ΟΔΟΣ', '.', "'", '-'],
  ...[
    '東京都',
    '👨‍👩‍👧',
    '½',
    'a'.repeat(70),
    'C++',
    '3.14',
    '\u0301',
    '\ud800',
    ' ',
    ' ',
    '\n',
    '\t',
    '\u00a0',
  ],
)
const texts = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
)

test('any part of a text counts and means what it does alone', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (text, a, b) => {
      const [start = 0, end = 0] = [a % (text.length + 1), b % (text.length + 1)].sort(
        (x, y) => x - y,
      )
      const part = text.slice(start, end)
      const read = embedder.readText(text)
      expect(read?.countTokens(start, end)).toBe(embedder.countTokens(part))
      expect(read?.embed(start, end)).toEqual(embedder.embedSync([part])[0])
    }),
    { numRuns: 3000 },
  )
})

test('every part of a text that is plain and camelCase, cut anywhere', () => {
  const text = 'The HTTPServer reads aB1C2, XYz and naïve words-with dashes.\nNext  line'
  const read = embedder.readText(text)
  for (let start = 0; start <= text.length; start++) {
    for (let end = start; end <= text.length; end++) {
      expect(read?.countTokens(start, end)).toBe(embedder.countTokens(text.slice(start, end)))
    }
  }
})

test('a text that was read before is refused rather than mistaken for the last one', () => {
  const first = embedder.readText('one text')
  embedder.readText('another text')
  expect(() => first?.countTokens(0, 3)).toThrow('another text was read since')
})

test('vectors of one text do not change with the next', () => {
  const vector = embedder.readText('wind tunnel')?.embed(0, 11)
  const copy = vector?.slice()
  for (let i = 0; i < 200; i++) embedder.readText(`text ${i}`)?.embed(0, 6)
  expect(vector).toEqual(copy)
})

test('a huge text is not held at once', () => {
  expect(embedder.readText('wind '.repeat(50_000))).toBeNull()
})
