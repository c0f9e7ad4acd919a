/** The vectors in memory are those in the file at the moment of the search, whoever wrote them. */

import { readSlot } from '../../../vectors/block-slots.js'
import { VectorIndex } from '../../../vectors/vector-index.js'
import { BLOCK_SLOTS } from '../migrations/0001-records.js'
import type { Statements } from '../statements.js'
import { readVersion } from '../statements.js'
import { SPACE, type Space } from './block-writer.js'
import type { KnownModel } from './models.js'

/** By the two small indexes of what is hidden: an OR, or a UNION in order, would read every record after every commit. */
const HIDDEN = `(SELECT row FROM records WHERE deleted_at IS NOT NULL
    UNION ALL SELECT row FROM records WHERE superseded_at IS NOT NULL)`

const SQL = {
  version: 'SELECT coalesce(max(version), 0) FROM vector_blocks',
  changed: `SELECT row, data FROM vector_blocks
    WHERE model = :model AND space = :space AND version > :version ORDER BY row`,
  hiddenChunks: `SELECT c.block, c.slot
    FROM ${HIDDEN} hidden CROSS JOIN chunks c ON c.record = hidden.row AND c.model = :model`,
  hiddenWholes: `SELECT e.whole_block AS block, e.whole_slot AS slot
    FROM ${HIDDEN} hidden CROSS JOIN embedded e ON e.record = hidden.row AND e.model = :model
    WHERE e.whole_block IS NOT NULL`,
} as const

export type Loaded = {
  readonly model: number
  readonly index: VectorIndex
  /** Blocks of the file in the order they lie in memory, and the other way round. */
  readonly blocks: number[]
  readonly positions: Map<number, number>
  version: number
  /** Changes with every write, by anyone. */
  seen: string
}

export type VectorMemory = { sync(model: KnownModel): Loaded; close(): void }

export function createVectorMemory(statements: Statements, space: Space): VectorMemory {
  const hidden = space === SPACE.chunks ? SQL.hiddenChunks : SQL.hiddenWholes
  let loaded: Loaded | null = null

  const close = (): void => {
    loaded?.index.close()
    loaded = null
  }

  return {
    close,
    /** Reads the blocks that changed since the last search: all of them at the first. */
    sync({ row: model, dimensions }) {
      if (loaded !== null && loaded.model !== model) close()
      loaded ??= {
        model,
        index: new VectorIndex({ dimensions }),
        blocks: [],
        positions: new Map(),
        version: -1,
        seen: '',
      }
      const current = loaded
      const seen = readVersion(statements)
      if (current.seen === seen) return current
      const version = Number(statements.value(SQL.version))
      for (const row of statements.each(SQL.changed, { model, space, version: current.version })) {
        loadBlock(current, Number(row.row), row.data as Uint8Array)
      }
      for (const row of statements.all(hidden, { model })) {
        const position = current.positions.get(Number(row.block))
        if (position !== undefined) current.index.remove(position * BLOCK_SLOTS + Number(row.slot))
      }
      current.version = version
      current.seen = seen
      return current
    },
  }
}

function loadBlock({ index, blocks, positions }: Loaded, row: number, data: Uint8Array): void {
  const known = positions.get(row)
  if (known === undefined) {
    index.loadBlock(data)
    positions.set(row, blocks.length)
    blocks.push(row)
    return
  }
  for (let slot = 0; slot < BLOCK_SLOTS; slot++) {
    const entry = readSlot(data, slot)
    if (entry === null) index.remove(known * BLOCK_SLOTS + slot)
    else index.set(known * BLOCK_SLOTS + slot, entry)
  }
}
