/** Records in the order of time, ties by id, and none of them lost between two pages. */

import type { RecordId } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import type { TimelineAround, TimelineRange } from '../hit-context.js'
import type { RecordPage } from '../storage.js'
import { readCursor, writeCursor } from './cursor.js'
import type { Row, Statements } from './statements.js'
import { type RowReader, SHOWN_COLUMNS } from './tables/records.js'

const TIME = 'coalesce(r.occurred_at, r.created_at)'
const IN_NAMESPACES = 'r.namespace IN (SELECT value FROM json_each(:namespaces))'

/** Beside each pair of time and id the time alone: an index of an expression is searched by that, not by a pair. */
const SQL = {
  anchor: `SELECT r.namespace, ${TIME} AS time, r.id FROM records r WHERE r.id = :anchor`,
  before: `SELECT ${SHOWN_COLUMNS}, ${TIME} AS time FROM records r
    WHERE r.namespace = :namespace AND r.present AND ${TIME} <= :time AND (${TIME}, r.id) < (:time, :id)
    ORDER BY ${TIME} DESC, r.id DESC LIMIT :before`,
  from: `SELECT ${SHOWN_COLUMNS}, ${TIME} AS time FROM records r
    WHERE r.namespace = :namespace AND (r.present OR r.id = :id)
      AND ${TIME} >= :time AND (${TIME}, r.id) >= (:time, :id)
    ORDER BY ${TIME}, r.id LIMIT :after + 1`,
  range: (condition: string) => `SELECT ${SHOWN_COLUMNS}, ${TIME} AS time FROM records r
    WHERE r.present AND ${condition} ORDER BY ${TIME}, r.id LIMIT :limit`,
} as const

export function createTimeline(statements: Statements, toRecord: RowReader) {
  return {
    /** Oldest first, with the anchor in its place; null where it is unknown. */
    around({ anchor, before, after }: TimelineAround): CairnRecord[] | null {
      const [place] = statements.all(SQL.anchor, { anchor })
      if (place === undefined) return null
      const at = placeOf(place)
      const earlier = statements.all(SQL.before, { ...at, before })
      return [...earlier.reverse(), ...statements.all(SQL.from, { ...at, after })].map(toRecord)
    },
    /** Oldest first, from the cursor on. */
    range({ namespaces, sinceMs, untilMs, limit, cursor }: TimelineRange): RecordPage {
      const from = cursor === null ? null : readCursor(cursor)
      const parts = [
        ...(namespaces === null ? [] : [IN_NAMESPACES]),
        ...(sinceMs === null ? [] : [`${TIME} >= :sinceMs`]),
        ...(untilMs === null ? [] : [`${TIME} < :untilMs`]),
        ...(from === null ? [] : [`${TIME} >= :atMs AND (${TIME}, r.id) > (:atMs, :id)`]),
      ]
      const rows = statements.all(SQL.range(parts.length === 0 ? 'true' : parts.join(' AND ')), {
        // One more than the limit tells that there are more.
        limit: limit + 1,
        ...(namespaces === null ? {} : { namespaces: JSON.stringify(namespaces) }),
        ...(sinceMs === null ? {} : { sinceMs }),
        ...(untilMs === null ? {} : { untilMs }),
        ...from,
      })
      const records = rows.slice(0, limit).map(toRecord)
      const last = rows.length > limit ? records.at(-1) : undefined
      const next = last && writeCursor(last.occurredAt ?? last.createdAt, last.id)
      return { records, next: next ?? null }
    },
  }
}

function placeOf(row: Row) {
  return {
    namespace: row.namespace as string,
    time: Number(row.time),
    id: row.id as RecordId,
  }
}
