/** The vectors of many records are written in few statements, each where its passage says it is. */

import { ArrayRoom } from '../../../core/array-room.js'
import { type KeptVector, toKept } from '../../../vectors/kept-vector.js'
import { paddedWidth } from '../../../vectors/layout.js'
import type { MadeVector, RecordVectors } from '../../vectors.js'
import { InsertText, RowBuffer } from '../row-buffer.js'
import type { Statements } from '../statements.js'
import { BlockWriter, type Place, SPACE, type Space } from './block-writer.js'
import { FineWriter } from './fine-vectors.js'
import type { KnownModel } from './models.js'

const CHUNKS = new InsertText('INSERT INTO chunks', [
  ...['model', 'record', 'ordinal', '"start"', '"end"', 'block', 'slot'],
])
const EMBEDDED = new InsertText('INSERT INTO embedded', [
  ...['model', 'record', 'chunks', 'whole_block', 'whole_slot'],
])

/** A record by its number inside the file, and what a model made of it. */
export type ReadRow = { readonly row: number; readonly vectors: RecordVectors }

/** For one transaction: `flush` before it ends. */
export class VectorWriter {
  readonly #blocks: BlockWriter
  readonly #fine: FineWriter
  readonly #chunkRows: RowBuffer
  readonly #embeddedRows: RowBuffer
  /** Used again for every vector: the block that it goes into holds a copy. */
  #bytes = new Int8Array(0)
  /** Of the finer codes, which must stay until they are flushed. */
  readonly #room = new ArrayRoom((length) => new Int16Array(length))

  constructor(statements: Statements) {
    this.#blocks = new BlockWriter(statements)
    this.#fine = new FineWriter(statements)
    this.#chunkRows = new RowBuffer(statements, CHUNKS)
    this.#embeddedRows = new RowBuffer(statements, EMBEDDED)
  }

  /** Where nothing of the record is kept for this model. */
  put(model: KnownModel, { row: record, vectors }: ReadRow): void {
    let ordinal = 0
    for (const { start, end, vector } of vectors.chunks) {
      const kept = this.#place(model, SPACE.chunks, record, vector)
      if (kept === null) continue
      this.#chunkRows.add([model.row, record, ordinal++, start, end, kept.block, kept.slot])
    }
    const whole = vectors.whole && this.#place(model, SPACE.wholes, record, vectors.whole)
    const [block, slot] = [whole?.block ?? null, whole?.slot ?? null]
    this.#embeddedRows.add([model.row, record, ordinal, block, slot])
  }

  clear(place: Place): void {
    this.#blocks.clear(place)
  }

  flush(): void {
    this.#blocks.flush()
    this.#fine.flush()
    this.#chunkRows.flush()
    this.#embeddedRows.flush()
  }

  /** Null for a vector that points nowhere. */
  #place(model: KnownModel, space: Space, owner: number, made: MadeVector): Place | null {
    const kept = made instanceof Float32Array ? this.#keep(made) : made
    if (kept === null) return null
    const place = this.#blocks.put(model.row, space, model.dimensions, { owner, codes: kept.codes })
    this.#fine.add(place, kept.fine)
    return place
  }

  #keep(vector: Float32Array): KeptVector | null {
    const width = paddedWidth(vector.length)
    if (this.#bytes.length !== width) this.#bytes = new Int8Array(width)
    return toKept(vector, { bytes: this.#bytes, fine: this.#room.take(vector.length) })
  }
}
