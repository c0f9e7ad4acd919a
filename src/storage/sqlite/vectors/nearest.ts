/** Finds the nearest records under a filter, from vectors in memory that are synchronised with the file before each search. */

import { BLOCK_SLOTS } from '../../../vectors/block.js'
import { BlockScan } from '../../../vectors/block-scan.js'
import type { VectorHit } from '../../../vectors/nearest.js'
import { cosineFine } from '../../../vectors/quantise.js'
import { VectorIndex } from '../../../vectors/vector-index.js'
import type { NearRecord, NearSearch } from '../../vectors.js'
import { compileFilter, type PreparedFilter } from '../filter.js'
import { compileMatch } from '../match.js'
import { BLOCKS_REMOVED, LATEST_VERSION } from '../migrations/0001-records.js'
import { addRows, type Bits, BitsCache, createBits, parseRows } from '../postings/bits.js'
import { joinConditions, type Row, readVersion, type Statements } from '../statements.js'
import type { ModelRow } from './models.js'
import { placeNumber, SPACE, type Space, toFineCodes } from './vector-writer.js'
import { toNear } from './vectors-table.js'

export type PreparedNear = Omit<NearSearch, 'filter'> & { readonly filter: PreparedFilter }

/** By the two small indexes of hidden records: an OR, or a UNION in order, would read every record after every commit. */
const HIDDEN = `(SELECT row FROM records WHERE deleted_at IS NOT NULL
    UNION ALL SELECT row FROM records WHERE superseded_at IS NOT NULL)`

const IN_PLACE = `c.block = p.value / ${BLOCK_SLOTS} AND c.slot = p.value % ${BLOCK_SLOTS}`

const SQL = {
  versions: `SELECT ${BLOCKS_REMOVED}, ${LATEST_VERSION}`,
  changed: `SELECT row, data FROM vector_blocks
    WHERE model = :model AND space = :space AND version > :version ORDER BY row`,
  hiddenChunks: `SELECT c.block, c.slot
    FROM ${HIDDEN} hidden CROSS JOIN chunks c ON c.record = hidden.row AND c.model = :model`,
  hiddenWholes: `SELECT e.whole_block AS block, e.whole_slot AS slot
    FROM ${HIDDEN} hidden CROSS JOIN embedded e ON e.record = hidden.row AND e.model = :model
    WHERE e.whole_block IS NOT NULL`,
  rowsOf: 'SELECT row FROM records WHERE id IN (SELECT value FROM json_each(:ids))',
  matching: 'SELECT rowid FROM records_ft WHERE records_ft MATCH :match',
  allowed: (condition: string) => `SELECT group_concat(r.row) FROM records r
    WHERE r.present AND ${condition}`,
  fine: 'SELECT place, scale, codes FROM vectors WHERE place IN (SELECT value FROM json_each(:places))',
  hits: `SELECT p.key, r.id, c.ordinal, c."start", c."end" FROM json_each(:places) p
    CROSS JOIN chunks c ON ${IN_PLACE}
    CROSS JOIN records r ON r.row = c.record AND r.present
    CROSS JOIN embedded e ON e.model = c.model AND e.record = c.record`,
  /**
   * Places whose record is gone or has changed since it was embedded; mostly none. A record that changes waits for the
   * active model, so only where one waits more than the index is read. Hidden records are not in memory.
   */
  gone: `SELECT p.key FROM json_each(:places) p WHERE NOT EXISTS (
      SELECT 1 FROM chunks c WHERE ${IN_PLACE})
    OR (:isIdle OR EXISTS (SELECT 1 FROM waiting)) AND NOT EXISTS (
      SELECT 1 FROM chunks c CROSS JOIN embedded e ON e.model = c.model AND e.record = c.record
      WHERE ${IN_PLACE})`,
} as const

const MAX_CHECKED = 50_000

export type Nearest = ReturnType<typeof createNearest>

export function createNearest(statements: Statements) {
  const chunks = new VectorMemory(statements, SPACE.chunks)
  const wholes = new VectorMemory(statements, SPACE.wholes)
  const filters = new BitsCache()
  /** Places that were not gone in this version of the file: near records are near to many queries. */
  const checked = new Set<number>()
  let checkedIn = ''

  /** One bit per record that may be found; null where every record may. */
  const readAllowed = (request: PreparedNear, version: string): Uint8Array | null => {
    const filter = compileFilter(request.filter)
    const [required, unwanted] = [request.required, request.unwanted].map(
      (root) => root && compileMatch(root, request.fields),
    )
    if (filter === null && !required && !unwanted) return null
    const key = JSON.stringify([filter, required, unwanted])
    const known = filters.find(key, version)
    if (known !== undefined) return known
    const readMatching = (match: string): Bits => {
      const rows = statements.columnInTime(SQL.matching, { match }) as number[]
      const bits = createBits(rows.reduce((last, row) => Math.max(last, row), 0))
      addRows(bits, rows)
      return bits
    }
    const { sql, values } = joinConditions([filter])
    const isOnlyRequired = filter === null && !unwanted
    const passing = isOnlyRequired ? null : parseRows(statements.value(SQL.allowed(sql), values))
    const wanted = required ? readMatching(required) : null
    const refused = unwanted ? readMatching(unwanted) : null
    const allowed = (passing ?? wanted ?? createBits(0)).map(
      (byte, i) => byte & (wanted === null ? 0xff : (wanted[i] ?? 0)) & ~(refused?.[i] ?? 0),
    )
    // Without all of the refused records none may be shown.
    if (statements.budget.isCut) return unwanted ? createBits(0) : allowed
    return filters.get(key, version, () => allowed)
  }

  /** Cosines from two bytes per dimension; −1 for what is gone. */
  const scoreExactly = (unit: Float32Array, places: readonly number[]): number[] => {
    const rows = statements.all(SQL.fine, { places: JSON.stringify(places) })
    const found = new Map(rows.map((row) => [row.place, cosineFine(unit, toFineCodes(row))]))
    return places.map((place) => found.get(place) ?? -1)
  }

  /**
   * `findGone` returns the positions of places whose record is gone: another program may have changed records without touching
   * their vectors, and these must not take the place of hits.
   */
  const search = (
    model: ModelRow,
    request: PreparedNear,
    findGone: (places: readonly number[]) => readonly unknown[],
  ): VectorHit[] => {
    const { vector, limit, ordered = limit, minSimilarity, rounded = false } = request
    const index = chunks.open(model, vector)
    const allow = readAllowed(request, chunks.fileVersion)
    const ids = JSON.stringify(request.exclude)
    const exclude = new Set<number>(
      request.exclude.length === 0 ? [] : (statements.column(SQL.rowsOf, { ids }) as number[]),
    )
    for (;;) {
      const hits = index.search({
        query: vector,
        k: limit,
        ordered,
        minSimilarity,
        exclude,
        ...(rounded ? {} : { exact: (slots) => scoreExactly(vector, chunks.placesOf(slots)) }),
        ...(allow === null ? {} : { allow }),
      })
      const gone = findGone(chunks.placesOf(hits.map(({ slot }) => slot)))
      if (gone.length === 0) return hits
      for (const position of gone) exclude.add(hits[Number(position)]?.owner ?? 0)
    }
  }

  return {
    find(model: ModelRow, request: PreparedNear): NearRecord[] {
      let rows = new Map<unknown, Row>()
      const hits = search(model, request, (places) => {
        const found = statements.all(SQL.hits, { places: JSON.stringify(places) })
        rows = new Map(found.map((row) => [row.key, row]))
        return [...places.keys()].filter((position) => !rows.has(position))
      })
      return hits.map(({ similarity }, i) => toNear(rows.get(i) ?? {}, similarity))
    },
    /** The same by row number and slot. */
    findRows(model: ModelRow, request: PreparedNear): VectorHit[] {
      const isIdle = model.state === 'active' ? 0 : 1
      return search(model, request, (places) => {
        const version = `${model.row} ${chunks.fileVersion}`
        if (version !== checkedIn || checked.size > MAX_CHECKED) checked.clear()
        checkedIn = version
        const open = [...places.keys()].filter((i) => !checked.has(places[i] as number))
        if (open.length === 0) return []
        const unchecked = JSON.stringify(open.map((i) => places[i]))
        const gone = statements.column(SQL.gone, { places: unchecked, isIdle })
        if (gone.length === 0) for (const i of open) checked.add(places[i] as number)
        return gone.map((i) => open[Number(i)])
      })
    },
    /** Cosines of given records: of the best chunk, and of the whole where it has several. NaN where there is none. */
    similarities(model: ModelRow, vector: Float32Array, rows: readonly number[]) {
      return {
        best: chunks.open(model, vector).similarityOf(rows, vector),
        whole: wholes.open(model, vector).similarityOf(rows, vector),
      }
    },
    close(): void {
      chunks.close()
      wholes.close()
    },
  }
}

class VectorMemory {
  readonly #statements: Statements
  readonly #space: Space
  readonly #hidden: string
  #model = 0
  #index: VectorIndex | null = null
  /** The first search of a process: most programs that search once end then. */
  #first: { readonly query: Float32Array; readonly scan: BlockScan } | null = null
  /** Blocks of the file in the order they have in memory, and their positions. */
  #blocks: number[] = []
  #positions = new Map<number, number>()
  #version = -1
  /** Changes with every write, by anyone. */
  fileVersion = ''

  constructor(statements: Statements, space: Space) {
    this.#statements = statements
    this.#space = space
    this.#hidden = space === SPACE.chunks ? SQL.hiddenChunks : SQL.hiddenWholes
  }

  /** The vectors as they are now. Those that changed since the last search are read: all of them at the first. */
  open({ row: model, dimensions }: ModelRow, query: Float32Array): VectorIndex | BlockScan {
    const isNew = this.#model === 0
    if (this.#model !== model) this.close()
    this.#model = model
    const fileVersion = readVersion(this.#statements)
    const isSame = this.fileVersion === fileVersion
    if (isSame && this.#index !== null) return this.#index
    if (isSame && this.#first?.query === query) return this.#first.scan
    if (this.#first !== null) this.close()
    const [[removed, version] = [0, 0]] = this.#statements.lists(SQL.versions) as number[][]
    if (Number(removed) > this.#version) this.close()
    this.fileVersion = fileVersion
    if (isNew) {
      const scan = new BlockScan(dimensions, query)
      this.#read((_, data) => scan.add(data))
      this.#removeHidden((slot) => scan.remove(slot))
      this.#first = { query, scan }
      return scan
    }
    const index = this.#index ?? new VectorIndex(dimensions)
    this.#read((position, data) => index.loadBlock(position, data))
    this.#removeHidden((slot) => index.remove(slot))
    this.#version = Number(version)
    this.#index = index
    return index
  }

  /** The blocks that changed since `#version`, each with its position in memory. */
  #read(load: (position: number, data: Uint8Array) => void): void {
    const changed = { model: this.#model, space: this.#space, version: this.#version }
    for (const { row, data } of this.#statements.each(SQL.changed, changed)) {
      const known = this.#positions.get(Number(row))
      const position = known ?? this.#blocks.length
      load(position, data as Uint8Array)
      if (known !== undefined) continue
      this.#positions.set(Number(row), position)
      this.#blocks.push(Number(row))
    }
  }

  #removeHidden(remove: (slot: number) => void): void {
    for (const { block, slot } of this.#statements.all(this.#hidden, { model: this.#model })) {
      const position = this.#positions.get(Number(block))
      if (position !== undefined) remove(position * BLOCK_SLOTS + Number(slot))
    }
  }

  placesOf(slots: readonly number[]): number[] {
    return slots.map((slot) => {
      const block = this.#blocks[Math.floor(slot / BLOCK_SLOTS)] ?? -1
      return placeNumber({ block, slot: slot % BLOCK_SLOTS })
    })
  }

  close(): void {
    this.#index = null
    this.#first = null
    this.#blocks = []
    this.#positions = new Map()
    this.#version = -1
    this.fileVersion = ''
  }
}
