/** Implements the vector part of the storage interface on one SQLite file. */

import { CairnError } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import type { GatherRequest } from '../../search.js'
import type { ModelInfo, RecordVectors, VectorStorage } from '../../vectors.js'
import type { PrepareFilter } from '../filter.js'
import type { FullText } from '../full-text.js'
import { createPastSearch } from '../past/past-search.js'
import type { Runner, Snapshots } from '../runner.js'
import type { Statements } from '../statements.js'
import { describeCandidates, gatherCandidates, type PreparedGather } from './candidates.js'
import { listMissing, readPastVectors, readVectors } from './copied-vectors.js'
import { createModelsTable, type ModelRow } from './models.js'
import type { Nearest, PreparedNear } from './nearest.js'
import { findSimilarByWords } from './similar-by-words.js'
import type { RowVectors } from './vector-writer.js'
import { createVectorsTable } from './vectors-table.js'

type VectorParts = {
  readonly fullText: FullText
  readonly snapshots: Snapshots
  readonly statements: Statements
  readonly now: () => number
  readonly prepare: PrepareFilter
}

export type SqliteVectors = ReturnType<typeof createSqliteVectors>

export function createSqliteVectors(parts: VectorParts) {
  const { snapshots, statements, fullText, now, prepare } = parts
  const models = createModelsTable(statements)
  const vectors = createVectorsTable(statements)
  const past = createPastSearch(statements, fullText)
  let nearest: Nearest | null = null

  /** Imported with the first vector search: other commands start faster without it. */
  const loadNearest = async (): Promise<Nearest> => {
    const { createNearest } = await import('./nearest.js')
    nearest ??= createNearest(statements)
    return nearest
  }

  /** Finds the model that embedded a query. It may have been removed since, or be in the process of being built again. */
  const findSearchable = (id: string): ModelRow => {
    const model = models.find(id)
    if (model !== null && model.state !== 'building') return model
    throw new CairnError('embedder_unavailable', {
      message: `The vectors of "${id}" were removed during the search.`,
      hint: 'Search again: another model is now active.',
    })
  }

  const withModel = <T>(id: string, read: (model: ModelRow) => T): T | null => {
    const model = models.find(id)
    return model === null ? null : read(model)
  }

  /** Reads from one snapshot: another process may remove vectors between two statements. */
  const runAtOnce = <T>(run: Runner, read: () => T): Promise<T> => run(() => snapshots.read(read))

  /** Runs inside a transaction of the caller. */
  const keep = (
    model: ModelInfo,
    embedded: readonly { readonly id: RecordId; readonly vectors: RecordVectors | null }[],
  ): void => vectors.keep(models.register(model, now()), embedded)

  const storage = (run: Runner, write: Runner): VectorStorage => ({
    models: (namespace = null) => run(() => models.all(namespace)),
    active: () => run(() => models.active()),
    register: (model) => write(() => models.register(model, now()).state),
    listPending: (id, limit) =>
      run(() => {
        const model = models.find(id)
        return model === null && models.active() !== null ? [] : vectors.listPending(model, limit)
      }),
    anyPending: () => run(() => vectors.anyPending()),
    coverage: (namespace = null) => run(() => vectors.coverage(namespace)),
    storeVectors: (model, embedded) => write(() => keep(model, embedded)),
    activate: (id) => write(() => models.activate(id)),
    remove: (id) => write(() => models.remove(id)),
    nearest: async (search) => {
      const near = await loadNearest()
      return runAtOnce(run, () => {
        const model = findSearchable(search.model)
        const prepared = { ...search, filter: prepare(search.filter) }
        return past.addNearest(model, prepared, near.find(model, prepared))
      })
    },
    gather: async (request) => {
      const near = await loadNearest()
      return runAtOnce(run, () => {
        const model = findSearchable(request.model)
        const prepared = prepareGather(request, prepare)
        const present = gatherCandidates({ statements, fullText, nearest: near }, model, prepared)
        return past.addCandidates(model, prepared, present)
      })
    },
    describe: (candidates, times) => run(() => describeCandidates(statements, candidates, times)),
    bestChunks: (id, vector, ids) =>
      run(() => withModel(id, (model) => vectors.bestChunks(model, vector, ids)) ?? []),
    similarByWords: (id, record, isPinned) =>
      runAtOnce(run, () => {
        const find = (model: ModelRow) =>
          findSimilarByWords(statements, model, { id: record, isPinned })
        return withModel(id, find) ?? []
      }),
    getVector: (id, record) => run(() => withModel(id, (model) => vectors.vectorOf(model, record))),
    getCached: (model, texts) => run(() => vectors.readCached(model, texts)),
    storeCached: (model, texts, made) => write(() => vectors.storeCached(model, texts, made)),
    sample: (id, limit) => run(() => withModel(id, (model) => vectors.sample(model, limit)) ?? []),
    read: (model, ids) => run(() => readVectors(statements, model, ids)),
    listMissing: (model, ids) => run(() => listMissing(statements, model, ids)),
    readPast: (model, states) => run(() => readPastVectors(statements, model, states)),
    listPastPending: (after, limit) => run(() => vectors.pastPending(after, limit)),
    storePast: (model, embedded) =>
      write(() => vectors.keepPast(models.register(model, now()), embedded)),
  })

  return {
    storage,
    keep,
    /** Like `keep`, for records that this transaction has added. */
    keepNew: (model: ModelInfo, added: readonly RowVectors[]): void =>
      vectors.keepNew(models.register(model, now()), added),
    /** Returns a function that finds all records within the minimum similarity of a search; facets count them. */
    async rowsNear() {
      const near = await loadNearest()
      return (search: PreparedNear) => {
        const model = findSearchable(search.model)
        const limit = Math.max(1, vectors.coverage(null).records)
        const found = near.findRows(model, { ...search, limit })
        return { rows: found.map(({ owner }) => owner), model: model.row }
      }
    },
    erase: vectors.erase,
    close: () => nearest?.close(),
  }
}

/** Prepares the filter once if keywords and vectors share it. */
function prepareGather(request: GatherRequest, prepare: PrepareFilter): PreparedGather {
  const filter = prepare(request.near.filter)
  const words = request.words && {
    ...request.words,
    filter: request.words.filter === request.near.filter ? filter : prepare(request.words.filter),
  }
  return { ...request, words, near: { ...request.near, filter } }
}
