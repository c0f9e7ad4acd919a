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

/** The settings to open a model again; never holds a key. */
export type ModelConfig = Readonly<Record<string, string | number>>

export type ModelInfo = {
  readonly id: string
  readonly dimensions: number
  /** Two texts with a lower cosine do not match. */
  readonly floor: number
  /** At this cosine or above, vectors alone answer well enough. */
  readonly cascadeThreshold: number
  readonly config: ModelConfig
}

/** `active` serves searches, `building` is filled beside it, `idle` was replaced and can be removed. */
export type ModelState = 'active' | 'building' | 'idle'

export type StoredModel = ModelInfo & {
  readonly state: ModelState
  readonly records: number
  readonly vectors: number
  /** Null for one namespace: a block holds vectors of several namespaces. */
  readonly bytes: number | null
}

/** `start` and `end` are a range of the record's body. */
export type ChunkVector = {
  readonly start: number
  readonly end: number
  readonly vector: Float32Array
}

/** The vectors of one record. A record without a word that the model knows has no chunks. */
export type RecordVectors = {
  /** The text that was embedded: if the record has changed since, its vectors are not stored. */
  readonly of: TextInContext
  readonly chunks: readonly ChunkVector[]
  /** The normalised mean of several chunks; null for one chunk or none. */
  readonly whole: Float32Array | null
}

/** The vectors of a list of records, in its order; null for a record that waits to be embedded. */
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
  /** The number of best records to order exactly; the others are only counted. Default: all. */
  readonly ordered?: number
  readonly minSimilarity: number
  readonly filter: Filter
  /** Only records that match `required` and do not match `unwanted`. */
  readonly required: Node | null
  readonly unwanted: Node | null
  readonly fields: readonly Field[] | null
  readonly exclude: readonly RecordId[]
  /** True compares the vectors in memory, which have one byte per dimension. */
  readonly rounded?: boolean
}

export type NearRecord = {
  readonly id: RecordId
  readonly similarity: number
  /** The nearest chunk; null for a past state. */
  readonly chunk: { readonly index: number; readonly start: number; readonly end: number } | null
  readonly isSuperseded: boolean
}

export type EmbeddedQuery =
  | {
      readonly kind: 'vector'
      readonly vector: Float32Array
      readonly model: ModelInfo
      /** At this cosine or above, a record may be related. */
      readonly weakFloor: number
      /** Counts the pieces into which the model splits a word; null if it cannot tell. */
      readonly countPieces: ((word: string) => number) | null
      readonly degraded: Degradation | null
    }
  | { readonly kind: 'none'; readonly degraded: Degradation | null }

export type SimilarRecord = { readonly id: RecordId; readonly similarity: number }

export interface VectorStorage {
  /** With a namespace, counts only its records. */
  models(namespace?: string | null): Promise<StoredModel[]>
  active(): Promise<ModelInfo | null>
  /** Registers a model. The first one is active at once, a later one is built beside it. */
  register(model: ModelInfo): Promise<ModelState>
  /** Texts that the model has not embedded yet; if there is no model, all texts. */
  listPending(model: string, limit: number): Promise<PendingText[]>
  anyPending(): Promise<boolean>
  /** The number of live records without vectors of the active model, and of all live records; both 0 without a model. */
  coverage(
    namespace?: string | null,
  ): Promise<{ readonly waiting: number; readonly records: number }>
  /** A record whose text has changed in the meantime stays pending. */
  storeVectors(
    model: ModelInfo,
    read: readonly { id: RecordId; vectors: RecordVectors }[],
  ): Promise<void>
  /** Activates the model if it has embedded every live record. */
  activate(model: string): Promise<boolean>
  /** Removes a model and its vectors; refuses the active model. */
  remove(model: string): Promise<boolean>
  /** Best first; ties in the order in which the records were added. */
  nearest(search: NearSearch): Promise<NearRecord[]>
  /** Candidates by words and by vectors, each scored by both. */
  gather(request: GatherRequest): Promise<Gathered>
  /** In the order of the candidates; null for one that is gone. */
  describe(
    candidates: readonly GatheredRecord[],
    times: FactTimes,
  ): Promise<(CandidateFacts | null)[]>
  /** The nearest chunk of each record, without records that have no vectors. */
  bestChunks(model: string, vector: Float32Array, ids: readonly RecordId[]): Promise<NearRecord[]>
  /**
   * Records of the same namespace that share rare words with this one, best first; compares a bounded number of records.
   * With `isPinned`, only the namespace decides which words are rare.
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
  /** Some texts whose stored vectors are up to date. */
  sample(model: string, limit: number): Promise<EmbeddedText[]>
  /** The vectors of these records, in order; null for a record that has to be embedded. */
  read(model: string, ids: readonly RecordId[]): Promise<(RecordVectors | null)[]>
  /** The records among these that have to be embedded. */
  listMissing(model: string, ids: readonly RecordId[]): Promise<RecordId[]>
  /** The vectors of the whole text of earlier states, in order; null for a state without one. */
  readPast(model: string, states: readonly PastState[]): Promise<(Float32Array | null)[]>
  /** Earlier states without vectors, in the order of their rows, after this row. */
  listPastPending(after: number, limit: number): Promise<PastText[]>
  storePast(
    model: ModelInfo,
    embedded: readonly { readonly row: number; readonly vectors: RecordVectors }[],
  ): Promise<void>
}
