/** Stores, replaces and erases the vectors of records, and lists the records that are pending. */

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { RecordId } from '../../../core/ids.js'
import { cutPassage, type TextInContext } from '../../../core/passage.js'
import type { CairnRecord } from '../../../core/record.js'
import { BLOCK_SLOTS } from '../../../vectors/block.js'
import { cosineFine, decodeFine, quantiseVector, viewFineBytes } from '../../../vectors/quantise.js'
import type {
  EmbeddedText,
  NearRecord,
  PastText,
  PendingText,
  RecordVectors,
} from '../../vectors.js'
import { type Row, type Statements, withinSql } from '../statements.js'
import type { ModelRow } from './models.js'
import {
  checksumFine,
  type RowVectors,
  type SlotAddress,
  toFineCodes,
  VectorWriter,
} from './vector-writer.js'

const SQL = {
  text: 'SELECT row, title, body, context FROM records WHERE id = :id',
  addresses: `SELECT block, slot FROM chunks WHERE record = :record AND (:model IS NULL OR model = :model)
    UNION ALL SELECT whole_block, whole_slot FROM embedded
    WHERE record = :record AND whole_block IS NOT NULL AND (:model IS NULL OR model = :model)`,
  deleteChunks: 'DELETE FROM chunks WHERE record = :record AND model = :model',
  deleteEmbedded: 'DELETE FROM embedded WHERE record = :record AND model = :model',
  unqueue: `DELETE FROM waiting WHERE record = :record
    AND EXISTS (SELECT 1 FROM models WHERE row = :model AND state = 'active')`,
  pendingForActive: `SELECT r.id, r.title, r.body, r.context FROM waiting w CROSS JOIN records r ON r.row = w.record
    WHERE r.present ORDER BY w.record LIMIT :limit`,
  pendingForOther: `SELECT r.id, r.title, r.body, r.context FROM records r
    WHERE r.present AND NOT EXISTS (
      SELECT 1 FROM embedded e WHERE e.model = :model AND e.record = r.row)
    ORDER BY r.row LIMIT :limit`,
  ranges: `SELECT DISTINCT c."start", c."end" FROM chunks c JOIN records r ON r.row = c.record WHERE r.id = :id`,
  countPending: `SELECT count(*) FROM waiting w CROSS JOIN records r ON r.row = w.record
    WHERE r.present AND ${withinSql('r')}`,
  anyPending: `SELECT EXISTS (SELECT 1 FROM waiting w CROSS JOIN records r ON r.row = w.record
    WHERE r.present)`,
  countLive: 'SELECT count(*) FROM records WHERE present',
  countLiveIn: 'SELECT count(*) FROM records WHERE present AND namespace = :namespace',
  whole: `SELECT v.scale, v.codes
    FROM records r JOIN embedded e ON e.record = r.row AND e.model = :model
    JOIN chunks c ON c.record = r.row AND c.model = :model AND c.ordinal = 0
    JOIN vectors v ON v.place = coalesce(e.whole_block, c.block) * ${BLOCK_SLOTS} + coalesce(e.whole_slot, c.slot)
    WHERE r.id = :id`,
  /** In the order of ids and ordinals because of the joins and the key of chunks. Sorting would take as long as reading. */
  chunks: `SELECT r.id, c.ordinal, c."start", c."end", v.scale, v.codes
    FROM json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value
    CROSS JOIN chunks c ON c.model = :model AND c.record = r.row
    CROSS JOIN vectors v ON v.place = c.block * ${BLOCK_SLOTS} + c.slot`,
  sample: `SELECT r.title, r.body, r.context, v.scale, v.codes
    FROM embedded e CROSS JOIN records r ON r.row = e.record
    CROSS JOIN chunks c ON c.model = e.model AND c.record = e.record AND c.ordinal = 0
    CROSS JOIN vectors v ON v.place = coalesce(e.whole_block, c.block) * ${BLOCK_SLOTS} + coalesce(e.whole_slot, c.slot)
    WHERE e.model = :model AND r.present AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.record = r.row)
    ORDER BY (e.record * 2654435761) % 4294967296 LIMIT :limit`,
  pastPending: `SELECT v.row, r.id AS record, v.number, v.title, v.body FROM revisions v JOIN records r ON r.row = v.record
    WHERE v.codes IS NULL AND v.row > :after ORDER BY v.row LIMIT :limit`,
  setPast: `UPDATE revisions SET model = :model, scale = :scale, checksum = :checksum, codes = :codes WHERE row = :row`,
  cached: 'SELECT vector FROM embedding_cache WHERE model = :model AND hash = :hash',
  cache: `INSERT INTO embedding_cache (model, hash, checksum, vector) VALUES (:model, :hash, :checksum, :vector)
    ON CONFLICT (model, hash) DO NOTHING`,
  /** Evicts the oldest entries. */
  boundCache: `DELETE FROM embedding_cache WHERE row <= (SELECT max(row) FROM embedding_cache) - :most`,
  forgetCached: 'DELETE FROM embedding_cache WHERE hash = :hash',
} as const

/** About 150 MB of vectors of 768 numbers. */
const CACHED_TEXTS = 50_000

export function createVectorsTable(statements: Statements) {
  const remove = (writer: VectorWriter, record: number, model: number | null): void => {
    const addresses = statements.all(SQL.addresses, { record, model }) as unknown as SlotAddress[]
    for (const address of addresses) writer.clear(address)
  }

  return {
    /** Runs inside a transaction. A text that has changed since it was embedded stays pending. */
    keep(
      model: ModelRow,
      embedded: readonly { readonly id: RecordId; readonly vectors: RecordVectors | null }[],
    ): void {
      const writer = new VectorWriter(statements)
      for (const { id, vectors } of embedded) {
        const [row] = vectors === null ? [] : statements.all(SQL.text, { id })
        if (row === undefined || vectors === null) continue
        const { title, body, context } = vectors.of
        if (row.title !== title || row.body !== body || row.context !== context) continue
        const keys = { model: model.row, record: Number(row.row) }
        remove(writer, keys.record, model.row)
        statements.run(SQL.deleteChunks, keys)
        statements.run(SQL.deleteEmbedded, keys)
        writer.put(model, { row: keys.record, vectors })
        statements.run(SQL.unqueue, keys)
      }
      writer.flush()
    },

    /** For records that this transaction has added: there is nothing to replace, and none of them is pending. */
    keepNew(model: ModelRow, added: readonly RowVectors[]): void {
      const writer = new VectorWriter(statements)
      for (const one of added) writer.put(model, one)
      writer.flush()
    },

    /** Runs before a purge: erases the slots and the cached vectors of these records. */
    erase(ids: readonly RecordId[], records: readonly CairnRecord[]): void {
      for (const record of records) {
        for (const { start, end } of statements.all(SQL.ranges, { id: record.id })) {
          const text = cutPassage(record, { start: Number(start), end: Number(end) })
          statements.run(SQL.forgetCached, { hash: hash(text) })
        }
      }
      const writer = new VectorWriter(statements)
      for (const id of ids) {
        const [row] = statements.all(SQL.text, { id })
        if (row !== undefined) remove(writer, Number(row.row), null)
      }
      writer.flush()
    },

    listPending(model: ModelRow | null, limit: number): PendingText[] {
      const rows =
        model === null || model.state === 'active'
          ? statements.all(SQL.pendingForActive, { limit })
          : statements.all(SQL.pendingForOther, { model: model.row, limit })
      return rows as unknown as PendingText[]
    },
    anyPending: (): boolean => statements.value(SQL.anyPending) === 1,
    coverage: (namespace: string | null) => ({
      waiting: Number(statements.value(SQL.countPending, { namespace })),
      records: Number(
        namespace === null
          ? statements.value(SQL.countLive)
          : statements.value(SQL.countLiveIn, { namespace }),
      ),
    }),

    vectorOf(model: ModelRow, id: RecordId): Float32Array | null {
      const [row] = statements.all(SQL.whole, { model: model.row, id })
      return row === undefined ? null : decodeFine(toFineCodes(row))
    },

    bestChunks(model: ModelRow, unit: Float32Array, ids: readonly RecordId[]): NearRecord[] {
      const best = new Map<RecordId, NearRecord>()
      const wanted = { model: model.row, ids: JSON.stringify(ids) }
      for (const row of statements.all(SQL.chunks, wanted)) {
        const near = toNear(row, cosineFine(unit, toFineCodes(row)))
        if (near.similarity > (best.get(near.id)?.similarity ?? -2)) best.set(near.id, near)
      }
      return [...best.values()]
    },

    sample: (model: ModelRow, limit: number) =>
      statements.all(SQL.sample, { model: model.row, limit }).map(
        ({ scale, codes, ...text }): EmbeddedText => ({
          ...(text as TextInContext),
          vector: decodeFine(toFineCodes({ scale, codes })),
        }),
      ),

    pastPending: (after: number, limit: number) =>
      statements.all(SQL.pastPending, { after, limit }) as unknown as PastText[],
    keepPast(model: ModelRow, embedded: readonly RowVectors[]): void {
      for (const { row, vectors } of embedded) {
        const whole = vectors.whole ?? vectors.chunks[0]?.vector
        const fine = whole && quantiseVector(whole)?.fine
        if (fine === undefined) continue
        const { scale } = fine
        const values = { scale, checksum: checksumFine(fine), codes: viewFineBytes(fine) }
        statements.run(SQL.setPast, { ...values, model: model.row, row })
      }
    },

    readCached: (model: string, texts: readonly string[]): (Float32Array | null)[] =>
      texts.map((text) => {
        const bytes = statements.value(SQL.cached, { model, hash: hash(text) })
        // A copy, because the bytes may be unaligned.
        if (!(bytes instanceof Uint8Array)) return null
        return new Float32Array(Uint8Array.from(bytes).buffer)
      }),
    storeCached(model: string, texts: readonly string[], vectors: readonly Float32Array[]): void {
      for (const [i, { buffer, byteOffset, byteLength }] of vectors.entries()) {
        const vector = new Uint8Array(buffer, byteOffset, byteLength)
        const keys = { model, hash: hash(texts[i] ?? '') }
        statements.run(SQL.cache, { ...keys, checksum: crc32(vector), vector })
      }
      statements.run(SQL.boundCache, { most: CACHED_TEXTS })
    },
  }
}

export function toNear(row: Row, similarity: number): NearRecord {
  return {
    id: row.id as RecordId,
    similarity,
    chunk: { index: Number(row.ordinal), start: Number(row.start), end: Number(row.end) },
    isSuperseded: false,
  }
}

function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
