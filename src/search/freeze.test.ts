/** Nothing in frozen data can be changed, at any depth, and its size grows with its text. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freeze } from './freeze.js'

function isFrozen(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return true
  return Object.isFrozen(data) && Object.values(data).every(isFrozen)
}

test('[L9] any plain data is frozen to its depths and says the same as before', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const before = structuredClone(data)
      expect(freeze(data)).toBeGreaterThan(0)
      expect(isFrozen(data)).toBe(true)
      expect(data).toEqual(before)
    }),
  )
})

test('[L9] a text counts two bytes for each of its UTF-16 units, wherever it stands', () => {
  const sizeOf = (text: string) => freeze({ hits: [{ body: text }] })
  expect(sizeOf('x'.repeat(1000)) - sizeOf('')).toBe(2000)
  expect(sizeOf('😀') - sizeOf('')).toBe(4)
})

test('[L9] every field and every object adds to the size', () => {
  expect(freeze([])).toBeLessThan(freeze([null]))
  expect(freeze([null])).toBeLessThan(freeze([[]]))
})

test('[L9] data may be nested deeper than a stack', () => {
  let data: unknown = 'x'
  for (let i = 0; i < 50_000; i++) data = [data]
  expect(freeze(data)).toBeGreaterThan(50_000)
})
