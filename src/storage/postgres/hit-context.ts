/** Reads the session, successor, links, facts and neighbours of each hit of a page, in four statements at once. */

import type { RecordId } from '../../core/ids.js'
import { joinContexts, joinFacts } from '../hit-context.js'
import type { HitContext, HitContextRequest } from '../search.js'
import { HELD, heldAt } from './filter.js'
import { OPENING } from './memory/sessions.js'
import { existedSql, pastBodySql, pastSuccessorSql } from './past-sql.js'
import { effectiveConfidenceSql } from './salience-sql.js'
import { convertTimes, type Row, type Statements, withinSql } from './statements.js'

const WANTED = 'unnest(:ids::text[]) wanted JOIN records r ON r.id = wanted'
const TIME = (alias: string) => `coalesce(${alias}.occurred_at, ${alias}.created_at)`
const FACT = `f.id, r.id AS "recordId", f.type, f.subject, f.predicate, f.object, f.confidence, f.quote,
  f.created_at AS "createdAtMs", f.reinforced_at AS "reinforcedAtMs", f.topic`
const OWN_FACTS = `${WANTED} JOIN facts f ON f.namespace = r.namespace AND f.record = r.row AND ${HELD}`

/** Turns of the same session on one side of `r`, the nearest first. */
const beside = (
  side: '<' | '>',
  order: '' | 'DESC',
) => `SELECT x.row, x.id, x.title, x.body, x.people,
    ${TIME('x')} AS time, ${side === '<'} AS "isBefore" FROM records x
  WHERE x.session_id = r.session_id AND x.namespace = r.namespace AND x.present
    AND (${TIME('x')}, x.row) ${side} (${TIME('r')}, r.row)
  ORDER BY ${TIME('x')} ${order}, x.row ${order} LIMIT :neighbours::integer`

const TURN = (alias: string) => `${alias}.row, ${alias}.id, ${alias}.session_id, ${alias}.namespace,
  ${alias}.title, ${alias}.body, ${alias}.people, ${TIME(alias)} AS time`

const SQL = {
  about: `SELECT r.id AS record, s.id, s.namespace, s.title, s.started_at AS "startedAt", s.ended_at AS "endedAt",
      s.summary, ${OPENING} AS opening,
      n.id AS "newerId", substr(${pastBodySql('n')}, 1, 200) AS "newerText", n.created_at AS "newerAt",
      (SELECT count(*) FROM records o WHERE o.row <> r.row AND o.row IN (
        SELECT l.target FROM links l WHERE l.record = r.row AND l.created_at <= :atMs
        UNION SELECT l.record FROM links l WHERE l.target = r.row AND l.created_at <= :atMs)
        AND ${existedSql('o')} AND ${withinSql('o')}) AS related,
      (SELECT avg(${effectiveConfidenceSql}) FROM facts f
        WHERE f.namespace = r.namespace AND f.record = r.row AND ${HELD}) AS confidence
    FROM ${WANTED}
    LEFT JOIN sessions s ON s.row = (SELECT u.session FROM session_records u JOIN sessions c ON c.row = u.session
      WHERE u.namespace = r.namespace AND u.record = r.row AND u.usage = 'created' AND ${withinSql('c')}
      ORDER BY u.first_at LIMIT 1)
    LEFT JOIN records n ON n.row = ${pastSuccessorSql('r')} AND ${existedSql('n')} AND ${withinSql('n')}`,
  facts: `SELECT ${FACT} FROM ${OWN_FACTS} ORDER BY f.created_at, f.row`,
  others: `SELECT ${FACT} FROM facts f JOIN records r ON r.namespace = f.namespace AND r.row = f.record
      AND r.present AND ${withinSql('r')}
    WHERE f.topic IN (SELECT f.topic FROM ${OWN_FACTS}) AND ${HELD} ORDER BY f.created_at DESC, f.row DESC`,
  neighbours: `SELECT r.id AS record, t.* FROM ${WANTED} CROSS JOIN LATERAL (
      (${beside('<', 'DESC')}) UNION ALL (${beside('>', '')})) t
    WHERE r.session_id IS NOT NULL ORDER BY t.time, t.row`,
  /** First the sessions as they were at `:asOfMs`, then the nearest turns on both sides of each. */
  pastNeighbours: `WITH wanted AS MATERIALIZED (
      SELECT ${TURN('r')} FROM ${WANTED} WHERE r.session_id IS NOT NULL),
    turns AS MATERIALIZED (
      SELECT ${TURN('r')} FROM records r
      WHERE r.session_id IN (SELECT session_id FROM wanted) AND r.present
        AND coalesce(r.valid_from, r.created_at) <= :asOfMs
      UNION ALL
      SELECT ${TURN('p')} FROM past p
      WHERE p.session_id IN (SELECT session_id FROM wanted)
        AND p.valid_from <= :asOfMs AND p.valid_until > :asOfMs),
    places AS (
      SELECT w.id AS record, w.row, w.session_id, coalesce(t.namespace, w.namespace) AS namespace,
        coalesce(t.time, w.time) AS time
      FROM wanted w LEFT JOIN turns t ON t.row = w.row),
    sides AS (
      SELECT p.record, t.*, (t.time, t.row) < (p.time, p.row) AS "isBefore"
      FROM places p JOIN turns t
        ON t.session_id = p.session_id AND t.namespace = p.namespace AND t.row <> p.row),
    counted AS (
      SELECT s.*, row_number() OVER (PARTITION BY s.record, s."isBefore"
        ORDER BY CASE WHEN s."isBefore" THEN -s.time ELSE s.time END,
          CASE WHEN s."isBefore" THEN -s.row ELSE s.row END) AS distance
      FROM sides s)
    SELECT record, id, title, body, people, time, "isBefore" FROM counted
    WHERE distance <= :neighbours::integer ORDER BY time, row`,
} as const

export async function readHitContext(
  statements: Statements,
  ids: readonly RecordId[],
  { asOfMs, nowMs, withFacts, neighbours, pinnedNamespace: namespace }: HitContextRequest,
): Promise<Map<RecordId, HitContext>> {
  const heldMs = heldAt({ asOfMs })
  const readTurns = (): Promise<readonly Row[]> => {
    if (neighbours === 0) return Promise.resolve([])
    if (asOfMs === undefined) return statements.all(SQL.neighbours, { ids, neighbours })
    return statements.all(SQL.pastNeighbours, { ids, neighbours, asOfMs })
  }
  const none: Promise<readonly Row[]> = Promise.resolve([])
  const [about, own, onTopic, turns] = await Promise.all([
    statements.all(SQL.about, { ids, heldMs, namespace, atMs: heldMs, nowMs }),
    withFacts ? statements.all(SQL.facts, { ids, heldMs }) : none,
    withFacts ? statements.all(SQL.others, { ids, heldMs, namespace }) : none,
    readTurns(),
  ])
  return joinContexts(ids, { about, facts: joinFacts(own, onTopic), turns, convertTimes })
}
