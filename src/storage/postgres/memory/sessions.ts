/** The sessions table, and which records each session created, recalled, updated or reinforced. */

import { takenSession } from '../../../core/errors.js'
import { parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../../../core/ids.js'
import type { Session, SessionRecord, Usage } from '../../../core/record.js'
import { firstWords, summaryOf } from '../../../text/summary.js'
import { readCursor, writeCursor } from '../../cursor.js'
import type { ImportedSession } from '../../imports.js'
import {
  forEachUsage,
  type NewSession,
  type SessionChange,
  type SessionListing,
  type SessionPage,
  type SessionResolution,
  type SessionSummary,
  type StoredSession,
} from '../../memory.js'
import {
  convertTimes,
  inNamespaces,
  joinConditions,
  type Row,
  type Statements,
  toJson,
  toLists,
  withinSql,
} from '../statements.js'

/** Enough of a text for its summary; long texts are not read whole for it. */
export const beginningOf = (column: string): string =>
  `substr(ltrim(${column}, E'\\t\\n\\x0B\\f\\r '), 1, 1000)`

/**
 * The beginning of the first record that a session `s` created, else of its first search. It is not stored: a record that
 * is purged leaves nothing in a title.
 */
export const OPENING = `CASE WHEN s.title IS NULL THEN coalesce(
    (SELECT ${beginningOf('coalesce(r.title, r.body)')} FROM session_records u
      JOIN records r ON r.namespace = u.namespace AND r.row = u.record
      WHERE u.session = s.row AND u.usage = 'created' AND r.deleted_at IS NULL AND r.namespace = s.namespace
      ORDER BY u.record LIMIT 1),
    (SELECT ${beginningOf('q.query')} FROM recalled_queries q WHERE q.session = s.row ORDER BY q.row LIMIT 1)) END`

const COLUMNS = `s.row, s.id, s.namespace, s.title, s.summary, s.started_at AS "startedAt", s.ended_at AS "endedAt",
  s.owner, s.metadata, ${OPENING} AS opening`
const STATES: Readonly<Record<Session['state'], string>> = {
  open: 's.ended_at IS NULL AND s.row <> ALL (:abandoned::bigint[])',
  abandoned: 's.ended_at IS NULL AND s.row = ANY (:abandoned::bigint[])',
  ended: 's.ended_at IS NOT NULL',
}
const AGAIN = `ON CONFLICT (namespace, record, session, usage) DO UPDATE
    SET last_at = greatest(session_records.last_at, excluded.last_at), times = session_records.times + excluded.times`
const CREATED =
  'unnest(:id::text[], :session::text[], :namespace::text[], :atMs::bigint[]) WITH ORDINALITY AS c (id, session, namespace, at, n)'
const TOUCHED = 'session_records u JOIN records r ON r.namespace = u.namespace AND r.row = u.record'

const SQL = {
  insert: `INSERT INTO sessions (namespace, id, title, started_at, ended_at, owner, metadata)
    VALUES (:namespace, :id, :title, :startedAt, :endedAt, :owner, :metadata)
    ON CONFLICT (namespace, id) DO NOTHING RETURNING row`,
  /** A session has the namespace of its records and the earliest time. */
  ensure: `INSERT INTO sessions (namespace, id, started_at)
    SELECT c.namespace, c.session, min(c.at) FROM ${CREATED} GROUP BY c.namespace, c.session ORDER BY min(c.n)
    ON CONFLICT (namespace, id) DO NOTHING`,
  /** A record was created when it was stored, whenever it took place. */
  created: `INSERT INTO session_records (namespace, record, session, usage, first_at, last_at)
    SELECT r.namespace, r.row, s.row, 'created', r.created_at, r.created_at
    FROM ${CREATED} JOIN records r ON r.namespace = c.namespace AND r.id = c.id
      JOIN sessions s ON s.namespace = c.namespace AND s.id = c.session
    ORDER BY r.row ${AGAIN}`,
  touched: `INSERT INTO session_records (namespace, record, session, usage, first_at, last_at, times)
    SELECT r.namespace, r.row, u.session, u.usage, :at::bigint, :at::bigint, count(*)
    FROM unnest(:session::bigint[], :id::text[], :usage::text[]) AS u (session, id, usage)
      JOIN records r ON r.id = u.id AND r.deleted_at IS NULL
    GROUP BY r.namespace, r.row, u.session, u.usage ORDER BY r.row, u.session ${AGAIN}`,
  change: `UPDATE sessions s SET title = CASE WHEN :isTitled THEN :title ELSE s.title END,
      summary = CASE WHEN :isSummarised THEN :summary ELSE s.summary END,
      ended_at = CASE WHEN :isEnded THEN :endedAt ELSE s.ended_at END
    WHERE s.row = :row RETURNING ${COLUMNS}`,
  summarise: `UPDATE sessions s SET summary = n.summary, title = CASE WHEN n.loses_title THEN NULL ELSE s.title END
    FROM unnest(:session::bigint[], :summary::text[], :losesTitle::boolean[]) AS n (row, summary, loses_title) WHERE s.row = n.row`,
  /** The earlier start and the later end; an import does not end a session that a process holds open. */
  import: `INSERT INTO sessions (namespace, id, title, started_at, ended_at, metadata)
    SELECT i.namespace, i.id, (array_agg(i.title ORDER BY i.n DESC) FILTER (WHERE i.title IS NOT NULL))[1],
      coalesce(min(i.started_at), :now), max(i.ended_at), (array_agg(i.metadata ORDER BY i.n))[1]::json
    FROM unnest(:namespace::text[], :id::text[], :title::text[], :startedAtMs::bigint[], :endedAtMs::bigint[], :metadata::text[])
      WITH ORDINALITY AS i (namespace, id, title, started_at, ended_at, metadata, n)
    GROUP BY i.namespace, i.id ORDER BY min(i.n)
    ON CONFLICT (namespace, id) DO UPDATE SET title = coalesce(excluded.title, sessions.title),
      started_at = least(sessions.started_at, excluded.started_at),
      ended_at = CASE WHEN sessions.owner IS NULL THEN greatest(sessions.ended_at, excluded.ended_at) ELSE sessions.ended_at END
    WHERE (coalesce(excluded.title, sessions.title), least(sessions.started_at, excluded.started_at),
      CASE WHEN sessions.owner IS NULL THEN greatest(sessions.ended_at, excluded.ended_at) ELSE sessions.ended_at END)
      IS DISTINCT FROM (sessions.title, sessions.started_at, sessions.ended_at)`,
  byRow: `SELECT ${COLUMNS} FROM sessions s WHERE s.row = :row`,
  byId: `SELECT ${COLUMNS} FROM sessions s WHERE s.id = :id AND ${withinSql('s')}
    ORDER BY s.namespace <> :home, s.namespace COLLATE "C"`,
  byBeginning: `SELECT ${COLUMNS} FROM sessions s WHERE s.id ~>=~ :from AND s.id ~<~ :to AND ${withinSql('s')}
    ORDER BY s.id COLLATE "C" LIMIT 6`,
  byTitle: `SELECT ${COLUMNS} FROM sessions s WHERE s.title = :title AND ${withinSql('s')} LIMIT 2`,
  owned: `SELECT ${COLUMNS} FROM sessions s WHERE s.ended_at IS NULL AND s.owner IS NOT NULL`,
  list: (condition: string) => `SELECT ${COLUMNS} FROM sessions s
    WHERE s.started_at <= :atMs AND (s.started_at, s.id COLLATE "C") < (:atMs, :id) AND ${condition}
    ORDER BY s.started_at DESC, s.id COLLATE "C" DESC LIMIT :limit`,
  records: `SELECT u.usage, r.id, r.title, ${beginningOf('r.body')} AS summary, r.people,
      r.occurred_at AS "occurredAt", u.first_at AS "firstAt", u.last_at AS "lastAt", u.times
    FROM ${TOUCHED} WHERE u.session = :row AND r.deleted_at IS NULL AND ${withinSql('r')} ORDER BY u.first_at, r.row`,
  counts: `SELECT u.session, u.usage, count(*) AS n FROM ${TOUCHED}
    WHERE u.session = ANY (:sessions::bigint[]) AND r.deleted_at IS NULL AND ${withinSql('r')}
    GROUP BY u.session, u.usage`,
  /** Usages at one time are in the order in which they can have happened. */
  last: `SELECT ${COLUMNS}, t.usage, t.last_at AS at,
      (SELECT count(DISTINCT u.record) FROM ${TOUCHED}
        WHERE u.session = s.row AND r.deleted_at IS NULL AND ${withinSql('r')}) AS records
    FROM (SELECT u.session, u.usage, u.last_at FROM ${TOUCHED} JOIN sessions o ON o.row = u.session
        WHERE r.id = :id AND ${withinSql('o')}
        ORDER BY u.last_at DESC, u.usage COLLATE "C" DESC, u.session DESC LIMIT 1) t
      JOIN sessions s ON s.row = t.session`,
} as const

export type CreatedInSession = {
  readonly id: RecordId
  readonly session: string
  readonly namespace: string
  readonly atMs: number
}

/** Notes the records that sessions created, and starts the sessions that do not exist yet. */
export async function noteCreated(
  statements: Statements,
  created: readonly CreatedInSession[],
): Promise<void> {
  if (created.length === 0) return
  const values = toLists(created, ['id', 'session', 'namespace', 'atMs'])
  await Promise.all([statements.run(SQL.ensure, values), statements.run(SQL.created, values)])
}

export type UsedInSession = {
  readonly session: number
  readonly id: RecordId
  readonly usage: Usage
}

/** A record that a session used twice is counted twice; deleted ones are left out. */
export async function noteUsage(
  statements: Statements,
  used: readonly UsedInSession[],
  at: number,
): Promise<void> {
  if (used.length === 0) return
  await statements.run(SQL.touched, { ...toLists(used, ['session', 'id', 'usage']), at })
}

export async function startSession(
  statements: Statements,
  session: NewSession & { readonly id: string },
): Promise<StoredSession> {
  const { id, namespace, title, startedAtMs, endedAtMs, owner, metadata } = session
  const row = await statements.value(SQL.insert, {
    ...{ id, namespace, title, startedAt: startedAtMs, endedAt: endedAtMs },
    owner: owner && toJson(owner),
    metadata: toJson(metadata),
  })
  const [started] = row === undefined ? [] : await statements.all(SQL.byRow, { row: Number(row) })
  if (started === undefined) throw takenSession(id)
  return toSession(started)
}

export async function changeSession(
  statements: Statements,
  row: number,
  { title, summary, endedAtMs }: SessionChange,
): Promise<StoredSession | null> {
  const rows = await statements.all(SQL.change, {
    ...{ row, title: title ?? null, isTitled: title !== undefined },
    ...{ summary: summary ?? null, isSummarised: summary !== undefined },
    ...{ endedAt: endedAtMs ?? null, isEnded: endedAtMs !== undefined },
  })
  return rows.map(toSession)[0] ?? null
}

export async function writeSummaries(
  statements: Statements,
  summaries: readonly SessionSummary[],
): Promise<void> {
  if (summaries.length === 0) return
  await statements.run(SQL.summarise, toLists(summaries, ['session', 'summary', 'losesTitle']))
}

/** Starts sessions, or updates them with what an import knows; returns how many changed. */
export function importSessions(
  statements: Statements,
  sessions: readonly ImportedSession[],
  now: number,
): Promise<number> {
  return statements.run(SQL.import, {
    ...toLists(sessions, ['namespace', 'id', 'title', 'startedAtMs', 'endedAtMs']),
    metadata: sessions.map(({ metadata }) => toJson(metadata)),
    now,
  })
}

export type SessionQuery = {
  readonly text: string
  readonly home: string
  readonly namespace: string | null
}

/** The whole id goes before a beginning of it, and a beginning that names one session before a title. */
export async function findSession(
  statements: Statements,
  { text, home, namespace }: SessionQuery,
): Promise<SessionResolution> {
  const named = (await statements.all(SQL.byId, { id: text, home, namespace })).map(toSession)
  const [exact, ...others] = named
  if (exact !== undefined && (exact.namespace === home || others.length === 0)) {
    return { kind: 'found', session: exact }
  }
  if (exact !== undefined) {
    return { kind: 'ambiguous', ids: named.map((one) => `${one.id} in "${one.namespace}"`) }
  }
  const begun = await findByBeginning(statements, text, namespace)
  const titled = () => statements.all(SQL.byTitle, { title: text, namespace })
  const found = begun.length === 1 ? begun : await titled()
  const [only] = found
  if (only !== undefined && found.length === 1) return { kind: 'found', session: toSession(only) }
  if (begun.length === 0) return { kind: 'missing' }
  return { kind: 'ambiguous', ids: begun.map((row) => String(row.id)) }
}

/** Generated ids may be typed like those of records: in any case, with O for 0. */
async function findByBeginning(statements: Statements, text: string, namespace: string | null) {
  for (const from of [text, parseIdPrefix(text)]) {
    if (from === null || [...from].length < SHORTEST_PREFIX) continue
    const range = { from, to: `${from}\u{10FFFF}`, namespace }
    const rows = await statements.all(SQL.byBeginning, range)
    if (rows.length > 0) return rows
  }
  return []
}

export async function listOwned(statements: Statements): Promise<StoredSession[]> {
  return (await statements.all(SQL.owned)).map(toSession)
}

export async function listSessions(
  statements: Statements,
  listing: SessionListing,
): Promise<SessionPage> {
  const { namespaces, state, abandoned, limit, cursor, pinnedNamespace = null } = listing
  const { sql, values } = joinConditions([
    inNamespaces('s', namespaces),
    state && { sql: STATES[state], values: state === 'ended' ? {} : { abandoned } },
  ])
  const page = { ...readCursor(cursor), limit: limit + 1 }
  const rows = await statements.all(SQL.list(sql), { ...values, ...page })
  const shown = rows.slice(0, limit)
  const counted = await statements.all(SQL.counts, {
    sessions: shown.map(({ row }) => Number(row)),
    namespace: pinnedNamespace,
  })
  const sessions = shown.map((columns) => {
    const own = counted.filter(({ session }) => session === columns.row)
    const counts = forEachUsage((name) => Number(own.find(({ usage }) => usage === name)?.n ?? 0))
    return { ...toSession(columns), counts }
  })
  const last = rows.length > limit ? sessions.at(-1) : undefined
  return { sessions, next: last === undefined ? null : writeCursor(last.startedAt, last.id) }
}

export async function listSessionRecords(
  statements: Statements,
  row: number,
  namespace: string | null,
): Promise<Record<Usage, readonly SessionRecord[]>> {
  const rows = await statements.all(SQL.records, { row, namespace })
  return forEachUsage((name) =>
    rows.flatMap(({ usage, ...row }) => {
      if (usage !== name) return []
      const record = convertTimes<SessionRecord>(row, ['occurredAt', 'firstAt', 'lastAt'])
      return [{ ...record, summary: summaryOf(record.summary) }]
    }),
  )
}

export async function findLastTouch(
  statements: Statements,
  id: RecordId,
  namespace: string | null,
) {
  const [row] = await statements.all(SQL.last, { id, namespace })
  if (row === undefined) return null
  const { usage, at, records, ...session } = convertTimes<Row>(row, ['at'])
  const touch = { usage: usage as Usage, at: String(at), records: Number(records) }
  return { ...touch, session: toSession(session) }
}

function toSession({ opening, ...row }: Row): StoredSession {
  const session = convertTimes<StoredSession>(row, ['startedAt', 'endedAt'])
  const isTitled = session.title !== null
  return { ...session, isTitled, title: session.title ?? toTitle(opening) }
}

export function toTitle(opening: unknown): string | null {
  return typeof opening === 'string' ? firstWords(opening) || null : null
}
