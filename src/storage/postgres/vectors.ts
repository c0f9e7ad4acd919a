/** The vector part of the storage interface over PostgreSQL with pgvector. */

import { CairnError } from '../../core/errors.js'
import { addPastNear, NOTHING_GATHERED } from '../gathered.js'
import type { Gathered, GatherRequest } from '../search.js'
import type { VectorStorage } from '../vectors.js'
import { listMissing, readPastVectors, readVectors } from './copied-vectors.js'
import { compilePast } from './past-sql.js'
import { readOnce } from './read-ahead.js'
import type { Runners, Work } from './runner.js'
import { findSimilarByWords } from './similar-by-words.js'
import type { Statements } from './statements.js'
import {
  compileNear,
  describeCandidates,
  findPastNear,
  type GatherParts,
  gatherCandidates,
  recallChunks,
  recallFacts,
  type SeenCandidates,
} from './vectors-gather.js'
import { type IndexKeeper, keepVectorIndexes } from './vectors-index.js'
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
import type { WordSearch } from './word-search.js'

/** The share of its time that a search has for words and vectors together; the rest is for one of them alone. */
const BOTH_SHARE = 0.6

export type VectorParts = {
  readonly words: WordSearch
  /** The models that earlier searches have used; whether they are still there is asked along with each search. */
  readonly knownModels: Map<string, ModelRow>
  readonly indexes: IndexKeeper
}

export function createVectors(
  { run, search, write, amend, runAlone }: Runners,
  { words, knownModels, indexes }: VectorParts,
): VectorStorage {
  /** By the statements of a snapshot, which ends with them. */
  const seen = new WeakMap<Statements, SeenCandidates>()

  const searchWith = async <T>(
    statements: Statements,
    id: string,
    find: (model: ModelRow) => Promise<T>,
  ): Promise<T> => {
    const known = knownModels.get(id)
    const [model, found] = await Promise.all([findSearchable(statements, id), known && find(known)])
    knownModels.set(id, model)
    const isSame = known?.row === model.row && known.isIndexed === model.isIndexed
    return found !== undefined && isSame ? found : find(model)
  }

  const gatherWith =
    (request: GatherRequest): GatherWith =>
    ({ near, noteNear, ...changed }) =>
    async (statements) => {
      const found = await searchWith(statements, request.model, (model) => {
        const parts = { words, model, near, noteNear }
        return gatherCandidates(statements, parts, { ...request, ...changed })
      })
      seen.set(statements, found.seen)
      return found.gathered
    }

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
      amend(null, (statements) => table.storeVectors(statements, model, embedded)).finally(
        indexes.noteVectors,
      ),
    async activate(id) {
      // Searches by the new model are fast from the first one on.
      await runAlone((statements) => keepVectorIndexes(statements))
      return write(null, (statements) => activateModel(statements, id))
    },
    async remove(id) {
      const removed = await write(null, (statements) => removeModel(statements, id))
      if (removed !== null) await runAlone((statements) => keepVectorIndexes(statements))
      return removed !== null
    },
    nearest: (request) =>
      search(
        (statements) =>
          searchWith(statements, request.model, async (model) => {
            const condition = compileNear(request)
            const [present, past] = await Promise.all([
              findNearest(statements, model, { ...request, condition }),
              findPastNear(statements, model, request),
            ])
            const near = present.map(({ row: _, ...one }) => one)
            return compilePast(request.filter) === null ? near : addPastNear(near, past, request)
          }),
        () => [],
      ),
    gather: (request) => gatherInTime(search, request, gatherWith(request)),
    describe: (candidates, times) =>
      run(
        async (statements) =>
          recallFacts(seen.get(statements), candidates, times) ??
          describeCandidates(statements, candidates, times),
      ),
    bestChunks: (id, vector, ids) =>
      run(async (statements) => {
        const known = recallChunks(seen.get(statements), vector, ids)
        if (known !== null) return known
        const model = await findModel(statements, id)
        return model === null ? [] : table.findBestChunks(statements, model, { vector, ids })
      }),
    similarByWords: (id, record, isPinned) =>
      withModel(id, [], (statements, model) =>
        findSimilarByWords(statements, { words, model }, { id: record, isPinned }),
      ),
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

type GatherWith = (
  how: Pick<GatherParts, 'near' | 'noteNear'> & Partial<Pick<GatherRequest, 'words'>>,
) => Work<Gathered>

/** Where the time is not enough for words and vectors, one of them: vectors if they came in time, else words. */
async function gatherInTime(
  search: Runners['search'],
  request: GatherRequest,
  gather: GatherWith,
): Promise<Gathered> {
  let near: readonly number[] | null = null
  const noteNear = (rows: readonly number[]) => {
    near = rows
  }
  const both = await search<Gathered | null>(
    gather({ near: null, noteNear }),
    () => null,
    BOTH_SHARE,
  )
  if (both !== null) return both
  const either =
    near === null
      ? gather({ near: [], noteNear, words: request.words })
      : gather({ near, noteNear, words: null })
  return search(either, () => NOTHING_GATHERED)
}

/** The model that embedded a query: it may have been removed since, and even begun anew. */
export async function findSearchable(statements: Statements, id: string): Promise<ModelRow> {
  const model = await readOnce(statements, `model ${id}`, () => findModel(statements, id))
  if (model !== null && model.state !== 'building') return model
  throw new CairnError('embedder_unavailable', {
    message: `The vectors of "${id}" were removed during the search.`,
    hint: 'Search again: another model is active now.',
  })
}
