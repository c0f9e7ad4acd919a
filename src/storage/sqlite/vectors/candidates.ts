/** Gathers the candidates of a hybrid search and scores each one by keywords and by vectors. */

import { performance } from 'node:perf_hooks'
import { END_OF_TIME } from '../../../core/time.js'
import {
  type ComparedRow,
  type GatheredPresent,
  joinPresent,
  mapScores,
  NO_WORDS,
} from '../../gathered.js'
import type { CandidateFacts, FactTimes, GatheredRecord, GatherRequest } from '../../search.js'
import type { PreparedFilter } from '../filter.js'
import type { FullText, PreparedMatch } from '../full-text.js'
import { effectiveConfidenceSql } from '../salience-sql.js'
import type { Statements } from '../statements.js'
import type { ModelRow } from './models.js'
import type { Nearest } from './nearest.js'

export type PreparedGather = Omit<GatherRequest, 'words' | 'near'> & {
  readonly words: PreparedMatch | null
  readonly near: Omit<GatherRequest['near'], 'filter'> & { readonly filter: PreparedFilter }
}

export const HELD = 'f.created_at <= :heldMs AND (f.ended_at IS NULL OR f.ended_at > :heldMs)'

/** The time to bind to `:heldMs`. Without `asOfMs`, facts that hold now match, whatever the clock says. */
export function heldAt({ asOfMs = END_OF_TIME }: { readonly asOfMs?: number | undefined }): number {
  return asOfMs
}

/** The columns that `toFacts` reads, in its order. */
const FACTS = `r.id, r.created_at, coalesce(r.accessed_at, r.created_at), r.salience, r.importance, r.sector,
  coalesce((SELECT avg(${effectiveConfidenceSql}) FROM facts f WHERE f.record = r.row AND ${HELD}), 1)`

type Columns = [
  CandidateFacts['id'],
  createdAtMs: number,
  accessedAtMs: number,
  salience: number,
  importance: number,
  CandidateFacts['sector'],
  confidence: number,
]
type Listed = [key: number, ...Columns]

function toFacts(columns: Columns): CandidateFacts {
  const [id, createdAtMs, accessedAtMs, salience, importance, sector, confidence] = columns
  return { id, createdAtMs, accessedAtMs, salience, importance, sector, confidence }
}

const SQL = {
  present: `SELECT r.row, ${FACTS} FROM json_each(:keys) wanted
    CROSS JOIN records r ON r.row = wanted.value AND r.present`,
  past: `SELECT r.revision, ${FACTS} FROM json_each(:keys) wanted
    CROSS JOIN past r ON r.revision = wanted.value`,
  anyWaiting: 'SELECT EXISTS (SELECT 1 FROM waiting)',
  stale: `SELECT wanted.value FROM json_each(:keys) wanted WHERE NOT EXISTS (
      SELECT 1 FROM embedded e WHERE e.model = :model AND e.record = wanted.value)`,
} as const

export function gatherCandidates(
  parts: { statements: Statements; fullText: FullText; nearest: Nearest },
  model: ModelRow,
  request: PreparedGather,
): GatheredPresent {
  const { statements, fullText, nearest } = parts
  const { words, vector, limits, floor } = request
  const startMs = performance.now()
  const near = nearest.findRows(model, {
    ...request.near,
    model: model.id,
    vector,
    limit: limits.near,
    minSimilarity: floor,
    exclude: [],
    // Candidates are compared by the one-byte codes in memory. Only the hits of the page are scored exactly.
    rounded: true,
  })
  const nearMs = performance.now() - startMs
  const owners = near.map(({ owner }) => owner)
  const ranked = words === null ? null : fullText.rankRows(words, limits.words, owners)
  const withWords = ranked?.ranked.map(({ row }) => row) ?? []
  const known = new Set(withWords)
  const rows = [...withWords, ...owners.filter((owner) => !known.has(owner))]
  const pairScores =
    words === null || request.pairs === null
      ? []
      : fullText.scoreRows({ ...words, root: request.pairs }, withWords)
  const compareStartMs = performance.now()
  const { best, whole } = nearest.similarities(model, vector, rows)
  const vectorsMs = nearMs + performance.now() - compareStartMs
  const stale = findStale(statements, model, rows)
  const lengths = fullText.countWords(rows)
  const compared = rows.map((row, i): [number, ComparedRow] => {
    const isFresh = !stale.has(row)
    const similarity = isFresh ? nanToNull(best[i]) : null
    const wholeSimilarity = isFresh ? nanToNull(whole[i]) : null
    return [row, { similarity, wholeSimilarity, words: lengths[i] ?? 0 }]
  })
  return joinPresent({
    byWords: ranked
      ? { ...ranked, passages: mapScores(ranked.passages), pairs: mapScores(pairScores) }
      : NO_WORDS,
    near: owners,
    limit: limits.near,
    compared: new Map(compared),
    vectorsMs,
  })
}

/**
 * Returns the rows whose vectors are missing or belong to an earlier text. Changed records are pending for the active
 * model, so if none is pending, no vector of the active model is stale.
 */
function findStale(
  statements: Statements,
  { row: model, state }: ModelRow,
  rows: readonly number[],
): ReadonlySet<unknown> {
  if (state === 'active' && statements.value(SQL.anyWaiting) === 0) return new Set()
  return new Set(statements.column(SQL.stale, { keys: JSON.stringify(rows), model }))
}

function nanToNull(number: number | undefined): number | null {
  return number === undefined || Number.isNaN(number) ? null : number
}

export function describeCandidates(
  statements: Statements,
  candidates: readonly GatheredRecord[],
  { asOfMs, atMs }: FactTimes,
): (CandidateFacts | null)[] {
  const times = { heldMs: heldAt({ asOfMs }), nowMs: atMs }
  const read = (sql: string, isPast: boolean) => {
    const keys = candidates.filter((one) => one.isPast === isPast).map(({ key }) => key)
    if (keys.length === 0) return new Map<number, CandidateFacts>()
    const rows = statements.lists(sql, { keys: JSON.stringify(keys), ...times }) as Listed[]
    return new Map(rows.map(([key, ...facts]) => [key, toFacts(facts)]))
  }
  const present = read(SQL.present, false)
  const past = read(SQL.past, true)
  return candidates.map(({ key, isPast }) => (isPast ? past : present).get(key) ?? null)
}
