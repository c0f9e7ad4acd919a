/** Facts: subject, predicate and object with a confidence that decays by the type of the fact. */

import { clamp } from './salience.js'
import { daysSince } from './time.js'

export const FACT_TYPES = [
  'kv',
  'relationship',
  'preference',
  'temporal',
  'identity',
  'location',
  'decision',
  'state',
] as const
export type FactType = (typeof FACT_TYPES)[number]

/** Whether rules or a model extract facts, and summarise and title a session. */
export const EXTRACTORS = ['rules', 'model', 'both'] as const
export type Extractor = (typeof EXTRACTORS)[number]

/** Decay per day since the fact was last reinforced: an identity lasts for years, a date for days. */
export const FACT_DECAY_RATES: Readonly<Record<FactType, number>> = {
  identity: 0.001,
  decision: 0.002,
  relationship: 0.003,
  location: 0.005,
  preference: 0.01,
  kv: 0.01,
  state: 0.05,
  temporal: 0.1,
}

/** The gain of a fact that is stated again, as a share of the distance to 1. */
export const SAID_AGAIN = 0.1

export type NewFact = {
  readonly type: FactType
  readonly subject: string
  readonly predicate: string
  readonly object: string
  /** 0..1, when it was stated. */
  readonly confidence: number
  /** The sentence it was taken from, as it was written; null if a person stated the fact. */
  readonly quote: string | null
}

export type StoredConfidence = Pick<NewFact, 'type' | 'confidence'> & {
  readonly reinforcedAtMs: number
}

/**
 * confidence · exp(−rate · days); a clock that jumped back counts as 0 days.
 * By hand: a state of .8 after 10 days → .8 · exp(−.05 · 10) = .8 · .6065 = .4852.
 */
export function effectiveConfidence(stored: StoredConfidence, nowMs: number): number {
  const days = daysSince(stored.reinforcedAtMs, nowMs)
  return clamp(stored.confidence, 0, 1) * Math.exp(-FACT_DECAY_RATES[stored.type] * days)
}

/** c + amount · (1 − c), within 0 and 1. By hand: .6 and .02 → .6 + .02 · .4 = .608. */
export function reinforceConfidence(effective: number, amount: number): number {
  return clamp(effective + amount * (1 - effective), 0, 1)
}

/**
 * The key under which facts about the same subject and predicate meet, without case, accents and articles.
 * By hand: "The Café" and "opens  at" → "cafe", U+001F, "opens at".
 */
export function factTopic(subject: string, predicate: string): string {
  return `${foldPart(subject)}\u001F${foldPart(predicate)}`
}

/** Two statements with one key say the same. */
export function factKey({ subject, predicate, object }: Statement): string {
  return `${factTopic(subject, predicate)}\u001F${foldPart(object)}`
}

export function isSameObject(one: string, other: string): boolean {
  return foldPart(one) === foldPart(other)
}

type Statement = Pick<NewFact, 'subject' | 'predicate' | 'object'>

/** The same subject and predicate, and another object. */
export function isContrary(one: Statement, other: Statement): boolean {
  const isSameTopic =
    factTopic(one.subject, one.predicate) === factTopic(other.subject, other.predicate)
  return isSameTopic && !isSameObject(one.object, other.object)
}

/** The form in which parts of facts are compared: without case, accents and a leading article. */
function foldPart(part: string): string {
  return foldText(part).replace(/^(?:an?|the) (?=.)/, '')
}

export function foldText(text: string): string {
  return (
    text
      .normalize('NFKD')
      // The accents of Latin, Greek and Cyrillic; the marks of other scripts make another letter: か and が.
      .replace(/[\u0300-\u036F]/g, '')
      .normalize('NFC')
      .toLowerCase()
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
  )
}
