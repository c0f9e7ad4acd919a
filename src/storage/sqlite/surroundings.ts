/** Promise: sessions, successors, links, facts and neighbours of a page in a fixed handful of statements. */

import type { Successor, Turn } from '../../core/answer.js'
import type { RecordId } from '../../core/ids.js'
import type { SessionBrief } from '../../core/session.js'
import type { FactRow, FactWithOthers, Surroundings, SurroundingsRequest } from '../surroundings.js'
import { HELD } from './meaning/candidate-facts.js'
import type { Row, Statements } from './statements.js'

const WANTED = 'json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value'
const TIME = (alias: string) => `coalesce(${alias}.occurred_at, ${alias}.created_at)`
const FACT = `f.id, r.id AS recordId, f.type, f.subject, f.predicate, f.object, f.confidence, f.quote,
  f.created_at AS createdAtMs, f.reinforced_at AS reinforcedAtMs, f.topic`

/** Turns of the same session on one side of `r`, the nearest first. */
const beside = (side: '<' | '>', order: '' | 'DESC') => `SELECT x.row FROM records x
  WHERE x.session_id = r.session_id AND x.namespace = r.namespace AND x.present
    AND (${TIME('x')}, x.row) ${side} (${TIME('r')}, r.row)
  ORDER BY ${TIME('x')} ${order}, x.row ${order} LIMIT :neighbours`

const SQL = {
  sessions: `SELECT r.id AS record, s.id, s.namespace, s.started_at, s.ended_at, s.summary
    FROM ${WANTED} CROSS JOIN sessions s ON s.id = r.session_id`,
  supersededBy: `SELECT r.id AS record, n.id, substr(n.body, 1, 200) AS text, n.created_at
    FROM ${WANTED} CROSS JOIN links l ON l.target = r.row AND l.type = 'SUPERSEDES' AND l.created_at <= :atMs
    CROSS JOIN records n ON n.row = l.source AND n.deleted_at IS NULL
    ORDER BY l.created_at, l.row`,
  related: `SELECT r.id AS record, count(DISTINCT o.row) AS n FROM ${WANTED}
    CROSS JOIN (SELECT source AS here, target AS there, created_at FROM links
      UNION ALL SELECT target, source, created_at FROM links) l ON l.here = r.row AND l.created_at <= :atMs
    CROSS JOIN records o ON o.row = l.there AND o.deleted_at IS NULL AND o.row <> r.row
    GROUP BY r.id`,
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

export function readSurroundings(
  statements: Statements,
  ids: readonly RecordId[],
  { atMs, withFacts, neighbours }: SurroundingsRequest,
): Map<RecordId, Surroundings> {
  const wanted = { ids: JSON.stringify(ids) }
  const sessions = keyed(statements.all(SQL.sessions, wanted))
  const successors = keyed(statements.all(SQL.supersededBy, { ...wanted, atMs }))
  const related = keyed(statements.all(SQL.related, { ...wanted, atMs }))
  const facts = withFacts ? readFacts(statements, wanted.ids, atMs) : new Map()
  const turns = neighbours === 0 ? [] : statements.all(SQL.neighbours, { ...wanted, neighbours })
  return new Map(
    ids.map((id) => {
      const own = turns.filter((row) => row.record === id)
      return [
        id,
        {
          session: briefOf(sessions.get(id)),
          supersededBy: successorOf(successors.get(id)),
          relatedCount: Number(related.get(id)?.n ?? 0),
          facts: facts.get(id) ?? [],
          before: own.filter((row) => row.isBefore === 1).map(toTurn),
          after: own.filter((row) => row.isBefore !== 1).map(toTurn),
        },
      ]
    }),
  )
}

type TopicRow = FactRow & { readonly topic: string }

/** Each with the facts of whatever record that say something else of the same thing. */
function readFacts(
  statements: Statements,
  ids: string,
  nowMs: number,
): Map<RecordId, FactWithOthers[]> {
  const own = statements.all(SQL.facts, { ids, nowMs }) as unknown as TopicRow[]
  const topics = JSON.stringify([...new Set(own.map(({ topic }) => topic))])
  const onTopic =
    own.length === 0 ? [] : (statements.all(SQL.others, { topics, nowMs }) as unknown as TopicRow[])
  const byRecord = new Map<RecordId, FactWithOthers[]>()
  for (const { topic, ...fact } of own) {
    const others = onTopic
      .filter((one) => one.topic === topic && !saysTheSame(one, fact))
      .map(({ topic: _, ...other }) => other)
    byRecord.set(fact.recordId, [...(byRecord.get(fact.recordId) ?? []), { ...fact, others }])
  }
  return byRecord
}

function saysTheSame(a: FactRow, b: FactRow): boolean {
  return a.object.trim().toLowerCase() === b.object.trim().toLowerCase()
}

/** The last of several of one record wins. */
function keyed(rows: readonly Row[]): Map<RecordId, Row> {
  return new Map(rows.map((row) => [row.record as RecordId, row]))
}

export function briefOf(row: Row | undefined): SessionBrief | null {
  if (row === undefined) return null
  return {
    id: row.id as string,
    namespace: row.namespace as string,
    startedAt: toIso(row.started_at),
    endedAt: row.ended_at === null ? null : toIso(row.ended_at),
    summary: row.summary as string | null,
  }
}

function successorOf(row: Row | undefined): Successor | null {
  if (row === undefined) return null
  return { id: row.id as RecordId, text: row.text as string, createdAt: toIso(row.created_at) }
}

function toTurn(row: Row): Turn {
  return {
    id: row.id as RecordId,
    title: row.title as string | null,
    body: row.body as string,
    people: JSON.parse(row.people as string) as string[],
    at: toIso(row.time),
  }
}

function toIso(ms: unknown): string {
  return new Date(Number(ms)).toISOString()
}
