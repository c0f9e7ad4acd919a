/** What ranking needs to know of candidates is read for all of them at once, and only where it is asked for. */

import type { RecordId } from '../../../core/ids.js'
import type { Sector } from '../../../core/record.js'
import { END_OF_TIME } from '../../../core/time.js'
import type { CandidateFacts, FactMoments, GatheredRecord } from '../../search.js'
import { effectiveConfidenceSql } from '../salience-sql.js'
import type { Statements } from '../statements.js'
import type { StatedModel } from './models.js'

/** Facts that held at `:heldMs`. */
export const HELD = 'f.created_at <= :heldMs AND (f.ended_at IS NULL OR f.ended_at > :heldMs)'

/** The moment of a filter for `HELD`: what holds now holds whatever the clock says. */
export function heldAt({ asOfMs = END_OF_TIME }: { readonly asOfMs?: number | undefined }): number {
  return asOfMs
}

const FACTS = `r.id, r.created_at, coalesce(r.accessed_at, r.created_at), r.salience, r.importance, r.sector,
  coalesce((SELECT avg(${effectiveConfidenceSql}) FROM facts f WHERE f.record = r.row AND ${HELD}), 1)`

const SQL = {
  present: `SELECT r.row, ${FACTS} FROM json_each(:keys) wanted
    CROSS JOIN records r ON r.row = wanted.value AND r.present`,
  past: `SELECT r.revision, ${FACTS} FROM json_each(:keys) wanted
    CROSS JOIN past r ON r.revision = wanted.value`,
  /** What changes, waits; so mostly nothing has to be looked up. But who waits, waits for the model in charge. */
  unread: `SELECT wanted.value FROM json_each(:keys) wanted
    WHERE (:isIdle OR EXISTS (SELECT 1 FROM waiting)) AND NOT EXISTS (
      SELECT 1 FROM embedded e WHERE e.model = :model AND e.record = wanted.value)`,
} as const

/** In the order of the candidates; null for one that is gone. */
export function describeCandidates(
  statements: Statements,
  candidates: readonly GatheredRecord[],
  { asOfMs, atMs }: FactMoments,
): (CandidateFacts | null)[] {
  const moments = { heldMs: heldAt({ asOfMs }), nowMs: atMs }
  const read = (sql: string, isPast: boolean): ReadonlyMap<unknown, CandidateFacts> => {
    const keys = candidates.filter((one) => one.isPast === isPast).map(({ key }) => key)
    const rows = statements.lists(sql, { keys: JSON.stringify(keys), ...moments })
    return new Map(rows.map(([key, ...facts]) => [key, toFacts(facts)]))
  }
  const present = read(SQL.present, false)
  const past = read(SQL.past, true)
  return candidates.map(({ key, isPast }) => (isPast ? past : present).get(key) ?? null)
}

function toFacts(columns: readonly unknown[]): CandidateFacts {
  const [id, createdAtMs, accessedAtMs, salience, importance, sector, confidence] = columns
  return {
    id: id as RecordId,
    createdAtMs: Number(createdAtMs),
    accessedAtMs: Number(accessedAtMs),
    salience: Number(salience),
    importance: Number(importance),
    sector: sector as Sector | null,
    confidence: Number(confidence),
  }
}

/** Of `rows` those whose vectors are not those of their text. */
export function readUnread(
  statements: Statements,
  model: StatedModel,
  rows: readonly number[],
): ReadonlySet<unknown> {
  const isIdle = model.state === 'active' ? 0 : 1
  const values = { keys: JSON.stringify(rows), model: model.row, isIdle }
  return new Set(statements.column(SQL.unread, values))
}
