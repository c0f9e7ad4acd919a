/** Promise: what ranking needs to know of candidates is read for all of them at once, and only where it is asked for. */

import type { RecordId } from '../../../core/ids.js'
import type { Sector } from '../../../core/record.js'
import { END_OF_TIME } from '../../../core/time.js'
import type { CandidateFacts, FactMoments, GatheredRecord } from '../../candidates.js'
import { effectiveConfidenceSql } from '../salience-sql.js'
import type { Statements } from '../statements.js'
import { readVarints } from '../varints.js'

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
  sizes: (table: string) => `SELECT d.id, d.sz FROM json_each(:keys) wanted
    CROSS JOIN ${table}_docsize d ON d.id = wanted.value`,
  /** What has no vectors, or others than its text has now. */
  unread: `SELECT wanted.value FROM json_each(:keys) wanted WHERE NOT EXISTS (
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
  model: number,
  rows: readonly number[],
): ReadonlySet<unknown> {
  return new Set(statements.column(SQL.unread, { keys: JSON.stringify(rows), model }))
}

/** The words of each row of a full-text index, by its number. */
export function readWordCounts(
  statements: Statements,
  table: 'records_ft' | 'revisions_ft',
  rows: readonly number[],
): ReadonlyMap<unknown, number> {
  const sizes = statements.lists(SQL.sizes(table), { keys: JSON.stringify(rows) })
  return new Map(sizes.map(([row, size]) => [row, countWords(size as Uint8Array)]))
}

/** Title, body and surroundings: tags and names say nothing about how long a text is. */
const COUNTED_COLUMNS = [0, 1, 4] as const

function countWords(sizes: Uint8Array): number {
  const columns = readVarints(sizes)
  return COUNTED_COLUMNS.reduce<number>((sum, column) => sum + (columns[column] ?? 0), 0)
}
