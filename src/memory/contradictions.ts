/** Finds facts that contradict each other and shows them side by side; it does not decide between them. */

import { factTopic, isSameObject, type NewFact } from '../core/fact.js'
import { groupBy } from '../core/group-by.js'

/** `confidence` is the effective one. */
export type KnownFact = Omit<NewFact, 'quote'> & {
  readonly id: string
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
 * Groups of facts with the same subject and predicate and with different objects; the group with the newest fact first.
 * Case, spaces, accents and a leading article make no difference: "The Server" is "server".
 * By hand: (port, is, 5432) of Monday with .6 and (Port, is, 6543) of Friday with .8 are one contradiction, whose
 * newest and most certain fact is the second; a third fact (port, is, 5432) would join the same group.
 */
export function findContradictions(facts: readonly KnownFact[]): readonly Contradiction[] {
  const sorted = [...facts].sort(newestFirst)
  const groups = groupBy(sorted, ({ subject, predicate }) => factTopic(subject, predicate))
  // A map keeps the order of insertion: groups and the facts in them are newest first.
  return [...groups.values()].flatMap((group) => {
    const [newest] = group
    if (newest === undefined) return []
    if (group.every(({ object }) => isSameObject(object, newest.object))) return []
    const { id, subject, predicate } = newest
    const mostCertain = group.reduce((best, fact) =>
      fact.confidence > best.confidence ? fact : best,
    )
    return [{ subject, predicate, facts: group, newest: id, mostCertain: mostCertain.id }]
  })
}

function newestFirst(a: KnownFact, b: KnownFact): number {
  return b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1)
}
