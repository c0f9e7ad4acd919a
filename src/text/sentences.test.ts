/** The ends of sentences equal those found by one slow pattern for all stops. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sentenceEnds } from './sentences.js'

const STOP = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|(?<![。！？｡])[。！？｡]+["'”’»)\]」』）】]*/gu

// No word is an abbreviation.
const sign = fc.constantFrom(...'.!?…。！？｡"\'”’»)]」』）】(,'.split(''))
const gap = fc.constantFrom(' ', ' ', '\n', '\u00a0', '\u3000')
const part = fc.oneof(fc.constantFrom('tunnels', 'Measured'), sign, sign, gap)

test('stops with closing quotes or brackets end a sentence, narrow ones only before white space', () => {
  fc.assert(
    fc.property(fc.string({ unit: part, maxLength: 30 }), (text) => {
      const ends = Array.from(text.matchAll(STOP), (stop) => stop.index + stop[0].length)
      expect(sentenceEnds(text)).toEqual(ends.filter((end) => end < text.length))
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['We saw approx. five of them.', 0],
  ['We saw approximately. Five came.', 1],
  ['It cost (in all). That was much.', 1],
  ['See No. 5 for it.', 0],
  ['He said no. She went.', 1],
  ['Pipes etc. were closed.', 0],
  ['Pipes, valves etc. All were closed.', 1],
  ['1. The first step', 0],
  ['Chapter 11. It begins', 1],
  ['Measured by É. Curie in Paris', 0],
])('"%s" has %i ends before its last', (text, count) => {
  expect(sentenceEnds(text)).toHaveLength(count)
})
