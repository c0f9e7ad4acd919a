import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effectiveConfidence, FACT_TYPES } from '../../core/fact.js'
import { SECTORS } from '../../core/record.js'
import { effectiveSalience, type StoredSalience } from '../../core/salience.js'
import { effectiveConfidenceSql, effectiveSalienceSql } from './salience-sql.js'

const DAY = 86_400_000
const NOW = 1_780_000_000_000
const TINY = 1e-11

const db = new Database(':memory:')
const salienceOf = db
  .prepare(
    `SELECT ${effectiveSalienceSql} FROM (SELECT :salience AS salience, :importance AS importance,
      :sector AS sector, :accessedAtMs AS accessed_at, 0 AS created_at) r`,
  )
  .pluck()
const confidenceOf = db
  .prepare(
    `SELECT ${effectiveConfidenceSql} FROM (SELECT :confidence AS confidence, :type AS type,
      :reinforcedAtMs AS reinforced_at) f`,
  )
  .pluck()

/** Also out of bounds: another program may have written them. */
const share = fc.double({ min: -0.5, max: 1.5, noNaN: true })
const moment = fc.integer({ min: NOW - 20_000 * DAY, max: NOW + 100 * DAY })
const stored: fc.Arbitrary<StoredSalience> = fc.record({
  salience: share,
  importance: share,
  sector: fc.constantFrom(null, ...SECTORS),
  accessedAtMs: moment,
})

describe('formulas in SQL', () => {
  test('[M5] the database computes the salience that the formula gives', () => {
    const decays = fc.double({ min: -1, max: 50, noNaN: true })
    fc.assert(
      fc.property(stored, decays, (one, decay) => {
        const inSql = Number(salienceOf.get({ ...one, nowMs: NOW, decay }))
        expect(Math.abs(inSql - effectiveSalience(one, NOW, decay))).toBeLessThanOrEqual(TINY)
        expect(inSql).toBeGreaterThanOrEqual(0.05)
      }),
      { numRuns: 300 },
    )
  })

  test('[M5] what has not faded is exactly what was stored', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.05, max: 1, noNaN: true }), (salience) => {
        const one = { salience, importance: 0.5, sector: 'semantic', accessedAtMs: NOW }
        expect(salienceOf.get({ ...one, nowMs: NOW, decay: 1 })).toBe(salience)
      }),
    )
  })

  test('a record that was never accessed fades from when it was created', () => {
    const one = { salience: 0.5, importance: 0.5, sector: 'semantic', accessedAtMs: null }
    const inSql = salienceOf.get({ ...one, nowMs: 30 * DAY, decay: 1 })
    expect(inSql).toBeCloseTo(0.4613, 4)
  })

  test('[F7] the database computes the confidence that the formula gives', () => {
    const facts = fc.record({
      type: fc.constantFrom(...FACT_TYPES),
      confidence: share,
      reinforcedAtMs: moment,
    })
    fc.assert(
      fc.property(facts, (fact) => {
        const inSql = Number(confidenceOf.get({ ...fact, nowMs: NOW }))
        expect(Math.abs(inSql - effectiveConfidence(fact, NOW))).toBeLessThanOrEqual(TINY)
      }),
      { numRuns: 300 },
    )
  })
})
