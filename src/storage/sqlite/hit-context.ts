/** Reads the session, successor, links, facts and neighbours of each hit of a page, in a fixed number of statements. */

import type { RecordId } from '../../core/ids.js'
import { joinContexts, joinFacts } from '../hit-context.js'
import type { FactWithOthers, HitContext, HitContextRequest } from '../search.js'
import { OPENING } from './memory/sessions.js'
import { existedSql, PAST_TURNS, pastBodySql, pastSuccessorSql } from './past/past-sql.js'
import { effectiveConfidenceSql } from './salience-sql.js'
import { convertRow, type Row, type Statements, withinSql } from './statements.js'
import { HELD, heldAt } from './vectors/candidates.js'

const WANTED = 'json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value'
const TIME = (alias: string) => `coalesce(${alias}.occurred_at, ${alias}.created_at)`
const FACT = `f.id, r.id AS recordId, f.type, f.subject, f.predicate, f.object, f.confidence, f.quote,
  f.created_at AS createdAtMs, f.reinforced_at AS reinforcedAtMs, f.topic`

/** Turns of the same session on one side of `r`, the nearest first. */
const beside = (side: '<' | '>', order: '' | 'DESC') => `SELECT x.row FROM records x
  WHERE x.session_id = r.session_id AND x.namespace = r.namespace AND x.present
    AND ${TIME('x')} ${side}= ${TIME('r')} AND (${TIME('x')}, x.row) ${side} (${TIME('r')}, r.row)
  ORDER BY ${TIME('x')} ${order}, x.row ${order} LIMIT :neighbours`

const SQL = {
  about: `SELECT r.id AS record, s.id, s.namespace, s.title, s.started_at AS startedAt, s.ended_at AS endedAt, s.summary,
      ${OPENING} AS opening,
      n.id AS newerId, substr(${pastBodySql('n')}, 1, 200) AS newerText, n.created_at AS newerAt,
      (SELECT count(*) FROM records o WHERE o.row <> r.row AND o.row IN (
        SELECT target FROM links WHERE source = r.row AND created_at <= :atMs
        UNION SELECT source FROM links WHERE target = r.row AND created_at <= :atMs)
        AND ${existedSql('o')} AND ${withinSql('o')}) AS related,
      (SELECT avg(${effectiveConfidenceSql}) FROM facts f WHERE f.record = r.row AND ${HELD}) AS confidence
    FROM ${WANTED}
    LEFT JOIN sessions s ON s.row = (SELECT u.session FROM session_records u JOIN sessions c ON c.row = u.session
      WHERE u.record = r.row AND u.usage = 'created' AND ${withinSql('c')} ORDER BY u.first_at LIMIT 1)
    LEFT JOIN records n ON n.row = ${pastSuccessorSql('r')} AND ${existedSql('n')} AND ${withinSql('n')}`,
  facts: `SELECT ${FACT} FROM ${WANTED} CROSS JOIN facts f ON f.record = r.row AND ${HELD}
    ORDER BY f.created_at, f.row`,
  others: `SELECT ${FACT} FROM json_each(:topics) t CROSS JOIN facts f ON f.topic = t.value AND ${HELD}
    CROSS JOIN records r ON r.row = f.record AND r.present AND ${withinSql('r')} ORDER BY f.created_at DESC, f.row DESC`,
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
  const heldMs = heldAt({ asOfMs })
  const within = { heldMs, namespace: pinnedNamespace }
  const about = statements.all(SQL.about, { ids, ...within, atMs: heldMs, nowMs })
  const hasFacts = withFacts && about.some((row) => row.confidence !== null)
  const facts = hasFacts ? readFacts(statements, ids, within) : new Map()
  const readTurns = (): Row[] => {
    if (neighbours === 0) return []
    if (asOfMs === undefined) return statements.all(SQL.neighbours, { ids, neighbours })
    return statements.all(PAST_TURNS, { ids, neighbours, asOfMs })
  }
  const turns = readTurns()
  const convertTimes = (row: Row, times: readonly string[]) =>
    convertRow(row, { times, texts: ['people'] })
  return joinContexts(ids, { about, facts, turns, convertTimes })
}

function readFacts(
  statements: Statements,
  ids: readonly RecordId[],
  within: { readonly heldMs: number; readonly namespace: string | null },
): Map<RecordId, FactWithOthers[]> {
  const { heldMs } = within
  const own = statements.all(SQL.facts, { ids, heldMs })
  const topics = [...new Set(own.map(({ topic }) => topic))]
  return joinFacts(own, statements.all(SQL.others, { topics, ...within }))
}
