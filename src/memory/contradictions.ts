/** Facts that cannot all hold are shown side by side, with what speaks for each; nobody decides here. */

import type { FactType } from '../core/fact.js'

/** A stored fact as it is believed now. */
export type KnownFact = {
  readonly id: string
  readonly type: FactType
  readonly subject: string
  readonly predicate: string
  readonly object: string
  /** Effective, 0..1. */
  readonly confidence: number
  readonly createdAtMs: number
  readonly recordId: string
}

export type Contradiction = {
  /** As the newest fact writes them. */
  readonly subject: string
  readonly predicate: string
  /** Newest first. */
  readonly facts: readonly KnownFact[]
  readonly newest: string
  readonly mostCertain: string
}

/**
 * Facts with the same subject and predicate and with different objects, grouped; the group with the newest fact first.
 * Case, spaces and a leading article make no difference: "The Server" is "server".
 * By hand: (port, is, 5432) of Monday with .6 and (Port, is, 6543) of Friday with .8 are one contradiction, whose
 * newest and most certain fact is the second; a third fact (port, is, 5432) would stand in the same group.
 */
export function contradictionsAmong(facts: readonly KnownFact[]): readonly Contradiction[] {
  const groups = new Map<string, KnownFact[]>()
  for (const fact of facts) {
    const key = JSON.stringify([sameAs(fact.subject), sameAs(fact.predicate)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [fact])
    else group.push(fact)
  }
  return [...groups.values()]
    .filter((group) => new Set(group.map(({ object }) => sameAs(object))).size > 1)
    .map(toContradiction)
    .sort((a, b) => newestFirst(firstOf(a.facts), firstOf(b.facts)))
}

function toContradiction(group: readonly KnownFact[]): Contradiction {
  const facts = [...group].sort(newestFirst)
  const { id: newest, subject, predicate } = firstOf(facts)
  const mostCertain = firstOf([...group].sort(mostCertainFirst)).id
  return { subject, predicate, facts, newest, mostCertain }
}

/** What is written differently and means the same, compared as one. */
function sameAs(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  return plain.replace(/^(?:the|an?) (?=\S)/, '')
}

function newestFirst(a: KnownFact, b: KnownFact): number {
  return b.createdAtMs - a.createdAtMs || compareIds(a, b)
}

/** Of equally certain ones the newer. */
function mostCertainFirst(a: KnownFact, b: KnownFact): number {
  return b.confidence - a.confidence || newestFirst(a, b)
}

function compareIds(a: KnownFact, b: KnownFact): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

function firstOf(facts: readonly KnownFact[]): KnownFact {
  const [first] = facts
  if (first === undefined) throw new Error('A group of facts is empty.')
  return first
}
