/** Joins the facts of hits with other facts of the same topic that contradict them. */

import { isSameObject } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import type { FactRow, FactWithOthers } from './search.js'

type TopicRow = FactRow & { readonly topic: string }

export function joinFacts(
  own: readonly object[],
  onTopic: readonly object[],
): Map<RecordId, FactWithOthers[]> {
  const byRecord = new Map<RecordId, FactWithOthers[]>()
  for (const { topic, ...fact } of own as readonly TopicRow[]) {
    const others = (onTopic as readonly TopicRow[])
      .filter((one) => one.topic === topic && !isSameObject(one.object, fact.object))
      .map(({ topic: _, ...other }) => other)
    byRecord.set(fact.recordId, [...(byRecord.get(fact.recordId) ?? []), { ...fact, others }])
  }
  return byRecord
}
