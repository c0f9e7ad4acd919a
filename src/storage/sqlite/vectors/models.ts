/** A file knows its models, and exactly one of them answers searches. */

import { CairnError } from '../../../core/errors.js'
import type { ModelConfig, ModelInfo, ModelState, StoredModel } from '../../vectors.js'
import type { Row, Statements } from '../statements.js'

const SQL = {
  all: `SELECT m.row, m.id, m.dimensions, m.floor, m.cascade_threshold, m.config, m.state,
      (SELECT count(*) FROM embedded e WHERE e.model = m.row) AS records,
      (SELECT count(*) FROM chunks c WHERE c.model = m.row) AS vectors,
      (SELECT coalesce(sum(length(b.data)), 0) FROM vector_blocks b WHERE b.model = m.row) AS bytes
    FROM models m ORDER BY m.row`,
  active: `SELECT row, id, dimensions, floor, cascade_threshold, config FROM models WHERE state = 'active'`,
  byId: 'SELECT row, id, dimensions, state FROM models WHERE id = :id',
  insert: `INSERT INTO models (id, dimensions, floor, cascade_threshold, config, state, created_at)
    VALUES (:id, :dimensions, :floor, :cascadeThreshold, :config,
      CASE WHEN EXISTS (SELECT 1 FROM models WHERE state = 'active') THEN 'building' ELSE 'active' END, :now)`,
  rebuild: `UPDATE models SET config = :config, state = CASE state WHEN 'idle' THEN 'building' ELSE state END
    WHERE id = :id`,
  retire: `UPDATE models SET state = 'idle' WHERE state = 'active'`,
  promote: `UPDATE models SET state = 'active' WHERE row = :row`,
  unread: `SELECT count(*) FROM records r WHERE r.present
    AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.model = :row AND e.record = r.row)`,
  nobodyWaits: `DELETE FROM waiting WHERE record IN (SELECT record FROM embedded WHERE model = :row)`,
  forgetChunks: 'DELETE FROM chunks WHERE model = :row',
  forgetEmbedded: 'DELETE FROM embedded WHERE model = :row',
  forgetBlocks: 'DELETE FROM vector_blocks WHERE model = :row',
  forgetCache: 'DELETE FROM embedding_cache WHERE model = :id',
  forget: 'DELETE FROM models WHERE row = :row',
} as const

/** A model by its number inside the file. */
export type KnownModel = { readonly row: number; readonly id: string; readonly dimensions: number }

export type StatedModel = KnownModel & { readonly state: ModelState }

export type ModelsTable = ReturnType<typeof createModelsTable>

export function createModelsTable(statements: Statements) {
  const find = (id: string): StatedModel | null => {
    const [row] = statements.all(SQL.byId, { id })
    return row === undefined ? null : toStated(row)
  }
  return {
    all: (): StoredModel[] => statements.all(SQL.all).map(toStored),
    find,
    active(): (ModelInfo & KnownModel) | null {
      const [row] = statements.all(SQL.active)
      return row === undefined ? null : { ...toInfo(row), ...toKnown(row) }
    },
    /** Makes a model known; one that was replaced before is built again. */
    register(model: ModelInfo, now: number): StatedModel {
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
          hint: `Remove the old ones with \`cairn models --remove ${model.id}\` and build them again.`,
        })
      } else {
        statements.run(SQL.rebuild, { id: model.id, config })
      }
      const registered = find(model.id)
      if (registered === null)
        throw new Error(`the model ${model.id} was registered and is not there`)
      return registered
    },
    /** False where a live record has not been read by it yet. */
    activate(id: string): boolean {
      const model = find(id)
      if (model === null || Number(statements.value(SQL.unread, { row: model.row })) > 0)
        return false
      statements.run(SQL.retire)
      statements.run(SQL.promote, { row: model.row })
      statements.run(SQL.nobodyWaits, { row: model.row })
      return true
    },
    remove(id: string): boolean {
      const model = find(id)
      if (model === null) return false
      if (model.state === 'active') {
        throw new CairnError('bad_input', {
          message: `"${id}" is the model that answers searches.`,
          hint: 'Build another one first with `cairn embed --model …`.',
        })
      }
      const { row } = model
      for (const sql of [SQL.forgetChunks, SQL.forgetEmbedded, SQL.forgetBlocks]) {
        statements.run(sql, { row })
      }
      statements.run(SQL.forgetCache, { id })
      statements.run(SQL.forget, { row })
      return true
    },
  }
}

function toKnown(row: Row): KnownModel {
  return { row: Number(row.row), id: String(row.id), dimensions: Number(row.dimensions) }
}

/** Not spread from the above: that gives each object a shape of its own, and what is compiled for one is compiled again. */
function toStated(row: Row): StatedModel {
  const { row: number, id, dimensions } = toKnown(row)
  return { row: number, id, dimensions, state: row.state as ModelState }
}

function toInfo(row: Row): ModelInfo {
  return {
    id: String(row.id),
    dimensions: Number(row.dimensions),
    floor: Number(row.floor),
    cascadeThreshold: Number(row.cascade_threshold),
    config: JSON.parse(String(row.config)) as ModelConfig,
  }
}

function toStored(row: Row): StoredModel {
  return {
    ...toInfo(row),
    state: row.state as ModelState,
    records: Number(row.records),
    vectors: Number(row.vectors),
    bytes: Number(row.bytes),
  }
}
