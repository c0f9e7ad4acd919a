/** Promise: vectors go into the slots of stored blocks, and each block is written once per transaction. */

import { packBlock, type SlotEntry } from '../../../vectors/block.js'
import { readOwner, writeSlot } from '../../../vectors/block-slots.js'
import { BLOCK_SLOTS } from '../migrations/0002-meaning.js'
import type { Statements } from '../statements.js'

export const SPACE = { chunks: 0, wholes: 1 } as const
export type Space = (typeof SPACE)[keyof typeof SPACE]

/** Where a vector is kept. */
export type Place = { readonly block: number; readonly slot: number }

const SQL = {
  withRoom: `SELECT row, free, data FROM vector_blocks
    WHERE model = :model AND space = :space AND free > 0 ORDER BY row LIMIT 1`,
  read: 'SELECT row, free, data FROM vector_blocks WHERE row = :row',
  create: `INSERT INTO vector_blocks (model, space, free, version, data)
    VALUES (:model, :space, :free, 0, :data)`,
  write: `UPDATE vector_blocks SET free = :free, data = :data,
      version = (SELECT max(version) + 1 FROM vector_blocks) WHERE row = :row`,
} as const

type OpenBlock = { readonly row: number; readonly data: Uint8Array; free: number; nextSlot: number }

export type BlockWriter = ReturnType<typeof createBlockWriter>

/** For one transaction: `flush` before it ends. */
export function createBlockWriter(statements: Statements) {
  const opened = new Map<number, OpenBlock>()
  const filling = new Map<string, OpenBlock>()

  const open = (row: Readonly<Record<string, unknown>>): OpenBlock => {
    const number = Number(row.row)
    const known = opened.get(number)
    if (known !== undefined) return known
    // A copy: the bytes that SQLite gave are not ours to change.
    const data = Uint8Array.from(row.data as Uint8Array)
    const block = { row: number, data, free: Number(row.free), nextSlot: 0 }
    opened.set(number, block)
    return block
  }

  /** The block that is being filled, another one with room, or a new one. */
  const blockWithRoom = (model: number, space: Space, dimensions: number): OpenBlock => {
    const key = `${model}.${space}`
    const current = filling.get(key)
    if (current !== undefined && current.free > 0) return current
    const [found] = current === undefined ? statements.all(SQL.withRoom, { model, space }) : []
    const block = found === undefined ? create(model, space, dimensions) : open(found)
    const usable = block.free > 0 ? block : create(model, space, dimensions)
    filling.set(key, usable)
    return usable
  }

  const create = (model: number, space: Space, dimensions: number): OpenBlock => {
    const data = packBlock(new Array<null>(BLOCK_SLOTS).fill(null), dimensions)
    const { lastRow } = statements.run(SQL.create, { model, space, free: BLOCK_SLOTS, data })
    const block = { row: lastRow, data, free: BLOCK_SLOTS, nextSlot: 0 }
    opened.set(lastRow, block)
    return block
  }

  return {
    put(model: number, space: Space, dimensions: number, entry: SlotEntry): Place {
      const block = blockWithRoom(model, space, dimensions)
      while (!isFree(block.data, block.nextSlot)) block.nextSlot += 1
      const slot = block.nextSlot
      writeSlot(block.data, slot, entry)
      block.free -= 1
      block.nextSlot += 1
      return { block: block.row, slot }
    },
    clear({ block: row, slot }: Place): void {
      const [found] = opened.has(row) ? [{ row }] : statements.all(SQL.read, { row })
      if (found === undefined) return
      const block = open(found)
      if (isFree(block.data, slot)) return
      writeSlot(block.data, slot, null)
      block.free += 1
      block.nextSlot = Math.min(block.nextSlot, slot)
    },
    flush(): void {
      for (const { row, free, data } of opened.values())
        statements.run(SQL.write, { row, free, data })
      opened.clear()
      filling.clear()
    },
  }
}

function isFree(data: Uint8Array, slot: number): boolean {
  return readOwner(data, slot) === null
}
