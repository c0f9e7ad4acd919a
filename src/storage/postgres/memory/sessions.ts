/** The sessions table, and which records each session created, recalled, updated or reinforced. */

import { takenSession } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import type { Session, SessionRecord, Usage } from '../../../core/record.js'
import { readCursor } from '../../cursor.js'
import type { ImportedSession } from '../../imports.js'
import {
  type MemoryStorage,
  nameChange,
  type SessionSummary,
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
import type { Parts } from '../open-postgres.js'
import type { Runners } from '../runner.js'
import {
  convertTimes,
  inNamespaces,
  joinConditions,
  type Row,
  type Statements,
  toJson,
  toLists,
  type Values,
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

type CreatedInSession = {
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

type UsedInSession = {
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

async function readSessions(
  statements: Statements,
  sql: string,
  values: Values = {},
): Promise<StoredSession[]> {
  return (await statements.all(sql, values)).map(toSession)
}

async function findBegun(statements: Statements, text: string, namespace: string | null) {
  for (const range of listIdRanges(text)) {
    const begun = await readSessions(statements, SQL.byBeginning, { ...range, namespace })
    if (begun.length > 0) return begun
  }
  return []
}

export function createSessions({ now, makeId }: Parts, { run, amend }: Runners) {
  return {
    startSession: ({ id: given, namespace, startedAtMs, owner, metadata, ...session }) =>
      amend(namespace, async (statements) => {
        const id = given ?? makeId()
        const row = await statements.value(SQL.insert, {
          ...{ id, namespace, title: session.title, startedAt: startedAtMs ?? now() },
          ...{ endedAt: session.endedAtMs, owner: owner && toJson(owner) },
          metadata: toJson(metadata),
        })
        if (row === undefined) throw takenSession(id)
        const [started] = await readSessions(statements, SQL.byRow, { row: Number(row) })
        await noteEvent(statements, { action: 'session.start', namespace, subject: id }, now())
        return started as StoredSession
      }),
    changeSession: (row, change) =>
      amend(null, async (statements) => {
        const { title, summary, endedAtMs } = change
        const [changed = null] = await readSessions(statements, SQL.change, {
          ...{ row, title: title ?? null, isTitled: title !== undefined },
          ...{ summary: summary ?? null, isSummarised: summary !== undefined },
          ...{ endedAt: endedAtMs ?? null, isEnded: endedAtMs !== undefined },
        })
        if (changed === null) return null
        const { id: subject, namespace } = changed
        await noteEvent(statements, { action: nameChange(change), namespace, subject }, now())
        return changed
      }),
    /** A whole id comes before a prefix, and a unique prefix before a title. */
    findSession: (text, home, namespace = null) =>
      run(async (statements) => {
        const named = await readSessions(statements, SQL.byId, { id: text, home, namespace })
        const exact = chooseById(named, home)
        if (exact !== null) return exact
        const begun = await findBegun(statements, text, namespace)
        const titled = { title: text, namespace }
        const others = begun.length === 1 ? [] : readSessions(statements, SQL.byTitle, titled)
        return chooseByBeginning(begun, await others)
      }),
    listSessions: ({ namespaces, state, abandoned, limit, cursor, pinnedNamespace = null }) =>
      run(async (statements) => {
        const { sql, values } = joinConditions([
          inNamespaces('s', namespaces),
          state && { sql: STATES[state], values: state === 'ended' ? {} : { abandoned } },
        ])
        const page = { ...values, ...readCursor(cursor), limit: limit + 1 }
        const found = await readSessions(statements, SQL.list(sql), page)
        const sessions = found.slice(0, limit).map(({ row }) => row)
        const counted = await statements.all(SQL.counts, { sessions, namespace: pinnedNamespace })
        return toSessionPage(found, counted, limit)
      }),
    listOwnedSessions: () => run((statements) => readSessions(statements, SQL.owned)),
    listSessionRecords: (session, namespace = null) =>
      run(async (statements) => {
        const times = ['occurredAt', 'firstAt', 'lastAt']
        const rows = await statements.all(SQL.records, { row: session, namespace })
        return groupByUsage(
          rows.map((row) => convertTimes<SessionRecord & { usage: Usage }>(row, times)),
        )
      }),
    lastTouch: (id, namespace = null) =>
      run(async (statements) => {
        const [row] = await statements.all(SQL.last, { id, namespace })
        if (row === undefined) return null
        const { usage, at, records, ...session } = convertTimes<Row>(row, ['at'])
        const touch = { usage: usage as Usage, at: String(at), records: Number(records) }
        return { ...touch, session: toSession(session) }
      }),
  } satisfies Partial<MemoryStorage>
}

function toSession(row: Row): StoredSession {
  return toStoredSession(convertTimes(row, ['startedAt', 'endedAt']))
}
