/** Promise: what ranking needs to know of a candidate is read for all of them at once. */

import type { RecordId } from '../../../core/ids.js'
import type { Sector } from '../../../core/record.js'
import { END_OF_TIME } from '../../../core/time.js'
import type { GatheredRecord } from '../../candidates.js'
import { effectiveConfidenceSql } from '../salience-sql.js'
import type { Row, Statements } from '../statements.js'
import { readVarints } from '../varints.js'

/** Facts that held at `:heldMs`. */
export const HELD = 'f.created_at <= :heldMs AND (f.ended_at IS NULL OR f.ended_at > :heldMs)'

/** The moment of a filter for `HELD`: what holds now holds whatever the clock says. */
export function heldAt({ asOfMs = END_OF_TIME }: { readonly asOfMs?: number | undefined }): number {
  return asOfMs
}

const FACTS = `r.row, r.id, r.created_at, r.accessed_at, r.salience, r.importance, r.sector, d.sz AS sizes,
  (SELECT avg(${effectiveConfidenceSql}) FROM facts f WHERE f.record = r.row AND ${HELD}) AS confidence`

const SQL = {
  /** `isRead` is false for a text that has changed since the model read it. */
  present: `SELECT ${FACTS},
      EXISTS (SELECT 1 FROM embedded e WHERE e.model = :model AND e.record = r.row) AS isRead
    FROM json_each(:rows) wanted
    CROSS JOIN records r ON r.row = wanted.value AND r.present
    CROSS JOIN records_ft_docsize d ON d.id = r.row`,
  past: `SELECT ${FACTS}, r.revision
    FROM json_each(:rows) wanted
    CROSS JOIN past r ON r.revision = wanted.value
    CROSS JOIN revisions_ft_docsize d ON d.id = r.revision`,
} as const

export type CandidateFacts = Pick<
  GatheredRecord,
  | 'id'
  | 'words'
  | 'createdAtMs'
  | 'accessedAtMs'
  | 'salience'
  | 'importance'
  | 'sector'
  | 'confidence'
>

/** Which facts held, and how much of each is believed. */
export type FactMoments = { readonly heldMs: number; readonly nowMs: number }

export type PresentFacts = {
  readonly row: number
  readonly isRead: boolean
  readonly facts: CandidateFacts
}

/** Those of the rows that are there. */
export function readPresentFacts(
  statements: Statements,
  rows: readonly number[],
  { model, ...moments }: { readonly model: number } & FactMoments,
): PresentFacts[] {
  const found = statements.all(SQL.present, { rows: JSON.stringify(rows), model, ...moments })
  return found.map((row) => ({
    row: Number(row.row),
    isRead: row.isRead === 1,
    facts: toFacts(row),
  }))
}

/** By the number of the revision. */
export function readPastFacts(
  statements: Statements,
  revisions: readonly number[],
  moments: FactMoments,
): Map<number, CandidateFacts> {
  const rows = statements.all(SQL.past, { rows: JSON.stringify(revisions), ...moments })
  return new Map(rows.map((row) => [Number(row.revision), toFacts(row)]))
}

function toFacts(row: Row): CandidateFacts {
  return {
    id: row.id as RecordId,
    words: countWords(row.sizes as Uint8Array),
    createdAtMs: Number(row.created_at),
    accessedAtMs: Number(row.accessed_at ?? row.created_at),
    salience: Number(row.salience),
    importance: Number(row.importance),
    sector: row.sector as Sector | null,
    confidence: row.confidence === null ? 1 : Number(row.confidence),
  }
}

/** Title, body and surroundings: tags and names say nothing about how long a text is. */
const COUNTED_COLUMNS = [0, 1, 4] as const

function countWords(sizes: Uint8Array): number {
  const columns = readVarints(sizes)
  return COUNTED_COLUMNS.reduce<number>((sum, column) => sum + (columns[column] ?? 0), 0)
}
