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
  /** The works it cites, as `doi:…`, `openalex:…`, `arxiv:…` or `key:…`. */
  readonly references: readonly string[]
  /** Records that it supersedes; it takes over their links and their imports. */
  readonly absorbed?: readonly RecordId[]
}

export type WorkUpdate = Pick<NewWork, 'references' | 'absorbed'> & {
  readonly id: RecordId
  readonly change: RecordChange
  /** The vectors of the changed text; null if the text is unchanged or waits to be embedded. */
  readonly vectors: EmbeddedRecords | null
}

export type WorkBatch = {
  readonly namespace: string
  /** The keys that were looked up before, and the works that were found. */
  readonly asked: readonly string[]
  readonly seen: readonly IdentifiedWork[]
  readonly added: readonly NewWork[]
  readonly vectors: EmbeddedRecords | null
  readonly updated: readonly WorkUpdate[]
}

export type Citation = { readonly from: RecordId; readonly to: RecordId }

export type StoredReference = {
  /** The reference of the citation, or a key of the stored work; null if it has none. */
  readonly reference: string | null
  /** Null if the cited work is not stored, or deleted. */
  readonly target: RecordId | null
  /** False also if a stored work of the namespace has this key and another citation leads to it. */
  readonly isUnresolved: boolean
}

export interface WorksStorage {
  /** Oldest first: live works or, with `deleted`, deleted ones. Without a namespace, in all. */
  find(
    namespace: string | null,
    identities: readonly string[],
    options?: { readonly deleted: boolean },
  ): Promise<IdentifiedWork[]>
  /** Works with one of these folded titles, by any author. */
  titled(namespace: string, titles: readonly string[]): Promise<IdentifiedWork[]>
  /**
   * Adds and changes all works or none, with vectors, keys and citations, and resolves the citations that name them.
   * Returns the ids of the added works. Returns null and writes nothing if `seen` is out of date.
   */
  write(batch: WorkBatch): Promise<RecordId[] | null>
  /** The citations of these works, or the citations to them, among stored works. */
  citations(ids: readonly RecordId[], direction: 'references' | 'citations'): Promise<Citation[]>
  /** The references of each work, in their order; with a namespace, without targets outside of it. */
  references(
    ids: readonly RecordId[],
    namespace?: string | null,
  ): Promise<ReadonlyMap<RecordId, readonly StoredReference[]>>
  /** Returns the number of new citations. */
  cite(citations: readonly Citation[]): Promise<number>
}

/** Each row is a citation of the work `source`. */
export function groupReferences(
  ids: readonly RecordId[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Map<RecordId, StoredReference[]> {
  const found = new Map<RecordId, StoredReference[]>(ids.map((id) => [id, []]))
  for (const { source, reference, target, isKnown } of rows) {
    const isUnresolved = target === null && !isKnown
    found.get(source as RecordId)?.push({ reference, target, isUnresolved } as StoredReference)
  }
  return found
}
