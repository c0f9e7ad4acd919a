import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isProse } from './lex.js'
import { MAX_WORDS, parseQuery } from './parse.js'
import { printQuery } from './tree.js'

const readAs = (text: string): string => printQuery(parseQuery(text).root)

describe('[F1] the query language', () => {
  test.each([
    ['deploy process', 'deploy process'],
    ['a OR b', 'a OR b'],
    ['a b OR c', '(a b) OR c'],
    ['a AND b c', '(a AND b) c'],
    ['a NOT b', 'a -b'],
    ['a AND NOT b', 'a AND -b'],
    ['-a', '-a'],
    ['NOT NOT a', 'a'],
    ['"solid state" physics', '"solid state" physics'],
    ['“solid state”', '"solid state"'],
    ['"solid sta"*', '"solid sta"*'],
    ['auth*', 'auth*'],
    ['(a OR b) c', '(a OR b) c'],
    ['a -(b c)', 'a -(b c)'],
    ['a OR b -c', '(a OR b) -c'],
    ['-c a OR b', '(a OR b) -c'],
    ['a OR (b -c)', 'a OR (b -c)'],
    ['a OR NOT b', 'a -b'],
  ])('%s is read as %s', (text, expected) => {
    expect(readAs(text)).toBe(expected)
  })
})

describe('[L2] fields and NEAR', () => {
  test.each([
    ['title:quantum', 'title:quantum'],
    ['abstract:"solid state"', 'body:"solid state"'],
    ['author:lovelace', 'people:lovelace'],
    ['title:(a OR b)', 'title:a OR title:b'],
    ['-title:draft x', 'x -title:draft'],
    ['tag:release', 'tag:release'],
    ['tag:"on call"', 'tag:"on call"'],
    ['NEAR(a b, 5)', 'NEAR(a b, 5)'],
    ['NEAR(a, b, 5)', 'NEAR(a b, 5)'],
    ['NEAR(a b)', 'NEAR(a b, 10)'],
    ['NEAR("solid state" physics, 3)', 'NEAR("solid state" physics, 3)'],
  ])('%s is read as %s', (text, expected) => {
    expect(readAs(text)).toBe(expected)
  })
})

describe('[D5] what looks like syntax and is none is text', () => {
  test.each([
    ['AND', 'and'],
    ['OR', 'or'],
    ['NOT', 'not'],
    ['cats AND', 'cats and'],
    ['C++', 'C++'],
    ['foo-bar', 'foo-bar'],
    ['user@host', 'user@host'],
    ['v2026.4.10', 'v2026.4.10'],
    ['foo:bar', 'foo:bar'],
    ['http://example.org/a?b', 'http://example.org/a?b'],
    ['NEAR(', 'NEAR('],
    ['NEAR(a)', 'NEAR(a)'],
    ['how do we ship code?', 'how do we ship code'],
    ['(unclosed', 'unclosed'],
    ['closed)', 'closed)'],
    ['f(x) = y', 'f(x) y'],
    ['-- -', ''],
    ['"', ''],
    ['""', ''],
    ['title:', 'title'],
    ['*', ''],
    ['🎉', ''],
    ['   ', ''],
  ])('%s is read as %s', (text, expected) => {
    expect(readAs(text)).toBe(expected)
  })
})

const word = fc.stringMatching(/^[a-zé東京0-9]{1,6}$/)
const piece = fc.oneof(
  word,
  word.map((text) => `"${text} ${text}x"`),
  word.map((text) => `-${text}`),
  word.map((text) => `${text}*`),
  word.map((text) => `title:${text}`),
  word.map((text) => `tag:${text}`),
  fc.constantFrom('AND', 'OR', 'NOT', '(', ')', 'NEAR(a b, 3)', '-(', 'title:('),
)
const almostQuery = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(' '))

test('a printed query reads as the same tree', () => {
  fc.assert(
    fc.property(almostQuery, (text) => {
      const once = parseQuery(text).root
      expect(parseQuery(printQuery(once)).root).toEqual(once)
    }),
    { numRuns: 300 },
  )
})

test('[D5] any text whatsoever gives a tree', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), almostQuery), (text) => {
      parseQuery(text)
    }),
    { numRuns: 300 },
  )
})

test('deep and long queries are read in bounded depth and time', () => {
  expect(() => parseQuery('('.repeat(100_000) + 'a'.repeat(10) + ')'.repeat(100_000))).not.toThrow()
  expect(() => parseQuery('NOT '.repeat(50_000))).not.toThrow()
  expect(() => parseQuery('-'.repeat(100_000))).not.toThrow()
  expect(() => parseQuery('"'.repeat(100_001))).not.toThrow()
  const words = Array.from({ length: 5000 }, (_, i) => `w${i}`).join(' ')
  expect(readAs(words).split(' ')).toHaveLength(MAX_WORDS)
})

test.each([
  ['"solid state" lasers', false],
  ['"connection refused" after upgrade. How to fix?', false],
  ['who wrote "the art of computer programming"', false],
  [
    'Articles on text formatting systems, including "what you see is what you get" systems. Examples: t/nroff, scribe, bravo.',
    true,
  ],
  [
    `the "threshold" model of a weighted retrieval system in which ${'continuous weights '.repeat(6)}`,
    true,
  ],
])('%s is prose: %s', (text, expected) => {
  expect(isProse(text)).toBe(expected)
})

test('the quotation marks of a pasted passage demand nothing, its negations still do', () => {
  const passage = `We ask whether a "linguistic filter" helps the users of large systems. Nothing about -networks please, thank you.`
  const read = printQuery(parseQuery(passage).root)
  expect(read).not.toContain('"')
  expect(read).toContain('-networks')
})
