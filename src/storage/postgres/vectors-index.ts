/** Makes and drops the index of a model for nearest neighbours (HNSW), beside readers and writers. */

import type { Runners } from './runner.js'
import type { Statements } from './statements.js'
import { keepWordCounts } from './word-counts.js'

/** Below so many chunks comparing all vectors takes no longer than the index saves. */
const INDEXED_CHUNKS = 20_000
/** pgvector indexes no longer half-precision vectors. */
const MOST_DIMENSIONS = 4000

/**
 * Links per vector, and candidates per vector while the index is built. At 110,000 passages of the judged sets, 20 nearest of 200
 * queries, 400 candidates per search: recall .959 with 16 and 64, .970 with 16 and 128, .983 with 24 and 128.
 */
const LINKS = 24
const BUILD_CANDIDATES = 128
/** That each vector takes beside itself while the index is built. */
const BYTES_OF_LINKS = 1500

const SQL = {
  models: 'SELECT row, dimensions FROM models',
  isLarge: `SELECT count(*) >= :least::bigint FROM (
    SELECT 1 FROM chunks WHERE model = :row LIMIT :least::bigint) c`,
  /** Only one process builds; the others go on without it. */
  lock: `SELECT pg_try_advisory_lock(hashtextextended('cairn vectors ' || current_schema(), 0))`,
  unlock: `SELECT pg_advisory_unlock(hashtextextended('cairn vectors ' || current_schema(), 0))`,
  indexes: `SELECT c.relname AS name, i.indisvalid AS "isValid"
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = 'chunks'::regclass AND c.relname LIKE 'chunks\\_near\\_%'`,
  create: (
    name: string,
    row: number,
    dimensions: number,
  ) => `CREATE INDEX CONCURRENTLY ${name} ON chunks
    USING hnsw ((vector::halfvec(${dimensions})) halfvec_ip_ops)
    WITH (m = ${LINKS}, ef_construction = ${BUILD_CANDIDATES}) WHERE model = ${row}`,
  drop: (name: string) => `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
  /** The build waits for every transaction that has begun before it. */
  prepare: `SELECT set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false)`,
  /**
   * The build takes ten times as long once its graph does not fit any more. The server does not tell how much memory it has,
   * but how much it may take for caches.
   */
  takeMemory: `SELECT set_config('maintenance_work_mem', greatest(
      pg_size_bytes(current_setting('maintenance_work_mem')),
      least(pg_size_bytes(current_setting('effective_cache_size')) / 2,
        268435456 + (SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = 'chunks'::regclass)::bigint
          * (:dimensions::bigint * 2 + ${BYTES_OF_LINKS}))) / 1024 || 'kB', false)`,
  reset: ['RESET maintenance_work_mem', 'RESET lock_timeout', 'RESET statement_timeout'],
  process: 'SELECT pg_backend_pid()',
  cancel: 'SELECT pg_cancel_backend(:process)',
} as const

/**
 * Makes the indexes that are due, and drops those of models that are gone and those that an interrupted build has left. Outside of
 * a transaction: writers go on meanwhile.
 */
export async function keepVectorIndexes(
  statements: Statements,
  least = INDEXED_CHUNKS,
): Promise<void> {
  if ((await statements.value(SQL.lock)) !== true) return
  try {
    await statements.all(SQL.prepare)
    const models = await statements.all(SQL.models)
    const existing = await statements.all(SQL.indexes)
    const names = new Map(models.map(({ row }) => [`chunks_near_${row}`, row]))
    const valid = new Set<unknown>()
    for (const { name, isValid } of existing) {
      if (isValid === true && names.has(String(name))) valid.add(name)
      else await statements.run(SQL.drop(String(name)))
    }
    for (const { row, dimensions } of models) {
      const name = `chunks_near_${row}`
      if (valid.has(name) || Number(dimensions) > MOST_DIMENSIONS) continue
      if ((await statements.value(SQL.isLarge, { row: Number(row), least })) !== true) continue
      await statements.all(SQL.takeMemory, { dimensions: Number(dimensions) })
      await statements.run(SQL.create(name, Number(row), Number(dimensions)))
    }
  } finally {
    for (const sql of [...SQL.reset, SQL.unlock]) await statements.run(sql)
  }
}

/** So long after the last vectors came, the index is made that is due: inserting into one takes ten times as long. */
const QUIET_MS = 30_000

export type IndexKeeper = ReturnType<typeof createIndexKeeper>

/** Looks after the indexes of a process that runs for long; others make them when they optimize. */
export function createIndexKeeper(runAlone: Runners['runAlone']) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let process: number | null = null
  const keep = (): Promise<void> =>
    runAlone(async (statements) => {
      process = Number(await statements.value(SQL.process))
      await keepVectorIndexes(statements)
      await keepWordCounts(statements)
    })
      // Searches do without it, and the next attempt drops what is left of this one.
      .catch(() => {})
      .finally(() => {
        process = null
      })
  return {
    noteVectors(): void {
      clearTimeout(timer)
      timer = setTimeout(() => {
        running = keep()
      }, QUIET_MS).unref()
    },
    /** Stops a build: the next process makes it. */
    async stop(): Promise<void> {
      clearTimeout(timer)
      if (process !== null) {
        await runAlone((statements) => statements.value(SQL.cancel, { process }))
      }
      await running
    },
  }
}
