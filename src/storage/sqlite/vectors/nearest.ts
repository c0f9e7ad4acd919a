/** Finds the nearest records that pass a filter. The vectors are in memory and synchronised with the file before each search. */

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
import { encodeAddress, SPACE, type Space, toFineCodes } from './vector-writer.js'
import { toNear } from './vectors-table.js'

export type PreparedNear = Omit<NearSearch, 'filter'> & { readonly filter: PreparedFilter }

/** UNION ALL uses the two small indexes of hidden records. An OR, or a sorted UNION, would read every record after every commit. */
const HIDDEN = `(SELECT row FROM records WHERE deleted_at IS NOT NULL
    UNION ALL SELECT row FROM records WHERE superseded_at IS NOT NULL)`

const AT_ADDRESS = `c.block = a.value / ${BLOCK_SLOTS} AND c.slot = a.value % ${BLOCK_SLOTS}`

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
  fine: 'SELECT place, scale, codes FROM vectors WHERE place IN (SELECT value FROM json_each(:addresses))',
  hits: `SELECT a.key, r.id, c.ordinal, c."start", c."end" FROM json_each(:addresses) a
    CROSS JOIN chunks c ON ${AT_ADDRESS}
    CROSS JOIN records r ON r.row = c.record AND r.present
    CROSS JOIN embedded e ON e.model = c.model AND e.record = c.record`,
  /**
   * Slots whose record was deleted or has changed since it was embedded; usually none. Changed records are pending for the
   * active model, so `embedded` is read only if a record is pending. Hidden records are not in memory.
   */
  stale: `SELECT a.key FROM json_each(:addresses) a WHERE NOT EXISTS (
      SELECT 1 FROM chunks c WHERE ${AT_ADDRESS})
    OR (:isIdle OR EXISTS (SELECT 1 FROM waiting)) AND NOT EXISTS (
      SELECT 1 FROM chunks c CROSS JOIN embedded e ON e.model = c.model AND e.record = c.record
      WHERE ${AT_ADDRESS})`,
} as const

const MAX_KNOWN_FRESH = 50_000

export type Nearest = ReturnType<typeof createNearest>

export function createNearest(statements: Statements) {
  const chunks = new VectorMemory(statements, SPACE.chunks)
  const wholes = new VectorMemory(statements, SPACE.wholes)
  const filters = new BitsCache()
  /** Slots that are known to be fresh in one version of the file: the same records are near to many queries. */
  const fresh = new Set<number>()
  let freshVersion = ''

  /** Returns one bit per allowed record, or null if every record is allowed. */
  const readAllowed = (request: PreparedNear, version: string): Uint8Array | null => {
    const filter = compileFilter(request.filter)
    const [required, unwanted] = [request.required, request.unwanted].map(
      (root) => root && compileMatch(root, request.fields),
    )
    if (filter === null && !required && !unwanted) return null
    const key = JSON.stringify([filter, required, unwanted])
    const known = filters.get(key, version)
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
    // The list of refused records is incomplete, so any record might be one of them.
    if (statements.budget.isCut) return unwanted ? createBits(0) : allowed
    return filters.set(key, allowed)
  }

  /** Computes cosines from the two-byte codes; −1 for a vector that is no longer stored. */
  const scoreExactly = (unit: Float32Array, addresses: readonly number[]): number[] => {
    const rows = statements.all(SQL.fine, { addresses: JSON.stringify(addresses) })
    const cosines = new Map(rows.map((row) => [row.place, cosineFine(unit, toFineCodes(row))]))
    return addresses.map((address) => cosines.get(address) ?? -1)
  }

  /**
   * Searches again without stale records until none is left: another program may change records without changing their
   * vectors, and a stale vector must not displace a hit. `findStale` returns indexes into its addresses.
   */
  const search = (
    model: ModelRow,
    request: PreparedNear,
    findStale: (addresses: readonly number[]) => readonly unknown[],
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
        ...(rounded ? {} : { exact: (slots) => scoreExactly(vector, chunks.toAddresses(slots)) }),
        ...(allow === null ? {} : { allow }),
      })
      const stale = findStale(chunks.toAddresses(hits.map(({ slot }) => slot)))
      if (stale.length === 0) return hits
      for (const i of stale) exclude.add(hits[Number(i)]?.owner ?? 0)
    }
  }

  return {
    find(model: ModelRow, request: PreparedNear): NearRecord[] {
      let rows = new Map<unknown, Row>()
      const hits = search(model, request, (addresses) => {
        const found = statements.all(SQL.hits, { addresses: JSON.stringify(addresses) })
        rows = new Map(found.map((row) => [row.key, row]))
        return [...addresses.keys()].filter((i) => !rows.has(i))
      })
      return hits.map(({ similarity }, i) => toNear(rows.get(i) ?? {}, similarity))
    },
    /** Like `find`, but returns row numbers and slots and does not load the records. */
    findRows(model: ModelRow, request: PreparedNear): VectorHit[] {
      const isIdle = model.state === 'active' ? 0 : 1
      return search(model, request, (addresses) => {
        const version = `${model.row} ${chunks.fileVersion}`
        if (version !== freshVersion || fresh.size > MAX_KNOWN_FRESH) fresh.clear()
        freshVersion = version
        const unchecked = [...addresses.keys()].filter((i) => !fresh.has(addresses[i] as number))
        if (unchecked.length === 0) return []
        const json = JSON.stringify(unchecked.map((i) => addresses[i]))
        const stale = statements.column(SQL.stale, { addresses: json, isIdle })
        if (stale.length === 0) for (const i of unchecked) fresh.add(addresses[i] as number)
        return stale.map((i) => unchecked[Number(i)])
      })
    },
    /** The cosine of each record's best chunk, and of its whole vector if it has several chunks; otherwise NaN. */
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

/** The vectors of one model and space in memory. */
class VectorMemory {
  readonly #statements: Statements
  readonly #space: Space
  readonly #hidden: string
  #model = 0
  #index: VectorIndex | null = null
  /** Serves the first search of a process, because most processes that search do so only once. */
  #first: { readonly query: Float32Array; readonly scan: BlockScan } | null = null
  /** Row numbers of the blocks in the order of memory, and the position of each. */
  #blocks: number[] = []
  #positions = new Map<number, number>()
  #version = -1
  /** Changes with every commit of any connection. */
  fileVersion = ''

  constructor(statements: Statements, space: Space) {
    this.#statements = statements
    this.#space = space
    this.#hidden = space === SPACE.chunks ? SQL.hiddenChunks : SQL.hiddenWholes
  }

  /** Reads the blocks that changed since the last search (all of them at the first), then returns the current vectors. */
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

  /** Loads the blocks that changed since `#version`, each at its position in memory. */
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

  /** Translates slots in memory to addresses in the file. */
  toAddresses(slots: readonly number[]): number[] {
    return slots.map((slot) => {
      const block = this.#blocks[Math.floor(slot / BLOCK_SLOTS)] ?? -1
      return encodeAddress({ block, slot: slot % BLOCK_SLOTS })
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
