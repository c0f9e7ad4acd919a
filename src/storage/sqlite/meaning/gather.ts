/** Promise: every candidate is scored on both sides, in a fixed number of statements. */

import type { RecordId } from '../../../core/ids.js'
import type { Sector } from '../../../core/record.js'
import type { Gathered, GatheredRecord, GatherRequest } from '../../candidates.js'
import type { FullText } from '../full-text.js'
import type { Row, Statements } from '../statements.js'
import type { KnownModel } from './models.js'
import type { Nearest } from './nearest.js'

const SQL = {
  /** `isRead` is false for a text that has changed since the model read it. */
  records: `SELECT r.row, r.id, r.created_at, r.salience, r.sector, d.sz AS sizes,
      EXISTS (SELECT 1 FROM embedded e WHERE e.model = :model AND e.record = r.row) AS isRead
    FROM json_each(:rows) wanted
    CROSS JOIN records r ON r.row = wanted.value AND r.deleted_at IS NULL
    CROSS JOIN records_ft_docsize d ON d.id = r.row`,
} as const

/** Title, body and surroundings: tags and names say nothing about how long a text is. */
const COUNTED_COLUMNS = [0, 1, 4] as const

export type GatherParts = {
  readonly statements: Statements
  readonly fullText: FullText
  readonly nearest: Nearest
}

export function gather(
  { statements, fullText, nearest }: GatherParts,
  model: KnownModel,
  request: GatherRequest,
): Gathered {
  const { words, vector, limits, floor } = request
  const near = nearest.findRows(model, {
    ...request.near,
    model: model.id,
    vector,
    limit: limits.near,
    minSimilarity: floor,
    exclude: [],
  })
  const owners = near.map(({ owner }) => owner)
  const byWords = words === null ? NO_WORDS : fullText.rankRows(words, limits.words, owners)
  const bm25 = new Map(byWords.ranked.map((hit) => [hit.row, hit.bm25]))
  const onlyNear = owners.filter((owner) => !bm25.has(owner))
  const rows = [...new Set([...bm25.keys(), ...onlyNear])]
  const inPairs =
    words === null || request.pairs === null
      ? []
      : fullText.scoreRows({ ...words, root: request.pairs }, [...bm25.keys()])
  const pairBm25 = new Map(inPairs.map((hit) => [hit.row, hit.bm25]))
  const { best, whole } = nearest.similarities(model, vector, rows)
  const places = new Map(rows.map((row, i) => [row, i]))
  const found = statements.all(SQL.records, { rows: JSON.stringify(rows), model: model.row })
  const records = found.map((row): GatheredRecord => {
    const place = places.get(Number(row.row)) ?? -1
    const isRead = row.isRead === 1
    return {
      ...toFacts(row),
      bm25: bm25.get(Number(row.row)) ?? null,
      pairBm25: pairBm25.get(Number(row.row)) ?? null,
      similarity: isRead ? orNull(best[place]) : null,
      wholeSimilarity: isRead ? orNull(whole[place]) : null,
    }
  })
  const [first] = byWords.ranked
  return {
    records,
    total: byWords.total + onlyNear.length,
    isExact: near.length < limits.near,
    bestByWords: first?.id ?? null,
  }
}

const NO_WORDS = { ranked: [], total: 0 } as const

function orNull(number: number | undefined): number | null {
  return number === undefined || Number.isNaN(number) ? null : number
}

function toFacts(row: Row) {
  return {
    id: row.id as RecordId,
    words: countWords(row.sizes as Uint8Array),
    createdAtMs: Number(row.created_at),
    salience: Number(row.salience),
    sector: row.sector as Sector | null,
  }
}

/** FTS5 keeps the number of tokens of each column as one varint after the other, the highest bits first. */
function countWords(sizes: Uint8Array): number {
  const columns: number[] = []
  let value = 0
  for (const byte of sizes) {
    value = value * 128 + (byte & 127)
    if (byte < 128) {
      columns.push(value)
      value = 0
    }
  }
  return COUNTED_COLUMNS.reduce<number>((sum, column) => sum + (columns[column] ?? 0), 0)
}
