/** Promise: the vectors in memory are those in the file at the moment of the search, whoever wrote them. */

import type { Database } from 'better-sqlite3'
import type { RecordId } from '../../../core/ids.js'
import { readSlot } from '../../../vectors/block-slots.js'
import { cosineFine } from '../../../vectors/fine-codes.js'
import { VectorIndex } from '../../../vectors/vector-index.js'
import type { NearRecord, NearSearch } from '../../meaning.js'
import { BLOCK_SLOTS } from '../migrations/0002-meaning.js'
import type { Statements } from '../statements.js'
import { createAllowed } from './allowed.js'
import { SPACE } from './block-writer.js'
import { createFineVectors, placeNumber } from './fine-vectors.js'
import type { KnownModel } from './models.js'

const SQL = {
  version: 'SELECT coalesce(max(version), 0) FROM vector_blocks',
  changed: `SELECT row, data FROM vector_blocks
    WHERE model = :model AND space = ${SPACE.chunks} AND version > :version ORDER BY row`,
  hidden: `SELECT c.block, c.slot FROM records r JOIN chunks c ON c.record = r.row AND c.model = :model
    WHERE r.deleted_at IS NOT NULL`,
  rowsOf: 'SELECT row FROM records WHERE id IN (SELECT value FROM json_each(:ids))',
  /** Only what is live, has not changed since it was read, and is still in that place. */
  hits: `SELECT p.key AS position, r.id, c.ordinal, c."start", c."end"
    FROM json_each(:places) p
    JOIN chunks c ON c.block = p.value ->> 0 AND c.slot = p.value ->> 1
    JOIN records r ON r.row = c.record AND r.row = p.value ->> 2 AND r.deleted_at IS NULL
    JOIN embedded e ON e.model = c.model AND e.record = c.record`,
} as const

type Loaded = {
  readonly model: number
  readonly index: VectorIndex
  /** Blocks of the file in the order they lie in memory, and the other way round. */
  readonly blocks: number[]
  readonly positions: Map<number, number>
  version: number
  seen: string
}

export type Nearest = ReturnType<typeof createNearest>

export function createNearest(db: Database, statements: Statements) {
  let loaded: Loaded | null = null
  const allowed = createAllowed(db)
  const fine = createFineVectors(statements)

  /** Commits of others move data_version, our own move total_changes: both are free to ask. */
  const marker = (): string =>
    `${db.pragma('data_version', { simple: true })}.${statements.value('SELECT total_changes()')}`

  /** Reads the blocks that changed since the last search: all of them at the first. */
  const sync = ({ row: model, dimensions }: KnownModel): Loaded => {
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
    const seen = marker()
    if (current.seen === seen) return current
    const version = Number(statements.value(SQL.version))
    for (const row of statements.each(SQL.changed, { model, version: current.version })) {
      loadBlock(current, Number(row.row), row.data as Uint8Array)
    }
    for (const row of statements.all(SQL.hidden, { model })) {
      const position = current.positions.get(Number(row.block))
      if (position !== undefined) current.index.remove(position * BLOCK_SLOTS + Number(row.slot))
    }
    current.version = version
    current.seen = seen
    return current
  }

  const close = (): void => {
    loaded?.index.close()
    loaded = null
  }

  /** The best of the scan once more, from two bytes a dimension; what is gone is as far away as can be. */
  const exactly = ({ blocks }: Loaded, unit: Float32Array, slots: readonly number[]): number[] => {
    const places = slots.map((slot) =>
      placeNumber({
        block: blocks[Math.floor(slot / BLOCK_SLOTS)] ?? -1,
        slot: slot % BLOCK_SLOTS,
      }),
    )
    const kept = fine.read(places)
    return places.map((place) => {
      const codes = kept.get(place)
      return codes === undefined ? -1 : cosineFine(unit, codes)
    })
  }

  return {
    close,
    find(model: KnownModel, search: NearSearch): NearRecord[] {
      const current = sync(model)
      const allow = allowed(search, current.seen)
      const ids = JSON.stringify(search.exclude)
      const exclude = new Set(
        search.exclude.length === 0 ? [] : (statements.column(SQL.rowsOf, { ids }) as number[]),
      )
      for (;;) {
        const hits = current.index.search({
          query: search.vector,
          k: search.limit,
          minSimilarity: search.minSimilarity,
          exclude,
          exact: (slots) => exactly(current, search.vector, slots),
          ...(allow === null ? {} : { allow }),
        })
        const places = hits.map(({ slot, owner }) => {
          const block = current.blocks[Math.floor(slot / BLOCK_SLOTS)]
          return [block, slot % BLOCK_SLOTS, owner]
        })
        const rows = statements.all(SQL.hits, { places: JSON.stringify(places) })
        const byPosition = new Map(rows.map((row) => [Number(row.position), row]))
        const gone = hits.filter((_, i) => !byPosition.has(i))
        // Left behind by a program that knows nothing of vectors: it must not take the place of a hit.
        if (gone.length > 0) {
          for (const { owner } of gone) exclude.add(owner)
          continue
        }
        return hits.flatMap(({ similarity }, i) => {
          const row = byPosition.get(i)
          return row === undefined ? [] : [toNear(row, similarity)]
        })
      }
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

function toNear(row: Readonly<Record<string, unknown>>, similarity: number): NearRecord {
  return {
    id: row.id as RecordId,
    similarity,
    chunk: { index: Number(row.ordinal), start: Number(row.start), end: Number(row.end) },
  }
}
