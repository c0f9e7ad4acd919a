/** The vector part of the storage interface over PostgreSQL with pgvector. */

import { CairnError } from '../../core/errors.js'
import type { NearSearch, VectorStorage } from '../vectors.js'
import { listMissing, readPastVectors, readVectors } from './copied-vectors.js'
import { compileFilter } from './filter.js'
import type { Runners } from './runner.js'
import { type Condition, joinConditions, type Statements } from './statements.js'
import { keepVectorIndexes } from './vectors-index.js'
import {
  activateModel,
  findModel,
  listModels,
  type ModelRow,
  readActiveModel,
  registerModel,
  removeModel,
} from './vectors-models.js'
import { findNearest } from './vectors-nearest.js'
import * as table from './vectors-table.js'

export function createVectors({ run, write, amend, runAlone }: Runners): VectorStorage {
  const withModel = <T>(
    id: string,
    otherwise: T,
    read: (statements: Statements, model: ModelRow) => Promise<T>,
  ): Promise<T> =>
    run(async (statements) => {
      const model = await findModel(statements, id)
      return model === null ? otherwise : read(statements, model)
    })

  return {
    models: (namespace = null) => run((statements) => listModels(statements, namespace)),
    active: () => run(readActiveModel),
    register: (model) =>
      amend(null, async (statements) => (await registerModel(statements, model)).state),
    listPending: (id, limit) => run((statements) => table.listPending(statements, id, limit)),
    anyPending: () => run(table.anyPending),
    coverage: (namespace = null) => run((statements) => table.readCoverage(statements, namespace)),
    storeVectors: (model, embedded) =>
      amend(null, (statements) => table.storeVectors(statements, model, embedded)),
    async activate(id) {
      // Searches by the new model are fast from the first one on.
      await runAlone(keepVectorIndexes)
      return write(null, (statements) => activateModel(statements, id))
    },
    async remove(id) {
      const removed = await write(null, (statements) => removeModel(statements, id))
      if (removed !== null) await runAlone(keepVectorIndexes)
      return removed !== null
    },
    nearest: (search) =>
      run(async (statements) => {
        const model = await findSearchable(statements, search.model)
        const condition = compileNear(search)
        return findNearest(statements, model, { ...search, condition })
      }),
    gather: () => Promise.reject(new Error('gather is not there yet.')),
    describe: () => Promise.reject(new Error('describe is not there yet.')),
    bestChunks: (id, vector, ids) =>
      withModel(id, [], (statements, model) =>
        table.findBestChunks(statements, model, { vector, ids }),
      ),
    similarByWords: () => Promise.reject(new Error('similarByWords is not there yet.')),
    getVector: (id, record) =>
      withModel(id, null, (statements, model) => table.readVector(statements, model, record)),
    getCached: (model, texts) => run((statements) => table.getCached(statements, model, texts)),
    storeCached: (model, texts, vectors) =>
      runAlone((statements) =>
        table.storeCached(
          statements,
          model,
          vectors.map((vector, i) => ({ text: texts[i] ?? '', vector })),
        ),
      ),
    sample: (id, limit) =>
      withModel(id, [], (statements, model) => table.sampleTexts(statements, model, limit)),
    read: (model, ids) => run((statements) => readVectors(statements, model, ids)),
    listMissing: (model, ids) => run((statements) => listMissing(statements, model, ids)),
    readPast: (model, states) => run((statements) => readPastVectors(statements, model, states)),
    listPastPending: (after, limit) =>
      run((statements) => table.listPastPending(statements, after, limit)),
    storePast: (model, embedded) =>
      amend(null, (statements) => table.storePast(statements, model, embedded)),
  }
}

/** Null where every record may be found. */
function compileNear({ filter, exclude }: NearSearch): Condition | null {
  const isExcluded = { sql: 'r.id <> ALL (:exclude::text[])', values: { exclude: [...exclude] } }
  const conditions = [compileFilter(filter), exclude.length === 0 ? null : isExcluded]
  return conditions.every((one) => one === null) ? null : joinConditions(conditions)
}

/** The model that embedded a query: it may have been removed since, and even begun anew. */
async function findSearchable(statements: Statements, id: string): Promise<ModelRow> {
  const model = await findModel(statements, id)
  if (model !== null && model.state !== 'building') return model
  throw new CairnError('embedder_unavailable', {
    message: `The vectors of "${id}" were removed during the search.`,
    hint: 'Search again: another model is active now.',
  })
}
