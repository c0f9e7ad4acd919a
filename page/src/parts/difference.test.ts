/** A difference loses nothing of either text. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differenceOf } from './difference.js'

const text = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom('we', 'deploy', ' ', '\n', 'on', 'Friday', '🪨')).map((w) => w.join('')),
)

test('without what came it is the old text, without what went the new one', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const stretches = differenceOf(before, after)
      const read = (left: string) =>
        stretches.flatMap(({ kind, text }) => (kind === left ? [] : text)).join('')
      expect(read('new')).toBe(before)
      expect(read('gone')).toBe(after)
    }),
  )
})

test('the same text has one stretch, and neighbours are never of one kind', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const kinds = differenceOf(before, after).map(({ kind }) => kind)
      expect(kinds.every((kind, i) => kind !== kinds[i + 1])).toBe(true)
      expect(differenceOf(before, before).every(({ kind }) => kind === 'same')).toBe(true)
    }),
  )
})

test('one changed word is all that is told', () => {
  expect(differenceOf('We deploy on Tuesdays.', 'We deploy on Thursdays.')).toEqual([
    { kind: 'same', text: 'We deploy on ' },
    { kind: 'gone', text: 'Tuesdays.' },
    { kind: 'new', text: 'Thursdays.' },
  ])
})

test('texts too long to compare word by word are compared by lines', () => {
  const long = Array.from({ length: 1500 }, (_, i) => `line ${i} of many`)
  const changed = long.map((line, i) => (i % 3 === 0 ? `${line} more` : line))
  const stretches = differenceOf(long.join('\n'), changed.join('\n'))
  expect(stretches.some(({ kind }) => kind === 'same')).toBe(true)
  expect(stretches.flatMap(({ kind, text }) => (kind === 'new' ? [] : text)).join('')).toBe(
    long.join('\n'),
  )
})
