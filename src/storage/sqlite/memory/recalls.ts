/** The log of recalls, and how recalls and callers change the salience of records. */

import type { RecordId } from '../../../core/ids.js'
import type { Sector, Usage } from '../../../core/record.js'
import {
  deemphasizeSalience,
  effectiveSalience,
  reinforceSalience,
} from '../../../core/salience.js'
import type { LoggedQuery, Recall, RecallLine, Strengthening } from '../../memory.js'
import type { Row, Statements } from '../statements.js'
import type { FactsTable } from './facts.js'
import type { SessionRecordsTable, SessionsTable } from './sessions.js'

const QUERY = 'q.row, q.id, q.query, q.lens, q.at, q.request, s.id AS session'
const IN_NAMESPACES = 's.namespace IN (SELECT value FROM json_each(:namespaces))'
const NEWEST = 'ORDER BY q.at DESC, q.row DESC LIMIT :limit'

const SQL = {
  insertQuery: `INSERT INTO recalled_queries (id, session, at, query, lens, request)
    VALUES (:id, :session, :at, :query, :lens, :request)`,
  /** Each is [record, rank, score]. */
  insertRecords: `INSERT INTO recalls (query, record, rank, score)
    SELECT :query, r.row, j.value ->> 1, j.value ->> 2
    FROM json_each(:hits) j CROSS JOIN records r ON r.id = j.value ->> 0
    WHERE r.deleted_at IS NULL ORDER BY j.key`,
  /** Each is [fact, rank, score] of the record that showed it. */
  insertFacts: `INSERT INTO recalls (query, record, fact, rank, score)
    SELECT :query, f.record, f.row, j.value ->> 1, j.value ->> 2
    FROM json_each(:facts) j CROSS JOIN facts f ON f.id = j.value ->> 0 CROSS JOIN records r ON r.row = f.record
    WHERE r.deleted_at IS NULL ORDER BY j.key`,
  ofRecord: (condition: string) => `SELECT ${QUERY}, l.rank, l.score
    FROM records r JOIN recalls l ON l.record = r.row AND l.fact IS NULL
      JOIN recalled_queries q ON q.row = l.query JOIN sessions s ON s.row = q.session
    WHERE r.id = :id AND ${condition} ${NEWEST}`,
  newest: (condition: string) => `SELECT ${QUERY}
    FROM recalled_queries q JOIN sessions s ON s.row = q.session WHERE ${condition} ${NEWEST}`,
  newestOfSession: (condition: string) => `SELECT ${QUERY}
    FROM sessions s JOIN recalled_queries q ON q.session = s.row
    WHERE s.id = :session AND ${condition} ${NEWEST}`,
  hits: `SELECT l.query, r.id, l.rank, l.score FROM recalls l JOIN records r ON r.row = l.record
    WHERE l.query IN (SELECT value FROM json_each(:queries)) AND l.fact IS NULL AND r.deleted_at IS NULL
    ORDER BY l.query, l.rank`,
  forget: `WITH gone AS MATERIALIZED (SELECT row FROM records WHERE id IN (SELECT value FROM json_each(:ids)))
    DELETE FROM recalled_queries
    WHERE row IN (SELECT query FROM recalls WHERE record IN (SELECT row FROM gone))
      AND NOT EXISTS (SELECT 1 FROM recalls l
        WHERE l.query = recalled_queries.row AND l.record NOT IN (SELECT row FROM gone))`,
} as const

export type RecallsTable = ReturnType<typeof createRecallsTable>

export function createRecallsTable(statements: Statements) {
  return {
    /** What is gone by now is left out. */
    add(recall: Recall, id: string, session: number): void {
      const { lastRow: query } = statements.run(SQL.insertQuery, {
        id,
        session,
        at: recall.atMs,
        query: recall.query,
        lens: recall.lens,
        request: JSON.stringify(recall.request),
      })
      const hits = recall.hits.map((hit, i) => [hit.id, i + 1, hit.score])
      const facts = recall.hits.flatMap((hit, i) =>
        hit.facts.map((fact) => [fact, i + 1, hit.score]),
      )
      statements.run(SQL.insertRecords, { query, hits: JSON.stringify(hits) })
      statements.run(SQL.insertFacts, { query, facts: JSON.stringify(facts) })
    },

    ofRecord(id: RecordId, limit: number, namespaces: Namespaces): RecallLine[] {
      const { sql, values } = within(namespaces)
      return statements.all(SQL.ofRecord(sql), { id, limit, ...values }).map(toLine)
    },

    queries(session: string | null, limit: number, namespaces: Namespaces): LoggedQuery[] {
      const { sql, values } = within(namespaces)
      const rows =
        session === null
          ? statements.all(SQL.newest(sql), { limit, ...values })
          : statements.all(SQL.newestOfSession(sql), { session, limit, ...values })
      const hits = new Map<unknown, LoggedQuery['hits'][number][]>(rows.map(({ row }) => [row, []]))
      const queries = JSON.stringify([...hits.keys()])
      for (const hit of statements.all(SQL.hits, { queries })) {
        const { id, rank, score } = hit
        hits.get(hit.query)?.push({ id: id as RecordId, rank: Number(rank), score: Number(score) })
      }
      return rows.map((row) => toQuery(row, hits.get(row.row) ?? []))
    },

    /** Before a purge: a query that found these records alone goes with them. */
    forgetQueriesOf(ids: readonly RecordId[]): void {
      statements.run(SQL.forget, { ids: JSON.stringify(ids) })
    },
  }
}

type Namespaces = readonly string[] | null

/** Of sessions there alone; null: of all. */
function within(namespaces: Namespaces) {
  return namespaces === null
    ? { sql: 'true', values: {} }
    : { sql: IN_NAMESPACES, values: { namespaces: JSON.stringify(namespaces) } }
}

function toLine(row: Row): RecallLine {
  return {
    queryId: String(row.id),
    query: String(row.query),
    lens: String(row.lens),
    sessionId: String(row.session),
    at: new Date(row.at as number).toISOString(),
    rank: Number(row.rank),
    score: Number(row.score),
  }
}

function toQuery(row: Row, hits: LoggedQuery['hits']): LoggedQuery {
  return {
    id: String(row.id),
    query: String(row.query),
    lens: String(row.lens),
    sessionId: String(row.session),
    at: new Date(row.at as number).toISOString(),
    request: JSON.parse(String(row.request)) as LoggedQuery['request'],
    hits,
  }
}

const SALIENCE_SQL = {
  read: `SELECT row, id, salience, importance, sector, coalesce(accessed_at, created_at) AS accessed_at
    FROM records WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL`,
  /** Each is [row, salience]. */
  write: `UPDATE records SET salience = j.value ->> 1, accessed_at = :atMs
    FROM json_each(:values) j WHERE records.row = j.value ->> 0`,
} as const

export type Strength = ReturnType<typeof createStrength>

export function createStrength(statements: Statements) {
  return {
    /** Gives what each record that is there has become, in the order asked. */
    change(
      ids: readonly RecordId[],
      next: (effective: number) => number,
      { decay, atMs }: { readonly decay: number; readonly atMs: number },
    ): ReadonlyMap<RecordId, number> {
      const rows = statements.all(SALIENCE_SQL.read, { ids: JSON.stringify(ids) }).map((row) => {
        const stored = {
          salience: row.salience as number,
          importance: row.importance as number,
          sector: row.sector as Sector | null,
          accessedAtMs: row.accessed_at as number,
        }
        const salience = next(effectiveSalience(stored, atMs, decay))
        return { row: Number(row.row), id: row.id as RecordId, salience }
      })
      if (rows.length === 0) return new Map()
      const values = JSON.stringify(rows.map(({ row, salience }) => [row, salience]))
      statements.run(SALIENCE_SQL.write, { values, atMs })
      const changed = new Map(rows.map(({ id, salience }) => [id, salience]))
      return new Map(ids.flatMap((id) => (changed.has(id) ? [[id, changed.get(id) ?? 0]] : [])))
    },
  }
}

/** A record that was added in a session. */
export type CreatedInSession = {
  readonly id: RecordId
  readonly sessionId: string
  readonly namespace: string
  /** When it took place: a session that nobody has started began with the first of its records. */
  readonly atMs: number
}

export type TraceTables = {
  readonly sessions: SessionsTable
  readonly touched: SessionRecordsTable
  readonly facts: FactsTable
  readonly recalls: RecallsTable
  readonly strength: Strength
}

export type Traces = ReturnType<typeof createTraces>

export function createTraces({ sessions, touched, facts, recalls, strength }: TraceTables) {
  const noteUsage = (
    sessionId: string,
    ids: readonly RecordId[],
    usage: Usage,
    atMs: number,
  ): void => touched.note(sessions.rowOf(sessionId), ids, usage, atMs)

  /** Gives what each has become; `decay` says how fast everything fades, as a multiple of the usual. */
  const reinforceRows = (
    ids: readonly RecordId[],
    amount: number,
    decay: number,
    atMs: number,
  ): ReadonlyMap<RecordId, number> =>
    strength.change(ids, (effective) => reinforceSalience(effective, amount), { decay, atMs })

  return {
    noteUsage,
    reinforceRows,

    /** Starts the sessions that are not there yet. */
    noteCreated(created: readonly CreatedInSession[]): void {
      if (created.length === 0) return
      sessions.ensure(startsOf(created))
      touched.noteCreated(created.map(({ id, sessionId }) => [id, sessionId]))
    },

    keepRecall(recall: Recall, queryId: string): void {
      const { sessionId, hits, reinforcement, decay, atMs } = recall
      const session = sessions.rowOf(sessionId)
      const ids = hits.map(({ id }) => id)
      recalls.add(recall, queryId, session)
      touched.note(session, ids, 'recalled', atMs)
      if (reinforcement === 0) return
      reinforceRows(ids, reinforcement, decay, atMs)
      facts.reinforce(
        hits.flatMap((hit) => hit.facts),
        reinforcement,
        atMs,
      )
    },

    strengthen(
      ids: readonly RecordId[],
      { kind, amount, decay, sessionId }: Strengthening,
      atMs: number,
    ): ReadonlyMap<RecordId, number> {
      if (kind === 'deemphasize') {
        return strength.change(ids, (value) => deemphasizeSalience(value, amount), { decay, atMs })
      }
      if (sessionId !== null) noteUsage(sessionId, ids, 'reinforced', atMs)
      return reinforceRows(ids, amount, decay, atMs)
    },
  }
}

/** Each session with the namespace of its first record and the time of its earliest. */
function startsOf(created: readonly CreatedInSession[]): [string, string, number][] {
  const starts = new Map<string, [string, string, number]>()
  for (const { sessionId, namespace, atMs } of created) {
    const known = starts.get(sessionId)
    if (known === undefined) starts.set(sessionId, [sessionId, namespace, atMs])
    else known[2] = Math.min(known[2], atMs)
  }
  return [...starts.values()]
}
