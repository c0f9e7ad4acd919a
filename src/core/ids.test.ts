import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIdMaker, readId, readIdPrefix } from './ids.js'

test('ids made one after another sort in that order, even within one millisecond', () => {
  const makeId = createIdMaker({ now: () => 1_750_000_000_000, randomBytes })
  const ids = Array.from({ length: 5000 }, makeId)
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('ids keep their order when the clock jumps back', () => {
  const times = [5000, 4000, 4000, 6000, 10]
  const makeId = createIdMaker({ now: () => times.shift() ?? 0, randomBytes })
  const ids = Array.from({ length: 5 }, makeId)
  expect([...ids].sort()).toEqual(ids)
})

test('ids of one millisecond differ within their first fourteen characters', () => {
  const makeId = createIdMaker({ now: () => 1_750_000_000_000, randomBytes })
  const short = Array.from({ length: 1000 }, () => makeId().slice(0, 14))
  expect(new Set(short).size).toBe(1000)
})

test('an id is read in any case and with the letters people confuse', () => {
  const id = createIdMaker({ now: () => 1_750_000_000_000, randomBytes })()
  expect(readId(id.toLowerCase())).toBe(id)
  expect(readId(` ${id} `)).toBe(id)
  expect(readIdPrefix('o1l')).toBe('011')
})

test('no other text is taken for an id', () => {
  expect(readId('')).toBeNull()
  expect(readId('01ABC')).toBeNull()
  fc.assert(
    fc.property(fc.string(), (text) => {
      const id = readId(text)
      return id === null || id.length === 26
    }),
  )
})
