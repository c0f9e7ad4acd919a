/** The vectors of many records are written in few statements, each where its passage says it is. */

import { type KeptVector, toKept } from '../../../vectors/kept-vector.js'
import { paddedWidth } from '../../../vectors/layout.js'
import type { MadeVector, RecordVectors } from '../../vectors.js'
import type { Statements } from '../statements.js'
import { BlockWriter, type Place, SPACE, type Space } from './block-writer.js'
import { writeFine } from './fine-vectors.js'
import type { KnownModel } from './models.js'

const SQL = {
  chunk: `INSERT INTO chunks (model, record, ordinal, "start", "end", block, slot)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  embedded: `INSERT INTO embedded (model, record, chunks, whole_block, whole_slot)
    VALUES (?, ?, ?, ?, ?)`,
} as const

/** A record by its number inside the file, and what a model made of it. */
export type ReadRow = { readonly row: number; readonly vectors: RecordVectors }

/** For one transaction: `flush` before it ends. */
export class VectorWriter {
  readonly #blocks: BlockWriter
  readonly #statements: Statements
  /** Used again for every vector: the block that it goes into holds a copy. */
  #bytes = new Int8Array(0)

  constructor(statements: Statements) {
    this.#blocks = new BlockWriter(statements)
    this.#statements = statements
  }

  /** Where nothing of the record is kept for this model. */
  put(model: KnownModel, { row: record, vectors }: ReadRow): void {
    let ordinal = 0
    for (const { start, end, vector } of vectors.chunks) {
      const kept = this.#place(model, SPACE.chunks, record, vector)
      if (kept === null) continue
      const values = [model.row, record, ordinal++, start, end, kept.block, kept.slot]
      this.#statements.run(SQL.chunk, values)
    }
    const whole = vectors.whole && this.#place(model, SPACE.wholes, record, vectors.whole)
    const [block, slot] = [whole?.block ?? null, whole?.slot ?? null]
    this.#statements.run(SQL.embedded, [model.row, record, ordinal, block, slot])
  }

  clear(place: Place): void {
    this.#blocks.clear(place)
  }

  flush(): void {
    this.#blocks.flush()
  }

  /** Null for a vector that points nowhere. */
  #place(model: KnownModel, space: Space, owner: number, made: MadeVector): Place | null {
    const kept = made instanceof Float32Array ? this.#keep(made) : made
    if (kept === null) return null
    const place = this.#blocks.put(model.row, space, model.dimensions, { owner, codes: kept.codes })
    writeFine(this.#statements, place, kept.fine)
    return place
  }

  #keep(vector: Float32Array): KeptVector | null {
    const width = paddedWidth(vector.length)
    if (this.#bytes.length !== width) this.#bytes = new Int8Array(width)
    return toKept(vector, { bytes: this.#bytes, fine: new Int16Array(vector.length) })
  }
}
