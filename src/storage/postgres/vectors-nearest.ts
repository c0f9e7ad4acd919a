/** Finds the nearest records under a filter: by the index of the model, or exactly where few records pass. */

import type { NearRecord, NearSearch } from '../vectors.js'
import { formatVector } from './halfvec.js'
import type { Condition, Row, Statements } from './statements.js'
import type { ModelRow } from './vectors-models.js'
import { toNear } from './vectors-table.js'

/**
 * Where no more records than this pass a filter, all of their vectors are compared: one of fifty, in steps, so that there are few
 * statements. The index would have to be searched for fifty times as many as are wanted.
 */
const FEW = { least: 4000, most: 20_000, share: 1 / 50 } as const
/** Chunks per record that are taken at first: a record may have several among the nearest. */
const CHUNKS_PER_RECORD = 1.5
/** Under a filter the index is searched until so many pass: the first ones that it finds are not all of the nearest. */
const LEAST_FILTERED = 200
const WIDER = 4
/** Of the search in the index: so many candidates at least, and at most as pgvector allows. */
const LEAST_EF = 600
const MOST_EF = 1000
/** A filter that lets one record of a hundred pass needs so many for a hundred hits. */
const MAX_SCANNED = 40_000

const CHUNK = 'c.namespace, c.record, c.ordinal, c."start", c."end"'

const SQL = {
  /** Rows that are looked up one by one are mostly in memory: by PostgreSQL's usual cost all records would be read instead. */
  tune: `SELECT set_config('hnsw.ef_search', :ef, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.max_scan_tuples', '${MAX_SCANNED}', true), set_config('random_page_cost', '1.1', true)`,
  /** The model and the limits are part of the text, so that the planner knows which index fits. */
  scan: (distance: string, model: ModelRow, condition: string, most: number) => `
    SELECT ${CHUNK}, ${distance} AS distance
    FROM chunks c JOIN records r ON r.namespace = c.namespace AND r.row = c.record
    WHERE c.model = ${model.row} AND r.present AND ${condition}
    ORDER BY ${distance} LIMIT ${most}`,
  /** Without an index: hidden records are few, and to join all others would take as long as to compare their vectors. */
  scanAll: (distance: string, model: ModelRow, most: number) => `
    SELECT ${CHUNK}, ${distance} AS distance FROM chunks c
    WHERE c.model = ${model.row} AND c.record NOT IN (
        SELECT row FROM records WHERE deleted_at IS NOT NULL
        UNION ALL SELECT row FROM records WHERE superseded_at IS NOT NULL)
    ORDER BY ${distance} LIMIT ${most}`,
  passing: (condition: string, most: number) => `passing AS MATERIALIZED (
    SELECT r.namespace, r.row FROM records r WHERE r.present AND ${condition} LIMIT ${most + 1}),
  few AS MATERIALIZED (SELECT count(*) <= ${most} AS yes FROM passing),`,
  fewNear: (distance: string, model: ModelRow, most: number) => `
    SELECT ${CHUNK}, ${distance} AS distance
    FROM passing p JOIN chunks c ON c.namespace = p.namespace AND c.record = p.row AND c.model = ${model.row}
    WHERE (SELECT yes FROM few) ORDER BY (${distance}) + 0 LIMIT ${most}`,
  near: (more: string, near: string, limit: number) => `WITH ${more} near AS MATERIALIZED (${near}),
    best AS (SELECT DISTINCT ON (record) * FROM near ORDER BY record, distance, ordinal)
    SELECT b.record AS row, r.id, b.ordinal, b."start", b."end", -b.distance AS similarity,
      (SELECT count(*) FROM near) AS chunks, (SELECT -max(distance) FROM near) AS last
    FROM best b JOIN records r ON r.namespace = b.namespace AND r.row = b.record
    WHERE -b.distance >= :floor::float8 ORDER BY b.distance, b.record LIMIT ${limit}`,
} as const

export type RowSearch = Pick<NearSearch, 'vector' | 'limit' | 'minSimilarity'> & {
  /** Over `records r`; null where every record may be found. */
  readonly condition: Condition | null
}

export type NearRow = NearRecord & { readonly row: number }

/** Best first; ties in the order the records were added. */
export async function findNearest(
  statements: Statements,
  model: ModelRow,
  search: RowSearch,
): Promise<NearRow[]> {
  const { limit, minSimilarity: floor, condition } = search
  const values = { ...condition?.values, vector: formatVector(search.vector), floor }
  const least = condition === null ? 0 : LEAST_FILTERED
  for (let most = Math.max(least, Math.ceil(limit * CHUNKS_PER_RECORD)); ; most *= WIDER) {
    const ef = String(Math.min(MOST_EF, Math.max(LEAST_EF, most)))
    const sql = composeSql(model, condition, { most, limit })
    const [, rows] = await Promise.all([
      statements.all(SQL.tune, { ef }),
      statements.all(sql, values),
    ])
    const [first] = rows
    const mayHaveMore = Number(first?.chunks) >= most && Number(first?.last) >= floor
    if (rows.length >= limit || first === undefined || !mayHaveMore) return rows.map(toNearRow)
  }
}

function composeSql(
  model: ModelRow,
  condition: Condition | null,
  { most, limit }: { readonly most: number; readonly limit: number },
): string {
  const type = `halfvec(${model.dimensions})`
  const distance = `c.vector::${type} <#> :vector::${type}`
  if (condition === null && !model.isIndexed) {
    return SQL.near('', SQL.scanAll(distance, model, most), limit)
  }
  if (condition === null || !model.isIndexed) {
    return SQL.near('', SQL.scan(distance, model, condition?.sql ?? 'true', most), limit)
  }
  const few = SQL.fewNear(distance, model, most)
  const many = SQL.scan(distance, model, `NOT (SELECT yes FROM few) AND ${condition.sql}`, most)
  return SQL.near(
    SQL.passing(condition.sql, countFew(model)),
    `(${few}) UNION ALL (${many})`,
    limit,
  )
}

function countFew({ chunks }: ModelRow): number {
  const share = 2 ** Math.round(Math.log2(Math.max(1, chunks * FEW.share)))
  return Math.min(FEW.most, Math.max(FEW.least, share))
}

function toNearRow(row: Row): NearRow {
  return { ...toNear(row), row: Number(row.row) }
}
