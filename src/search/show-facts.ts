/** A fact is shown as it is believed now, with what contradicts it. */

import type { FactShown } from '../core/answer.js'
import { effectiveConfidence } from '../core/fact.js'
import { toIso } from '../core/time.js'
import type { FactRow, FactWithOthers } from '../storage/search.js'

export function showFact({ others, ...fact }: FactWithOthers, nowMs: number): FactShown {
  const certainty = effectiveConfidence(fact, nowMs)
  const { createdAtMs, reinforcedAtMs, ...rest } = fact
  return {
    ...rest,
    effectiveConfidence: certainty,
    createdAt: toIso(createdAtMs),
    reinforcedAt: toIso(reinforcedAtMs),
    contradictedBy: others.map((other) => {
      const own = effectiveConfidence(other, nowMs)
      return {
        id: other.id,
        recordId: other.recordId,
        object: other.object,
        effectiveConfidence: own,
        createdAt: toIso(other.createdAtMs),
        isNewer: isNewer(other, fact),
        isMoreCertain: own > certainty,
      }
    }),
  }
}

/** Of two stated in one moment, the later id is the newer. */
function isNewer(other: FactRow, fact: FactRow): boolean {
  return (
    other.createdAtMs > fact.createdAtMs ||
    (other.createdAtMs === fact.createdAtMs && other.id > fact.id)
  )
}
