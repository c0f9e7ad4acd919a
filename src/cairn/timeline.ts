/** What happened around a record or in a stretch of time, in its order, with the sessions it was part of. */

import { badInput } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord, Kind, SessionBrief } from '../core/record.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { Storage } from '../storage/storage.js'
import { summaryOf } from '../text/summary.js'
import { noRecord, type Scope } from './scope.js'

export type TimelineEntry = {
  readonly id: RecordId
  /** When it occurred or, where that is not known, was created. */
  readonly time: string
  readonly kind: Kind
  readonly namespace: string
  readonly title: string | null
  readonly tags: readonly string[]
  /** At most 100 characters. */
  readonly summary: string
  readonly session: string | null
  readonly isAnchor: boolean
}

export type TimelineAnswer = {
  readonly anchor: RecordId | null
  /** Oldest first; one moment by id. */
  readonly entries: readonly TimelineEntry[]
  /** Those of the entries, each once. */
  readonly sessions: readonly SessionBrief[]
  readonly next: string | null
}

export type TimelineParts = {
  readonly storage: Storage
  readonly scope: Scope
  readonly now: () => number
}

export function createTimeline({ storage, scope, now }: TimelineParts) {
  const answer = async (
    records: readonly CairnRecord[],
    anchor: RecordId | null,
    next: string | null,
  ): Promise<TimelineAnswer> => {
    const ids = records.map(({ id }) => id)
    const moment = { asOfMs: undefined, nowMs: now() }
    const request = {
      ...moment,
      withFacts: false,
      neighbours: 0,
      pinnedNamespace: scope.pinnedNamespace,
    }
    const around = await storage.loadHitContext(ids, request)
    const sessions = new Map<string, SessionBrief>()
    for (const { session } of around.values())
      if (session !== null) sessions.set(session.id, session)
    return {
      anchor,
      entries: records.map((record) => toEntry(record, anchor)),
      sessions: [...sessions.values()],
      next,
    }
  }
  return async (input: requests.TimelineInput = {}): Promise<TimelineAnswer> => {
    const { anchor, before, after, since, until, ...range } = check(requests.timelineRequest, input)
    if (anchor !== undefined && (since !== undefined || until !== undefined)) {
      throw badInput('A timeline is around a record or over a stretch of time, not both.')
    }
    if (anchor === undefined) {
      const page = await storage.timelineRange({
        namespaces: scope.narrow(range.namespaces),
        sinceMs: since ?? null,
        untilMs: until ?? null,
        limit: range.limit,
        cursor: range.cursor,
      })
      return answer(page.records, null, page.next)
    }
    const [record] = await scope.findAll([anchor], 'live')
    const records = record && (await storage.timelineAround({ anchor: record.id, before, after }))
    if (!record || !records) throw noRecord(anchor)
    return answer(records, record.id, null)
  }
}

function toEntry(record: CairnRecord, anchor: RecordId | null): TimelineEntry {
  const { id, kind, namespace, title, tags } = record
  return {
    id,
    time: record.occurredAt ?? record.createdAt,
    kind,
    namespace,
    title,
    tags,
    summary: summaryOf(title ?? record.body),
    session: record.sessionId,
    isAnchor: id === anchor,
  }
}
