/** Writes and erases the vectors of records within one transaction; each changed block is written once. */

import { crc32 } from 'node:zlib'
import { BLOCK_SLOTS, Block, createBlock } from '../../../vectors/block.js'
import { type FineCodes, quantiseVector, viewFineBytes } from '../../../vectors/quantise.js'
import type { RecordVectors } from '../../vectors.js'
import { LATEST_VERSION } from '../migrations/0001-records.js'
import { insertRows, type Row, type Statements, type Value } from '../statements.js'
import type { ModelRow } from './models.js'

/** Vectors of chunks, and vectors of whole records that have several chunks. */
export const SPACE = { chunks: 0, wholes: 1 } as const
export type Space = (typeof SPACE)[keyof typeof SPACE]

export type SlotAddress = { readonly block: number; readonly slot: number }

/** Encodes an address as one number: the key (`place`) of the table `vectors`. */
export function encodeAddress({ block, slot }: SlotAddress): number {
  return block * BLOCK_SLOTS + slot
}

const SQL = {
  withFree: `SELECT row, free, data FROM vector_blocks
    WHERE model = :model AND space = :space AND free > 0 ORDER BY row LIMIT 1`,
  read: 'SELECT row, free, data FROM vector_blocks WHERE row = :row',
  create: `INSERT INTO vector_blocks (model, space, free, version, checksum, data)
    VALUES (:model, :space, :free, ${LATEST_VERSION} + 1, :checksum, :data)`,
  write: `UPDATE vector_blocks SET free = :free, checksum = :checksum, data = :data,
      version = ${LATEST_VERSION} + 1 WHERE row = :row`,
} as const

const COLUMNS = {
  chunks: 'chunks (model, record, ordinal, "start", "end", block, slot)',
  embedded: 'embedded (model, record, chunks, whole_block, whole_slot)',
  fine: 'vectors (place, scale, checksum, codes)',
} as const

/** Rows are inserted in batches of this size: about 1 MB of two-byte codes. */
const MAX_BUFFERED_ROWS = 2000

export type RowVectors = {
  readonly row: number
  readonly vectors: Omit<RecordVectors, 'of'>
}

type OpenBlock = {
  readonly row: number
  readonly data: Uint8Array
  readonly block: Block
  free: number
  nextSlot: number
}

/** Buffers the writes of one transaction: call `flush` before it commits. */
export class VectorWriter {
  readonly #statements: Statements
  readonly #opened = new Map<number, OpenBlock>()
  readonly #filling = new Map<string, OpenBlock>()
  #buffered = createRowLists()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Stores the vectors of a record that has none of this model yet. */
  put(model: ModelRow, { row: record, vectors }: RowVectors): void {
    let ordinal = 0
    for (const { start, end, vector } of vectors.chunks) {
      const address = this.#store(model, SPACE.chunks, record, vector)
      if (address === null) continue
      const { block, slot } = address
      this.#buffered.chunks.push([model.row, record, ordinal++, start, end, block, slot])
    }
    const whole = vectors.whole && this.#store(model, SPACE.wholes, record, vectors.whole)
    const wholeAddress = [whole?.block ?? null, whole?.slot ?? null]
    this.#buffered.embedded.push([model.row, record, ordinal, ...wholeAddress])
    if (this.#buffered.fine.length >= MAX_BUFFERED_ROWS) this.#insertRows()
  }

  clear({ block: row, slot }: SlotAddress): void {
    const [found] = this.#opened.has(row) ? [{ row }] : this.#statements.all(SQL.read, { row })
    if (found === undefined) return
    const open = this.#open(found)
    if (open.block.isFree(slot)) return
    open.block.write(slot, null)
    open.free += 1
    open.nextSlot = Math.min(open.nextSlot, slot)
  }

  flush(): void {
    this.#insertRows()
    for (const { row, free, data } of this.#opened.values()) {
      this.#statements.run(SQL.write, { row, free, checksum: crc32(data), data })
    }
    this.#opened.clear()
    this.#filling.clear()
  }

  #insertRows(): void {
    const { chunks, embedded, fine } = this.#buffered
    insertRows(this.#statements, COLUMNS.chunks, chunks)
    insertRows(this.#statements, COLUMNS.embedded, embedded)
    insertRows(this.#statements, COLUMNS.fine, fine)
    this.#buffered = createRowLists()
  }

  /** Returns null for a zero vector, which is not stored. */
  #store(model: ModelRow, space: Space, owner: number, vector: Float32Array): SlotAddress | null {
    const quantised = quantiseVector(vector)
    if (quantised === null) return null
    const { codes, fine } = quantised
    const open = this.#findFreeBlock(model, space)
    while (!open.block.isFree(open.nextSlot)) open.nextSlot += 1
    open.block.write(open.nextSlot, { owner, codes })
    open.free -= 1
    const address = { block: open.row, slot: open.nextSlot }
    const bytes = viewFineBytes(fine)
    this.#buffered.fine.push([encodeAddress(address), fine.scale, checksumFine(fine), bytes])
    return address
  }

  /** Returns the block that is being filled, another block with a free slot, or a new block. */
  #findFreeBlock(model: ModelRow, space: Space): OpenBlock {
    const key = `${model.row}.${space}`
    const current = this.#filling.get(key)
    if (current !== undefined && current.free > 0) return current
    // Asked only once per transaction: the blocks that it has filled since are not written yet.
    const [found] =
      current === undefined ? this.#statements.all(SQL.withFree, { model: model.row, space }) : []
    const open = found === undefined ? null : this.#open(found)
    const usable = open !== null && open.free > 0 ? open : this.#create(model, space)
    this.#filling.set(key, usable)
    return usable
  }

  #open(row: Row): OpenBlock {
    const number = Number(row.row)
    const known = this.#opened.get(number)
    if (known !== undefined) return known
    // A copy: SQLite's buffer must not be changed.
    const data = Uint8Array.from(row.data as Uint8Array)
    return this.#remember({ row: number, data, free: Number(row.free) })
  }

  #create({ row: model, dimensions }: ModelRow, space: Space): OpenBlock {
    const data = createBlock(dimensions)
    const free = BLOCK_SLOTS
    const checksum = crc32(data)
    const { lastRow } = this.#statements.run(SQL.create, { model, space, free, checksum, data })
    return this.#remember({ row: lastRow, data, free })
  }

  #remember(stored: Pick<OpenBlock, 'row' | 'data' | 'free'>): OpenBlock {
    const open = { ...stored, block: new Block(stored.data), nextSlot: 0 }
    this.#opened.set(stored.row, open)
    return open
  }
}

function createRowLists(): { readonly [table in keyof typeof COLUMNS]: Value[][] } {
  return { chunks: [], embedded: [], fine: [] }
}

const SCALE = new Float64Array(1)
const SCALE_BYTES = new Uint8Array(SCALE.buffer)

/** The CRC-32 of the codes, then of the scale as a double. Only `doctor` compares it. Takes 0.3 µs for 256 dimensions. */
export function checksumFine(fine: FineCodes): number {
  SCALE[0] = fine.scale
  return crc32(SCALE_BYTES, crc32(viewFineBytes(fine)))
}

export function toFineCodes(row: Row): FineCodes {
  // A copy, because the bytes may be unaligned.
  const bytes = Uint8Array.from(row.codes as Uint8Array)
  return { codes: new Int16Array(bytes.buffer, 0, bytes.length >> 1), scale: Number(row.scale) }
}
