/** The vectors of a few places are read in one go, as exactly as they are kept. */

import type { RecordId } from '../../../core/ids.js'
import { bytesOf, cosineFine, decodeFine, type FineCodes } from '../../../vectors/fine-codes.js'
import type { NearRecord } from '../../vectors.js'
import { BLOCK_SLOTS } from '../migrations/0001-records.js'
import type { Statements } from '../statements.js'
import type { Place } from './block-writer.js'

const SQL = {
  read: 'SELECT place, scale, codes FROM vectors WHERE place IN (SELECT value FROM json_each(:places))',
  chunks: `SELECT r.id, c.ordinal, c."start", c."end", v.scale, v.codes
    FROM json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value
    CROSS JOIN chunks c ON c.model = :model AND c.record = r.row
    CROSS JOIN vectors v ON v.place = c.block * ${BLOCK_SLOTS} + c.slot
    ORDER BY wanted.key, c.ordinal`,
  insert: 'INSERT INTO vectors (place, scale, codes) VALUES (?, ?, ?)',
} as const

export type FineVectors = ReturnType<typeof createFineVectors>

export function createFineVectors(statements: Statements) {
  const read = (places: readonly number[]): Map<number, FineCodes> => {
    const rows = statements.all(SQL.read, { places: JSON.stringify(places) })
    return new Map(rows.map((row) => [Number(row.place), toFineCodes(row)]))
  }
  return {
    read,
    /** The chunk of each record that is nearest to a vector of length 1. */
    bestChunks(model: number, unit: Float32Array, ids: readonly RecordId[]): NearRecord[] {
      const best = new Map<RecordId, NearRecord>()
      for (const row of statements.all(SQL.chunks, { model, ids: JSON.stringify(ids) })) {
        const id = row.id as RecordId
        const similarity = cosineFine(unit, toFineCodes(row))
        if (similarity <= (best.get(id)?.similarity ?? -2)) continue
        const chunk = { index: Number(row.ordinal), start: Number(row.start), end: Number(row.end) }
        best.set(id, { id, similarity, chunk, isSuperseded: false })
      }
      return [...best.values()]
    },
    /** Null where nothing is kept in this place. */
    vectorAt(place: Place): Float32Array | null {
      const number = placeNumber(place)
      const codes = read([number]).get(number)
      return codes === undefined ? null : decodeFine(codes)
    },
  }
}

export function writeFine(statements: Statements, place: Place, fine: FineCodes): void {
  statements.run(SQL.insert, [placeNumber(place), fine.scale, bytesOf(fine)])
}

export function placeNumber({ block, slot }: Place): number {
  return block * BLOCK_SLOTS + slot
}

export function toFineCodes(row: Readonly<Record<string, unknown>>): FineCodes {
  // A copy: the bytes may lie at an odd address.
  const bytes = Uint8Array.from(row.codes as Uint8Array)
  return { codes: new Int16Array(bytes.buffer), scale: Number(row.scale) }
}
