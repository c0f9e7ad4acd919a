/** Reads the vectors of many records and past states at once, to be stored elsewhere. */

import type { RecordId } from '../../core/ids.js'
import type { TextInContext } from '../../core/passage.js'
import type { ChunkVector, PastState, RecordVectors } from '../vectors.js'
import { parseVector } from './halfvec.js'
import { type Statements, toLists } from './statements.js'

const EMBEDDED = `unnest(:ids::text[]) wanted JOIN records r ON r.id = wanted
    JOIN embedded e ON e.namespace = r.namespace AND e.record = r.row
      AND e.model = (SELECT row FROM models WHERE id = :model)`
const IS_FRESH =
  'NOT EXISTS (SELECT FROM waiting w WHERE w.namespace = r.namespace AND w.record = r.row)'

const SQL = {
  texts: `SELECT r.id, r.title, r.body, r.context, e.whole FROM ${EMBEDDED} WHERE ${IS_FRESH}`,
  chunks: `SELECT r.id, c."start", c."end", c.vector FROM ${EMBEDDED}
    JOIN chunks c ON c.namespace = e.namespace AND c.record = e.record AND c.model = e.model
    WHERE ${IS_FRESH} ORDER BY c.record, c.ordinal`,
  known: `SELECT r.id FROM ${EMBEDDED} WHERE ${IS_FRESH}`,
  past: `SELECT wanted.n, v.vector
    FROM unnest(:record::text[], :number::integer[]) WITH ORDINALITY AS wanted (record, number, n)
    JOIN records r ON r.id = wanted.record
    JOIN revisions v ON v.namespace = r.namespace AND v.record = r.row AND v.number = wanted.number
    WHERE v.model = (SELECT row FROM models WHERE id = :model) AND v.vector IS NOT NULL`,
} as const

export async function readVectors(
  statements: Statements,
  model: string,
  ids: readonly RecordId[],
): Promise<(RecordVectors | null)[]> {
  const [texts, rows] = await Promise.all([
    statements.all(SQL.texts, { model, ids }),
    statements.all(SQL.chunks, { model, ids }),
  ])
  const chunks = new Map<unknown, ChunkVector[]>()
  for (const { id, start, end, vector } of rows) {
    const own = chunks.get(id) ?? []
    own.push({ start: Number(start), end: Number(end), vector: parseVector(vector) })
    chunks.set(id, own)
  }
  const found = new Map<unknown, RecordVectors>()
  for (const { id, whole, ...of } of texts) {
    found.set(id, {
      of: of as TextInContext,
      chunks: chunks.get(id) ?? [],
      whole: whole === null ? null : parseVector(whole),
    })
  }
  return ids.map((id) => found.get(id) ?? null)
}

export async function listMissing(
  statements: Statements,
  model: string,
  ids: readonly RecordId[],
): Promise<RecordId[]> {
  const known = new Set(await statements.column(SQL.known, { model, ids }))
  return ids.filter((id) => !known.has(id))
}

export async function readPastVectors(
  statements: Statements,
  model: string,
  states: readonly PastState[],
): Promise<(Float32Array | null)[]> {
  const rows = await statements.all(SQL.past, { ...toLists(states, ['record', 'number']), model })
  const found = new Map(rows.map(({ n, vector }) => [Number(n) - 1, parseVector(vector)]))
  return states.map((_, i) => found.get(i) ?? null)
}
