/** A session has one name, and is found by it, by its beginning or by its title. */

import { badInput } from '../../../core/errors.js'
import { parseIdPrefix, SHORTEST_PREFIX } from '../../../core/ids.js'
import type { Metadata, SessionOwner } from '../../../core/record.js'
import type { ImportedSession } from '../../imports.js'
import type {
  NewSession,
  SessionChange,
  SessionListing,
  SessionResolution,
  StoredSession,
} from '../../memory.js'
import { readCursor, writeCursor } from '../cursor.js'
import type { Row, Statements } from '../statements.js'
import { noSession } from './missing.js'

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
  byTitle: `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.title = :title LIMIT 2`,
  list: (condition: string) => `SELECT ${SESSION_COLUMNS} FROM sessions s
    WHERE (s.started_at, s.id) < (:atMs, :id) AND ${condition}
    ORDER BY s.started_at DESC, s.id DESC LIMIT :limit`,
} as const

const IS_OPEN = 's.ended_at IS NULL'
const HAS_ENDED = 's.ended_at IS NOT NULL'
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

    list({ namespaces, isOpen, limit, cursor }: SessionListing): {
      readonly sessions: readonly KnownSession[]
      readonly next: string | null
    } {
      const conditions = [
        ...(namespaces === null ? [] : [IN_NAMESPACES]),
        ...(isOpen === null ? [] : [isOpen ? IS_OPEN : HAS_ENDED]),
      ]
      const rows = statements.all(SQL.list(conditions.join(' AND ') || 'true'), {
        ...readCursor(cursor),
        ...(namespaces !== null && { namespaces: JSON.stringify(namespaces) }),
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
