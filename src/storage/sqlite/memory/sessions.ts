/** The sessions table, and which records each session created, recalled, updated or reinforced. */

import { badInput, noSession } from '../../../core/errors.js'
import { parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../../../core/ids.js'
import { type Session, type SessionRecord, USAGES, type Usage } from '../../../core/record.js'
import { summaryOf } from '../../../text/summary.js'
import type { ImportedSession } from '../../imports.js'
import type {
  NewSession,
  SessionChange,
  SessionListing,
  SessionPage,
  SessionResolution,
  StoredSession,
} from '../../memory.js'
import { readCursor, writeCursor } from '../listing.js'
import {
  convertRow,
  inNamespaces,
  joinConditions,
  type Row,
  type Statements,
} from '../statements.js'
import { readTime } from '../stored-values.js'

const COLUMNS = `s.id, s.namespace, s.title, s.summary, s.started_at AS startedAt, s.ended_at AS endedAt, s.owner,
  s.metadata`
const STATES: Readonly<Record<Session['state'], string>> = {
  open: 's.ended_at IS NULL AND s.id NOT IN (SELECT value FROM json_each(:abandoned))',
  abandoned: 's.ended_at IS NULL AND s.id IN (SELECT value FROM json_each(:abandoned))',
  ended: 's.ended_at IS NOT NULL',
}
const AGAIN = `ON CONFLICT (session, record, usage)
    DO UPDATE SET last_at = max(last_at, excluded.last_at), times = times + 1`

/** Enough of a text for its summary; long texts are not read whole for it. */
export const beginningOf = (column: string): string =>
  `substr(ltrim(${column}, char(9, 10, 11, 12, 13, 32)), 1, 1000)`

const SQL = {
  insert: `INSERT INTO sessions (id, namespace, title, started_at, ended_at, owner, metadata)
    VALUES (:id, :namespace, :title, :startedAt, :endedAt, :owner, :metadata) ON CONFLICT (id) DO NOTHING`,
  /** Each is [record, session, namespace, time]: a session has the namespace of its first record and the earliest time. */
  ensure: `INSERT INTO sessions (id, namespace, started_at)
    SELECT value ->> 1, value ->> 2, min(value ->> 3) OVER (PARTITION BY value ->> 1)
    FROM json_each(:created) WHERE true ORDER BY key ON CONFLICT (id) DO NOTHING`,
  update: `UPDATE sessions SET title = :title, summary = :summary, started_at = :startedAt, ended_at = :endedAt
    WHERE id = :id AND (title, summary, started_at, ended_at) IS NOT (:title, :summary, :startedAt, :endedAt)`,
  row: 'SELECT row FROM sessions WHERE id = :id',
  byId: `SELECT ${COLUMNS} FROM sessions s WHERE s.id = :id`,
  byBeginning: `SELECT ${COLUMNS} FROM sessions s WHERE s.id >= :from AND s.id < :to ORDER BY s.id LIMIT 6`,
  byTitle: `SELECT ${COLUMNS} FROM sessions s WHERE s.title = :title LIMIT 2`,
  owned: `SELECT ${COLUMNS} FROM sessions s WHERE s.ended_at IS NULL AND s.owner IS NOT NULL`,
  list: (condition: string) => `SELECT s.row, ${COLUMNS} FROM sessions s
    WHERE (s.started_at, s.id) < (:atMs, :id) AND ${condition}
    ORDER BY s.started_at DESC, s.id DESC LIMIT :limit`,
  /** A record was created when it was stored, whenever it took place. */
  created: `INSERT INTO session_records (session, record, usage, first_at, last_at)
    SELECT s.row, r.row, 'created', r.created_at, r.created_at
    FROM json_each(:created) j
      CROSS JOIN records r ON r.id = j.value ->> 0
      CROSS JOIN sessions s ON s.id = j.value ->> 1
    WHERE true ${AGAIN}`,
  touched: `INSERT INTO session_records (session, record, usage, first_at, last_at)
    SELECT :session, r.row, :usage, :at, :at FROM records r
    WHERE r.id IN (SELECT value FROM json_each(:ids)) AND r.deleted_at IS NULL ${AGAIN}`,
  records: `SELECT u.usage, r.id, r.title, ${beginningOf('r.body')} AS summary,
      u.first_at AS firstAt, u.last_at AS lastAt, u.times
    FROM sessions s JOIN session_records u ON u.session = s.row JOIN records r ON r.row = u.record
    WHERE s.id = :id AND r.deleted_at IS NULL ORDER BY u.first_at, r.row`,
  counts: `SELECT u.session, u.usage, count(*) AS n FROM session_records u JOIN records r ON r.row = u.record
    WHERE u.session IN (SELECT value FROM json_each(:sessions)) AND r.deleted_at IS NULL
    GROUP BY u.session, u.usage`,
  /** Usages at one time are in the order in which they can have happened. */
  last: `SELECT ${COLUMNS}, t.usage, t.last_at AS at,
      (SELECT count(DISTINCT u.record) FROM session_records u JOIN records r ON r.row = u.record
        WHERE u.session = s.row AND r.deleted_at IS NULL) AS records
    FROM (SELECT u.session, u.usage, u.last_at FROM records r JOIN session_records u ON u.record = r.row
        WHERE r.id = :id ORDER BY u.last_at DESC, u.usage DESC, u.session DESC LIMIT 1) t
      JOIN sessions s ON s.row = t.session`,
} as const

type CreatedInSession = readonly [id: RecordId, session: string, namespace: string, atMs: number]

export type SessionsTable = ReturnType<typeof createSessionsTable>

export function createSessionsTable(statements: Statements) {
  const one = (id: string): StoredSession | null =>
    statements.all(SQL.byId, { id }).map(toSession)[0] ?? null
  const insert = (id: string, session: NewSession, now: number): boolean => {
    const { namespace, title, startedAtMs, endedAtMs, owner, metadata } = session
    const times = { startedAt: startedAtMs ?? now, endedAt: endedAtMs }
    const json = { owner: owner && JSON.stringify(owner), metadata: JSON.stringify(metadata) }
    return statements.run(SQL.insert, { id, namespace, title, ...times, ...json }).changes === 1
  }
  const update = (before: StoredSession, change: SessionChange & { startedAtMs?: number }) => {
    const { id, title, summary, startedAt, endedAt } = before
    const { changes } = statements.run(SQL.update, {
      id,
      title: change.title === undefined ? title : change.title,
      summary: change.summary === undefined ? summary : change.summary,
      startedAt: change.startedAtMs ?? Date.parse(startedAt),
      endedAt: change.endedAtMs === undefined ? toMs(endedAt) : change.endedAtMs,
    })
    return changes === 1
  }
  /** Generated ids may be typed like those of records: in any case, with O for 0. */
  const findByBeginning = (text: string): Row[] => {
    for (const from of [text, parseIdPrefix(text)]) {
      if (from === null || [...from].length < SHORTEST_PREFIX) continue
      const rows = statements.all(SQL.byBeginning, { from, to: `${from}\u{10FFFF}` })
      if (rows.length > 0) return rows
    }
    return []
  }
  const getRow = (id: string): number => {
    const row = statements.value(SQL.row, { id })
    if (typeof row !== 'number') throw noSession(id)
    return row
  }

  return {
    ...createUsages(statements, getRow),
    getRow,

    add(id: string, session: NewSession, now: number): StoredSession {
      const isNew = insert(id, session, now)
      const added = one(id)
      if (isNew && added !== null) return added
      throw badInput(
        `There is a session called "${id}" already.`,
        'Choose another name, or leave it out to have one made.',
      )
    },

    change(id: string, change: SessionChange): StoredSession | null {
      const before = one(id)
      if (before !== null) update(before, change)
      return one(id)
    },

    /** Starts a session, or updates it with what an import knows; returns whether anything changed. */
    import(session: ImportedSession, now: number): boolean {
      const before = one(session.id)
      if (before === null) return insert(session.id, { ...session, owner: null }, now)
      // A conversation of the same name in another namespace is another one.
      return before.namespace === session.namespace && update(before, mergeSession(before, session))
    },

    /** The whole id goes before a beginning of it, and a beginning that names one session before a title. */
    find(text: string): SessionResolution {
      const exact = one(text)
      if (exact !== null) return { kind: 'found', session: exact }
      const begun = findByBeginning(text)
      const named = begun.length === 1 ? begun : statements.all(SQL.byTitle, { title: text })
      const [only] = named
      if (only !== undefined && named.length === 1) {
        return { kind: 'found', session: toSession(only) }
      }
      if (begun.length === 0) return { kind: 'missing' }
      return { kind: 'ambiguous', ids: begun.map((row) => String(row.id)) }
    },

    listOwned: (): StoredSession[] => statements.all(SQL.owned).map(toSession),

    list({ namespaces, state, abandoned, limit, cursor }: SessionListing): SessionPage {
      const { sql, values } = joinConditions([
        inNamespaces('s', namespaces),
        state && { sql: STATES[state], values: { abandoned: JSON.stringify(abandoned) } },
      ])
      const page = { ...readCursor(cursor), limit: limit + 1 }
      const rows = statements.all(SQL.list(sql), { ...values, ...page })
      const shown = rows.slice(0, limit)
      const numbers = JSON.stringify(shown.map(({ row }) => row))
      const counted = statements.all(SQL.counts, { sessions: numbers })
      const sessions = shown.map(({ row, ...columns }) => {
        const own = counted.filter(({ session }) => session === row)
        const counts = forEachUsage((name) =>
          Number(own.find(({ usage }) => usage === name)?.n ?? 0),
        )
        return { ...toSession(columns), counts }
      })
      const last = rows.length > limit ? sessions.at(-1) : undefined
      return { sessions, next: last === undefined ? null : writeCursor(last.startedAt, last.id) }
    },
  }
}

function createUsages(statements: Statements, getRow: (session: string) => number) {
  return {
    /** Notes the records that sessions created, and starts the sessions that do not exist yet. */
    noteCreated(created: readonly CreatedInSession[]): void {
      if (created.length === 0) return
      for (const sql of [SQL.ensure, SQL.created]) {
        statements.run(sql, { created: JSON.stringify(created) })
      }
    },

    noteUsage(session: string, ids: readonly RecordId[], usage: Usage, at: number): void {
      const values = { session: getRow(session), ids: JSON.stringify(ids), usage, at }
      statements.run(SQL.touched, values)
    },

    listRecords(id: string): Readonly<Record<Usage, readonly SessionRecord[]>> {
      const rows = statements.all(SQL.records, { id })
      return forEachUsage((name) =>
        rows.flatMap(({ usage, ...row }) => {
          if (usage !== name) return []
          const record = convertRow<SessionRecord>(row, { times: ['firstAt', 'lastAt'] })
          return [{ ...record, summary: summaryOf(record.summary) }]
        }),
      )
    },

    findLastTouch(record: RecordId) {
      const [row] = statements.all(SQL.last, { id: record })
      if (row === undefined) return null
      const { usage, at, records, ...session } = row
      const touch = { usage: usage as Usage, at: readTime(at), records: Number(records) }
      return { ...touch, session: toSession(session) }
    },
  }
}

function forEachUsage<T>(make: (usage: Usage) => T): Record<Usage, T> {
  return Object.fromEntries(USAGES.map((usage) => [usage, make(usage)])) as Record<Usage, T>
}

/** The earlier start and the later end; an import does not end a session that a process holds open. */
function mergeSession(before: StoredSession, session: ImportedSession) {
  const [startMs, endMs] = [Date.parse(before.startedAt), toMs(before.endedAt)]
  const ends = [endMs, session.endedAtMs].filter((ms) => ms !== null)
  const latestMs = ends.length === 0 ? null : Math.max(...ends)
  return {
    title: session.title ?? before.title,
    startedAtMs: Math.min(startMs, session.startedAtMs ?? startMs),
    endedAtMs: before.owner === null ? latestMs : endMs,
  }
}

function toSession(row: Row): StoredSession {
  return convertRow(row, { times: ['startedAt', 'endedAt'], objects: ['owner', 'metadata'] })
}

function toMs(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}
