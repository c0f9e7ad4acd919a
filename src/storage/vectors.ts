/** The storage interface for vectors, keyed by the model that made them. */

import type { Degradation } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { TextInContext, TitledText } from '../core/passage.js'
import type { Field, Node } from '../query/tree.js'
import type {
  CandidateFacts,
  FactTimes,
  Gathered,
  GatheredRecord,
  GatherRequest,
} from './search.js'

/** How a model is opened again; never holds a key. */
export type ModelConfig = Readonly<Record<string, string | number>>

export type ModelInfo = {
  readonly id: string
  readonly dimensions: number
  /** Below this cosine two texts do not match. */
  readonly floor: number
  /** From this cosine on, vectors alone are a good enough answer. */
  readonly cascadeThreshold: number
  readonly config: ModelConfig
}

/** `active` serves searches, `building` is being filled beside it, `idle` was replaced and can be removed. */
export type ModelState = 'active' | 'building' | 'idle'

export type StoredModel = ModelInfo & {
  readonly state: ModelState
  readonly records: number
  readonly vectors: number
  /** Null for one namespace: a block holds the vectors of several. */
  readonly bytes: number | null
}

/** `start` and `end` are a range of the record's body. */
export type ChunkVector = {
  readonly start: number
  readonly end: number
  readonly vector: Float32Array
}

/** What a model makes of one record. No chunks: the model knows none of its words. */
export type RecordVectors = {
  /** Vectors of a text that has changed since are not stored. */
  readonly of: TextInContext
  readonly chunks: readonly ChunkVector[]
  /** The normalised mean of several chunks; null where there is one at most. */
  readonly whole: Float32Array | null
}

/** Vectors for a list of records, in their order; null for a record that has to wait. */
export type EmbeddedRecords = {
  readonly model: ModelInfo
  readonly vectors: readonly (RecordVectors | null)[]
}

export type PendingText = TextInContext & { readonly id: RecordId }
/** With the vector of the whole text. */
export type EmbeddedText = TextInContext & { readonly vector: Float32Array }
export type PastState = { readonly record: RecordId; readonly number: number }
/** An earlier state of a record. */
export type PastText = TitledText & PastState & { readonly row: number }

export type NearSearch = {
  readonly model: string
  readonly vector: Float32Array
  readonly limit: number
  /** So many of the best are in their exact order, and the others are only counted. Default: all. */
  readonly ordered?: number
  readonly minSimilarity: number
  readonly filter: Filter
  /** Only records that these words match, and none that those do. */
  readonly required: Node | null
  readonly unwanted: Node | null
  readonly fields: readonly Field[] | null
  readonly exclude: readonly RecordId[]
  /** True takes the similarities of the vectors in memory, a byte a dimension. */
  readonly rounded?: boolean
}

export type NearRecord = {
  readonly id: RecordId
  readonly similarity: number
  /** The chunk that came nearest; null for a text of the past. */
  readonly chunk: { readonly index: number; readonly start: number; readonly end: number } | null
  readonly isSuperseded: boolean
}

export type EmbeddedQuery =
  | {
      readonly kind: 'vector'
      readonly vector: Float32Array
      readonly model: ModelInfo
      /** From this cosine on, a record is perhaps related. */
      readonly weakFloor: number
      /** Into how many pieces the model splits a word; null where it cannot tell. */
      readonly countPieces: ((word: string) => number) | null
      readonly degraded: Degradation | null
    }
  | { readonly kind: 'none'; readonly degraded: Degradation | null }

export type SimilarRecord = { readonly id: RecordId; readonly similarity: number }

export interface VectorStorage {
  /** With a namespace, counts what is in it. */
  models(namespace?: string | null): Promise<StoredModel[]>
  active(): Promise<ModelInfo | null>
  /** Makes a model known. The first of a file is active at once, a later one is built beside it. */
  register(model: ModelInfo): Promise<ModelState>
  /** Texts that the model has not embedded yet; without a model, all that wait for the first one. */
  listPending(model: string, limit: number): Promise<PendingText[]>
  anyPending(): Promise<boolean>
  /** How many live records the active model has not embedded, of how many; 0 of 0 without a model. */
  coverage(
    namespace?: string | null,
  ): Promise<{ readonly waiting: number; readonly records: number }>
  /** A record whose text has changed since stays pending. */
  storeVectors(
    model: ModelInfo,
    read: readonly { id: RecordId; vectors: RecordVectors }[],
  ): Promise<void>
  /** Activates the model if it has embedded every live record. */
  activate(model: string): Promise<boolean>
  /** Forgets a model and its vectors; the active one is refused. */
  remove(model: string): Promise<boolean>
  /** Best first; ties in the order the records were added. */
  nearest(search: NearSearch): Promise<NearRecord[]>
  /** Candidates by words and by vectors, each scored on both sides. */
  gather(request: GatherRequest): Promise<Gathered>
  /** In the order of the candidates; null for one that is gone. */
  describe(
    candidates: readonly GatheredRecord[],
    times: FactTimes,
  ): Promise<(CandidateFacts | null)[]>
  /** The nearest chunk of each record; a record without vectors is left out. */
  bestChunks(model: string, vector: Float32Array, ids: readonly RecordId[]): Promise<NearRecord[]>
  /**
   * Records of the same namespace that share rare words with this one, best first; looks at a bounded number of them.
   * `isPinned`: which words are rare is decided within the namespace.
   */
  similarByWords(model: string, id: RecordId, isPinned: boolean): Promise<SimilarRecord[]>
  getVector(model: string, id: RecordId): Promise<Float32Array | null>
  /** Vectors of texts that were embedded before, in order. */
  getCached(model: string, texts: readonly string[]): Promise<(Float32Array | null)[]>
  storeCached(
    model: string,
    texts: readonly string[],
    vectors: readonly Float32Array[],
  ): Promise<void>
  /** Some texts that the model has embedded as they are now. */
  sample(model: string, limit: number): Promise<EmbeddedText[]>
  /** What the model made of these records as they are now, in order; null where they have to be embedded. */
  read(model: string, ids: readonly RecordId[]): Promise<(RecordVectors | null)[]>
  /** Those of these records that have to be embedded. */
  listMissing(model: string, ids: readonly RecordId[]): Promise<RecordId[]>
  /** What the model made of the whole text of earlier states, in order; null where it made nothing. */
  readPast(model: string, states: readonly PastState[]): Promise<(Float32Array | null)[]>
  /** Earlier states without vectors, in the order of their rows, after this row. */
  listPastPending(after: number, limit: number): Promise<PastText[]>
  storePast(
    model: ModelInfo,
    embedded: readonly { readonly row: number; readonly vectors: RecordVectors }[],
  ): Promise<void>
}
