import { expect, test } from 'vitest'
import type { RecordId } from '../core/ids.js'
import { type CandidateWishes, evaluate, makeFacts, NOW } from './candidates.fixture.js'
import { leaf, type Scored } from './explain.js'
import { chooseLens, RANK_SIGNALS } from './lenses.js'
import { applySignals, type SignalSettings } from './signals.js'

const BALANCED = chooseLens('balanced').signals ?? RANK_SIGNALS
const NONE: SignalSettings = {
  recency: null,
  salienceWeight: 0,
  confidenceWeight: 0,
  sectorWeight: 0,
  bound: null,
}
const match = (score: number): Scored => ({ id: 'A' as RecordId, explanation: leaf('m', score) })
const adjusted = (score: number, settings: SignalSettings, wishes: CandidateWishes): number =>
  applySignals(match(score), makeFacts(wishes), { ...settings, now: NOW }).explanation.score

test('[F5] recency multiplies by 1 + w / (1 + days), w 0.1 by default', () => {
  const { recency } = RANK_SIGNALS
  expect(adjusted(0.5, { ...NONE, recency }, { ageDays: 0 })).toBeCloseTo(0.5 * 1.1, 12)
  // 1 + .1/(1 + 4) = 1.02
  expect(adjusted(0.5, { ...NONE, recency }, { ageDays: 4 })).toBeCloseTo(0.5 * 1.02, 12)
  const half = { kind: 'bonus' as const, weight: 0.5 }
  // 1 + .5/(1 + 1) = 1.25
  expect(adjusted(0.5, { ...NONE, recency: half }, { ageDays: 1 })).toBeCloseTo(0.625, 12)
})

test('[F5] a record from the future counts as created today', () => {
  expect(adjusted(0.5, RANK_SIGNALS, { ageDays: -3 })).toBeCloseTo(0.55, 12)
})

test('[F7] in the rank lens the effective confidence is a factor', () => {
  // .5 · (1 + .1/1) · .3
  expect(adjusted(0.5, RANK_SIGNALS, { confidence: 0.3 })).toBeCloseTo(0.165, 12)
  expect(adjusted(0.5, RANK_SIGNALS, { confidence: 0 })).toBe(0)
})

test('[F7, N4] in the default lens confidence lowers a score by at most a fifth', () => {
  const settings = { ...NONE, confidenceWeight: BALANCED.confidenceWeight }
  // .8 + .2 · .5 = .9
  expect(adjusted(0.5, settings, { confidence: 0.5 })).toBeCloseTo(0.45, 12)
  expect(adjusted(0.5, settings, { confidence: 0 })).toBeCloseTo(0.4, 12)
})

test('[N4] salience is neutral at 0.5, and sector counts by a quarter of its boost', () => {
  const salience = { ...NONE, salienceWeight: 0.2 }
  expect(adjusted(0.5, salience, { salience: 0.5 })).toBe(0.5)
  // 1 + .2 · .5 and 1 − .2 · .45
  expect(adjusted(0.5, salience, { salience: 1 })).toBeCloseTo(0.55, 12)
  expect(adjusted(0.5, salience, { salience: 0.05 })).toBeCloseTo(0.455, 12)
  const sector = { ...NONE, sectorWeight: 0.25 }
  expect(adjusted(0.5, sector, { sector: 'reflective' })).toBeCloseTo(0.5 * 1.05, 12)
  expect(adjusted(0.5, sector, { sector: 'episodic' })).toBeCloseTo(0.5 * 0.95, 12)
  expect(adjusted(0.5, sector, { sector: null })).toBe(0.5)
})

test('[N4] worked by hand: the default lens, created yesterday, salience 0.75', () => {
  // .6 · (1 + .1/2) · (1 + .2 · .25) · 1 = .6 · 1.1025
  expect(adjusted(0.6, BALANCED, { ageDays: 1, salience: 0.75 })).toBeCloseTo(0.6615, 12)
})

test('[N4, N5] an excess over 20 % is corrected by a named part of the explanation', () => {
  // 1.1 · 1.1 · 1 · 1.05 = 1.2705 is too much: 1.2
  const much = { salience: 1, sector: 'reflective' as const }
  expect(adjusted(0.5, BALANCED, much)).toBeCloseTo(0.6, 12)
  // 1.0001 · .91 · .8 · .95 = .69 is too little: .8
  const little = { ageDays: 999, salience: 0.05, confidence: 0, sector: 'episodic' as const }
  expect(adjusted(0.5, BALANCED, little)).toBeCloseTo(0.4, 12)
  const options = { ...BALANCED, now: NOW }
  const { explanation } = applySignals(match(0.5), makeFacts(little), options)
  expect(explanation.parts[1]?.parts[1]?.name).toBe('kept within ±20 %')
  expect(evaluate(explanation)).toBeCloseTo(0.4, 12)
})

test('[N4] the bound raises even a signal of 0', () => {
  const settings = { ...NONE, confidenceWeight: 1, bound: 0.2 }
  expect(adjusted(0.5, settings, { confidence: 0 })).toBeCloseTo(0.4, 12)
})

test('[N4] the result is never above 1', () => {
  expect(adjusted(0.95, BALANCED, {})).toBe(1)
})

test('without signals a score stays unchanged', () => {
  const scored = match(0.5)
  expect(applySignals(scored, makeFacts(), { ...NONE, now: NOW })).toBe(scored)
})
