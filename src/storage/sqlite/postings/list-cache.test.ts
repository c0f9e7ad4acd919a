import { expect, test } from 'vitest'
import { ListCache } from './list-cache.js'

test('never more bytes are kept than were allowed, and the longest unused goes first', () => {
  const cache = new ListCache<number>(10_000)
  for (let i = 0; i < 100; i++) {
    cache.set(`${i}`, i, 1000)
    expect(cache.get('0')).toBe(0)
    expect(cache.bytes).toBeLessThanOrEqual(10_000)
  }
  expect(cache.get('1')).toBeUndefined()
  expect(cache.get('99')).toBe(99)
})

test('what is larger than all room is handed back and not kept', () => {
  const cache = new ListCache<string>(100)
  expect(cache.set('a', 'large', 1000)).toBe('large')
  expect(cache.get('a')).toBeUndefined()
  expect(cache.bytes).toBe(0)
})
