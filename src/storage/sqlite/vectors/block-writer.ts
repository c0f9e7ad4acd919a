/** Vectors go into the slots of stored blocks, and each block is written once per transaction. */

import { packBlock, type SlotEntry } from '../../../vectors/block.js'
import { OpenSlots } from '../../../vectors/block-slots.js'
import { BLOCK_SLOTS } from '../migrations/0001-records.js'
import type { Statements } from '../statements.js'

export const SPACE = { chunks: 0, wholes: 1 } as const
export type Space = (typeof SPACE)[keyof typeof SPACE]

/** Where a vector is kept. */
export type Place = { readonly block: number; readonly slot: number }

const SQL = {
  withRoom: `SELECT row, free, data FROM vector_blocks
    WHERE model = :model AND space = :space AND free > 0 ORDER BY row LIMIT 1`,
  read: 'SELECT row, free, data FROM vector_blocks WHERE row = :row',
  nextRow: 'SELECT coalesce(max(row), 0) + 1 FROM vector_blocks',
  create: `INSERT INTO vector_blocks (row, model, space, free, version, data)
    VALUES (:row, :model, :space, :free, (SELECT coalesce(max(version), 0) + 1 FROM vector_blocks), :data)`,
  write: `UPDATE vector_blocks SET free = :free, data = :data,
      version = (SELECT max(version) + 1 FROM vector_blocks) WHERE row = :row`,
} as const

type OpenBlock = {
  readonly row: number
  readonly data: Uint8Array
  readonly slots: OpenSlots
  /** What a block that is not in the file yet belongs to. */
  readonly created: { readonly model: number; readonly space: Space } | null
  free: number
  nextSlot: number
}

/** For one transaction: `flush` before it ends. */
export class BlockWriter {
  readonly #statements: Statements
  readonly #opened = new Map<number, OpenBlock>()
  readonly #filling = new Map<string, OpenBlock>()
  #nextRow: number | null = null

  constructor(statements: Statements) {
    this.#statements = statements
  }

  put(model: number, space: Space, dimensions: number, entry: SlotEntry): Place {
    const block = this.#blockWithRoom(model, space, dimensions)
    while (!isFree(block, block.nextSlot)) block.nextSlot += 1
    const slot = block.nextSlot
    block.slots.write(slot, entry)
    block.free -= 1
    block.nextSlot += 1
    return { block: block.row, slot }
  }

  clear({ block: row, slot }: Place): void {
    const [found] = this.#opened.has(row) ? [{ row }] : this.#statements.all(SQL.read, { row })
    if (found === undefined) return
    const block = this.#open(found)
    if (isFree(block, slot)) return
    block.slots.write(slot, null)
    block.free += 1
    block.nextSlot = Math.min(block.nextSlot, slot)
  }

  flush(): void {
    for (const { row, free, data, created } of this.#opened.values()) {
      if (created === null) this.#statements.run(SQL.write, { row, free, data })
      else this.#statements.run(SQL.create, { row, ...created, free, data })
    }
    this.#opened.clear()
    this.#filling.clear()
    this.#nextRow = null
  }

  /** The block that is being filled, another one with room, or a new one. */
  #blockWithRoom(model: number, space: Space, dimensions: number): OpenBlock {
    const key = `${model}.${space}`
    const current = this.#filling.get(key)
    if (current !== undefined && current.free > 0) return current
    const [found] =
      current === undefined ? this.#statements.all(SQL.withRoom, { model, space }) : []
    const block = found === undefined ? null : this.#open(found)
    const usable = block !== null && block.free > 0 ? block : this.#create(model, space, dimensions)
    this.#filling.set(key, usable)
    return usable
  }

  #open(row: Readonly<Record<string, unknown>>): OpenBlock {
    const number = Number(row.row)
    const known = this.#opened.get(number)
    if (known !== undefined) return known
    // A copy: the bytes that SQLite gave are not ours to change.
    const data = Uint8Array.from(row.data as Uint8Array)
    const slots = new OpenSlots(data)
    const block = { row: number, data, slots, created: null, free: Number(row.free), nextSlot: 0 }
    this.#opened.set(number, block)
    return block
  }

  /** Written when it is flushed: no other connection can take its number meanwhile. */
  #create(model: number, space: Space, dimensions: number): OpenBlock {
    const data = packBlock(new Array<null>(BLOCK_SLOTS).fill(null), dimensions)
    const row = this.#nextRow ?? Number(this.#statements.value(SQL.nextRow))
    this.#nextRow = row + 1
    const slots = new OpenSlots(data)
    const created = { model, space }
    const block = { row, data, slots, created, free: BLOCK_SLOTS, nextSlot: 0 }
    this.#opened.set(row, block)
    return block
  }
}

function isFree({ slots }: OpenBlock, slot: number): boolean {
  return slots.ownerOf(slot) === null
}
