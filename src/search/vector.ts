/** A vector gives one ranked list of ids, each with the chunk that came nearest. */

import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { constraintsOf } from '../query/constraints.js'
import type { Field, Node } from '../query/tree.js'
import type { Page, Storage } from '../storage/storage.js'
import type { EmbeddedQuery, ModelInfo } from '../storage/vectors.js'
import type { FoundPage } from './found.js'

export type QueryEmbedder = (text: string, useVector: boolean) => Promise<EmbeddedQuery>

export type VectorSearch = {
  readonly model: ModelInfo
  readonly vector: Float32Array
  /** What the query insists on holds here as well. */
  readonly root: Node | null
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  /** Null takes the model's own floor. */
  readonly threshold: number | null
  readonly exclude: readonly RecordId[]
  readonly page: Page
}

export async function findByVector(storage: Storage, search: VectorSearch): Promise<FoundPage> {
  const { model, vector, fields, filter, exclude } = search
  const { limit, offset } = search.page
  const near = await storage.vectors.nearest({
    model: model.id,
    vector,
    // One more than is shown tells whether there are more.
    limit: offset + limit + 1,
    minSimilarity: search.threshold ?? model.floor,
    filter,
    fields,
    exclude,
    ...constraintsOf(search.root),
  })
  const isExact = near.length <= offset + limit
  return {
    found: near.slice(offset, offset + limit).map((record) => ({
      ...record,
      bm25: null,
      relaxed: null,
      matchType: 'semantic',
      explanation: null,
    })),
    total: near.length,
    superseded: near.filter((record) => record.isSuperseded).length,
    isExact,
    relaxed: false,
    // Words that stand in a hit are marked, whether they were all asked for or not.
    widest: 'any',
    rankedBy: null,
  }
}
