/** Salience: how strongly a record is remembered, and how that decays and is reinforced. */

import type { Sector } from './record.js'
import { daysSince } from './time.js'

/** Nothing is forgotten altogether. */
export const LEAST_SALIENCE = 0.05
export const START_SALIENCE = 0.5
/** The gain by one recall, as a share of the distance to 1. */
export const REINFORCEMENT = 0.02
/** The default amount of an explicit reinforce or deemphasize. */
export const BY_HAND = 0.1

/** Decay per day since the last access: an event fades in weeks, an insight in years. */
export const DECAY_RATES: Readonly<Record<Sector, number>> = {
  episodic: 0.02,
  emotional: 0.015,
  procedural: 0.008,
  semantic: 0.004,
  reflective: 0.002,
}

export type StoredSalience = {
  readonly salience: number
  readonly importance: number
  /** Null for documents and works, which do not fade. */
  readonly sector: Sector | null
  readonly accessedAtMs: number
}

/**
 * 0.05 + (s − 0.05) · exp(−rate · decay · days · (1 − importance/2)); a clock that jumped back counts as 0 days.
 * By hand: .5, importance .5, semantic, 30 days → exp(−.004 · 30 · .75) = exp(−.09) = .9139,
 * .05 + .45 · .9139 = .4613.
 */
export function effectiveSalience(stored: StoredSalience, nowMs: number, decay = 1): number {
  const salience = clamp(stored.salience, LEAST_SALIENCE, 1)
  const rate = stored.sector === null ? 0 : DECAY_RATES[stored.sector] * Math.max(0, decay)
  const days = daysSince(stored.accessedAtMs, nowMs)
  const kept = Math.exp(-rate * days * (1 - clamp(stored.importance, 0, 1) / 2))
  // The same sum in another order: exactly s where nothing fades, exactly .05 at the end of time.
  const faded = LEAST_SALIENCE * (1 - kept) + salience * kept
  return clamp(faded, LEAST_SALIENCE, salience)
}

/**
 * s + amount · (1 − s), within .05 and 1: the stronger it is, the less a recall adds.
 * By hand: .5 and .02 → .5 + .02 · .5 = .51; a second time .51 + .02 · .49 = .5198.
 */
export function reinforceSalience(effective: number, amount: number = REINFORCEMENT): number {
  return clamp(effective + amount * (1 - effective), LEAST_SALIENCE, 1)
}

/** max(.05, s − amount). By hand: .5 and .1 → .4; .1 and .1 → .05. */
export function deemphasizeSalience(effective: number, amount: number = BY_HAND): number {
  return clamp(effective - amount, LEAST_SALIENCE, 1)
}

/** `value` within the bounds; NaN becomes `least`. */
export function clamp(value: number, least: number, most: number): number {
  return value > least ? Math.min(most, value) : least
}
