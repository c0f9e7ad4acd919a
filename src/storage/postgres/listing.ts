/** Pages of records: newest first, in the order of time, and by the beginning of an id. */

import type { Filter } from '../../core/filter.js'
import { type RecordId, SHORTEST_PREFIX } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import { readCursor, shortenIds as shortenRows, toPage, toResolution } from '../cursor.js'
import { OCCURRED } from '../date-filter.js'
import type { TimelineAround, TimelineRange } from '../search.js'
import type { ListRequest, RecordPage, Resolution } from '../storage.js'
import { compileFilter } from './filter.js'
import type { Parts } from './open-postgres.js'
import { createRowReader, selectRecord } from './records.js'
import { type Condition, joinConditions, type Statements, withinSql } from './statements.js'

const RECORDS = `SELECT ${selectRecord('r')} FROM records r`
const SQL = {
  list: (condition: string) => `${RECORDS}
    WHERE (r.created_at, r.id) < (:atMs, :id) AND ${condition}
    ORDER BY r.created_at DESC, r.id DESC LIMIT :limit`,
  resolve: `SELECT r.id FROM records r WHERE r.id >= :prefix::text AND r.id < :prefix::text || '~' AND ${withinSql('r')}
    ORDER BY r.id LIMIT 6`,
  /** Only ids that share the shortest prefix make another one longer. */
  neighbours: `SELECT wanted.id,
      (SELECT r.id FROM records r WHERE r.id >= left(wanted.id, ${SHORTEST_PREFIX}) AND r.id < wanted.id
        AND ${withinSql('r')} ORDER BY r.id DESC LIMIT 1) AS before,
      (SELECT r.id FROM records r WHERE r.id > wanted.id AND r.id < left(wanted.id, ${SHORTEST_PREFIX}) || '~'
        AND ${withinSql('r')} ORDER BY r.id LIMIT 1) AS after
    FROM unnest(:ids::text[]) WITH ORDINALITY AS wanted (id, n) ORDER BY wanted.n`,
  anchor: `SELECT r.namespace, ${OCCURRED} AS time, r.id FROM records r WHERE r.id = :anchor`,
  before: (condition: string) => `${RECORDS}
    WHERE r.namespace = :namespace AND ${beyond('<')} AND ${condition}
    ORDER BY ${OCCURRED} DESC, r.id DESC LIMIT :before`,
  from: (condition: string) => `${RECORDS}
    WHERE r.namespace = :namespace AND ${beyond('>=')} AND (r.id = :id OR (${condition}))
    ORDER BY ${OCCURRED}, r.id LIMIT :after::bigint + 1`,
  range: (condition: string, order: '' | 'DESC') => `${RECORDS}
    WHERE ${condition} ORDER BY ${OCCURRED} ${order}, r.id ${order} LIMIT :limit`,
} as const

function beyond(side: '<' | '>' | '>='): string {
  return `(${OCCURRED}, r.id) ${side} (:atMs, :id)`
}

export async function listRecords(
  statements: Statements,
  parts: Parts,
  { filter, limit, cursor, deleted }: ListRequest,
): Promise<RecordPage> {
  const { sql, values } = joinConditions([
    deleted ? { sql: 'r.deleted_at IS NOT NULL', values: {} } : isShown(filter),
    compileFilter(filter),
  ])
  const rows = await statements.all(SQL.list(sql), {
    ...values,
    ...readCursor(cursor),
    limit: limit + 1,
  })
  return toPage(rows.map(createRowReader(parts)), limit, ({ createdAt }) => createdAt)
}

export async function resolveId(
  statements: Statements,
  prefix: string,
  namespace: string | null,
): Promise<Resolution> {
  const ids = await statements.column(SQL.resolve, { prefix, namespace })
  return toResolution(ids as RecordId[])
}

export async function shortenIds(
  statements: Statements,
  ids: readonly RecordId[],
  namespace: string | null,
): Promise<string[]> {
  return shortenRows(await statements.all(SQL.neighbours, { ids, namespace }))
}

export async function listAround(
  statements: Statements,
  parts: Parts,
  { anchor, filter, before, after }: TimelineAround,
): Promise<CairnRecord[] | null> {
  const [row] = await statements.all(SQL.anchor, { anchor })
  if (row === undefined) return null
  const at = { namespace: String(row.namespace), atMs: Number(row.time), id: String(row.id) }
  const { namespaces: _, ...rest } = filter
  const { sql, values } = joinConditions([isShown(filter), compileFilter(rest)])
  const [earlier, later] = await Promise.all([
    statements.all(SQL.before(sql), { ...values, ...at, before }),
    statements.all(SQL.from(sql), { ...values, ...at, after }),
  ])
  return [...[...earlier].reverse(), ...later].map(createRowReader(parts))
}

export async function listRange(
  statements: Statements,
  parts: Parts,
  { filter, newestFirst, limit, cursor }: TimelineRange,
): Promise<RecordPage> {
  const { sql, values } = joinConditions([
    isShown(filter),
    compileFilter(filter),
    cursor === null ? null : { sql: beyond(newestFirst ? '<' : '>'), values: readCursor(cursor) },
  ])
  const page = { ...values, limit: limit + 1 }
  const rows = await statements.all(SQL.range(sql, newestFirst ? 'DESC' : ''), page)
  return toPage(
    rows.map(createRowReader(parts)),
    limit,
    (record) => record.occurredAt ?? record.createdAt,
  )
}

function isShown({ includeSuperseded }: Filter): Condition {
  return { sql: includeSuperseded ? 'r.deleted_at IS NULL' : 'r.present', values: {} }
}
