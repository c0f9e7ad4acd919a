/** Pages of records: newest first, in the order of time, and by the beginning of an id. */

import { type RecordId, SHORTEST_PREFIX } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import { readCursor, shortenIds, toPage, toResolution } from '../cursor.js'
import { OCCURRED } from '../date-filter.js'
import type { TimelineAround, TimelineRange } from '../search.js'
import type { ListRequest, RecordPage, Resolution } from '../storage.js'
import { compileFilter, type PreparedFilter, type PrepareFilter } from './filter.js'
import { type Condition, joinConditions, type Statements, withinSql } from './statements.js'
import { type RowReader, selectRecord } from './tables/records.js'

const RECORDS = `SELECT ${selectRecord('r')} FROM records r`

const DELETED = 'r.deleted_at IS NOT NULL'

const beyond = (side: '<' | '>') =>
  `${OCCURRED} ${side}= :atMs AND (${OCCURRED}, r.id) ${side} (:atMs, :id)`

/** Beside each pair of time and id stands the time alone: an index of an expression is searched by that, not by a pair. */
const SQL = {
  list: (condition: string) => `${RECORDS}
    WHERE ${condition} AND (r.created_at, r.id) < (:atMs, :id)
    ORDER BY r.created_at DESC, r.id DESC LIMIT :limit`,
  resolve: `SELECT r.id FROM records r WHERE r.id >= :from AND r.id < :to AND ${withinSql('r')}
    ORDER BY r.id LIMIT 6`,
  /** Only ids that share the shortest prefix make another one longer. */
  neighbours: `SELECT wanted.value AS id,
      (SELECT r.id FROM records r WHERE r.id >= substr(wanted.value, 1, ${SHORTEST_PREFIX}) AND r.id < wanted.value
        AND ${withinSql('r')} ORDER BY r.id DESC LIMIT 1) AS before,
      (SELECT r.id FROM records r WHERE r.id > wanted.value AND r.id < substr(wanted.value, 1, ${SHORTEST_PREFIX}) || '~'
        AND ${withinSql('r')} ORDER BY r.id LIMIT 1) AS after
    FROM json_each(:ids) wanted ORDER BY wanted.key`,
  anchor: `SELECT r.namespace, ${OCCURRED} AS time, r.id FROM records r WHERE r.id = :anchor`,
  before: (condition: string) => `${RECORDS}
    WHERE r.namespace = :namespace AND ${OCCURRED} <= :time AND (${OCCURRED}, r.id) < (:time, :id) AND ${condition}
    ORDER BY ${OCCURRED} DESC, r.id DESC LIMIT :before`,
  from: (condition: string) => `${RECORDS}
    WHERE r.namespace = :namespace AND ${OCCURRED} >= :time AND (${OCCURRED}, r.id) >= (:time, :id)
      AND (r.id = :id OR (${condition}))
    ORDER BY ${OCCURRED}, r.id LIMIT :after + 1`,
  range: (condition: string, order: '' | 'DESC') => `${RECORDS}
    WHERE ${condition} ORDER BY ${OCCURRED} ${order}, r.id ${order} LIMIT :limit`,
} as const

export function createListing(statements: Statements, toRecord: RowReader, prepare: PrepareFilter) {
  const compile = (state: string, filter: PreparedFilter, more: Condition | null = null) =>
    joinConditions([
      { sql: state, values: {} },
      statements.timeCheck('r'),
      compileFilter(filter),
      more,
    ])
  return {
    list({ limit, cursor, deleted, ...request }: ListRequest): RecordPage {
      const filter = prepare(request.filter)
      const { sql, values } = compile(deleted ? DELETED : shownState(filter), filter)
      const page = { ...values, ...readCursor(cursor), limit: limit + 1 }
      const records = statements.all(SQL.list(sql), page).map(toRecord)
      return toPage(records, limit, ({ createdAt }) => createdAt)
    },

    resolve(prefix: string, namespace: string | null): Resolution {
      const range = { from: prefix, to: `${prefix}~`, namespace }
      return toResolution(statements.column<RecordId>(SQL.resolve, range))
    },

    shorten: (ids: readonly RecordId[], namespace: string | null) =>
      shortenIds(statements.all(SQL.neighbours, { ids, namespace })),

    timelineAround(request: TimelineAround): CairnRecord[] | null {
      const { anchor, before, after } = request
      const filter = prepare(request.filter)
      const [row] = statements.all(SQL.anchor, { anchor })
      if (row === undefined) return null
      const at = { namespace: String(row.namespace), time: Number(row.time), id: String(row.id) }
      const { namespaces: _, ...rest } = filter
      const { sql, values } = compile(shownState(filter), rest)
      const earlier = statements.all(SQL.before(sql), { ...values, ...at, before })
      const later = statements.all(SQL.from(sql), { ...values, ...at, after })
      return [...earlier.reverse(), ...later].map(toRecord)
    },

    timelineRange(request: TimelineRange): RecordPage {
      const { newestFirst, limit, cursor } = request
      const filter = prepare(request.filter)
      const after = { sql: beyond(newestFirst ? '<' : '>'), values: readCursor(cursor) }
      const { sql, values } = compile(shownState(filter), filter, cursor === null ? null : after)
      const page = { ...values, limit: limit + 1 }
      const rows = statements.all(SQL.range(sql, newestFirst ? 'DESC' : ''), page)
      return toPage(rows.map(toRecord), limit, (record) => record.occurredAt ?? record.createdAt)
    },
  }
}

function shownState({ includeSuperseded }: PreparedFilter): string {
  return includeSuperseded ? 'r.deleted_at IS NULL' : 'r.present'
}
