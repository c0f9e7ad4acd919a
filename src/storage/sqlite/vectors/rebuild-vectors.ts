/** Finds damaged vectors by their checksums, and rebuilds all blocks from the intact ones. */

import { crc32 } from 'node:zlib'
import { BLOCK_SLOTS, Block, EMPTY_OWNER } from '../../../vectors/block.js'
import { decodeFine } from '../../../vectors/quantise.js'
import type { RecordVectors } from '../../vectors.js'
import type { Row, Statements } from '../statements.js'
import type { ModelRow } from './models.js'
import { checksumFine, toFineCodes, VectorWriter } from './vector-writer.js'

/** The addresses of all vectors that searches use: of chunks and of whole records. */
const ADDRESSES = `SELECT c.model, c.record, c.block, c.slot
    FROM chunks c JOIN embedded e ON e.model = c.model AND e.record = c.record
  UNION ALL SELECT model, record, whole_block, whole_slot FROM embedded WHERE whole_block IS NOT NULL`
const NO_VECTOR = 'model = NULL, scale = NULL, checksum = NULL, codes = NULL'

const SQL = {
  blocks: `SELECT b.row, b.model, b.free, b.checksum, b.data, m.dimensions
    FROM vector_blocks b JOIN models m ON m.row = b.model`,
  used: `SELECT p.*, m.dimensions, v.scale, v.checksum, v.codes FROM (${ADDRESSES}) p JOIN models m ON m.row = p.model
    LEFT JOIN vectors v ON v.place = p.block * ${BLOCK_SLOTS} + p.slot`,
  incomplete: `SELECT e.model, e.record FROM embedded e LEFT JOIN records r ON r.row = e.record
    WHERE r.row IS NULL OR e.chunks <> (SELECT count(*) FROM chunks c WHERE c.model = e.model AND c.record = e.record)`,
  lostRecords: `SELECT count(*) FROM records r WHERE r.present
    AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.record = r.row)
    AND NOT EXISTS (SELECT 1 FROM embedded e JOIN models m ON m.row = e.model AND m.state = 'active'
      WHERE e.record = r.row)`,
  past: 'SELECT row, scale, checksum, codes FROM revisions WHERE codes IS NOT NULL',
  cached: 'SELECT row, checksum, vector FROM embedding_cache',
  discard: 'DELETE FROM embedded WHERE model = :model AND record = :record',
  discardModel: 'DELETE FROM embedded WHERE model = (SELECT row FROM models WHERE id = :id)',
  discardPast: `UPDATE revisions SET ${NO_VECTOR} WHERE row = :row`,
  discardModelPast: `UPDATE revisions SET ${NO_VECTOR} WHERE model = (SELECT row FROM models WHERE id = :id)`,
  discardCached: 'DELETE FROM embedding_cache WHERE row = :row',
  clean: [
    `DELETE FROM chunks WHERE NOT EXISTS (
      SELECT 1 FROM embedded e WHERE e.model = chunks.model AND e.record = chunks.record)`,
    `DELETE FROM vectors WHERE place NOT IN (SELECT block * ${BLOCK_SLOTS} + slot FROM (${ADDRESSES}))`,
    'DELETE FROM waiting WHERE record NOT IN (SELECT row FROM records)',
    `INSERT OR IGNORE INTO waiting (record) SELECT r.row FROM records r WHERE NOT EXISTS (
      SELECT 1 FROM embedded e JOIN models m ON m.row = e.model AND m.state = 'active' WHERE e.record = r.row)`,
    // The writer then puts every vector into a new block.
    'UPDATE vector_blocks SET free = 0',
  ],
  lastBlock: 'SELECT coalesce(max(row), 0) FROM vector_blocks',
  models: 'SELECT row, id, dimensions, state FROM models',
  batch: `SELECT record FROM embedded WHERE model = :model AND record > :after ORDER BY record LIMIT 500`,
  vectors: `SELECT c.record, c."start", c."end", v.scale, v.codes FROM json_each(:records) wanted
    CROSS JOIN chunks c ON c.model = :model AND c.record = wanted.value
    CROSS JOIN vectors v ON v.place = c.block * ${BLOCK_SLOTS} + c.slot ORDER BY c.record, c.ordinal`,
  wholes: `SELECT e.record, v.scale, v.codes FROM json_each(:records) wanted
    CROSS JOIN embedded e ON e.model = :model AND e.record = wanted.value
    CROSS JOIN vectors v ON v.place = e.whole_block * ${BLOCK_SLOTS} + e.whole_slot`,
  empty: ['chunks', 'embedded'].map(
    (table) =>
      `DELETE FROM ${table} WHERE model = :model AND record IN (SELECT value FROM json_each(:records))`,
  ),
  removeBlocks: 'DELETE FROM vector_blocks WHERE row <= :last',
} as const

type Pair = { readonly model: number; readonly record: number }

/** Describes the damage; an empty text if there is none. */
export function describeDamagedVectors(statements: Statements): string {
  const { blocks, records } = findDamaged(statements)
  const found = [
    [blocks, 'changed blocks'],
    [records.length, 'records with changed or missing vectors'],
    [Number(statements.value(SQL.lostRecords)), 'records that have no vectors and are not pending'],
    [findDamagedPast(statements).length, 'earlier states with changed vectors'],
    [findDamagedCached(statements).length, 'changed cached vectors'],
  ] as const
  return found.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(', ')
}

function findDamaged(statements: Statements) {
  const blocks = new Map<number, { readonly model: number; readonly owners: Uint32Array }>()
  let damaged = 0
  for (const row of statements.each(SQL.blocks)) {
    const owners = readOwners(row)
    if (owners === null) damaged += 1
    else blocks.set(Number(row.row), { model: Number(row.model), owners })
  }
  const pairs = new Map<string, Pair>()
  const add = ({ model, record }: Pair): void =>
    void pairs.set(`${model}.${record}`, { model, record })
  const embedded = new Set<string>()
  for (const row of statements.each(SQL.used)) {
    const { model, record, slot } = row as unknown as Pair & { readonly slot: number }
    const owners = blocks.get(Number(row.block))?.owners
    const isIntact = owners?.[slot] === record && isIntactFine(row, Number(row.dimensions))
    if (isIntact) owners[slot] = EMPTY_OWNER
    else add({ model, record })
    embedded.add(`${model}.${record}`)
  }
  // A leftover slot of an embedded record would be found in searches. One of a removed record does no harm.
  for (const { model, owners } of blocks.values()) {
    for (const record of owners) if (embedded.has(`${model}.${record}`)) add({ model, record })
  }
  for (const row of statements.all(SQL.incomplete)) add(row as unknown as Pair)
  return { blocks: damaged, records: [...pairs.values()] }
}

/** Reads the owner of each slot; null for a damaged block. */
function readOwners(row: Row): Uint32Array | null {
  const data = row.data as Uint8Array
  if (crc32(data) !== row.checksum) return null
  try {
    const block = new Block(data)
    const owners = new Uint32Array(Uint8Array.from(block.owners).buffer)
    const free = owners.filter((owner) => owner === EMPTY_OWNER).length
    return block.dimensions === row.dimensions && free === row.free ? owners : null
  } catch {
    return null
  }
}

function isIntactFine(row: Row, dimensions: number | null): boolean {
  if (!(row.codes instanceof Uint8Array)) return false
  const fine = toFineCodes(row)
  if (dimensions !== null && row.codes.length !== 2 * dimensions) return false
  return checksumFine(fine) === row.checksum
}

function findDamagedPast(statements: Statements): Row[] {
  return statements.all(SQL.past).filter((row) => !isIntactFine(row, null))
}

function findDamagedCached(statements: Statements): number[] {
  const damaged: number[] = []
  for (const { row, checksum, vector } of statements.each(SQL.cached)) {
    if (crc32(vector as Uint8Array) !== checksum) damaged.push(Number(row))
  }
  return damaged
}

/**
 * Runs inside a transaction. Discards damaged vectors and all vectors of the model `stale`, and marks their records as
 * pending. Moves all other vectors to new blocks.
 */
export function rebuildVectors(statements: Statements, stale: string | null): void {
  const { records } = findDamaged(statements)
  for (const pair of records) statements.run(SQL.discard, pair)
  for (const { row } of findDamagedPast(statements)) {
    statements.run(SQL.discardPast, { row: Number(row) })
  }
  for (const row of findDamagedCached(statements)) statements.run(SQL.discardCached, { row })
  statements.run(SQL.discardModel, { id: stale })
  statements.run(SQL.discardModelPast, { id: stale })
  for (const sql of SQL.clean) statements.run(sql)
  const last = Number(statements.value(SQL.lastBlock))
  for (const model of statements.all(SQL.models) as unknown as ModelRow[]) {
    moveVectors(statements, model)
  }
  statements.run(SQL.removeBlocks, { last })
}

function moveVectors(statements: Statements, model: ModelRow): void {
  for (let after = -1; ; ) {
    const found = statements.column(SQL.batch, { model: model.row, after }) as number[]
    if (found.length === 0) return
    after = found.at(-1) as number
    const batch = { model: model.row, records: JSON.stringify(found) }
    const decode = (row: Row): Float32Array => decodeFine(toFineCodes(row))
    const wholes = new Map(
      statements.all(SQL.wholes, batch).map((row) => [row.record, decode(row)]),
    )
    const chunks = new Map<number, RecordVectors['chunks'][number][]>(found.map((one) => [one, []]))
    for (const row of statements.all(SQL.vectors, batch)) {
      const range = { start: Number(row.start), end: Number(row.end) }
      chunks.get(Number(row.record))?.push({ ...range, vector: decode(row) })
    }
    for (const sql of SQL.empty) statements.run(sql, batch)
    const writer = new VectorWriter(statements)
    for (const [row, own] of chunks) {
      writer.put(model, { row, vectors: { chunks: own, whole: wholes.get(row) ?? null } })
    }
    writer.flush()
  }
}
