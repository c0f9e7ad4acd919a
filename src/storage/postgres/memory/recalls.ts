/** The log of recalls, what a briefing reads, and how recalls and callers change the salience of records. */

import { noSession } from '../../../core/errors.js'
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
  convertTimes,
  inNamespaces,
  joinConditions,
  type Statements,
  toJson,
  toLists,
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

export type Reinforcing = {
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

/** Returns the new salience of each in the order asked. */
export async function strengthen(
  statements: Statements,
  ids: readonly RecordId[],
  { kind, amount, decay, session, atMs }: Strengthening & { readonly atMs: number },
): Promise<ReadonlyMap<RecordId, number>> {
  if (ids.length === 0) return new Map()
  const records = await lockRecords(statements, ids)
  const isReinforced = kind === 'reinforce'
  const next = (effective: number) =>
    isReinforced ? reinforceSalience(effective, amount) : deemphasizeSalience(effective, amount)
  const used = isReinforced && session !== null ? records : []
  const [changed] = await Promise.all([
    changeSalience(statements, records, { decay, atMs, next }),
    noteUsage(
      statements,
      used.map(({ id }) => ({ session: session ?? 0, id, usage: 'reinforced' })),
      atMs,
    ),
  ])
  return new Map(ids.flatMap((id) => (changed.has(id) ? [[id, changed.get(id) ?? 0]] : [])))
}

/** Two round trips: what is there, then everything that is written. Records that are gone by now are skipped. */
export async function logRecall(statements: Statements, id: string, recall: Recall): Promise<void> {
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

export type RecallListing = {
  readonly limit: number
  readonly namespaces: readonly string[] | null
}

export async function listRecalls(
  statements: Statements,
  id: RecordId,
  { limit, namespaces }: RecallListing,
): Promise<RecallLine[]> {
  const { sql, values } = joinConditions([inNamespaces('s', namespaces)])
  const rows = await statements.all(SQL.ofRecord(sql), { id, limit, ...values })
  return rows.map((row) => convertTimes(row, ['at']))
}

type LoggedHit = LoggedQuery['hits'][number]

export async function listQueries(
  statements: Statements,
  { session, limit, namespaces }: RecallListing & { readonly session: number | null },
): Promise<LoggedQuery[]> {
  const { sql, values } = joinConditions([
    bindCondition('s.row = :session', { session }),
    inNamespaces('s', namespaces),
  ])
  const rows = await statements.all(SQL.queries(sql), { limit, ...values })
  const hits = new Map<unknown, LoggedHit[]>(rows.map(({ row }) => [row, []]))
  const own = joinConditions([inNamespaces('r', namespaces)])
  const lines = await statements.all(SQL.hits(own.sql), {
    ...own.values,
    queries: rows.map(({ row }) => Number(row)),
  })
  for (const { query, ...hit } of lines) hits.get(query)?.push(hit as LoggedHit)
  return rows.map(({ row, ...logged }) => ({
    ...convertTimes<Omit<LoggedQuery, 'hits'>>(logged, ['at']),
    hits: hits.get(row) ?? [],
  }))
}

export async function listUsed(
  statements: Statements,
  request: Parameters<MemoryStorage['listUsed']>[0],
): Promise<DatedRecord[]> {
  const { namespaces, pinnedNamespace: namespace, sinceMs, limit } = request
  const { sql, values } = joinConditions([inNamespaces('r', namespaces)])
  const rows = await statements.all(SQL.used(sql), { ...values, namespace, sinceMs, limit })
  return rows.map((row) => convertTimes(row, ['at']))
}

export async function listCorrections(
  statements: Statements,
  namespaces: readonly string[] | null,
  limit: number,
): Promise<DatedRecord[]> {
  const both = [inNamespaces('n', namespaces), inNamespaces('o', namespaces)]
  const { sql, values } = joinConditions(both)
  const rows = await statements.all(SQL.corrections(sql), { ...values, limit })
  return rows.map((row) => convertTimes(row, ['at']))
}
