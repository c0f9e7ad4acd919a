/** The storage interface for works: find by key, write with citations, follow citations both ways. */

import type { RecordId } from '../core/ids.js'
import type { CairnRecord, NewRecord, RecordChange } from '../core/record.js'
import type { WorkDetails } from '../core/work.js'
import type { EmbeddedRecords } from './vectors.js'

export const CITES = 'CITES'

export type IdentifiedWork = Pick<CairnRecord, 'id' | 'namespace' | 'updatedAt'> & {
  readonly isSuperseded: boolean
  readonly identities: readonly string[]
}

export type NewWork = {
  readonly record: NewRecord
  readonly work: WorkDetails
  readonly identities: readonly string[]
  /** What it cites, as `doi:…`, `openalex:…`, `arxiv:…` or `key:…`. */
  readonly references: readonly string[]
  /** Records that it supersedes; it gets their links and what was imported as them. */
  readonly absorbed?: readonly RecordId[]
}

export type WorkUpdate = Pick<NewWork, 'references' | 'absorbed'> & {
  readonly id: RecordId
  readonly change: RecordChange
  /** Of the changed text; null where the text stays or has to wait. */
  readonly vectors: EmbeddedRecords | null
}

export type WorkBatch = {
  readonly namespace: string
  /** The keys that were looked up before, and what was found. */
  readonly asked: readonly string[]
  readonly seen: readonly IdentifiedWork[]
  readonly added: readonly NewWork[]
  readonly vectors: EmbeddedRecords | null
  readonly updated: readonly WorkUpdate[]
}

export type Citation = { readonly from: RecordId; readonly to: RecordId }

export type StoredReference = {
  /** As the citation names it, or a key of the stored work; null where that has none. */
  readonly reference: string | null
  /** Null where it is not stored, or deleted. */
  readonly target: RecordId | null
  /** False where a stored work of the namespace has this key, though another citation leads there. */
  readonly isUnresolved: boolean
}

export interface WorksStorage {
  /** The oldest first: works that exist or, if asked, those that were deleted. Without a namespace, in all. */
  find(
    namespace: string | null,
    identities: readonly string[],
    options?: { readonly deleted: boolean },
  ): Promise<IdentifiedWork[]>
  /** Works with one of these titles (folded), whoever wrote them. */
  titled(namespace: string, titles: readonly string[]): Promise<IdentifiedWork[]>
  /**
   * Adds and changes all or none, with vectors, keys and citations, and leads every citation that waited for one of
   * them to it. Gives the ids of the added; null, and nothing is written, where what was seen has changed since.
   */
  write(batch: WorkBatch): Promise<RecordId[] | null>
  /** Citations that leave these works or arrive at them, among works that are there, in one read. */
  citations(ids: readonly RecordId[], direction: 'references' | 'citations'): Promise<Citation[]>
  /** What each work cites, in the order it was given; nothing of works outside the namespace, where one is given. */
  references(
    ids: readonly RecordId[],
    namespace?: string | null,
  ): Promise<ReadonlyMap<RecordId, readonly StoredReference[]>>
  /** Returns how many are new. */
  cite(citations: readonly Citation[]): Promise<number>
}
