import { expect, test } from 'vitest'
import { parseQuery } from './parse.js'
import { printQuery } from './print.js'
import { isProse } from './prose.js'

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
])('%s', (text, expected) => {
  expect(isProse(text)).toBe(expected)
})

test('the quotation marks of a pasted passage demand nothing, its negations still do', () => {
  const passage = `We ask whether a "linguistic filter" helps the users of large systems. Nothing about -networks please, thank you.`
  const read = printQuery(parseQuery(passage).root)
  expect(read).not.toContain('"')
  expect(read).toContain('-networks')
})
