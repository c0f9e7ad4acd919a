/** Everything about vectors in one SQLite file; the door of this folder. */

import type { Database } from 'better-sqlite3'
import { CairnError } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import type { CairnRecord } from '../../../core/record.js'
import type { GatherRequest } from '../../search.js'
import type { ModelInfo, RecordVectors, VectorStorage } from '../../vectors.js'
import type { PrepareFilter } from '../filter.js'
import type { FullText } from '../full-text.js'
import { createGatherPast } from '../past/gather-past.js'
import { createRankWithPast } from '../past/rank-with-past.js'
import type { Moments, Runner } from '../runner.js'
import type { Statements } from '../statements.js'
import type { PreparedNear } from './allowed.js'
import { describeCandidates } from './candidate-facts.js'
import { createEmbeddingCache } from './embedding-cache.js'
import { gather, type PreparedGather } from './gather.js'
import { createModelsTable, type StatedModel } from './models.js'
import type { Nearest } from './nearest.js'
import type { ReadRow } from './vector-writer.js'
import { createVectorsTable } from './vectors-table.js'

export type MeaningParts = {
  readonly fullText: FullText
  readonly db: Database
  readonly moments: Moments
  readonly statements: Statements
  readonly now: () => number
  readonly prepare: PrepareFilter
}

export type SqliteMeaning = ReturnType<typeof createMeaning>

type Read = { readonly id: RecordId; readonly vectors: RecordVectors | null }

export function createMeaning({ db, moments, statements, fullText, now, prepare }: MeaningParts) {
  const models = createModelsTable(statements)
  const vectors = createVectorsTable(statements)
  const cache = createEmbeddingCache(statements)
  const ranked = createRankWithPast(statements, fullText)
  const gatherPast = createGatherPast(statements, fullText)
  let nearest: Nearest | null = null

  /** Loaded with the first search by meaning. */
  const loadNearest = async (): Promise<Nearest> => {
    const { createNearest } = await import('./nearest.js')
    nearest ??= createNearest(db, statements)
    return nearest
  }

  /** The model that has read a question: it may have been forgotten since, and even begun anew. */
  const readable = (id: string): StatedModel => {
    const model = models.find(id)
    if (model !== null && model.state !== 'building') return model
    throw new CairnError('embedder_unavailable', {
      message: `The vectors of "${id}" were removed while they were searched.`,
      hint: 'Ask again: another model is in charge now.',
    })
  }

  /** All that is read is of one moment: another process may remove vectors between two statements. */
  const runAtOnce = <T>(run: Runner, read: () => T): Promise<T> => run(() => moments.read(read))

  /** Inside a transaction of the caller's. */
  const keep = (model: ModelInfo, read: readonly Read[]): void => {
    vectors.keep(models.register(model, now()), read)
  }

  /** The same for records that this transaction has added. */
  const keepNew = (model: ModelInfo, added: readonly ReadRow[]): void => {
    vectors.keepNew(models.register(model, now()), added)
  }

  const storage = (run: Runner, write: Runner): VectorStorage => ({
    models: () => run(() => models.all()),
    active: () => run(() => models.active()),
    register: (model) => write(() => models.register(model, now()).state),
    waiting: (id, limit) =>
      run(() => {
        const model = models.find(id)
        if (model !== null) return vectors.waiting(model, limit)
        return models.active() === null ? vectors.waitingForFirst(limit) : []
      }),
    anyWaiting: () => run(() => vectors.anyWaiting()),
    coverage: () => run(() => vectors.coverage()),
    keep: (model, read) => write(() => keep(model, read)),
    activate: (id) => write(() => models.activate(id)),
    remove: (id) => write(() => models.remove(id)),
    nearest: async (search) => {
      const { find } = await loadNearest()
      return runAtOnce(run, () => {
        const model = readable(search.model)
        const prepared = { ...search, filter: prepare(search.filter) }
        return [...ranked.nearest(model, prepared, find(model, prepared))]
      })
    },
    gather: async (request) => {
      const near = await loadNearest()
      return runAtOnce(run, () => {
        const model = readable(request.model)
        const prepared = prepareGather(request, prepare)
        const present = gather({ statements, fullText, nearest: near }, model, prepared)
        return gatherPast(model, prepared, present)
      })
    },
    describe: (candidates, asked) => run(() => describeCandidates(statements, candidates, asked)),
    bestChunks: (id, vector, ids) =>
      run(() => {
        const model = models.find(id)
        return model === null ? [] : vectors.bestChunks(model.row, vector, ids)
      }),
    vectorOf: (id, record) =>
      run(() => {
        const model = models.find(id)
        return model === null ? null : vectors.vectorOf(model, record)
      }),
    recall: (model, texts) => run(() => cache.read(model, texts)),
    remember: (model, texts, made) => write(() => cache.write(model, texts, made)),
    clear: () => write(() => vectors.clear()),
  })

  return {
    storage,
    keep,
    keepNew,
    /** All records that are as near as a search asks for, once it is given; for counting. */
    async rowsNear() {
      const near = await loadNearest()
      return (search: PreparedNear) => {
        const model = readable(search.model)
        const limit = Math.max(1, vectors.coverage().records)
        const found = near.findRows(model, { ...search, limit })
        return { rows: found.map(({ owner }) => owner), model: model.row }
      }
    },
    /** Before a purge: no slot and no cached text of these records stays behind. */
    erase(ids: readonly RecordId[], records: readonly CairnRecord[]): void {
      cache.forget(vectors.textsOf(records))
      vectors.erase(ids)
    },
    close: () => nearest?.close(),
  }
}

/** The same filter for both sides is prepared once. */
function prepareGather(request: GatherRequest, prepare: PrepareFilter): PreparedGather {
  const filter = prepare(request.near.filter)
  const words = request.words && {
    ...request.words,
    filter: request.words.filter === request.near.filter ? filter : prepare(request.words.filter),
  }
  return { ...request, words, near: { ...request.near, filter } }
}
