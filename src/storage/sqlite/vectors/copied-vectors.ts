/** Reads the vectors of many records and past states at once, for an archive or a copy. */

import type { RecordId } from '../../../core/ids.js'
import type { TextInContext } from '../../../core/passage.js'
import { BLOCK_SLOTS } from '../../../vectors/block.js'
import { decodeFine } from '../../../vectors/quantise.js'
import type { ChunkVector, PastState, RecordVectors } from '../../vectors.js'
import type { Statements } from '../statements.js'
import { toFineCodes } from './vector-writer.js'

const EMBEDDED = `json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value
    CROSS JOIN embedded e ON e.record = r.row AND e.model = (SELECT row FROM models WHERE id = :model)`
const IS_FRESH = 'NOT EXISTS (SELECT 1 FROM waiting w WHERE w.record = r.row)'

const SQL = {
  texts: `SELECT r.id, r.title, r.body, r.context, v.scale, v.codes FROM ${EMBEDDED}
    LEFT JOIN vectors v ON v.place = e.whole_block * ${BLOCK_SLOTS} + e.whole_slot WHERE ${IS_FRESH}`,
  chunks: `SELECT r.id, c."start", c."end", v.scale, v.codes FROM ${EMBEDDED}
    CROSS JOIN chunks c ON c.model = e.model AND c.record = e.record
    CROSS JOIN vectors v ON v.place = c.block * ${BLOCK_SLOTS} + c.slot WHERE ${IS_FRESH}
    ORDER BY wanted.key, c.ordinal`,
  embedded: `SELECT r.id FROM ${EMBEDDED} WHERE ${IS_FRESH}`,
  past: `SELECT wanted.key AS i, v.scale, v.codes FROM json_each(:states) wanted
    CROSS JOIN records r ON r.id = wanted.value ->> 0
    CROSS JOIN revisions v ON v.record = r.row AND v.number = wanted.value ->> 1
    WHERE v.model = (SELECT row FROM models WHERE id = :model)`,
} as const

export function readVectors(
  statements: Statements,
  model: string,
  ids: readonly RecordId[],
): (RecordVectors | null)[] {
  const chunks = new Map<unknown, ChunkVector[]>()
  for (const { id, start, end, ...codes } of statements.all(SQL.chunks, { model, ids })) {
    const vector = decodeFine(toFineCodes(codes))
    const own = chunks.get(id) ?? []
    own.push({ start: Number(start), end: Number(end), vector })
    chunks.set(id, own)
  }
  const found = new Map<unknown, RecordVectors>()
  for (const { id, scale, codes, ...of } of statements.all(SQL.texts, { model, ids })) {
    const whole = codes === null ? null : decodeFine(toFineCodes({ scale, codes }))
    found.set(id, { of: of as TextInContext, chunks: chunks.get(id) ?? [], whole })
  }
  return ids.map((id) => found.get(id) ?? null)
}

/** Lists the records that have no fresh vectors of the model. */
export function listMissing(
  statements: Statements,
  model: string,
  ids: readonly RecordId[],
): RecordId[] {
  const embedded = new Set(statements.column(SQL.embedded, { model, ids }))
  return ids.filter((id) => !embedded.has(id))
}

export function readPastVectors(
  statements: Statements,
  model: string,
  states: readonly PastState[],
): (Float32Array | null)[] {
  const keys = states.map(({ record, number }) => [record, number])
  const rows = statements.all(SQL.past, { model, states: keys })
  const found = new Map(rows.map(({ i, ...codes }) => [i, decodeFine(toFineCodes(codes))]))
  return states.map((_, i) => found.get(i) ?? null)
}
