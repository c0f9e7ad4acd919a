/** The sessions table, and which records each session created, recalled, updated or reinforced. */

import { badInput, noSession } from '../../../core/errors.js'
import { parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../../../core/ids.js'
import {
  type Metadata,
  type Session,
  type SessionOwner,
  type SessionRecord,
  USAGES,
  type Usage,
} from '../../../core/record.js'
import { summaryOf } from '../../../text/summary.js'
import type { ImportedSession } from '../../imports.js'
import type {
  LastTouch,
  NewSession,
  SessionChange,
  SessionListing,
  SessionResolution,
  StoredSession,
} from '../../memory.js'
import { readCursor, writeCursor } from '../listing.js'
import type { Row, Statements } from '../statements.js'

export const SESSION_COLUMNS = `s.row, s.id, s.namespace, s.title, s.summary, s.started_at, s.ended_at, s.owner,
  s.metadata`

const SQL = {
  insert: `INSERT INTO sessions (id, namespace, title, started_at, ended_at, owner, metadata)
    VALUES (:id, :namespace, :title, :startedAt, :endedAt, :owner, :metadata) ON CONFLICT (id) DO NOTHING`,
  /** Each is [id, namespace, start]. */
  ensure: `INSERT INTO sessions (id, namespace, started_at)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:sessions) WHERE true
    ON CONFLICT (id) DO NOTHING`,
  update: `UPDATE sessions SET title = :title, summary = :summary, ended_at = :endedAt WHERE id = :id`,
  settle: `UPDATE sessions SET title = :title, started_at = :startedAt, ended_at = :endedAt WHERE id = :id`,
  row: 'SELECT row FROM sessions WHERE id = :id',
  byId: `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = :id`,
  byBeginning: `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id >= :from AND s.id < :to ORDER BY s.id LIMIT 6`,
  owned: `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.ended_at IS NULL AND s.owner IS NOT NULL`,
  byTitle: `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.title = :title LIMIT 2`,
  list: (condition: string) => `SELECT ${SESSION_COLUMNS} FROM sessions s
    WHERE (s.started_at, s.id) < (:atMs, :id) AND ${condition}
    ORDER BY s.started_at DESC, s.id DESC LIMIT :limit`,
} as const

const STATES: Readonly<Record<Session['state'], string>> = {
  open: 's.ended_at IS NULL AND s.id NOT IN (SELECT value FROM json_each(:abandoned))',
  abandoned: 's.ended_at IS NULL AND s.id IN (SELECT value FROM json_each(:abandoned))',
  ended: 's.ended_at IS NOT NULL',
}
const IN_NAMESPACES = 's.namespace IN (SELECT value FROM json_each(:namespaces))'

/** With the number by which other tables know it. */
export type KnownSession = { readonly row: number; readonly session: StoredSession }

export type SessionsTable = ReturnType<typeof createSessionsTable>

export function createSessionsTable(statements: Statements) {
  const one = (id: string): StoredSession | null => {
    const [row] = statements.all(SQL.byId, { id })
    return row === undefined ? null : toSession(row)
  }
  /** Ids that were made here may be typed as those of records are: in any case, with O for 0. */
  const beginningWith = (text: string): Row[] => {
    for (const from of [text, parseIdPrefix(text)]) {
      if (from === null || [...from].length < SHORTEST_PREFIX) continue
      const rows = statements.all(SQL.byBeginning, { from, to: `${from}\u{10FFFF}` })
      if (rows.length > 0) return rows
    }
    return []
  }

  return {
    one,
    owned: (): StoredSession[] => statements.all(SQL.owned).map(toSession),
    /** The number of a session, for the tables that refer to it. */
    rowOf(id: string): number {
      const row = statements.value(SQL.row, { id })
      if (typeof row !== 'number') throw noSession(id)
      return row
    },

    add(id: string, session: NewSession, now: number): StoredSession {
      const { changes } = statements.run(SQL.insert, {
        id,
        namespace: session.namespace,
        title: session.title,
        startedAt: session.startedAtMs ?? now,
        endedAt: session.endedAtMs,
        owner: session.owner === null ? null : JSON.stringify(session.owner),
        metadata: JSON.stringify(session.metadata),
      })
      const added = one(id)
      if (changes === 1 && added !== null) return added
      throw badInput(
        `There is a session called "${id}" already.`,
        'Choose another name, or leave it out to have one made.',
      )
    },

    /** Starts those that are not there yet. */
    ensure(sessions: readonly (readonly [id: string, namespace: string, startMs: number])[]): void {
      statements.run(SQL.ensure, { sessions: JSON.stringify(sessions) })
    },

    change(id: string, change: SessionChange): StoredSession | null {
      const before = one(id)
      if (before === null) return null
      const { title, summary, endedAtMs } = change
      statements.run(SQL.update, {
        id,
        title: title === undefined ? before.title : title,
        summary: summary === undefined ? before.summary : summary,
        endedAt: endedAtMs === undefined ? toMs(before.endedAt) : endedAtMs,
      })
      return one(id)
    },

    /** Whether another program knows more of a conversation than is stored. */
    isNews(session: ImportedSession): boolean {
      const before = one(session.id)
      if (before === null) return true
      // A conversation of the same name elsewhere is another one.
      return before.namespace === session.namespace && !isSettled(before, session)
    },

    /** Starts it, or gives it what another program knows of it. */
    keep(session: ImportedSession, now: number): void {
      const { id, namespace, title, metadata } = session
      const before = one(id)
      const after = before === null ? session : settled(before, session)
      const times = { startedAt: after.startedAtMs ?? now, endedAt: after.endedAtMs }
      if (before !== null) statements.run(SQL.settle, { id, title: after.title, ...times })
      else {
        const values = { id, namespace, title, ...times, owner: null }
        statements.run(SQL.insert, { ...values, metadata: JSON.stringify(metadata) })
      }
    },

    /** The whole id before a beginning of it, and a beginning that names one before a title that does. */
    find(text: string): SessionResolution {
      const exact = one(text)
      if (exact !== null) return { kind: 'found', session: exact }
      const begun = beginningWith(text)
      const named = begun.length === 1 ? begun : statements.all(SQL.byTitle, { title: text })
      const [only] = named
      if (only !== undefined && named.length === 1) {
        return { kind: 'found', session: toSession(only) }
      }
      if (begun.length === 0) return { kind: 'missing' }
      return { kind: 'ambiguous', ids: begun.map((row) => String(row.id)) }
    },

    list({ namespaces, state, abandoned, limit, cursor }: SessionListing): {
      readonly sessions: readonly KnownSession[]
      readonly next: string | null
    } {
      const conditions = [
        ...(namespaces === null ? [] : [IN_NAMESPACES]),
        ...(state === null ? [] : [STATES[state]]),
      ]
      const rows = statements.all(SQL.list(conditions.join(' AND ') || 'true'), {
        ...readCursor(cursor),
        ...(namespaces !== null && { namespaces: JSON.stringify(namespaces) }),
        ...(state !== null && state !== 'ended' && { abandoned: JSON.stringify(abandoned) }),
        limit: limit + 1,
      })
      const sessions = rows
        .slice(0, limit)
        .map((row) => ({ row: Number(row.row), session: toSession(row) }))
      const last = rows.length > limit ? sessions.at(-1)?.session : undefined
      return { sessions, next: last === undefined ? null : writeCursor(last.startedAt, last.id) }
    },
  }
}

type Known = Pick<ImportedSession, 'title' | 'startedAtMs' | 'endedAtMs'>

/** The earlier start and the later end; a session that a process holds open is not ended from outside. */
function settled(before: StoredSession, session: ImportedSession): Known {
  const [startMs, endMs] = [Date.parse(before.startedAt), toMs(before.endedAt)]
  return {
    title: session.title ?? before.title,
    startedAtMs: Math.min(startMs, session.startedAtMs ?? startMs),
    endedAtMs: before.owner === null ? latest(endMs, session.endedAtMs) : endMs,
  }
}

function isSettled(before: StoredSession, session: ImportedSession): boolean {
  const after = settled(before, session)
  const isSameTime =
    after.startedAtMs === Date.parse(before.startedAt) && after.endedAtMs === toMs(before.endedAt)
  return isSameTime && after.title === before.title
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

export function toSession(row: Row): StoredSession {
  return {
    id: String(row.id),
    namespace: String(row.namespace),
    title: row.title as string | null,
    summary: row.summary as string | null,
    startedAt: new Date(row.started_at as number).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at as number).toISOString(),
    owner: row.owner === null ? null : (JSON.parse(String(row.owner)) as SessionOwner),
    metadata: JSON.parse(String(row.metadata)) as Metadata,
  }
}

function toMs(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}

/** Enough of a text for its summary, however it begins; long texts are not read whole for it. */
export const beginningOf = (column: string): string =>
  `substr(ltrim(${column}, char(9, 10, 11, 12, 13, 32)), 1, 1000)`

const AGAIN = `ON CONFLICT (session, record, usage)
    DO UPDATE SET last_at = max(last_at, excluded.last_at), times = times + 1`

const USAGE_SQL = {
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
      statements.run(USAGE_SQL.created, { created: JSON.stringify(created) })
    },

    note(session: number, ids: readonly RecordId[], usage: Usage, at: number): void {
      statements.run(USAGE_SQL.touched, { session, ids: JSON.stringify(ids), usage, at })
    },

    ofSession(id: string): Readonly<Record<Usage, readonly SessionRecord[]>> {
      const touched = forEachUsage((): SessionRecord[] => [])
      for (const row of statements.all(USAGE_SQL.ofSession, { id })) {
        touched[row.usage as Usage].push(toSessionRecord(row))
      }
      return touched
    },

    /** By the number of the session. */
    counts(sessions: readonly number[]): ReadonlyMap<number, Readonly<Record<Usage, number>>> {
      const counts = new Map(sessions.map((row) => [row, { ...NO_COUNTS }]))
      for (const row of statements.all(USAGE_SQL.counts, { sessions: JSON.stringify(sessions) })) {
        const ofOne = counts.get(Number(row.session))
        if (ofOne !== undefined) ofOne[row.usage as Usage] = Number(row.n)
      }
      return counts
    },

    last(record: RecordId): LastTouch | null {
      const [row] = statements.all(USAGE_SQL.last, { id: record })
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
