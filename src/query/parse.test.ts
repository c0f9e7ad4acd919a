import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isProse, PROSE_WORDS } from './lex.js'
import { MAX_NEAR_WORDS, MAX_PHRASE_WORDS, MAX_WORDS, parseQuery } from './parse.js'
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
    ['RUST or wasm OR GO', '(RUST or wasm) OR GO'],
    ['東京 OR 京都', '東京 OR 京都'],
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

describe('tests of metadata', () => {
  const readWhere = (text: string): readonly string[] => {
    const { root, where } = parseQuery(text)
    return [printQuery(root), printQuery(where)]
  }

  test.each([
    ['meta.status:active', '', 'meta.status:active'],
    ['deploy meta.year:>=2020', 'deploy', 'meta.year:>=2020'],
    ['deploy -meta.author.name:"Ada L."', 'deploy', '-meta.author.name:"Ada L."'],
    ['a AND meta.x:1 AND b', 'a AND b', 'meta.x:1'],
    ['NOT meta.due:* a', 'a', '-meta.due:*'],
    ['a (meta.x:1 OR meta.y:<2)', 'a', 'meta.x:1 OR meta.y:<2'],
    ['a -(meta.x:1 meta.y:2)', 'a', '-(meta.x:1 AND meta.y:2)'],
    ['a OR meta.x:1', 'a', 'meta.x:1'],
    ['title:meta.x:1 a', 'a', 'meta.x:1'],
    ['Meta.X:"*"', '', 'meta.X:"*"'],
    ['meta.x:', 'meta.x', ''],
    ['meta:x', 'meta:x', ''],
    ['meta.x::y', '', 'meta.x::y'],
  ])('%s', (text, words, where) => {
    expect(readWhere(text)).toEqual([words, where])
    expect(readWhere([words, where && `(${where})`].join(' '))).toEqual([words, where])
  })
})

describe('[D5] what looks like syntax and is none is text', () => {
  test.each([
    ['AND', 'and'],
    ['OR', 'or'],
    ['NOT', 'not'],
    ['cats AND', 'cats and'],
    ['RUST OR WASM NOT GO', 'RUST or WASM not GO'],
    ['2019 OR 2020', '2019 or 2020'],
    ['deploy\n-staging', 'deploy staging'],
    ['deploy -staging\n', 'deploy -staging'],
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
  for (const field of ['title:', '-title:', 'title:-', 'title:body:']) {
    expect(parseQuery(`${field.repeat(3000)}apple`).root).not.toBeNull()
  }
  for (const sign of ['„', '!', '“', 'a!']) parseQuery(`a${sign.repeat(500_000)}b`)
  const words = Array.from({ length: 5000 }, (_, i) => `w${i}`).join(' ')
  expect(readAs(words).split(' ')).toHaveLength(MAX_WORDS)
})

test('what would take too long is shortened or left out, and the query says so', () => {
  const many = (text: string, times: number) => Array(times).fill(text).join(' ')
  const printed = (text: string) => ({ readAs: readAs(text), isCut: parseQuery(text).isCut })
  expect(printed(`NEAR(${many('a b', 900)}, 5)`)).toEqual({
    readAs: `NEAR(${many('a b', MAX_NEAR_WORDS / 2)}, 5)`,
    isCut: true,
  })
  expect(printed(`"${many('a', 900)}"`)).toEqual({
    readAs: `"${many('a', MAX_PHRASE_WORDS)}"`,
    isCut: true,
  })
  expect(printed(many('a*', 900))).toEqual({ readAs: many('a*', 25), isCut: true })
  expect(parseQuery(many('NEAR(a b)', 25)).isCut).toBe(false)
  expect(parseQuery(many('NEAR(a b)', 26)).isCut).toBe(true)
  expect(parseQuery(many('a', 900)).isCut).toBe(false)
})

test('words that are wanted push out none that is refused', () => {
  expect(readAs(`${'a* '.repeat(900)} -NEAR(b c, 3) -d*`)).toMatch(/a\* -NEAR\(b c, 3\) -d\*$/)
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

const capitals = fc.stringMatching(/^[A-ZÉ0-9]{1,8}$/)
const operator = fc.constantFrom('AND', 'OR', 'NOT')
const kindsOf = (text: string): string[] => {
  const root = parseQuery(text).root
  const parts = root !== null && 'parts' in root ? root.parts : [root]
  return [...new Set(parts.map((part) => part?.kind ?? 'nothing'))]
}

test('[D5] a text in capitals is read as words, whatever operators it holds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(capitals, operator), { minLength: 2, maxLength: 30 }),
      (words) => {
        expect(kindsOf(words.join(' '))).toEqual(['word'])
      },
    ),
  )
})

test('[D5] the capitals of a pasted passage are no operators', () => {
  const sentence = fc.array(word, { minLength: PROSE_WORDS, maxLength: 40 })
  fc.assert(
    fc.property(sentence, fc.array(operator, { maxLength: 3 }), fc.nat(15), (words, names, at) => {
      const text = [...words.slice(0, at), ...names, ...words.slice(at)].join(' ')
      expect(kindsOf(text)).toEqual(['word'])
    }),
  )
})

test('[D5] a list with dashes refuses nothing', () => {
  const item = fc.tuple(fc.constantFrom('-', ' -', '\t-', '- '), fc.array(word, { minLength: 1 }))
  fc.assert(
    fc.property(fc.array(item, { minLength: 2, maxLength: 5 }), (items) => {
      const lines = items.map(([dash, words]) => dash + words.join(' '))
      expect(kindsOf(lines.join('\n'))).toEqual(['word'])
    }),
  )
})

test('a long boolean query keeps its operators and phrases', () => {
  const words = Array.from({ length: 12 }, (_, i) => `term${i} other${i}`).join(' OR ')
  expect(readAs(`(${words}) AND "systematic review"`)).toContain(' OR (term11 other11)) AND "sys')
})

test('the quotation marks of a pasted passage demand nothing, its negations still do', () => {
  const passage = `We ask whether a "linguistic filter" helps the users of large systems. Nothing about -networks please, thank you.`
  const read = printQuery(parseQuery(passage).root)
  expect(read).not.toContain('"')
  expect(read).toContain('-networks')
})
