/** Lists go on where they stopped, and a short id names one record or says which it could be. */

import { type RecordId, SHORTEST_PREFIX } from '../../core/ids.js'
import type { ListRequest, RecordPage, Resolution } from '../storage.js'
import { readCursor, writeCursor } from './cursor.js'
import { compileFilter, type PreparedFilter } from './filter.js'
import type { Statements } from './statements.js'
import { type RowReader, SHOWN_COLUMNS } from './tables/records.js'

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
