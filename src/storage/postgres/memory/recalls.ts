/** The log of recalls, what a briefing reads, and how recalls and callers change the salience of records. */

import { noSession } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import {
  deemphasizeSalience,
  effectiveSalience,
  reinforceSalience,
  type StoredSalience,
} from '../../../core/salience.js'
import type { DatedRecord, LoggedQuery, MemoryStorage, Recall, RecallLine } from '../../memory.js'
import { joinHits } from '../../memory-rows.js'
import { noteRecords } from '../log.js'
import type { Parts } from '../open-postgres.js'
import type { Runners } from '../runner.js'
import {
  bindCondition,
  type Condition,
  convertTimes,
  inNamespaces,
  joinConditions,
  type Statements,
  toJson,
  toLists,
  type Values,
  withinSql,
} from '../statements.js'
import { lockFacts, reinforceFacts } from './facts.js'
import { noteUsage } from './sessions.js'

const QUERY = 'q.query, q.lens, s.id AS "sessionId", q.at'
const OF_SESSION = 'JOIN sessions s ON s.namespace = q.namespace AND s.row = q.session'
const NEWEST = 'ORDER BY q.at DESC, q.row DESC LIMIT :limit'

const SQL = {
  insertQuery: `INSERT INTO recalled_queries (namespace, id, session, at, query, lens, request)
    SELECT s.namespace, :id, s.row, :at::bigint, :query, :lens, :request::json FROM sessions s WHERE s.row = :session
    RETURNING row`,
  insertLines: `INSERT INTO recalls (namespace, query, record, fact, rank, score)
    SELECT l.namespace, :query::bigint, l.record, l.fact, l.rank, l.score
    FROM unnest(:namespace::text[], :record::bigint[], :fact::bigint[], :rank::integer[], :score::float8[])
      WITH ORDINALITY AS l (namespace, record, fact, rank, score, n) ORDER BY l.n`,
  ofRecord: (condition: string) => `SELECT q.id AS "queryId", ${QUERY}, l.rank, l.score
    FROM records r JOIN recalls l ON l.namespace = r.namespace AND l.record = r.row AND l.fact IS NULL
      JOIN recalled_queries q ON q.row = l.query ${OF_SESSION}
    WHERE r.id = :id AND ${condition} ${NEWEST}`,
  queries: (condition: string) => `SELECT q.row, q.id, ${QUERY}, q.request
    FROM recalled_queries q ${OF_SESSION} WHERE ${condition} ${NEWEST}`,
  hits: (condition: string) => `SELECT l.query, r.id, l.rank, l.score
    FROM recalls l JOIN records r ON r.namespace = l.namespace AND r.row = l.record
    WHERE l.query = ANY (:queries::bigint[]) AND l.fact IS NULL AND r.deleted_at IS NULL
      AND ${condition} ORDER BY l.query, l.rank`,
  used: (condition: string) => `SELECT r.id, max(u.last_at) AS at
    FROM sessions s JOIN session_records u ON u.session = s.row
      JOIN records r ON r.namespace = u.namespace AND r.row = u.record
    WHERE s.started_at >= :sinceMs AND u.usage <> 'created' AND r.present AND ${withinSql('s')} AND ${condition}
    GROUP BY r.namespace, r.row ORDER BY sum(u.times) DESC, max(u.last_at) DESC, r.id COLLATE "C" DESC LIMIT :limit`,
  corrections: (condition: string) => `SELECT n.id, o.superseded_at AS at
    FROM records o JOIN links l ON l.target = o.row AND l.type = 'SUPERSEDES'
      JOIN records n ON n.namespace = l.namespace AND n.row = l.record
    WHERE o.superseded_at IS NOT NULL AND o.deleted_at IS NULL AND n.present AND ${condition}
    ORDER BY o.superseded_at DESC, o.id COLLATE "C" DESC LIMIT :limit`,
  lockForPurge: 'SELECT row FROM records WHERE id = ANY (:ids::text[]) ORDER BY row FOR UPDATE',
  forget: `DELETE FROM recalled_queries q
    WHERE q.row IN (SELECT l.query FROM recalls l WHERE l.record = ANY (:rows::bigint[]))
      AND NOT EXISTS (SELECT FROM recalls l WHERE l.query = q.row AND l.record <> ALL (:rows::bigint[]))`,
  /** In the order of their rows, so that recalls of the same records wait in turn. */
  lock: `SELECT namespace, row, id, salience, importance, sector, coalesce(accessed_at, created_at) AS "accessedAtMs"
    FROM records WHERE id = ANY (:ids::text[]) AND deleted_at IS NULL ORDER BY row FOR NO KEY UPDATE`,
  writeSalience: `UPDATE records r SET salience = n.salience, accessed_at = :atMs
    FROM unnest(:namespace::text[], :row::bigint[], :saliences::float8[]) AS n (namespace, row, salience)
    WHERE r.namespace = n.namespace AND r.row = n.row`,
} as const

type Locked = StoredSalience & {
  readonly namespace: string
  readonly row: number
  readonly id: RecordId
}

/** Live records, until the end of the transaction. */
async function lockRecords(statements: Statements, ids: readonly RecordId[]): Promise<Locked[]> {
  return (await statements.all(SQL.lock, { ids })) as unknown as Locked[]
}

type Reinforcing = {
  readonly amount: number
  /** A multiple of the usual fading. */
  readonly decay: number
  readonly atMs: number
}

/** Changes what each salience has faded to; returns the new ones. */
async function changeSalience(
  statements: Statements,
  records: readonly Locked[],
  { decay, atMs, next }: Omit<Reinforcing, 'amount'> & { next: (effective: number) => number },
): Promise<ReadonlyMap<RecordId, number>> {
  const changed = records.map((one) => next(effectiveSalience(one, atMs, decay)))
  if (records.length > 0) {
    await statements.run(SQL.writeSalience, {
      ...toLists(records, ['namespace', 'row']),
      saliences: changed,
      atMs,
    })
  }
  return new Map(records.map(({ id }, i) => [id, changed[i] ?? 0]))
}

export async function reinforceRows(
  statements: Statements,
  ids: readonly RecordId[],
  { amount, ...when }: Reinforcing,
): Promise<ReadonlyMap<RecordId, number>> {
  const records = ids.length === 0 ? [] : await lockRecords(statements, ids)
  const next = (effective: number) => reinforceSalience(effective, amount)
  return changeSalience(statements, records, { ...when, next })
}

/** Two round trips: what is there, then everything that is written. Records that are gone by now are skipped. */
async function logRecall(statements: Statements, id: string, recall: Recall): Promise<void> {
  const { hits, reinforcement: amount, decay, atMs } = recall
  const session = recall.session.row
  const shown = hits.flatMap((hit, i) =>
    hit.facts.map((fact) => ({ fact, rank: i + 1, score: hit.score })),
  )
  const [query, records, facts] = await Promise.all([
    statements.value(SQL.insertQuery, {
      ...{ id, session, at: atMs, query: recall.query, lens: recall.lens },
      request: toJson(recall.request),
    }),
    lockRecords(
      statements,
      hits.map((hit) => hit.id),
    ),
    lockFacts(statements, [...new Set(shown.map(({ fact }) => fact))]),
  ])
  if (query === undefined) throw noSession(recall.session.id)
  const byId = new Map<string, Locked>(records.map((one) => [one.id, one]))
  const factById = new Map(facts.map((one) => [one.id, one]))
  const lines = [
    ...hits.flatMap(({ id, score }, i) => {
      const record = byId.get(id)
      const line = { namespace: record?.namespace ?? '', fact: null, rank: i + 1, score }
      return record === undefined ? [] : [{ ...line, record: record.row }]
    }),
    ...shown.flatMap(({ fact, ...line }) => {
      const found = factById.get(fact)
      if (found === undefined) return []
      return [{ ...line, namespace: found.namespace, record: found.record, fact: found.row }]
    }),
  ]
  const isReinforced = amount > 0
  const next = (effective: number) => reinforceSalience(effective, amount)
  await Promise.all([
    statements.run(SQL.insertLines, {
      ...toLists(lines, ['namespace', 'record', 'fact', 'rank', 'score']),
      query: Number(query),
    }),
    noteUsage(
      statements,
      records.map(({ id }) => ({ session, id, usage: 'recalled' })),
      atMs,
    ),
    changeSalience(statements, isReinforced ? records : [], { decay, atMs, next }),
    reinforceFacts(statements, isReinforced ? facts : [], { amount, now: atMs }),
  ])
}

/** Before a purge: removes the queries that found these records only. No recall can add another until it is done. */
export async function forgetQueriesOf(
  statements: Statements,
  ids: readonly RecordId[],
): Promise<void> {
  const rows = (await statements.column(SQL.lockForPurge, { ids })) as number[]
  if (rows.length > 0) await statements.run(SQL.forget, { rows })
}

export function createRecalls({ now, makeId }: Parts, { run, amend }: Runners) {
  /** Rows with one time, under these conditions. */
  const listDated = <T>(
    select: (condition: string) => string,
    given: Values,
    conditions: readonly (Condition | null)[],
  ): Promise<T[]> =>
    run(async (statements) => {
      const { sql, values } = joinConditions(conditions)
      const rows = await statements.all(select(sql), { ...given, ...values })
      return rows.map((row) => convertTimes<T>(row, ['at']))
    })

  return {
    logRecall: (recall) =>
      amend(recall.session.namespace, (statements) => logRecall(statements, makeId(), recall)),
    strengthen: (ids, { kind, amount, decay, session }) =>
      amend(null, async (statements) => {
        const atMs = now()
        await noteRecords(statements, kind, { ids, at: atMs })
        if (ids.length === 0) return new Map()
        const records = await lockRecords(statements, ids)
        const isReinforced = kind === 'reinforce'
        const next = (effective: number) =>
          isReinforced
            ? reinforceSalience(effective, amount)
            : deemphasizeSalience(effective, amount)
        const used = (isReinforced && session !== null ? records : []).map(
          ({ id }) => ({ session: session ?? 0, id, usage: 'reinforced' }) as const,
        )
        const [changed] = await Promise.all([
          changeSalience(statements, records, { decay, atMs, next }),
          noteUsage(statements, used, atMs),
        ])
        return new Map(ids.flatMap((id) => (changed.has(id) ? [[id, changed.get(id) ?? 0]] : [])))
      }),
    listQueries: ({ session, limit, namespaces = null }) =>
      run(async (statements) => {
        const { sql, values } = joinConditions([
          bindCondition('s.row = :session', { session }),
          inNamespaces('s', namespaces),
        ])
        const rows = await statements.all(SQL.queries(sql), { limit, ...values })
        const queries = rows.map((row) =>
          convertTimes<Omit<LoggedQuery, 'hits'> & { row: number }>(row, ['at']),
        )
        const own = joinConditions([inNamespaces('r', namespaces)])
        const wanted = { ...own.values, queries: queries.map(({ row }) => row) }
        return joinHits(queries, await statements.all(SQL.hits(own.sql), wanted))
      }),
    listRecalls: (id, limit, namespaces = null) =>
      listDated<RecallLine>(SQL.ofRecord, { id, limit }, [inNamespaces('s', namespaces)]),
    listUsed: ({ namespaces, pinnedNamespace: namespace, sinceMs, limit }) => {
      const within = [inNamespaces('r', namespaces)]
      return listDated<DatedRecord>(SQL.used, { namespace, sinceMs, limit }, within)
    },
    listCorrections: (namespaces, limit) => {
      const both = [inNamespaces('n', namespaces), inNamespaces('o', namespaces)]
      return listDated<DatedRecord>(SQL.corrections, { limit }, both)
    },
  } satisfies Partial<MemoryStorage>
}
