/** The nearest records under a filter, each with the chunk that came nearest, and none that is gone. */

import type { Database } from 'better-sqlite3'
import type { RecordId } from '../../../core/ids.js'
import type { VectorHit } from '../../../vectors/best-owners.js'
import { cosineFine } from '../../../vectors/fine-codes.js'
import type { NearRecord } from '../../vectors.js'
import { BLOCK_SLOTS } from '../migrations/0001-records.js'
import type { Statements } from '../statements.js'
import { createAllowed, type PreparedNear } from './allowed.js'
import { type Place, SPACE } from './block-writer.js'
import { createFineVectors, placeNumber } from './fine-vectors.js'
import type { KnownModel } from './models.js'
import { createVectorMemory, type Loaded } from './vector-memory.js'

const SQL = {
  rowsOf: 'SELECT row FROM records WHERE id IN (SELECT value FROM json_each(:ids))',
  /** Only what is live, has not changed since it was read, and is still in that place. */
  hits: `SELECT p.key AS position, r.id, c.ordinal, c."start", c."end"
    FROM json_each(:places) p
    CROSS JOIN chunks c ON c.block = p.value ->> 0 AND c.slot = p.value ->> 1
    CROSS JOIN records r ON r.row = c.record AND r.row = p.value ->> 2 AND r.present
    CROSS JOIN embedded e ON e.model = c.model AND e.record = c.record`,
  /** The others, mostly none; places are plain numbers, as lists in a list would be read several times. */
  gone: `SELECT p.key FROM json_each(:places) p WHERE NOT EXISTS (
    SELECT 1 FROM chunks c
    CROSS JOIN records r ON r.row = c.record AND r.present
    CROSS JOIN embedded e ON e.model = c.model AND e.record = c.record
    WHERE c.block = p.value / ${BLOCK_SLOTS} AND c.slot = p.value % ${BLOCK_SLOTS})`,
} as const

export type Nearest = ReturnType<typeof createNearest>

export function createNearest(db: Database, statements: Statements) {
  const chunks = createVectorMemory(statements, SPACE.chunks)
  const wholes = createVectorMemory(statements, SPACE.wholes)
  const allowed = createAllowed(db)
  const fine = createFineVectors(statements)

  /** The best of the scan once more, from two bytes a dimension; what is gone is as far away as can be. */
  const exactly = ({ blocks }: Loaded, unit: Float32Array, slots: readonly number[]): number[] => {
    const places = slots.map((slot) => placeNumber(placeOf(blocks, slot)))
    const kept = fine.read(places)
    return places.map((place) => {
      const codes = kept.get(place)
      return codes === undefined ? -1 : cosineFine(unit, codes)
    })
  }

  const lookUp = ({ blocks }: Loaded, hits: readonly VectorHit[]): (NearRecord | null)[] => {
    const places = hits.map(({ slot, owner }) => {
      const place = placeOf(blocks, slot)
      return [place.block, place.slot, owner]
    })
    const rows = statements.all(SQL.hits, { places: JSON.stringify(places) })
    const byPosition = new Map(rows.map((row) => [Number(row.position), row]))
    return hits.map(({ similarity }, i) => {
      const row = byPosition.get(i)
      return row === undefined ? null : toNear(row, similarity)
    })
  }

  /** `check` says whose vectors a program left behind that knows nothing of them: they must not take the place of a hit. */
  const search = (
    model: KnownModel,
    request: PreparedNear,
    check: (current: Loaded, hits: readonly VectorHit[]) => readonly number[],
  ): VectorHit[] => {
    const current = chunks.sync(model)
    const allow = allowed(request, current.seen)
    const ids = JSON.stringify(request.exclude)
    const exclude = new Set(
      request.exclude.length === 0 ? [] : (statements.column(SQL.rowsOf, { ids }) as number[]),
    )
    const { rounded = false } = request
    for (;;) {
      const hits = current.index.search({
        query: request.vector,
        k: request.limit,
        minSimilarity: request.minSimilarity,
        exclude,
        ...(rounded ? {} : { exact: (slots) => exactly(current, request.vector, slots) }),
        ...(allow === null ? {} : { allow }),
      })
      const gone = check(current, hits)
      if (gone.length === 0) return hits
      for (const owner of gone) exclude.add(owner)
    }
  }

  return {
    find(model: KnownModel, request: PreparedNear): readonly NearRecord[] {
      let records: (NearRecord | null)[] = []
      search(model, request, (current, hits) => {
        records = lookUp(current, hits)
        return hits.flatMap(({ owner }, i) => (records[i] === null ? [owner] : []))
      })
      return records.filter((record) => record !== null)
    },
    /** The same by the numbers of the records inside the file. */
    findRows: (model: KnownModel, request: PreparedNear): readonly VectorHit[] =>
      search(model, request, ({ blocks }, hits) => {
        const places = hits.map(({ slot }) => placeNumber(placeOf(blocks, slot)))
        const gone = statements.column(SQL.gone, { places: JSON.stringify(places) })
        return gone.flatMap((place) => hits[Number(place)]?.owner ?? [])
      }),
    /** Cosines of given records: of the best chunk, and of the whole where it has several. NaN where there is none. */
    similarities(model: KnownModel, vector: Float32Array, rows: readonly number[]) {
      return {
        best: chunks.sync(model).index.similarityOf(rows, vector),
        whole: wholes.sync(model).index.similarityOf(rows, vector),
      }
    },
    close(): void {
      chunks.close()
      wholes.close()
    },
  }
}

/** Where in the file a slot of the memory is kept. */
function placeOf(blocks: readonly number[], slot: number): Place {
  return { block: blocks[Math.floor(slot / BLOCK_SLOTS)] ?? -1, slot: slot % BLOCK_SLOTS }
}

function toNear(row: Readonly<Record<string, unknown>>, similarity: number): NearRecord {
  return {
    id: row.id as RecordId,
    similarity,
    chunk: { index: Number(row.ordinal), start: Number(row.start), end: Number(row.end) },
    isSuperseded: false,
  }
}
