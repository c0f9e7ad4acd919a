import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createResultCache, freeze, type ResultCacheLimits } from './cache.js'

function cacheOf(limits: Partial<ResultCacheLimits> = {}) {
  return createResultCache<number>({
    ...{ maxEntries: 3, maxSize: 100, ttlMs: 1000, now: () => 0 },
    ...limits,
  })
}
const one = (value: number, size = 1) => ({ value, size })

test('[L9] a value is found only under its key and version', () => {
  const cache = cacheOf()
  expect(cache.find('a', 'v1')).toBeNull()
  cache.store('a', 'v1', one(7))
  expect(cache.find('a', 'v1')).toBe(7)
  expect(cache.find('b', 'v1')).toBeNull()
  expect(cache.find('a', 'v2')).toBeNull()
  expect(cache.find('a', 'v1')).toBeNull()
})

test('[L9] a value of an outdated version is not cached', () => {
  const cache = cacheOf()
  cache.find('a', 'v1')
  cache.find('b', 'v2')
  cache.store('a', 'v1', one(1))
  expect(cache.find('a', 'v2')).toBeNull()
  cache.find('a', 'v1')
  expect(cache.find('a', 'v1')).toBeNull()
})

test('[L9] the time to live ends at its last millisecond, and also if the clock is set back', () => {
  let now = 5000
  const cache = cacheOf({ now: () => now })
  cache.find('a', 'v')
  cache.store('a', 'v', one(1))
  now = 5999
  expect(cache.find('a', 'v')).toBe(1)
  now = 6000
  expect(cache.find('a', 'v')).toBeNull()
  cache.store('a', 'v', one(2))
  now = 5999
  expect(cache.find('a', 'v')).toBeNull()
})

test('[L9] a lookup does not extend the time to live, storing again does', () => {
  let now = 0
  const cache = cacheOf({ now: () => now })
  cache.find('a', 'v')
  cache.store('a', 'v', one(1))
  now = 900
  expect(cache.find('a', 'v')).toBe(1)
  now = 1000
  expect(cache.find('a', 'v')).toBeNull()
  cache.store('a', 'v', one(2))
  now = 1900
  expect(cache.find('a', 'v')).toBe(2)
})

test.each([{ maxEntries: 0 }, { ttlMs: 0 }, { maxSize: 0 }])(
  '[L9] a limit of zero caches nothing: %j',
  (limits) => {
    const cache = cacheOf(limits)
    cache.find('a', 'v')
    cache.store('a', 'v', one(1))
    expect(cache.find('a', 'v')).toBeNull()
  },
)

test('[L9] a value larger than the size limit is not cached and evicts nothing', () => {
  const cache = cacheOf({ maxSize: 10 })
  cache.find('a', 'v')
  cache.store('a', 'v', one(1))
  cache.store('b', 'v', one(2, 11))
  expect([cache.find('a', 'v'), cache.find('b', 'v')]).toEqual([1, null])
})

test('[L9] repeated lookups do not change the counted size', () => {
  const cache = cacheOf({ maxSize: 10 })
  cache.find('a', 'v')
  cache.store('a', 'v', one(1, 5))
  for (let i = 0; i < 5; i++) cache.find('a', 'v')
  cache.store('b', 'v', one(2, 5))
  expect([cache.find('a', 'v'), cache.find('b', 'v')]).toEqual([1, 2])
  cache.store('c', 'v', one(3, 5))
  expect(['a', 'b', 'c'].map((name) => cache.find(name, 'v'))).toEqual([null, 2, 3])
})

/** A slow and simple cache: a list with the least recently used entry first. */
function obviousCache({ maxEntries, maxSize, ttlMs, now }: ResultCacheLimits) {
  type Line = { key: string; value: number; size: number; atMs: number }
  let lines: Line[] = []
  let version = ''
  return {
    find(key: string, asked: string): number | null {
      if (asked !== version) lines = []
      version = asked
      const line = lines.find((other) => other.key === key)
      lines = lines.filter((other) => other.key !== key)
      if (line === undefined || now() < line.atMs || now() >= line.atMs + ttlMs) return null
      lines.push(line)
      return line.value
    },
    store(key: string, asked: string, { value, size }: { value: number; size: number }): void {
      if (asked !== version || size > maxSize) return
      lines = [...lines.filter((line) => line.key !== key), { key, value, size, atMs: now() }]
      const total = () => lines.reduce((sum, line) => sum + line.size, 0)
      while (lines.length > maxEntries || total() > maxSize) lines.shift()
    },
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const version = fc.oneof({ weight: 30, arbitrary: fc.constant('v1') }, fc.constant('v2'))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('find' as const), key, version }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('store' as const), key, version, size: fc.nat(6) }),
  },
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -20, max: 60 }) }),
)

test('[L9] any sequence of lookups, stores and waits gives the results of a simple cache', () => {
  const limits = fc.record({
    maxEntries: fc.nat(4),
    maxSize: fc.nat(12),
    ttlMs: fc.nat(100),
  })
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 80, size: 'max' }), (given, steps) => {
      let nowMs = 0
      const all = { ...given, now: () => nowMs }
      const [real, obvious] = [createResultCache<number>(all), obviousCache(all)]
      for (const [i, one] of steps.entries()) {
        if (one.kind === 'wait') nowMs += one.ms
        else if (one.kind === 'find')
          expect(real.find(one.key, one.version)).toBe(obvious.find(one.key, one.version))
        else
          for (const cache of [real, obvious])
            cache.store(one.key, one.version, { ...one, value: i })
      }
    }),
    { numRuns: 200 },
  )
})

function isFrozen(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return true
  return Object.isFrozen(data) && Object.values(data).every(isFrozen)
}

test('[L9] any plain data is frozen deeply and stays equal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const before = structuredClone(data)
      expect(freeze(data)).toBeGreaterThan(0)
      expect(isFrozen(data)).toBe(true)
      expect(data).toEqual(before)
    }),
  )
})

test('[L9] a string counts two bytes for each UTF-16 unit, at any depth', () => {
  const sizeOf = (text: string) => freeze({ hits: [{ body: text }] })
  expect(sizeOf('x'.repeat(1000)) - sizeOf('')).toBe(2000)
  expect(sizeOf('😀') - sizeOf('')).toBe(4)
})

test('[L9] every field and every object adds to the size', () => {
  expect(freeze([])).toBeLessThan(freeze([null]))
  expect(freeze([null])).toBeLessThan(freeze([[]]))
})

test('[L9] data may be nested deeper than the call stack', () => {
  let data: unknown = 'x'
  for (let i = 0; i < 50_000; i++) data = [data]
  expect(freeze(data)).toBeGreaterThan(50_000)
})
