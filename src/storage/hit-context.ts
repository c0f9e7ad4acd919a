/** Joins what was read about the hits of a page: session, successor, links, facts and neighbouring turns. */

import type { Successor, Turn } from '../core/answer.js'
import { isSameObject } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import type { SessionBrief } from '../core/record.js'
import { toTitle } from './memory-rows.js'
import type { FactRow, FactWithOthers, HitContext } from './search.js'

type Row = Readonly<Record<string, unknown>>
type TopicRow = FactRow & { readonly topic: string }

type ContextRows = {
  readonly about: readonly Row[]
  readonly facts: ReadonlyMap<RecordId, FactWithOthers[]>
  readonly turns: readonly Row[]
  /** Turns the stored times of these columns into those of an answer. */
  readonly convertTimes: (row: Row, names: readonly string[]) => unknown
}

export function joinContexts(
  ids: readonly RecordId[],
  { about, facts, turns, convertTimes }: ContextRows,
): Map<RecordId, HitContext> {
  const toBrief = ({ id, namespace, startedAt, endedAt, summary, ...row }: Row) => {
    const title = row.title ?? toTitle(row.opening)
    const brief = { id, namespace, title, startedAt, endedAt, summary }
    return convertTimes(brief, ['startedAt', 'endedAt']) as SessionBrief
  }
  const toSuccessor = ({ newerId: id, newerText: text, newerAt: createdAt }: Row) =>
    convertTimes({ id, text, createdAt }, ['createdAt']) as Successor
  const toTurn = ({ id, title, body, people, time: at }: Row) =>
    convertTimes({ id, title, body, people, at }, ['at']) as Turn
  const byId = new Map(about.map((row) => [row.record as RecordId, row]))
  return new Map(
    ids.map((id) => {
      const row = byId.get(id) ?? {}
      const near = turns.filter(({ record }) => record === id)
      const context: HitContext = {
        session: row.id ? toBrief(row) : null,
        supersededBy: row.newerId ? toSuccessor(row) : null,
        relatedCount: Number(row.related ?? 0),
        facts: facts.get(id) ?? [],
        effectiveConfidence: Number(row.confidence ?? 1),
        before: near.filter(({ isBefore }) => isBefore).map(toTurn),
        after: near.filter(({ isBefore }) => !isBefore).map(toTurn),
      }
      return [id, context]
    }),
  )
}

/** Adds to each fact the others on its topic that contradict it. */
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
