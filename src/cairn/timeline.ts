/** Lists records in the order of time, around a record or over a range of dates, with their sessions. */

import { badInput, noRecord } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord, SessionBrief } from '../core/record.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import { summaryOf } from '../text/summary.js'
import type { Context } from './scope.js'

export type TimelineEntry = Pick<
  CairnRecord,
  'id' | 'kind' | 'namespace' | 'title' | 'tags' | 'author'
> & {
  /** When it occurred; if that is unknown, when it was created. */
  readonly time: string
  /** At most 100 characters. */
  readonly summary: string
  readonly session: string | null
  readonly isAnchor: boolean
  readonly isSuperseded: boolean
}

export type TimelineAnswer = {
  readonly anchor: RecordId | null
  /** Oldest first unless `newestFirst` is asked for; entries of the same time by id. */
  readonly entries: readonly TimelineEntry[]
  /** The sessions of the entries, each once. */
  readonly sessions: readonly SessionBrief[]
  readonly next: string | null
}

export function createTimeline({ storage, scope, now }: Context) {
  const answer = async (
    records: readonly CairnRecord[],
    anchor: RecordId | null,
    next: string | null,
  ): Promise<TimelineAnswer> => {
    const ids = records.map(({ id }) => id)
    const contexts = await storage.loadHitContext(ids, {
      asOfMs: undefined,
      nowMs: now(),
      withFacts: false,
      neighbours: 0,
      pinnedNamespace: scope.pinnedNamespace,
    })
    const sessions = [...contexts.values()].flatMap(({ session }) => session ?? [])
    const byId = new Map(sessions.map((session) => [session.id, session]))
    const entries = records.map((record) => toEntry(record, anchor))
    return { anchor, entries, sessions: [...byId.values()], next }
  }

  return async (input: requests.TimelineInput = {}): Promise<TimelineAnswer> => {
    const request = check(requests.timelineRequest, input, now())
    const { anchor, before, after, since, until, newestFirst, limit, cursor } = request
    if (anchor !== undefined && (since !== undefined || until !== undefined)) {
      throw badInput('A timeline is around a record or over a stretch of time, not both.')
    }
    const { namespaces, kinds, tags, includeSuperseded } = request
    const filter = await scope.filter({
      ...{ namespaces, kinds, tags, includeSuperseded, since, until },
      ...{ dateField: 'occurred', includeDocuments: true, includeGlobal: false },
    })
    if (anchor === undefined) {
      const page = await storage.timelineRange({ filter, newestFirst, limit, cursor })
      return answer(page.records, null, page.next)
    }
    const { id } = await scope.findOne(anchor)
    const records = await storage.timelineAround({ anchor: id, filter, before, after })
    if (!records) throw noRecord(anchor)
    return answer(newestFirst ? records.toReversed() : records, id, null)
  }
}

function toEntry(record: CairnRecord, anchor: RecordId | null): TimelineEntry {
  const { id, kind, namespace, title, tags, author } = record
  return {
    id,
    time: record.occurredAt ?? record.createdAt,
    kind,
    namespace,
    title,
    tags,
    author,
    summary: summaryOf(title ?? record.body),
    session: record.sessionId,
    isAnchor: id === anchor,
    isSuperseded: record.supersededAt !== null,
  }
}
