import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  effectiveConfidence,
  FACT_DECAY_RATES,
  FACT_TYPES,
  factTopic,
  foldText,
  isSameObject,
  reinforceConfidence,
  type StoredConfidence,
} from './fact.js'

const DAY = 86_400_000
const NOW = 1_780_000_000_000
const TINY = 1e-12

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const stored: fc.Arbitrary<StoredConfidence> = fc.record({
  type: fc.constantFrom(...FACT_TYPES),
  confidence: unit,
  reinforcedAtMs: fc.integer({ min: NOW - 20_000 * DAY, max: NOW + 100 * DAY }),
})

describe('confidence', () => {
  test('[F7] the example worked by hand', () => {
    const state = { type: 'state', confidence: 0.8, reinforcedAtMs: NOW - 10 * DAY } as const
    expect(effectiveConfidence(state, NOW)).toBeCloseTo(0.4852, 4)
  })

  test('[F6] who somebody is is believed longest and a date shortest', () => {
    const inOrder = [...FACT_TYPES].sort((a, b) => FACT_DECAY_RATES[a] - FACT_DECAY_RATES[b])
    expect(inOrder[0]).toBe('identity')
    expect(inOrder.at(-1)).toBe('temporal')
  })

  test('[F7] confidence stays within 0 and 1, and never rises by waiting', () => {
    fc.assert(
      fc.property(stored, fc.nat(5000), (one, more) => {
        const value = effectiveConfidence(one, NOW)
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(one.confidence)
        expect(effectiveConfidence(one, NOW + more * DAY)).toBeLessThanOrEqual(value + TINY)
      }),
    )
  })

  test('what was more certain stays more certain', () => {
    fc.assert(
      fc.property(stored, unit, (one, other) => {
        fc.pre(other >= one.confidence)
        const more = effectiveConfidence({ ...one, confidence: other }, NOW)
        expect(more).toBeGreaterThanOrEqual(effectiveConfidence(one, NOW))
      }),
    )
  })

  test('a clock that jumped back counts as no time at all', () => {
    const one = { type: 'temporal', confidence: 0.7, reinforcedAtMs: NOW + DAY } as const
    expect(effectiveConfidence(one, NOW)).toBe(0.7)
  })
})

describe('reinforcing a fact', () => {
  test('the example worked by hand', () => {
    expect(reinforceConfidence(0.6, 0.02)).toBeCloseTo(0.608, 10)
  })

  test('an amount of 0 changes nothing, and a thousand reinforcements never exceed 1', () => {
    fc.assert(
      fc.property(unit, unit, (confidence, amount) => {
        expect(reinforceConfidence(confidence, 0)).toBe(confidence)
        let value = confidence
        for (let i = 0; i < 1000; i++) {
          const next = reinforceConfidence(value, amount)
          expect(next).toBeGreaterThanOrEqual(value - TINY)
          value = next
        }
        expect(value).toBeLessThanOrEqual(1)
      }),
      { numRuns: 20 },
    )
  })
})

describe('the topic of a fact', () => {
  test('the example worked by hand', () => {
    expect(factTopic('The Café', 'opens  at')).toBe('cafe\u001Fopens at')
  })

  test('[F6] case, accents, white space and a leading article make no other topic', () => {
    const written = [
      'the staging server',
      'Staging\n server',
      ' A  STAGING SERVER ',
      'Stâging Server',
    ]
    expect(new Set(written.map((subject) => factTopic(subject, 'Runs On'))).size).toBe(1)
  })

  test('an article that is all there is, or part of a word, stays', () => {
    expect(factTopic('The', 'a')).toBe('the\u001Fa')
    expect(factTopic('Theo', 'another')).toBe('theo\u001Fanother')
    expect(factTopic('The The', 'is')).toBe('the\u001Fis')
  })

  test('subject and predicate cannot flow into each other, whatever they hold', () => {
    expect(factTopic('a\u001Fb', 'c')).not.toBe(factTopic('a', 'b\u001Fc'))
    fc.assert(
      fc.property(fc.string(), fc.string(), (subject, predicate) => {
        expect(factTopic(subject, predicate).split('\u001F')).toHaveLength(2)
      }),
    )
  })

  test('marks that make another letter are kept: kana, Hangul, Devanagari, emoji', () => {
    expect(factTopic('かき', 'は')).not.toBe(factTopic('かぎ', 'は'))
    expect(foldText('각')).toBe('각')
    expect(foldText('कि')).not.toBe(foldText('क'))
    expect(foldText('👩‍🚀')).toBe('👩‍🚀')
    expect(factTopic('', '')).toBe('\u001F')
  })

  test('folding a folded text changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text))
      }),
    )
  })

  test('objects are compared as subjects and predicates are', () => {
    expect(isSameObject('École', 'ÉCOLE')).toBe(true)
    expect(isSameObject('École'.normalize('NFD'), 'école'.normalize('NFC'))).toBe(true)
    expect(isSameObject('resume', 'résumé')).toBe(true)
    expect(isSameObject('the  Office', 'office')).toBe(true)
    expect(isSameObject('5432', '6543')).toBe(false)
  })
})
