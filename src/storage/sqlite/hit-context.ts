/** Sessions, successors, links, facts and neighbours of a page in a fixed handful of statements. */

import type { Successor, Turn } from '../../core/answer.js'
import type { RecordId } from '../../core/ids.js'
import type { SessionBrief } from '../../core/record.js'
import { toIso } from '../../core/time.js'
import type { FactRow, FactWithOthers, HitContext, HitContextRequest } from '../search.js'
import { existedSql, pastBodySql, pastSuccessorSql, readPastTurns } from './past/past-sql.js'
import { effectiveConfidenceSql } from './salience-sql.js'
import type { Row, Statements } from './statements.js'
import { HELD, heldAt } from './vectors/candidates.js'

const WANTED = 'json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value'
const TIME = (alias: string) => `coalesce(${alias}.occurred_at, ${alias}.created_at)`
const FACT = `f.id, r.id AS recordId, f.type, f.subject, f.predicate, f.object, f.confidence, f.quote,
  f.created_at AS createdAtMs, f.reinforced_at AS reinforcedAtMs, f.topic, r.namespace`

/** Turns of the same session on one side of `r`, the nearest first. */
const beside = (side: '<' | '>', order: '' | 'DESC') => `SELECT x.row FROM records x
  WHERE x.session_id = r.session_id AND x.namespace = r.namespace AND x.present
    AND ${TIME('x')} ${side}= ${TIME('r')} AND (${TIME('x')}, x.row) ${side} (${TIME('r')}, r.row)
  ORDER BY ${TIME('x')} ${order}, x.row ${order} LIMIT :neighbours`

const SQL = {
  about: `SELECT r.id AS record, s.id, s.namespace, s.started_at, s.ended_at, s.summary,
      n.id AS newer_id, substr(${pastBodySql('n')}, 1, 200) AS newer_text, n.created_at AS newer_at,
      n.namespace AS newer_namespace,
      (SELECT count(*) FROM records o WHERE o.row <> r.row AND o.row IN (
        SELECT target FROM links WHERE source = r.row AND created_at <= :atMs
        UNION SELECT source FROM links WHERE target = r.row AND created_at <= :atMs)
        AND ${existedSql('o')}) AS related,
      (SELECT avg(${effectiveConfidenceSql}) FROM facts f WHERE f.record = r.row AND ${HELD}) AS confidence
    FROM ${WANTED}
    LEFT JOIN sessions s ON s.row = (SELECT u.session FROM session_records u
      WHERE u.record = r.row AND u.usage = 'created' ORDER BY u.first_at LIMIT 1)
    LEFT JOIN records n ON n.row = ${pastSuccessorSql('r')} AND ${existedSql('n')}`,
  facts: `SELECT ${FACT} FROM ${WANTED} CROSS JOIN facts f ON f.record = r.row AND ${HELD}
    ORDER BY f.created_at, f.row`,
  others: `SELECT ${FACT} FROM json_each(:topics) t CROSS JOIN facts f ON f.topic = t.value AND ${HELD}
    CROSS JOIN records r ON r.row = f.record AND r.present ORDER BY f.created_at DESC, f.row DESC`,
  neighbours: `SELECT r.id AS record, t.id, t.title, t.body, t.people, ${TIME('t')} AS time,
      (${TIME('t')}, t.row) < (${TIME('r')}, r.row) AS isBefore
    FROM ${WANTED} CROSS JOIN records t ON t.row IN (
      SELECT row FROM (${beside('<', 'DESC')}) UNION ALL SELECT row FROM (${beside('>', '')}))
    WHERE r.session_id IS NOT NULL ORDER BY time, t.row`,
} as const

export function readHitContext(
  statements: Statements,
  ids: readonly RecordId[],
  { asOfMs, nowMs, withFacts, neighbours, pinnedNamespace }: HitContextRequest,
): Map<RecordId, HitContext> {
  const wanted = { ids: JSON.stringify(ids) }
  const heldMs = heldAt({ asOfMs })
  const rows = statements.all(SQL.about, { ...wanted, atMs: heldMs, heldMs, nowMs })
  const about = new Map(rows.map((row) => [row.record as RecordId, row]))
  const anyFact = rows.some((row) => row.confidence !== null)
  const facts =
    withFacts && anyFact ? readFacts(statements, wanted.ids, heldMs, pinnedNamespace) : NO_FACTS
  const turns = readTurns(statements, { ...wanted, neighbours }, asOfMs)
  return new Map(
    ids.map((id) => {
      const own = turns.filter((row) => row.record === id)
      return [
        id,
        {
          session: briefOf(about.get(id), pinnedNamespace),
          supersededBy: successorOf(about.get(id), pinnedNamespace),
          relatedCount: Number(about.get(id)?.related ?? 0),
          facts: facts.get(id) ?? [],
          effectiveConfidence: Number(about.get(id)?.confidence ?? 1),
          before: own.filter((row) => row.isBefore === 1).map(toTurn),
          after: own.filter((row) => row.isBefore !== 1).map(toTurn),
        },
      ]
    }),
  )
}

function readTurns(
  statements: Statements,
  wanted: { readonly ids: string; readonly neighbours: number },
  asOfMs: number | undefined,
): Row[] {
  if (wanted.neighbours === 0) return []
  if (asOfMs !== undefined) return readPastTurns(statements, { ...wanted, asOfMs })
  return statements.all(SQL.neighbours, wanted)
}

const NO_FACTS: ReadonlyMap<RecordId, readonly FactWithOthers[]> = new Map()

type TopicRow = FactRow & { readonly topic: string; readonly namespace: string }

/** Each with the facts of whatever record that say something else of the same thing. */
function readFacts(
  statements: Statements,
  ids: string,
  heldMs: number,
  pinnedNamespace: string | null,
): Map<RecordId, FactWithOthers[]> {
  const own = statements.all(SQL.facts, { ids, heldMs }) as unknown as TopicRow[]
  const topics = JSON.stringify([...new Set(own.map(({ topic }) => topic))])
  const onTopic =
    own.length === 0
      ? []
      : (statements.all(SQL.others, { topics, heldMs }) as unknown as TopicRow[])
  const byRecord = new Map<RecordId, FactWithOthers[]>()
  for (const { topic, namespace: _, ...fact } of own) {
    const others = onTopic
      .filter((one) => one.topic === topic && !saysTheSame(one, fact))
      .filter((one) => pinnedNamespace === null || one.namespace === pinnedNamespace)
      .map(({ topic: _topic, namespace: _namespace, ...other }) => other)
    byRecord.set(fact.recordId, [...(byRecord.get(fact.recordId) ?? []), { ...fact, others }])
  }
  return byRecord
}

function saysTheSame(a: FactRow, b: FactRow): boolean {
  return a.object.trim().toLowerCase() === b.object.trim().toLowerCase()
}

function briefOf(row: Row | undefined, pinnedNamespace: string | null): SessionBrief | null {
  if (row === undefined || row.id === null) return null
  if (pinnedNamespace !== null && row.namespace !== pinnedNamespace) return null
  return {
    id: row.id as string,
    namespace: row.namespace as string,
    startedAt: toIso(Number(row.started_at)),
    endedAt: row.ended_at === null ? null : toIso(Number(row.ended_at)),
    summary: row.summary as string | null,
  }
}

function successorOf(row: Row | undefined, pinnedNamespace: string | null): Successor | null {
  if (row === undefined || row.newer_id === null) return null
  if (pinnedNamespace !== null && row.newer_namespace !== pinnedNamespace) return null
  return {
    id: row.newer_id as RecordId,
    text: row.newer_text as string,
    createdAt: toIso(Number(row.newer_at)),
  }
}

function toTurn(row: Row): Turn {
  return {
    id: row.id as RecordId,
    title: row.title as string | null,
    body: row.body as string,
    people: JSON.parse(row.people as string) as string[],
    at: toIso(Number(row.time)),
  }
}
