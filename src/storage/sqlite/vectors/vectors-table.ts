/** The vectors of a record are written, replaced and removed whole, together with the record. */

import type { RecordId } from '../../../core/ids.js'
import { cutPassage, type TextInContext } from '../../../core/passage.js'
import type { CairnRecord } from '../../../core/record.js'
import type { PendingText, RecordVectors } from '../../vectors.js'
import type { Statements } from '../statements.js'
import type { Place } from './block-writer.js'
import { createFineVectors } from './fine-vectors.js'
import type { KnownModel } from './models.js'
import { type ReadRow, VectorWriter } from './vector-writer.js'

const SQL = {
  text: 'SELECT row, title, body, context FROM records WHERE id = :id',
  places: `SELECT block, slot FROM chunks WHERE record = :record AND (:model IS NULL OR model = :model)
    UNION ALL SELECT whole_block, whole_slot FROM embedded
    WHERE record = :record AND whole_block IS NOT NULL AND (:model IS NULL OR model = :model)`,
  isKnown: `SELECT EXISTS (SELECT 1 FROM chunks WHERE model = :model AND record = :record)
    OR EXISTS (SELECT 1 FROM embedded WHERE model = :model AND record = :record)`,
  forgetChunks: 'DELETE FROM chunks WHERE record = :record AND model = :model',
  forgetEmbedded: 'DELETE FROM embedded WHERE record = :record AND model = :model',
  doneWaiting: `DELETE FROM waiting WHERE record = :record
    AND EXISTS (SELECT 1 FROM models WHERE row = :model AND state = 'active')`,
  waitingForActive: `SELECT r.id, r.title, r.body, r.context FROM waiting w CROSS JOIN records r ON r.row = w.record
    WHERE r.present ORDER BY w.record LIMIT :limit`,
  waitingForOther: `SELECT r.id, r.title, r.body, r.context FROM records r
    WHERE r.present AND NOT EXISTS (
      SELECT 1 FROM embedded e WHERE e.model = :model AND e.record = r.row)
    ORDER BY r.row LIMIT :limit`,
  ranges: `SELECT DISTINCT c."start", c."end" FROM chunks c JOIN records r ON r.row = c.record WHERE r.id = :id`,
  countWaiting: `SELECT count(*) FROM waiting w CROSS JOIN records r ON r.row = w.record WHERE r.present`,
  anyWaiting: `SELECT EXISTS (SELECT 1 FROM waiting w CROSS JOIN records r ON r.row = w.record
    WHERE r.present)`,
  countLive: 'SELECT count(*) FROM records WHERE present',
  place: `SELECT coalesce(e.whole_block, c.block) AS block, coalesce(e.whole_slot, c.slot) AS slot
    FROM records r JOIN embedded e ON e.record = r.row AND e.model = :model
    JOIN chunks c ON c.record = r.row AND c.model = :model AND c.ordinal = 0
    WHERE r.id = :id`,
  clear: ['chunks', 'embedded', 'vector_blocks'].map((table) => `DELETE FROM ${table}`),
  allWait: 'INSERT OR IGNORE INTO waiting (record) SELECT row FROM records',
} as const

export type VectorsTable = ReturnType<typeof createVectorsTable>

export function createVectorsTable(statements: Statements) {
  const fine = createFineVectors(statements)
  const remove = (writer: VectorWriter, record: number, model: number | null): void => {
    for (const place of statements.all(SQL.places, { record, model })) writer.clear(toPlace(place))
  }
  const replace = (writer: VectorWriter, model: KnownModel, read: ReadRow): void => {
    const keys = { model: model.row, record: read.row }
    if (statements.value(SQL.isKnown, keys) === 1) {
      remove(writer, read.row, model.row)
      statements.run(SQL.forgetChunks, keys)
      statements.run(SQL.forgetEmbedded, keys)
    }
    writer.put(model, read)
    statements.run(SQL.doneWaiting, keys)
  }
  return {
    /** In one transaction; a text that has changed since it was read waits for the next reading. */
    keep(
      model: KnownModel,
      read: readonly { id: RecordId; vectors: RecordVectors | null }[],
    ): void {
      const writer = new VectorWriter(statements)
      for (const { id, vectors } of read) {
        const [row] = vectors === null ? [] : statements.all(SQL.text, { id })
        if (row === undefined || vectors === null) continue
        if (isSameText(row, vectors.of)) replace(writer, model, { row: Number(row.row), vectors })
      }
      writer.flush()
    },
    /** For records that this transaction has added as they were read: nothing is there to replace, and none waits yet. */
    keepNew(model: KnownModel, added: readonly ReadRow[]): void {
      const writer = new VectorWriter(statements)
      for (const read of added) writer.put(model, read)
      writer.flush()
    },
    /** The passages of these records that models have read. */
    textsOf: (records: readonly CairnRecord[]): string[] =>
      records.flatMap((record) =>
        statements
          .all(SQL.ranges, { id: record.id })
          .map((row) => cutPassage(record, { start: Number(row.start), end: Number(row.end) })),
      ),
    /** Before records go for good: their slots are emptied in every model's blocks. */
    erase(ids: readonly RecordId[]): void {
      const writer = new VectorWriter(statements)
      for (const id of ids) {
        const [row] = statements.all(SQL.text, { id })
        if (row !== undefined) remove(writer, Number(row.row), null)
      }
      writer.flush()
    },
    waiting(model: KnownModel & { readonly state: string }, limit: number): PendingText[] {
      const rows =
        model.state === 'active'
          ? statements.all(SQL.waitingForActive, { limit })
          : statements.all(SQL.waitingForOther, { model: model.row, limit })
      return rows as unknown as PendingText[]
    },
    bestChunks: fine.bestChunks,
    waitingForFirst: (limit: number): PendingText[] =>
      statements.all(SQL.waitingForActive, { limit }) as unknown as PendingText[],
    anyWaiting: (): boolean => statements.value(SQL.anyWaiting) === 1,
    coverage: () => ({
      waiting: Number(statements.value(SQL.countWaiting)),
      records: Number(statements.value(SQL.countLive)),
    }),
    vectorOf(model: KnownModel, id: RecordId): Float32Array | null {
      const [place] = statements.all(SQL.place, { model: model.row, id })
      return place === undefined ? null : fine.vectorAt(toPlace(place))
    },
    clear(): void {
      for (const sql of SQL.clear) statements.run(sql)
      statements.run(SQL.allWait)
    },
  }
}

/** Read by the model as it stands now, with its surroundings. */
function isSameText(row: Readonly<Record<string, unknown>>, of: TextInContext): boolean {
  return row.title === of.title && row.body === of.body && row.context === of.context
}

function toPlace(row: Readonly<Record<string, unknown>>): Place {
  return { block: Number(row.block), slot: Number(row.slot) }
}
