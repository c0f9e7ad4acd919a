import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIdGenerator, parseId, parseIdPrefix } from './ids.js'

test('ids made one after another sort in that order, even within one millisecond', () => {
  const makeId = createIdGenerator({ now: () => 1_750_000_000_000, randomBytes })
  const ids = Array.from({ length: 5000 }, makeId)
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('ids keep their order when the clock jumps back', () => {
  const times = [5000, 4000, 4000, 6000, 10]
  const makeId = createIdGenerator({ now: () => times.shift() ?? 0, randomBytes })
  const ids = Array.from({ length: 5 }, makeId)
  expect([...ids].sort()).toEqual(ids)
})

test('ids of one millisecond differ within their first fourteen characters', () => {
  const makeId = createIdGenerator({ now: () => 1_750_000_000_000, randomBytes })
  const short = Array.from({ length: 1000 }, () => makeId().slice(0, 14))
  expect(new Set(short).size).toBe(1000)
})

test('an id is read in any case and with the letters people confuse', () => {
  const id = createIdGenerator({ now: () => 1_750_000_000_000, randomBytes })()
  expect(parseId(id.toLowerCase())).toBe(id)
  expect(parseId(` ${id} `)).toBe(id)
  expect(parseIdPrefix('o1l')).toBe('011')
})

test('no other text is taken for an id', () => {
  expect(parseId('')).toBeNull()
  expect(parseId('01ABC')).toBeNull()
  fc.assert(
    fc.property(fc.string(), (text) => {
      const id = parseId(text)
      return id === null || id.length === 26
    }),
  )
})
