/** The models that have vectors in the schema; at most one of them is active and answers searches. */

import { CairnError } from '../../core/errors.js'
import type { ModelInfo, ModelState, StoredModel } from '../vectors.js'
import type { Row, Statements } from './statements.js'

const MODEL = 'm.id, m.dimensions, m.floor, m.cascade_threshold AS "cascadeThreshold", m.config'
/** What pgvector takes for a vector. */
const VECTOR_BYTES = '(2 * m.dimensions + 8)'

const SQL = {
  all: `SELECT ${MODEL}, m.state, e.records, c.vectors, (c.vectors + e.wholes) * ${VECTOR_BYTES} AS bytes
    FROM models m,
      LATERAL (SELECT count(*) AS records, count(whole) AS wholes FROM embedded WHERE model = m.row) e,
      LATERAL (SELECT count(*) AS vectors FROM chunks WHERE model = m.row) c
    ORDER BY m.row`,
  inNamespace: `SELECT ${MODEL}, m.state, NULL AS bytes,
      (SELECT count(*) FROM embedded WHERE namespace = :namespace AND model = m.row) AS records,
      (SELECT count(*) FROM chunks WHERE namespace = :namespace AND model = m.row) AS vectors
    FROM models m ORDER BY m.row`,
  active: `SELECT ${MODEL} FROM models m WHERE m.state = 'active'`,
  /** A model that is being used is not removed meanwhile. */
  byId: (
    lock: string,
  ) => `SELECT row, id, dimensions, state, 'halfvec'::regtype::oid::bigint AS "vectorType",
      EXISTS (SELECT 1 FROM pg_index i WHERE i.indexrelid = to_regclass('chunks_near_' || row) AND i.indisvalid)
        AS "isIndexed",
      (SELECT c.reltuples::bigint FROM pg_class c WHERE c.oid = 'chunks'::regclass) AS chunks
    FROM models WHERE id = :id ${lock}`,
  /** Writers of several namespaces may meet here: the first one decides which model is active. */
  lock: `SELECT pg_advisory_xact_lock(hashtextextended('cairn models ' || current_schema(), 0))`,
  insert: `INSERT INTO models (id, dimensions, floor, cascade_threshold, config, state, created_at)
    VALUES (:id, :dimensions, :floor, :cascadeThreshold, :config,
      CASE WHEN EXISTS (SELECT 1 FROM models WHERE state = 'active') THEN 'building' ELSE 'active' END,
      extract(epoch FROM now()) * 1000)
    ON CONFLICT (id) DO NOTHING`,
  rebuild: `UPDATE models SET config = :config::text::json, state = CASE state WHEN 'idle' THEN 'building' ELSE state END
    WHERE id = :id AND (state = 'idle' OR config::text <> :config::text)`,
  retire: `UPDATE models SET state = 'idle' WHERE state = 'active' AND row <> :row`,
  promote: `UPDATE models SET state = 'active' WHERE row = :row`,
  notEmbedded: `SELECT EXISTS (SELECT 1 FROM records r WHERE r.present AND NOT EXISTS (
    SELECT 1 FROM embedded e WHERE e.namespace = r.namespace AND e.record = r.row AND e.model = :row))`,
  doneWaiting: `DELETE FROM waiting w USING embedded e
    WHERE e.model = :row AND e.namespace = w.namespace AND e.record = w.record`,
  /** Deleted and superseded records may come back. */
  hiddenWait: `INSERT INTO waiting (namespace, record) SELECT r.namespace, r.row FROM records r
    WHERE NOT EXISTS (
      SELECT 1 FROM embedded e WHERE e.namespace = r.namespace AND e.record = r.row AND e.model = :row)
    ON CONFLICT DO NOTHING`,
  removeChunks: 'DELETE FROM chunks WHERE model = :row',
  removeEmbedded: 'DELETE FROM embedded WHERE model = :row',
  removeCached: 'DELETE FROM embedding_cache WHERE model = :id',
  removeModel: 'DELETE FROM models WHERE row = :row',
} as const

export type ModelRow = {
  readonly row: number
  readonly id: string
  readonly dimensions: number
  readonly state: ModelState
  /** The OID of `halfvec` in this database. */
  readonly vectorType: number
  /** Whether it has an index for nearest neighbours. */
  readonly isIndexed: boolean
  /** About how many chunks there are, of all models. */
  readonly chunks: number
}

export async function listModels(
  statements: Statements,
  namespace: string | null,
): Promise<StoredModel[]> {
  const rows =
    namespace === null
      ? await statements.all(SQL.all)
      : await statements.all(SQL.inNamespace, { namespace })
  return rows as unknown as StoredModel[]
}

export async function readActiveModel(statements: Statements): Promise<ModelInfo | null> {
  const [row] = await statements.all(SQL.active)
  return (row as ModelInfo | undefined) ?? null
}

export async function findModel(statements: Statements, id: string): Promise<ModelRow | null> {
  const [row] = await statements.all(SQL.byId(''), { id })
  return toModelRow(row)
}

/** Adds a model, or builds one again that was replaced before. Until the transaction ends nobody can remove it. */
export async function registerModel(statements: Statements, model: ModelInfo): Promise<ModelRow> {
  const { id, dimensions, floor, cascadeThreshold } = model
  const config = JSON.stringify(model.config)
  const findLocked = async () => {
    const [, [row]] = await Promise.all([
      statements.run(SQL.rebuild, { id, config }),
      statements.all(SQL.byId('FOR KEY SHARE'), { id }),
    ])
    return toModelRow(row)
  }
  let known = await findLocked()
  if (known === null) {
    await statements.run(SQL.lock)
    await statements.run(SQL.insert, { id, dimensions, floor, cascadeThreshold, config })
    known = await findLocked()
  }
  if (known === null) throw new Error(`The model ${id} was not stored.`)
  if (known.dimensions === dimensions) return known
  throw new CairnError('dimension_mismatch', {
    message: `The vectors of "${id}" have ${known.dimensions} numbers in this database; now it makes ${dimensions}.`,
    hint: `Remove the old ones with \`cairn models --remove ${id}\` and build them again.`,
  })
}

/** False where a live record has no vectors of this model yet. */
export async function activateModel(statements: Statements, id: string): Promise<boolean> {
  await statements.run(SQL.lock)
  const row = (await findModel(statements, id))?.row
  if (row === undefined || (await statements.value(SQL.notEmbedded, { row })) === true) return false
  for (const sql of [SQL.retire, SQL.promote, SQL.doneWaiting, SQL.hiddenWait]) {
    await statements.run(sql, { row })
  }
  return true
}

/** Returns the model that was removed; its index for nearest neighbours is still there. */
export async function removeModel(statements: Statements, id: string): Promise<ModelRow | null> {
  const [row] = await statements.all(SQL.byId('FOR UPDATE'), { id })
  const model = toModelRow(row)
  if (model?.state === 'active') {
    throw new CairnError('bad_input', {
      message: `"${id}" is the model that answers searches.`,
      hint: 'Build another one first with `cairn embed --model …`.',
    })
  }
  if (model === null) return null
  for (const sql of [SQL.removeChunks, SQL.removeEmbedded, SQL.removeCached, SQL.removeModel]) {
    await statements.run(sql, { row: model.row, id })
  }
  return model
}

function toModelRow(row: Row | undefined): ModelRow | null {
  return (row as ModelRow | undefined) ?? null
}
