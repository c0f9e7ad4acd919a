import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECTORS } from './record.js'
import {
  BY_HAND,
  DECAY_RATES,
  deemphasizeSalience,
  effectiveSalience,
  LEAST_SALIENCE,
  REINFORCEMENT,
  reinforceSalience,
  START_SALIENCE,
  type StoredSalience,
} from './salience.js'

const DAY = 86_400_000
const NOW = 1_780_000_000_000

const salience = fc.double({ min: LEAST_SALIENCE, max: 1, noNaN: true })
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const days = fc.double({ min: -1000, max: 40_000, noNaN: true })
const sector = fc.option(fc.constantFrom(...SECTORS))
const stored: fc.Arbitrary<StoredSalience> = fc.record({
  salience,
  importance: unit,
  sector,
  accessedAtMs: days.map((count) => NOW - count * DAY),
})
const TINY = 1e-12

function leftAfter(days: number, changes: Partial<StoredSalience> = {}): number {
  const start = { salience: START_SALIENCE, importance: 0.5, sector: 'semantic' as const }
  return effectiveSalience({ ...start, accessedAtMs: NOW - days * DAY, ...changes }, NOW)
}

describe('fading', () => {
  test('[M5] the example worked by hand', () => {
    expect(leftAfter(30)).toBeCloseTo(0.4613, 4)
    expect(leftAfter(30, { sector: 'episodic' })).toBeCloseTo(0.3369, 4)
    expect(leftAfter(30, { importance: 0 })).toBeCloseTo(0.4491, 4)
  })

  test('[M5] an event fades first and an insight last', () => {
    const order = [...SECTORS].sort(
      (a, b) => leftAfter(100, { sector: a }) - leftAfter(100, { sector: b }),
    )
    expect(order).toEqual(['episodic', 'emotional', 'procedural', 'semantic', 'reflective'])
  })

  test('what has no sector does not fade', () => {
    fc.assert(
      fc.property(stored, (one) => {
        expect(effectiveSalience({ ...one, sector: null }, NOW)).toBe(one.salience)
      }),
    )
  })

  test('a decay of 0 switches fading off, and a larger one hastens it', () => {
    fc.assert(
      fc.property(stored, unit, (one, decay) => {
        expect(effectiveSalience(one, NOW, 0)).toBe(one.salience)
        const slow = effectiveSalience(one, NOW, decay)
        expect(effectiveSalience(one, NOW, decay + 1)).toBeLessThanOrEqual(slow + TINY)
      }),
    )
  })

  test('a clock that jumped back counts as no time at all', () => {
    expect(leftAfter(-5)).toBe(START_SALIENCE)
    expect(leftAfter(-5, { accessedAtMs: NOW + DAY })).toBe(START_SALIENCE)
  })

  test('[M5] salience stays within its bounds, and never rises by waiting', () => {
    fc.assert(
      fc.property(stored, (one) => {
        const value = effectiveSalience(one, NOW)
        expect(value).toBeGreaterThanOrEqual(LEAST_SALIENCE)
        expect(value).toBeLessThanOrEqual(one.salience)
      }),
    )
  })

  test('the longer it was not seen, the weaker it is', () => {
    fc.assert(
      fc.property(stored, fc.nat(10_000), (one, more) => {
        const later = effectiveSalience(one, NOW + more * DAY)
        expect(later).toBeLessThanOrEqual(effectiveSalience(one, NOW) + TINY)
      }),
    )
  })

  test('what was stronger stays stronger, and what is more important fades more slowly', () => {
    fc.assert(
      fc.property(stored, salience, unit, (one, other, importance) => {
        const value = effectiveSalience(one, NOW)
        if (other >= one.salience) {
          const stronger = effectiveSalience({ ...one, salience: other }, NOW)
          expect(stronger).toBeGreaterThanOrEqual(value - TINY)
        }
        if (importance >= one.importance) {
          const kept = effectiveSalience({ ...one, importance }, NOW)
          expect(kept).toBeGreaterThanOrEqual(value - TINY)
        }
      }),
    )
  })

  test('a stored value out of bounds, or no number, is read as the nearest bound', () => {
    expect(leftAfter(0, { salience: 7 })).toBe(1)
    expect(leftAfter(0, { salience: -1 })).toBe(LEAST_SALIENCE)
    expect(leftAfter(0, { salience: Number.NaN })).toBe(LEAST_SALIENCE)
    expect(leftAfter(30, { importance: 9 })).toBe(leftAfter(30, { importance: 1 }))
  })

  test('every sector has a rate', () => {
    expect(Object.keys(DECAY_RATES).sort()).toEqual([...SECTORS].sort())
  })
})

describe('reinforcing and de-emphasising', () => {
  test('[M5] the examples worked by hand', () => {
    expect(reinforceSalience(0.5)).toBeCloseTo(0.51, 10)
    expect(reinforceSalience(reinforceSalience(0.5))).toBeCloseTo(0.5198, 10)
    expect(deemphasizeSalience(0.5)).toBeCloseTo(0.4, 10)
    expect(deemphasizeSalience(0.1)).toBe(LEAST_SALIENCE)
  })

  test('[M5] a thousand reinforcements bring it near 1 and never above', () => {
    let value = START_SALIENCE
    for (let i = 0; i < 1000; i++) {
      const next = reinforceSalience(value, REINFORCEMENT)
      expect(next).toBeGreaterThanOrEqual(value)
      expect(next).toBeLessThanOrEqual(1)
      value = next
    }
    expect(value).toBeGreaterThan(0.999)
  })

  test('each reinforcement adds less than the one before', () => {
    fc.assert(
      fc.property(salience, fc.double({ min: 0, max: 1, noNaN: true }), (value, amount) => {
        const once = reinforceSalience(value, amount)
        const twice = reinforceSalience(once, amount)
        expect(twice - once).toBeLessThanOrEqual(once - value + TINY)
      }),
    )
  })

  test('an amount of 0 changes nothing', () => {
    fc.assert(
      fc.property(salience, (value) => {
        expect(reinforceSalience(value, 0)).toBe(value)
        expect(deemphasizeSalience(value, 0)).toBe(value)
      }),
    )
  })

  test('[M5] whatever the amount, salience stays within its bounds', () => {
    const amount = fc.double({ min: -5, max: 5, noNaN: true })
    fc.assert(
      fc.property(salience, amount, (value, amount) => {
        for (const changed of [
          reinforceSalience(value, amount),
          deemphasizeSalience(value, amount),
        ]) {
          expect(changed).toBeGreaterThanOrEqual(LEAST_SALIENCE)
          expect(changed).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  test('de-emphasis by hand, again and again, ends at the least', () => {
    let value = 1
    for (let i = 0; i < 20; i++) value = deemphasizeSalience(value, BY_HAND)
    expect(value).toBe(LEAST_SALIENCE)
  })
})
