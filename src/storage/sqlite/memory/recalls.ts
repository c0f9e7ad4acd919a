/** The log of recalls, what a briefing reads, and how recalls and callers change the salience of records. */

import type { RecordId } from '../../../core/ids.js'
import {
  deemphasizeSalience,
  effectiveSalience,
  reinforceSalience,
  type StoredSalience,
} from '../../../core/salience.js'
import type {
  DatedRecord,
  LoggedQuery,
  MemoryStorage,
  Recall,
  RecallLine,
  Strengthening,
} from '../../memory.js'
import {
  bindCondition,
  convertRow,
  inNamespaces,
  joinConditions,
  type Statements,
  withinSql,
} from '../statements.js'
import type { FactsTable } from './facts.js'
import type { SessionsTable } from './sessions.js'

const QUERY = 'q.query, q.lens, s.id AS sessionId, q.at'
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
  ofRecord: (condition: string) => `SELECT q.id AS queryId, ${QUERY}, l.rank, l.score
    FROM records r JOIN recalls l ON l.record = r.row AND l.fact IS NULL
      JOIN recalled_queries q ON q.row = l.query JOIN sessions s ON s.row = q.session
    WHERE r.id = :id AND ${condition} ${NEWEST}`,
  queries: (condition: string) => `SELECT q.row, q.id, ${QUERY}, q.request
    FROM recalled_queries q JOIN sessions s ON s.row = q.session WHERE ${condition} ${NEWEST}`,
  hits: (condition: string) => `SELECT l.query, r.id, l.rank, l.score
    FROM recalls l JOIN records r ON r.row = l.record
    WHERE l.query IN (SELECT value FROM json_each(:queries)) AND l.fact IS NULL AND r.deleted_at IS NULL
      AND ${condition} ORDER BY l.query, l.rank`,
  used: (condition: string) => `SELECT r.id, max(u.last_at) AS at
    FROM sessions s CROSS JOIN session_records u ON u.session = s.row CROSS JOIN records r ON r.row = u.record
    WHERE s.started_at >= :sinceMs AND u.usage <> 'created' AND r.present AND ${withinSql('s')} AND ${condition}
    GROUP BY r.row ORDER BY sum(u.times) DESC, at DESC, r.id DESC LIMIT :limit`,
  corrections: (condition: string) => `SELECT n.id, o.superseded_at AS at
    FROM records o CROSS JOIN links l ON l.target = o.row AND l.type = 'SUPERSEDES' CROSS JOIN records n ON n.row = l.source
    WHERE o.superseded_at IS NOT NULL AND o.deleted_at IS NULL AND n.present AND ${condition}
    ORDER BY o.superseded_at DESC, o.id DESC LIMIT :limit`,
  forget: `WITH gone AS MATERIALIZED (SELECT row FROM records WHERE id IN (SELECT value FROM json_each(:ids)))
    DELETE FROM recalled_queries
    WHERE row IN (SELECT query FROM recalls WHERE record IN (SELECT row FROM gone))
      AND NOT EXISTS (SELECT 1 FROM recalls l
        WHERE l.query = recalled_queries.row AND l.record NOT IN (SELECT row FROM gone))`,
  readSalience: `SELECT row, id, salience, importance, sector, coalesce(accessed_at, created_at) AS accessedAtMs
    FROM records WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL`,
  /** Each is [row, salience]. */
  writeSalience: `UPDATE records SET salience = j.value ->> 1, accessed_at = :atMs
    FROM json_each(:values) j WHERE records.row = j.value ->> 0`,
} as const

type LoggedHit = LoggedQuery['hits'][number]

export function createRecallsTable(
  statements: Statements,
  sessions: SessionsTable,
  facts: FactsTable,
) {
  /** Changes what each salience has faded to; returns the new ones in the order asked. `decay` is a multiple of the usual fading. */
  const changeSalience = (
    ids: readonly RecordId[],
    next: (effective: number) => number,
    { decay, atMs }: { readonly decay: number; readonly atMs: number },
  ): ReadonlyMap<RecordId, number> => {
    const rows = statements.all(SQL.readSalience, { ids: JSON.stringify(ids) })
    const stored = rows as unknown as (StoredSalience & { row: number; id: RecordId })[]
    const changed = new Map(
      stored.map((one) => [one.id, next(effectiveSalience(one, atMs, decay))] as const),
    )
    const values = stored.map(({ row, id }) => [row, changed.get(id)])
    if (values.length > 0) {
      statements.run(SQL.writeSalience, { values: JSON.stringify(values), atMs })
    }
    return new Map(ids.flatMap((id) => (changed.has(id) ? [[id, changed.get(id) ?? 0]] : [])))
  }
  const reinforceRows = (ids: readonly RecordId[], amount: number, decay: number, atMs: number) =>
    changeSalience(ids, (effective) => reinforceSalience(effective, amount), { decay, atMs })

  return {
    reinforceRows,

    add(recall: Recall, id: string): void {
      const { hits, reinforcement, decay, atMs } = recall
      const session = recall.session.row
      const { lastRow: query } = statements.run(SQL.insertQuery, {
        id,
        session,
        at: atMs,
        query: recall.query,
        lens: recall.lens,
        request: JSON.stringify(recall.request),
      })
      const lines = hits.map((hit, i) => [hit.id, i + 1, hit.score])
      const factLines = hits.flatMap((hit, i) => hit.facts.map((fact) => [fact, i + 1, hit.score]))
      statements.run(SQL.insertRecords, { query, hits: JSON.stringify(lines) })
      statements.run(SQL.insertFacts, { query, facts: JSON.stringify(factLines) })
      const ids = hits.map((hit) => hit.id)
      sessions.noteUsage(session, ids, 'recalled', atMs)
      if (reinforcement === 0) return
      reinforceRows(ids, reinforcement, decay, atMs)
      const factIds = hits.flatMap((hit) => hit.facts)
      facts.reinforce(factIds, reinforcement, atMs)
    },

    strengthen(ids: readonly RecordId[], how: Strengthening, atMs: number) {
      const { kind, amount, decay, session } = how
      if (kind === 'deemphasize') {
        const next = (effective: number) => deemphasizeSalience(effective, amount)
        return changeSalience(ids, next, { decay, atMs })
      }
      if (session !== null) sessions.noteUsage(session, ids, 'reinforced', atMs)
      return reinforceRows(ids, amount, decay, atMs)
    },

    ofRecord(id: RecordId, limit: number, namespaces: readonly string[] | null): RecallLine[] {
      const { sql, values } = joinConditions([inNamespaces('s', namespaces)])
      const rows = statements.all(SQL.ofRecord(sql), { id, limit, ...values })
      return rows.map((row) => convertRow(row, { times: ['at'] }))
    },

    queries(session: number | null, limit: number, namespaces: readonly string[] | null) {
      const { sql, values } = joinConditions([
        bindCondition('s.row = :session', { session }),
        inNamespaces('s', namespaces),
      ])
      const rows = statements.all(SQL.queries(sql), { limit, ...values })
      const hits = new Map<unknown, LoggedHit[]>(rows.map(({ row }) => [row, []]))
      const queries = JSON.stringify([...hits.keys()])
      const own = joinConditions([inNamespaces('r', namespaces)])
      for (const { query, ...hit } of statements.all(SQL.hits(own.sql), {
        ...own.values,
        queries,
      })) {
        hits.get(query)?.push(hit as LoggedHit)
      }
      return rows.map(({ row, ...logged }) => ({
        ...convertRow<Omit<LoggedQuery, 'hits'>>(logged, { times: ['at'], objects: ['request'] }),
        hits: hits.get(row) ?? [],
      }))
    },

    used(request: Parameters<MemoryStorage['listUsed']>[0]): DatedRecord[] {
      const { namespaces, pinnedNamespace: namespace, sinceMs, limit } = request
      const { sql, values } = joinConditions([inNamespaces('r', namespaces)])
      const rows = statements.all(SQL.used(sql), { ...values, namespace, sinceMs, limit })
      return rows.map((row) => convertRow(row, { times: ['at'] }))
    },

    corrections(namespaces: readonly string[] | null, limit: number): DatedRecord[] {
      const both = [inNamespaces('n', namespaces), inNamespaces('o', namespaces)]
      const { sql, values } = joinConditions(both)
      const rows = statements.all(SQL.corrections(sql), { ...values, limit })
      return rows.map((row) => convertRow(row, { times: ['at'] }))
    },

    /** Before a purge: removes the queries that found these records only. */
    forgetQueriesOf(ids: readonly RecordId[]): void {
      statements.run(SQL.forget, { ids: JSON.stringify(ids) })
    },
  }
}
