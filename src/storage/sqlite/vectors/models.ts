/** Stores which models have vectors in the file. At most one of them is active and answers searches. */

import { CairnError } from '../../../core/errors.js'
import type { ModelInfo, ModelState, StoredModel } from '../../vectors.js'
import type { Row, Statements } from '../statements.js'
import { readObject } from '../stored-values.js'

const MODEL = 'm.id, m.dimensions, m.floor, m.cascade_threshold AS cascadeThreshold, m.config'

const SQL = {
  all: `SELECT ${MODEL}, m.state,
      (SELECT count(*) FROM embedded e WHERE e.model = m.row) AS records,
      (SELECT count(*) FROM chunks c WHERE c.model = m.row) AS vectors,
      (SELECT coalesce(sum(length(b.data)), 0) FROM vector_blocks b WHERE b.model = m.row) AS bytes
    FROM models m ORDER BY m.row`,
  inNamespace: `SELECT ${MODEL}, m.state,
      (SELECT count(*) FROM records r CROSS JOIN embedded e ON e.model = m.row AND e.record = r.row
        WHERE r.namespace = :namespace) AS records,
      (SELECT count(*) FROM records r CROSS JOIN chunks c ON c.model = m.row AND c.record = r.row
        WHERE r.namespace = :namespace) AS vectors,
      NULL AS bytes
    FROM models m ORDER BY m.row`,
  active: `SELECT ${MODEL} FROM models m WHERE m.state = 'active'`,
  byId: 'SELECT row, id, dimensions, state FROM models WHERE id = :id',
  insert: `INSERT INTO models (id, dimensions, floor, cascade_threshold, config, state, created_at)
    VALUES (:id, :dimensions, :floor, :cascadeThreshold, :config,
      CASE WHEN EXISTS (SELECT 1 FROM models WHERE state = 'active') THEN 'building' ELSE 'active' END, :now)`,
  rebuild: `UPDATE models SET config = :config, state = CASE state WHEN 'idle' THEN 'building' ELSE state END
    WHERE id = :id AND (config <> :config OR state = 'idle')`,
  retire: `UPDATE models SET state = 'idle' WHERE state = 'active'`,
  promote: `UPDATE models SET state = 'active' WHERE row = :row`,
  countUnembedded: `SELECT count(*) FROM records r WHERE r.present
    AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.model = :row AND e.record = r.row)`,
  unqueueEmbedded: `DELETE FROM waiting WHERE record IN (SELECT record FROM embedded WHERE model = :row)`,
  /** Includes deleted and superseded records, because they may be restored. */
  queueUnembedded: `INSERT OR IGNORE INTO waiting (record) SELECT r.row FROM records r
    WHERE NOT EXISTS (SELECT 1 FROM embedded e WHERE e.model = :row AND e.record = r.row)`,
  remove: [
    'DELETE FROM chunks WHERE model = :row',
    'DELETE FROM embedded WHERE model = :row',
    'DELETE FROM vector_blocks WHERE model = :row',
    'DELETE FROM models WHERE row = :row',
  ],
  removeCached: 'DELETE FROM embedding_cache WHERE model = :id',
} as const

export type ModelRow = {
  readonly row: number
  readonly id: string
  readonly dimensions: number
  readonly state: ModelState
}

export function createModelsTable(statements: Statements) {
  const find = (id: string): ModelRow | null => {
    const [row] = statements.all(SQL.byId, { id })
    return (row as ModelRow | undefined) ?? null
  }
  return {
    all: (namespace: string | null): StoredModel[] =>
      (namespace === null
        ? statements.all(SQL.all)
        : statements.all(SQL.inNamespace, { namespace })
      ).map(toModel<StoredModel>),
    find,
    active(): ModelInfo | null {
      const [row] = statements.all(SQL.active)
      return row === undefined ? null : toModel(row)
    },
    /** Adds a model. A model that was replaced earlier becomes `building` again. */
    register(model: ModelInfo, now: number): ModelRow {
      const config = JSON.stringify(model.config)
      const known = find(model.id)
      if (known === null) {
        const { id, dimensions, floor, cascadeThreshold } = model
        statements.run(SQL.insert, { id, dimensions, floor, cascadeThreshold, config, now })
      } else if (known.dimensions !== model.dimensions) {
        throw new CairnError('dimension_mismatch', {
          message:
            `The vectors of "${model.id}" have ${known.dimensions} numbers in this file; ` +
            `now it makes ${model.dimensions}.`,
          hint: `Remove the old vectors with \`cairn models --remove ${model.id}\` and build them again.`,
        })
      } else {
        statements.run(SQL.rebuild, { id: model.id, config })
      }
      return find(model.id) as ModelRow
    },
    /** Returns false if a live record has no vectors of this model yet. */
    activate(id: string): boolean {
      const row = find(id)?.row
      if (row === undefined || Number(statements.value(SQL.countUnembedded, { row })) > 0)
        return false
      statements.run(SQL.retire)
      statements.run(SQL.promote, { row })
      statements.run(SQL.unqueueEmbedded, { row })
      statements.run(SQL.queueUnembedded, { row })
      return true
    },
    remove(id: string): boolean {
      const model = find(id)
      if (model === null) return false
      if (model.state === 'active') {
        throw new CairnError('bad_input', {
          message: `"${id}" is the model that answers searches.`,
          hint: 'Build another model first with `cairn embed --model …`.',
        })
      }
      const { row } = model
      for (const sql of SQL.remove) statements.run(sql, { row })
      statements.run(SQL.removeCached, { id })
      return true
    },
  }
}

function toModel<T extends ModelInfo>(row: Row): T {
  return { ...row, config: readObject(row.config) } as unknown as T
}
