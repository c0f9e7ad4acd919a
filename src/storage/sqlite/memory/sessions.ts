/** The sessions table, and which records each session created, recalled, updated or reinforced. */

import { takenSession } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import type { Session, SessionRecord, Usage } from '../../../core/record.js'
import { readCursor } from '../../cursor.js'
import type { ImportedSession } from '../../imports.js'
import type { NotedAction } from '../../log.js'
import {
  type NewSession,
  nameChange,
  type SessionChange,
  type SessionListing,
  type SessionPage,
  type SessionResolution,
  type StoredSession,
} from '../../memory.js'
import {
  chooseByBeginning,
  chooseById,
  groupByUsage,
  listIdRanges,
  toSessionPage,
  toStoredSession,
} from '../../memory-rows.js'
import { noteEvent } from '../log.js'
import {
  bindCondition,
  convertRow,
  inNamespaces,
  joinConditions,
  type NamedValues,
  type Parts,
  type Row,
  type Statements,
  withinSql,
} from '../statements.js'
import { readTime } from '../stored-values.js'

/** Reads only as much of a text as its summary needs. */
export const beginningOf = (column: string): string =>
  `substr(ltrim(${column}, char(9, 10, 11, 12, 13, 32)), 1, 1000)`

/**
 * The beginning of the first record that a session `s` created, otherwise of its first search. It is not stored, so that a
 * purged record leaves nothing in a title.
 */
export const OPENING = `CASE WHEN s.title IS NULL THEN coalesce(
    (SELECT ${beginningOf('coalesce(r.title, r.body)')} FROM session_records u JOIN records r ON r.row = u.record
      WHERE u.session = s.row AND u.usage = 'created' AND r.deleted_at IS NULL AND r.namespace = s.namespace
      ORDER BY u.record LIMIT 1),
    (SELECT ${beginningOf('q.query')} FROM recalled_queries q WHERE q.session = s.row ORDER BY q.row LIMIT 1)) END`

const COLUMNS = `s.row, s.id, s.namespace, s.title, s.summary, s.started_at AS startedAt, s.ended_at AS endedAt, s.owner,
  s.metadata, ${OPENING} AS opening`
const STATES: Readonly<Record<Session['state'], string>> = {
  open: 's.ended_at IS NULL AND s.row NOT IN (SELECT value FROM json_each(:abandoned))',
  abandoned: 's.ended_at IS NULL AND s.row IN (SELECT value FROM json_each(:abandoned))',
  ended: 's.ended_at IS NOT NULL',
}
const AGAIN = `ON CONFLICT (session, record, usage)
    DO UPDATE SET last_at = max(last_at, excluded.last_at), times = times + 1`

const SQL = {
  insert: `INSERT INTO sessions (id, namespace, title, started_at, ended_at, owner, metadata)
    VALUES (:id, :namespace, :title, :startedAt, :endedAt, :owner, :metadata) ON CONFLICT (id, namespace) DO NOTHING`,
  /** Each is [record, session, namespace, time]. A session has the namespace of its records and the earliest time. */
  ensure: `INSERT INTO sessions (id, namespace, started_at)
    SELECT value ->> 1, value ->> 2, min(value ->> 3) OVER (PARTITION BY value ->> 1, value ->> 2)
    FROM json_each(:created) WHERE true ORDER BY key ON CONFLICT (id, namespace) DO NOTHING`,
  /** Without a new title it keeps the stored one, or none. */
  update: `UPDATE sessions SET title = iif(:isTitled, :title, title), summary = :summary, started_at = :startedAt, ended_at = :endedAt
    WHERE row = :row AND (title, summary, started_at, ended_at)
      IS NOT (iif(:isTitled, :title, title), :summary, :startedAt, :endedAt)`,
  byRow: `SELECT ${COLUMNS} FROM sessions s WHERE s.row = :row`,
  byId: `SELECT ${COLUMNS} FROM sessions s WHERE s.id = :id AND ${withinSql('s')}
    ORDER BY s.namespace <> :home, s.namespace`,
  byBeginning: `SELECT ${COLUMNS} FROM sessions s WHERE s.id >= :from AND s.id < :to AND ${withinSql('s')}
    ORDER BY s.id LIMIT 6`,
  byTitle: `SELECT ${COLUMNS} FROM sessions s WHERE s.title = :title AND ${withinSql('s')} LIMIT 2`,
  owned: `SELECT ${COLUMNS} FROM sessions s WHERE s.ended_at IS NULL AND s.owner IS NOT NULL`,
  list: (condition: string) => `SELECT ${COLUMNS} FROM sessions s
    WHERE (s.started_at, s.id) < (:atMs, :id) AND ${condition}
    ORDER BY s.started_at DESC, s.id DESC LIMIT :limit`,
  /** The time of creation is when the record was stored, not when it took place. */
  created: `INSERT INTO session_records (session, record, usage, first_at, last_at)
    SELECT s.row, r.row, 'created', r.created_at, r.created_at
    FROM json_each(:created) j
      CROSS JOIN records r ON r.id = j.value ->> 0
      CROSS JOIN sessions s ON s.id = j.value ->> 1 AND s.namespace = j.value ->> 2
    WHERE true ${AGAIN}`,
  touched: `INSERT INTO session_records (session, record, usage, first_at, last_at)
    SELECT :session, r.row, :usage, :at, :at FROM records r
    WHERE r.id IN (SELECT value FROM json_each(:ids)) AND r.deleted_at IS NULL ${AGAIN}`,
  records: `SELECT u.usage, r.id, r.title, ${beginningOf('r.body')} AS summary,
      r.people, r.occurred_at AS occurredAt, u.first_at AS firstAt, u.last_at AS lastAt, u.times
    FROM session_records u JOIN records r ON r.row = u.record
    WHERE u.session = :row AND r.deleted_at IS NULL AND ${withinSql('r')} ORDER BY u.first_at, r.row`,
  counts: `SELECT u.session, u.usage, count(*) AS n FROM session_records u JOIN records r ON r.row = u.record
    WHERE u.session IN (SELECT value FROM json_each(:sessions)) AND r.deleted_at IS NULL AND ${withinSql('r')}
    GROUP BY u.session, u.usage`,
  /** Usages at the same time are in the order in which they can have happened. */
  last: `SELECT ${COLUMNS}, t.usage, t.last_at AS at,
      (SELECT count(DISTINCT u.record) FROM session_records u JOIN records r ON r.row = u.record
        WHERE u.session = s.row AND r.deleted_at IS NULL AND ${withinSql('r')}) AS records
    FROM (SELECT u.session, u.usage, u.last_at FROM records r JOIN session_records u ON u.record = r.row
          JOIN sessions o ON o.row = u.session
        WHERE r.id = :id AND ${withinSql('o')} ORDER BY u.last_at DESC, u.usage DESC, u.session DESC LIMIT 1) t
      JOIN sessions s ON s.row = t.session`,
} as const

type CreatedInSession = readonly [id: RecordId, session: string, namespace: string, atMs: number]

const readSessions = (statements: Statements, sql: string, values: NamedValues): StoredSession[] =>
  statements.all(sql, values).map(toSession)

export function createSessionReads(statements: Statements) {
  const findBegun = (text: string, namespace: string | null): StoredSession[] => {
    for (const range of listIdRanges(text)) {
      const begun = readSessions(statements, SQL.byBeginning, { ...range, namespace })
      if (begun.length > 0) return begun
    }
    return []
  }
  return {
    /** A whole id comes before a prefix, and a unique prefix before a title. */
    findSession(text: string, home: string, namespace: string | null = null): SessionResolution {
      const named = readSessions(statements, SQL.byId, { id: text, home, namespace })
      const exact = chooseById(named, home)
      if (exact !== null) return exact
      const begun = findBegun(text, namespace)
      const isFound = begun.length === 1
      const titled = isFound
        ? []
        : readSessions(statements, SQL.byTitle, { title: text, namespace })
      return chooseByBeginning(begun, titled)
    },

    listSessions(listing: SessionListing): SessionPage {
      const { namespaces, state, abandoned, limit, cursor, pinnedNamespace = null } = listing
      const { sql, values } = joinConditions([
        inNamespaces('s', namespaces),
        state && bindCondition(STATES[state], { abandoned }),
      ])
      const page = { ...values, ...readCursor(cursor), limit: limit + 1 }
      const found = readSessions(statements, SQL.list(sql), page)
      const sessions = found.slice(0, limit).map(({ row }) => row)
      const counted = statements.all(SQL.counts, { sessions, namespace: pinnedNamespace })
      return toSessionPage(found, counted, limit)
    },

    listOwnedSessions: () => readSessions(statements, SQL.owned, {}),

    listSessionRecords(session: number, namespace: string | null = null) {
      const types = { times: ['occurredAt', 'firstAt', 'lastAt'], texts: ['people'] }
      const rows = statements.all(SQL.records, { row: session, namespace })
      return groupByUsage(
        rows.map((row) => convertRow<SessionRecord & { usage: Usage }>(row, types)),
      )
    },

    lastTouch(record: RecordId, namespace: string | null = null) {
      const [row] = statements.all(SQL.last, { id: record, namespace })
      if (row === undefined) return null
      const { usage, at, records, ...session } = row
      const touch = { usage: usage as Usage, at: readTime(at), records: Number(records) }
      return { ...touch, session: toSession(session) }
    },
  }
}

export type SessionsTable = ReturnType<typeof createSessionsTable>

export function createSessionsTable(parts: Parts) {
  const { statements, now, makeId } = parts
  const one = (row: number): StoredSession | null =>
    readSessions(statements, SQL.byRow, { row })[0] ?? null
  const inNamespace = (id: string, namespace: string): StoredSession | null =>
    readSessions(statements, SQL.byId, { id, home: namespace, namespace })[0] ?? null
  const insert = (id: string, session: NewSession): boolean => {
    const { namespace, title, startedAtMs, endedAtMs, owner, metadata } = session
    const times = { startedAt: startedAtMs ?? now(), endedAt: endedAtMs }
    const values = { id, namespace, title, ...times, owner, metadata }
    return statements.run(SQL.insert, values).changes === 1
  }
  const update = (before: StoredSession, change: SessionChange & { startedAtMs?: number }) => {
    const { row, summary, startedAt, endedAt } = before
    const { changes } = statements.run(SQL.update, {
      row,
      title: change.title ?? null,
      isTitled: Number(change.title !== undefined),
      summary: change.summary === undefined ? summary : change.summary,
      startedAt: change.startedAtMs ?? Date.parse(startedAt),
      endedAt: change.endedAtMs === undefined ? toMs(endedAt) : change.endedAtMs,
    })
    return changes === 1
  }
  const note = (action: NotedAction, { namespace, id }: StoredSession): void =>
    noteEvent(parts, { action, namespace, subject: id })

  const change = (row: number, changed: SessionChange): StoredSession | null => {
    const before = one(row)
    if (before !== null) update(before, changed)
    return one(row)
  }

  return {
    writes: {
      startSession(session: NewSession): StoredSession {
        const id = session.id ?? makeId()
        const isNew = insert(id, session)
        const added = inNamespace(id, session.namespace)
        if (!isNew || added === null) throw takenSession(id)
        note('session.start', added)
        return added
      },

      changeSession(row: number, changed: SessionChange): StoredSession | null {
        const session = change(row, changed)
        if (session !== null) note(nameChange(changed), session)
        return session
      },
    },
    change,

    /** Starts a session, or updates it from an import; returns whether anything changed. */
    import(session: ImportedSession): boolean {
      const before = inNamespace(session.id, session.namespace)
      if (before === null) return insert(session.id, { ...session, owner: null })
      return update(before, mergeSession(before, session))
    },

    /** Notes the records that sessions created, and starts the sessions that do not exist yet. */
    noteCreated(created: readonly CreatedInSession[]): void {
      if (created.length === 0) return
      for (const sql of [SQL.ensure, SQL.created]) statements.run(sql, { created })
    },

    noteUsage(session: number, ids: readonly RecordId[], usage: Usage, atMs = now()): void {
      statements.run(SQL.touched, { session, ids, usage, at: atMs })
    },
  }
}

/** Takes the earlier start and the later end; an import does not end a session that a process holds open. */
function mergeSession(before: StoredSession, session: ImportedSession) {
  const [startMs, endMs] = [Date.parse(before.startedAt), toMs(before.endedAt)]
  const ends = [endMs, session.endedAtMs].filter((ms) => ms !== null)
  const latestMs = ends.length === 0 ? null : Math.max(...ends)
  return {
    ...(session.title !== null && { title: session.title }),
    startedAtMs: Math.min(startMs, session.startedAtMs ?? startMs),
    endedAtMs: before.owner === null ? latestMs : endMs,
  }
}

function toSession(row: Row): StoredSession {
  const objects = ['owner', 'metadata']
  return toStoredSession(convertRow(row, { times: ['startedAt', 'endedAt'], objects }))
}

function toMs(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}
