import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FACT_TYPES } from '../core/fact.js'
import { findContradictions, type KnownFact } from './contradictions.js'

const fact = (id: string, object: string, changes: Partial<KnownFact> = {}): KnownFact => ({
  id,
  type: 'kv',
  subject: 'port',
  predicate: 'is',
  object,
  confidence: 0.8,
  createdAtMs: 1000,
  recordId: `record of ${id}`,
  ...changes,
})

describe('contradictions', () => {
  test('[F6] the example worked by hand', () => {
    const monday = fact('a', '5432', { confidence: 0.6 })
    const friday = fact('b', '6543', { subject: 'Port', createdAtMs: 5000 })
    const again = fact('c', '5432', { createdAtMs: 3000, confidence: 0.1 })
    expect(findContradictions([monday, friday, again])).toEqual([
      {
        subject: 'Port',
        predicate: 'is',
        facts: [friday, again, monday],
        newest: 'b',
        mostCertain: 'b',
      },
    ])
  })

  test('facts that agree, and facts about different things, do not contradict each other', () => {
    expect(findContradictions([])).toEqual([])
    expect(findContradictions([fact('a', '5432')])).toEqual([])
    expect(findContradictions([fact('a', 'The  Office'), fact('b', 'office')])).toEqual([])
    expect(findContradictions([fact('a', '1'), fact('b', '2', { subject: 'host' })])).toEqual([])
    expect(findContradictions([fact('a', '1'), fact('b', '2', { predicate: 'was' })])).toEqual([])
  })

  test('case, spaces and a leading article make no difference', () => {
    const facts = [
      fact('a', 'up', { subject: 'The staging  server' }),
      fact('b', 'down', { subject: 'staging Server', predicate: ' IS' }),
    ]
    expect(findContradictions(facts)).toHaveLength(1)
  })

  test('several things that somebody likes are shown: the reader decides', () => {
    const likes = { type: 'preference', subject: 'Ana', predicate: 'likes' } as const
    const [found] = findContradictions([fact('a', 'tea', likes), fact('b', 'coffee', likes)])
    expect(found?.facts.map(({ object }) => object)).toEqual(['tea', 'coffee'])
  })

  test('the most certain fact need not be the newest', () => {
    const old = fact('a', '1', { confidence: 0.9 })
    const late = fact('b', '2', { confidence: 0.5, createdAtMs: 9000 })
    expect(findContradictions([old, late])[0]).toMatchObject({ newest: 'b', mostCertain: 'a' })
  })

  test('facts of equal time and confidence are sorted by id', () => {
    const found = findContradictions([fact('b', '2'), fact('a', '1')])[0]
    expect(found).toMatchObject({ newest: 'a', mostCertain: 'a' })
  })

  test('the order in which facts come makes no difference, and none is lost or shown twice', () => {
    const known = fc.record({
      id: fc.string({ minLength: 1, maxLength: 3 }),
      type: fc.constantFrom(...FACT_TYPES),
      subject: fc.constantFrom('port', 'Port', 'the port', 'host', '', 'the'),
      predicate: fc.constantFrom('is', 'was'),
      object: fc.constantFrom('1', '2', 'A ', 'a'),
      confidence: fc.constantFrom(0.1, 0.5, 0.5, 1),
      createdAtMs: fc.nat(3),
      recordId: fc.constant('r'),
    })
    const facts = fc.uniqueArray(known, { selector: ({ id }) => id, maxLength: 12 })
    fc.assert(
      fc.property(facts, (facts) => {
        const found = findContradictions(facts)
        expect(findContradictions([...facts].reverse())).toEqual(found)
        const shown = found.flatMap((one) => one.facts.map(({ id }) => id))
        expect(new Set(shown).size).toBe(shown.length)
        for (const one of found) {
          expect(one.facts.length).toBeGreaterThan(1)
          expect(one.facts[0]?.id).toBe(one.newest)
          const most = one.facts.find(({ id }) => id === one.mostCertain)?.confidence
          expect(most).toBe(Math.max(...one.facts.map(({ confidence }) => confidence)))
        }
      }),
    )
  })
})
