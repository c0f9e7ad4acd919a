/** Pages of records: newest first, in the order of time, and by the beginning of an id. */

import { Buffer } from 'node:buffer'
import { badInput } from '../../core/errors.js'
import { type RecordId, SHORTEST_PREFIX } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import type { TimelineAround, TimelineRange } from '../search.js'
import type { ListRequest, RecordPage, Resolution } from '../storage.js'
import { compileFilter, type PreparedFilter } from './filter.js'
import type { Row, Statements } from './statements.js'
import { type RowReader, SHOWN_COLUMNS } from './tables/records.js'

/** The last thing of a page; ids tell apart what has one time. */
export type Place = { readonly atMs: number; readonly id: string }

const FROM_THE_TOP: Place = { atMs: Number.MAX_SAFE_INTEGER, id: '~' }

export function writeCursor(at: string, id: string): string {
  return Buffer.from(`${Date.parse(at)}.${id}`).toString('base64url')
}

export function readCursor(cursor: string | null): Place {
  if (cursor === null) return FROM_THE_TOP
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, time, id] = /^(-?\d{1,16})\.(.+)$/s.exec(text) ?? []
  if (time === undefined || id === undefined) {
    throw badInput(
      `"${cursor}" is not a place in a list.`,
      'Use the `next` of the page before, or leave it out.',
    )
  }
  return { atMs: Number(time), id }
}

const SQL = {
  list: (state: string, condition: string) => `SELECT ${SHOWN_COLUMNS} FROM records r
    WHERE ${state}
      AND (r.created_at, r.id) < (:atMs, :id) AND ${condition}
    ORDER BY r.created_at DESC, r.id DESC LIMIT :limit`,
  resolve: 'SELECT id FROM records WHERE id >= :from AND id < :to ORDER BY id LIMIT 6',
  neighbours: `SELECT wanted.value AS id,
      (SELECT max(id) FROM records WHERE id < wanted.value) AS before,
      (SELECT min(id) FROM records WHERE id > wanted.value) AS after
    FROM json_each(:ids) wanted ORDER BY wanted.key`,
} as const

const STATES = {
  present: 'r.present',
  withSuperseded: 'r.deleted_at IS NULL',
  deleted: 'r.deleted_at IS NOT NULL',
} as const

export type PreparedList = Omit<ListRequest, 'filter'> & { readonly filter: PreparedFilter }

export function createListing(statements: Statements, toRecord: RowReader) {
  return {
    list({ filter, limit, cursor, deleted }: PreparedList): RecordPage {
      const shown = filter.includeSuperseded ? STATES.withSuperseded : STATES.present
      const condition = compileFilter(filter)
      const rows = statements.all(
        SQL.list(deleted ? STATES.deleted : shown, condition?.sql ?? 'true'),
        {
          ...condition?.values,
          ...readCursor(cursor),
          limit: limit + 1,
        },
      )
      const records = rows.slice(0, limit).map(toRecord)
      const last = records.at(-1)
      const hasMore = rows.length > limit && last !== undefined
      return { records, next: hasMore ? writeCursor(last.createdAt, last.id) : null }
    },

    resolve(prefix: string): Resolution {
      const range = { from: prefix, to: `${prefix}~` }
      const ids = statements.column(SQL.resolve, range) as RecordId[]
      const [only] = ids
      if (only === undefined) return { kind: 'missing' }
      return ids.length === 1 ? { kind: 'found', id: only } : { kind: 'ambiguous', ids }
    },

    shorten(ids: readonly RecordId[]): string[] {
      const rows = statements.all(SQL.neighbours, { ids: JSON.stringify(ids) })
      return rows.map((row) => {
        const id = String(row.id)
        const shared = Math.max(sharedLength(id, row.before), sharedLength(id, row.after))
        return id.slice(0, Math.max(SHORTEST_PREFIX, shared + 1))
      })
    },
  }
}

function sharedLength(id: string, neighbour: unknown): number {
  if (typeof neighbour !== 'string') return 0
  let length = 0
  while (length < id.length && id[length] === neighbour[length]) length += 1
  return length
}

const TIME = 'coalesce(r.occurred_at, r.created_at)'
const IN_NAMESPACES = 'r.namespace IN (SELECT value FROM json_each(:namespaces))'

/** Beside each pair of time and id the time alone: an index of an expression is searched by that, not by a pair. */
const TIMELINE_SQL = {
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
      const [place] = statements.all(TIMELINE_SQL.anchor, { anchor })
      if (place === undefined) return null
      const at = placeOf(place)
      const earlier = statements.all(TIMELINE_SQL.before, { ...at, before })
      return [...earlier.reverse(), ...statements.all(TIMELINE_SQL.from, { ...at, after })].map(
        toRecord,
      )
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
      const rows = statements.all(
        TIMELINE_SQL.range(parts.length === 0 ? 'true' : parts.join(' AND ')),
        {
          // One more than the limit tells that there are more.
          limit: limit + 1,
          ...(namespaces === null ? {} : { namespaces: JSON.stringify(namespaces) }),
          ...(sinceMs === null ? {} : { sinceMs }),
          ...(untilMs === null ? {} : { untilMs }),
          ...from,
        },
      )
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
