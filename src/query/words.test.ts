import { expect, test } from 'vitest'
import { parseQuery } from './parse.js'
import { printQuery } from './print.js'
import { adjacentPairs, MAX_PAIRS, soughtBy } from './words.js'

const pairsOf = (text: string): string => printQuery(adjacentPairs(parseQuery(text).root))

test('words that stand next to each other are pairs, across nothing that carries no content', () => {
  expect(pairsOf('boundary layer flow')).toBe('"boundary layer" OR "layer flow"')
  expect(pairsOf('heat of fusion')).toBe('')
  expect(pairsOf('boundary')).toBe('')
  expect(pairsOf('a1 AND b1')).toBe('')
})

test('each pair is looked for once, a repeated word is none, and a passage has only so many', () => {
  expect(pairsOf('word word word word')).toBe('')
  expect(pairsOf('red fox red fox Red Fox')).toBe('"Red Fox" OR "fox Red"')
  const passage = Array.from({ length: 150 }, (_, i) => `word${i}`).join(' ')
  expect(pairsOf(passage).split(' OR ')).toHaveLength(MAX_PAIRS)
})

test('what a tree looks for is listed once, without what it refuses', () => {
  const sought = soughtBy(parseQuery('fox Fox "red fox" title:den -cub tag:x pre*').root)
  expect(sought.map(({ text, isPrefix, field }) => [text, isPrefix, field])).toEqual([
    ['Fox', false, null],
    ['red fox', false, null],
    ['den', false, 'title'],
    ['pre', true, null],
  ])
})
