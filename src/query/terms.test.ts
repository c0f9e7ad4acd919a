import { expect, test } from 'vitest'
import { parseQuery } from './parse.js'
import {
  asksForWords,
  extractConstraints,
  listTerms,
  MAX_PAIRS,
  pairAdjacentWords,
  toPlainText,
} from './terms.js'
import { printQuery } from './tree.js'

const printPairs = (text: string): string => printQuery(pairAdjacentWords(parseQuery(text).root))

test('words that stand next to each other are pairs, across nothing that carries no content', () => {
  expect(printPairs('boundary layer flow')).toBe('"boundary layer" OR "layer flow"')
  expect(printPairs('heat of fusion')).toBe('')
  expect(printPairs('boundary')).toBe('')
  expect(printPairs('a1 AND b1')).toBe('')
})

test('each pair is looked for once, a repeated word is none, and a passage has only so many', () => {
  expect(printPairs('word word word word')).toBe('')
  expect(printPairs('red fox red fox Red Fox')).toBe('"Red Fox" OR "fox Red"')
  const passage = Array.from({ length: 150 }, (_, i) => `word${i}`).join(' ')
  expect(printPairs(passage).split(' OR ')).toHaveLength(MAX_PAIRS)
})

test('what a tree looks for is listed once, without what it refuses', () => {
  const terms = listTerms(parseQuery('fox Fox "red fox" title:den -cub tag:x pre*').root)
  expect(terms.map(({ text, isPrefix, field }) => [text, isPrefix, field])).toEqual([
    ['Fox', false, null],
    ['red fox', false, null],
    ['den', false, 'title'],
    ['pre', true, null],
  ])
})

function constrain(text: string) {
  const { root } = parseQuery(text)
  const { required, unwanted } = extractConstraints(root)
  return { required: printQuery(required), unwanted: printQuery(unwanted), says: toPlainText(root) }
}

test.each([
  ['how do we ship code', { required: '', unwanted: '', says: 'how do we ship code' }],
  ['deployment NOT staging', { required: '', unwanted: 'staging', says: 'deployment' }],
  ['a AND NOT b', { required: '', unwanted: 'b', says: 'a' }],
  ['"solid state" laser', { required: '"solid state"', unwanted: '', says: 'solid state laser' }],
  [
    'title:laser tag:x light',
    { required: 'title:laser AND tag:x', unwanted: '', says: 'laser light' },
  ],
  ['tag:a OR tag:b', { required: 'tag:a OR tag:b', unwanted: '', says: '' }],
  ['tag:a OR light', { required: '', unwanted: '', says: 'light' }],
  ['NEAR(a b, 3) c*', { required: 'NEAR(a b, 3)', unwanted: '', says: 'a b c' }],
  ['light -(a b)', { required: '', unwanted: 'a b', says: 'light' }],
])('%s requires what was spelled out', (text, expected) => {
  expect(constrain(text)).toEqual(expected)
})

test.each([
  ['how do we ship code', false],
  ['deployment', false],
  ['retryWithJitter', true],
  ['v2026.4.10', true],
  ['foo_bar', true],
  ['"solid state" lasers', true],
  ['title:laser', true],
  ['cats OR dogs', true],
  ['cats -dogs', true],
  ['', true],
])('[A2] %j asks for words: %s', (text, expected) => {
  expect(asksForWords(parseQuery(text))).toBe(expected)
})
