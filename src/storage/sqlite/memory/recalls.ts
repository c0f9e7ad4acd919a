/** The log of recalls, the lists of a briefing, and the changes of salience by recalls and callers. */

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
import { joinHits } from '../../memory-rows.js'
import { noteRecords } from '../log.js'
import {
  bindCondition,
  type Condition,
  convertRow,
  inNamespaces,
  joinConditions,
  type NamedValues,
  type Parts,
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

type StoredRow = StoredSalience & { readonly row: number; readonly id: RecordId }

export function createRecallReads(statements: Statements) {
  /** Rows with one time, under these conditions. */
  const listDated = <T>(
    select: (condition: string) => string,
    values: NamedValues,
    conditions: readonly (Condition | null)[],
  ): T[] => {
    const { sql, values: bound } = joinConditions(conditions)
    const rows = statements.all(select(sql), { ...values, ...bound })
    return rows.map((row) => convertRow(row, { times: ['at'] }))
  }

  return {
    listQueries(request: Parameters<MemoryStorage['listQueries']>[0]): LoggedQuery[] {
      const { session, limit, namespaces = null } = request
      const { sql, values } = joinConditions([
        bindCondition('s.row = :session', { session }),
        inNamespaces('s', namespaces),
      ])
      const types = { times: ['at'], objects: ['request'] }
      const queries = statements
        .all(SQL.queries(sql), { limit, ...values })
        .map((row) => convertRow<Omit<LoggedQuery, 'hits'> & { row: number }>(row, types))
      const own = joinConditions([inNamespaces('r', namespaces)])
      const rows = queries.map(({ row }) => row)
      return joinHits(queries, statements.all(SQL.hits(own.sql), { ...own.values, queries: rows }))
    },

    listRecalls: (id: RecordId, limit: number, namespaces: readonly string[] | null = null) =>
      listDated<RecallLine>(SQL.ofRecord, { id, limit }, [inNamespaces('s', namespaces)]),
    listUsed(request: Parameters<MemoryStorage['listUsed']>[0]): DatedRecord[] {
      const { namespaces, pinnedNamespace: namespace, sinceMs, limit } = request
      const values = { namespace, sinceMs, limit }
      return listDated(SQL.used, values, [inNamespaces('r', namespaces)])
    },
    listCorrections(namespaces: readonly string[] | null, limit: number): DatedRecord[] {
      const both = [inNamespaces('n', namespaces), inNamespaces('o', namespaces)]
      return listDated(SQL.corrections, { limit }, both)
    },
  }
}

export function createRecallsTable(parts: Parts, sessions: SessionsTable, facts: FactsTable) {
  const { statements, now, makeId } = parts
  /** Changes the effective salience of each record; returns the new values in the order of `ids`. `decay` is a multiple of the usual rate. */
  const changeSalience = (
    ids: readonly RecordId[],
    next: (effective: number) => number,
    { decay, atMs }: { readonly decay: number; readonly atMs: number },
  ): ReadonlyMap<RecordId, number> => {
    const stored = statements.all<StoredRow>(SQL.readSalience, { ids })
    const changed = new Map(
      stored.map((one) => [one.id, next(effectiveSalience(one, atMs, decay))] as const),
    )
    const values = stored.map(({ row, id }) => [row, changed.get(id)])
    if (values.length > 0) statements.run(SQL.writeSalience, { values, atMs })
    return new Map(ids.flatMap((id) => (changed.has(id) ? [[id, changed.get(id) ?? 0]] : [])))
  }
  const reinforce = (ids: readonly RecordId[], amount: number, decay: number, atMs = now()) =>
    changeSalience(ids, (effective) => reinforceSalience(effective, amount), { decay, atMs })

  return {
    reinforce,
    writes: {
      logRecall(recall: Recall): void {
        const { hits, reinforcement, decay, atMs, query: text, lens, request } = recall
        const session = recall.session.row
        const logged = { id: makeId(), session, at: atMs, query: text, lens, request }
        const { lastRow: query } = statements.run(SQL.insertQuery, logged)
        statements.run(SQL.insertRecords, {
          query,
          hits: hits.map((hit, i) => [hit.id, i + 1, hit.score]),
        })
        statements.run(SQL.insertFacts, {
          query,
          facts: hits.flatMap((hit, i) => hit.facts.map((fact) => [fact, i + 1, hit.score])),
        })
        const ids = hits.map((hit) => hit.id)
        sessions.noteUsage(session, ids, 'recalled', atMs)
        if (reinforcement === 0) return
        reinforce(ids, reinforcement, decay, atMs)
        const factIds = hits.flatMap((hit) => hit.facts)
        facts.reinforce(factIds, reinforcement, atMs)
      },

      strengthen(ids: readonly RecordId[], how: Strengthening) {
        const { kind, amount, decay, session } = how
        noteRecords(parts, kind, ids)
        if (kind === 'deemphasize') {
          const next = (effective: number) => deemphasizeSalience(effective, amount)
          return changeSalience(ids, next, { decay, atMs: now() })
        }
        if (session !== null) sessions.noteUsage(session, ids, 'reinforced')
        return reinforce(ids, amount, decay)
      },
    },

    /** Before a purge: removes the queries that found these records only. */
    forgetQueriesOf(ids: readonly RecordId[]): void {
      statements.run(SQL.forget, { ids })
    },
  }
}
