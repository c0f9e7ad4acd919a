/** What a session touched, how and when, is known from both sides. */

import type { RecordId } from '../../../core/ids.js'
import { type SessionRecord, USAGES, type Usage } from '../../../core/record.js'
import { summaryOf } from '../../../text/summary.js'
import type { LastTouch } from '../../memory.js'
import type { Row, Statements } from '../statements.js'
import { SESSION_COLUMNS, toSession } from './sessions.js'

/** Enough of a text for its summary, however it begins; long texts are not read whole for it. */
export const beginningOf = (column: string): string =>
  `substr(ltrim(${column}, char(9, 10, 11, 12, 13, 32)), 1, 1000)`

const AGAIN = `ON CONFLICT (session, record, usage)
    DO UPDATE SET last_at = max(last_at, excluded.last_at), times = times + 1`

const SQL = {
  /** Each is [record, session]; a record was created when it was stored, whenever it took place. */
  created: `INSERT INTO session_records (session, record, usage, first_at, last_at)
    SELECT s.row, r.row, 'created', r.created_at, r.created_at
    FROM json_each(:created) j
      CROSS JOIN records r ON r.id = j.value ->> 0
      CROSS JOIN sessions s ON s.id = j.value ->> 1
    WHERE true ${AGAIN}`,
  touched: `INSERT INTO session_records (session, record, usage, first_at, last_at)
    SELECT :session, r.row, :usage, :at, :at FROM records r
    WHERE r.id IN (SELECT value FROM json_each(:ids)) AND r.deleted_at IS NULL ${AGAIN}`,
  ofSession: `SELECT u.usage, r.id, r.title, ${beginningOf('r.body')} AS beginning, u.first_at, u.last_at, u.times
    FROM sessions s JOIN session_records u ON u.session = s.row JOIN records r ON r.row = u.record
    WHERE s.id = :id AND r.deleted_at IS NULL ORDER BY u.first_at, r.row`,
  counts: `SELECT u.session, u.usage, count(*) AS n FROM session_records u JOIN records r ON r.row = u.record
    WHERE u.session IN (SELECT value FROM json_each(:sessions)) AND r.deleted_at IS NULL
    GROUP BY u.session, u.usage`,
  /** What happened at one moment is told in the order in which it can have happened. */
  last: `SELECT ${SESSION_COLUMNS}, t.usage, t.last_at,
      (SELECT count(DISTINCT u.record) FROM session_records u JOIN records r ON r.row = u.record
        WHERE u.session = s.row AND r.deleted_at IS NULL) AS records
    FROM (SELECT u.session, u.usage, u.last_at FROM records r JOIN session_records u ON u.record = r.row
        WHERE r.id = :id ORDER BY u.last_at DESC, u.usage DESC, u.session DESC LIMIT 1) t
      JOIN sessions s ON s.row = t.session`,
} as const

export const NO_COUNTS: Readonly<Record<Usage, number>> = forEachUsage(() => 0)

export type SessionRecordsTable = ReturnType<typeof createSessionRecordsTable>

export function createSessionRecordsTable(statements: Statements) {
  return {
    noteCreated(created: readonly (readonly [record: RecordId, session: string])[]): void {
      statements.run(SQL.created, { created: JSON.stringify(created) })
    },

    note(session: number, ids: readonly RecordId[], usage: Usage, at: number): void {
      statements.run(SQL.touched, { session, ids: JSON.stringify(ids), usage, at })
    },

    ofSession(id: string): Readonly<Record<Usage, readonly SessionRecord[]>> {
      const touched = forEachUsage((): SessionRecord[] => [])
      for (const row of statements.all(SQL.ofSession, { id })) {
        touched[row.usage as Usage].push(toSessionRecord(row))
      }
      return touched
    },

    /** By the number of the session. */
    counts(sessions: readonly number[]): ReadonlyMap<number, Readonly<Record<Usage, number>>> {
      const counts = new Map(sessions.map((row) => [row, { ...NO_COUNTS }]))
      for (const row of statements.all(SQL.counts, { sessions: JSON.stringify(sessions) })) {
        const ofOne = counts.get(Number(row.session))
        if (ofOne !== undefined) ofOne[row.usage as Usage] = Number(row.n)
      }
      return counts
    },

    last(record: RecordId): LastTouch | null {
      const [row] = statements.all(SQL.last, { id: record })
      if (row === undefined) return null
      return {
        session: toSession(row),
        usage: row.usage as Usage,
        at: new Date(row.last_at as number).toISOString(),
        records: Number(row.records),
      }
    },
  }
}

function forEachUsage<T>(make: () => T): Record<Usage, T> {
  return Object.fromEntries(USAGES.map((usage) => [usage, make()])) as Record<Usage, T>
}

function toSessionRecord(row: Row): SessionRecord {
  return {
    id: row.id as RecordId,
    title: row.title as string | null,
    summary: summaryOf(String(row.beginning)),
    firstAt: new Date(row.first_at as number).toISOString(),
    lastAt: new Date(row.last_at as number).toISOString(),
    times: Number(row.times),
  }
}
