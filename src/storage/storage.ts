/** The storage interface: whole operations, each in one transaction. */

import type { Facets, Overview, OverviewStep, RankedBy } from '../core/answer.js'
import type { CallLimit } from '../core/call-limits.js'
import type { NewFact } from '../core/fact.js'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type {
  AddOutcome,
  CairnRecord,
  Kind,
  NewRecord,
  RecordChange,
  Revision,
} from '../core/record.js'
import type { Field, Node } from '../query/tree.js'
import type { ArchiveStorage } from './archive.js'
import type { ImportStorage } from './imports.js'
import type { LogStorage } from './log.js'
import type { MemoryStorage, SessionSummary } from './memory.js'
import type {
  BestMatch,
  FoundOrder,
  HitContext,
  HitContextRequest,
  ResultSet,
  TimelineAround,
  TimelineRange,
  WeighedWords,
} from './search.js'
import type { TokenStorage } from './tokens.js'
import type { EmbeddedRecords, VectorStorage } from './vectors.js'
import type { WorksStorage } from './works.js'

export type Page = { readonly limit: number; readonly offset: number }

export type WordMatch = {
  readonly root: Node
  /** Scopes every word; null searches all fields. */
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  /** What may be asked for next, where this finds little: a backend may prepare for it. */
  readonly next?: readonly Node[]
}

export type SearchState = Pick<VectorStorage, 'active'> & {
  version(): Promise<string>
  /** How many records have no vectors yet, of how many; null where all have some. */
  gaps(): Promise<{ readonly waiting: number; readonly records: number } | null>
}

/** Where words are counted: in these fields (null: all) of this namespace (null: all). */
export type WordScope = {
  readonly fields: readonly Field[] | null
  readonly namespace: string | null
}

type ListedId = { readonly id: RecordId; readonly isSuperseded: boolean }

/** `total` counts everything that matches, and `superseded` those of them. */
export type ListedPage = {
  readonly listed: readonly ListedId[]
  readonly total: number
  readonly superseded: number
}

/** `bm25` is SQLite's: below zero, the least is the best. */
export type RankedPage = Omit<ListedPage, 'listed'> & {
  readonly ranked: readonly (ListedId & { readonly bm25: number })[]
  readonly rankedBy: RankedBy
}

export type ListRequest = {
  readonly filter: Filter
  readonly limit: number
  readonly cursor: string | null
  readonly deleted: boolean
}

export type RecordPage = { readonly records: readonly CairnRecord[]; readonly next: string | null }

export type NearTerm = {
  readonly word: string
  readonly records: number
  readonly distance: number
}

export type Statistics = {
  readonly records: Readonly<Record<Kind, number>>
  readonly deleted: number
  readonly superseded: number
  readonly namespaces: Readonly<Record<string, number>>
  readonly tags: Readonly<Record<string, number>>
  /** Null for one namespace: the words and pages of a file are not divided by namespaces. */
  readonly terms: number | null
  readonly bytes: number | null
  readonly format: number
  readonly newestAt: string | null
}

/** Each table of a file, with its indexes, belongs to one part. */
export const SIZE_PARTS = [
  ...(['texts', 'fullText', 'vectors', 'past', 'works', 'links'] as const),
  ...(['facts', 'sessions', 'recalls', 'imports', 'other'] as const),
] as const
export type SizePart = (typeof SIZE_PARTS)[number]

/** In bytes, on the disk; 0 for what is only in memory. */
export type FileSizes = {
  readonly file: number
  readonly wal: number
  /** Free pages inside of the file; `cairn optimize --vacuum` gives them back. */
  readonly free: number
  /** Whole pages, counted by SQLite's `dbstat`; null where SQLite was built without it. */
  readonly parts: Readonly<Record<SizePart, number>> | null
}

/** What a server is watched by, counted without reading every record. */
export type Figures = {
  /** Not deleted. */
  readonly records: number
  /** Of the active model. */
  readonly vectors: number
  readonly waiting: number
  readonly bytes: number
  /** Written and not yet in the file; null for a database server. */
  readonly walBytes: number | null
  /** Of this process to a database server; null for a file. `waiting` are operations that wait for one. */
  readonly connections: {
    readonly open: number
    readonly idle: number
    readonly waiting: number
  } | null
}

export type OverviewRequest = {
  /** Null: the shortest step that does not make too many of them. */
  readonly by: OverviewStep | null
  readonly namespaces: readonly string[] | null
  readonly nowMs: number
  readonly decay: number
}

export type Check = { readonly name: string; readonly ok: boolean; readonly detail: string }

export type Resolution =
  | { readonly kind: 'found'; readonly id: RecordId }
  | { readonly kind: 'ambiguous'; readonly ids: readonly RecordId[] }
  | { readonly kind: 'missing' }

export type SupersedeOptions = { readonly author: string | null; readonly note: string | null }

/** `circle`: the newer record is, or was, itself superseded by the older one. */
export type SupersedeOutcome = 'done' | 'circle' | 'superseded' | 'gone'

export type Addition = NewRecord & {
  /** Stored where the record is new. */
  readonly facts?: readonly NewFact[]
  /** The row of the session that created the record or, where it existed, reinforced it. */
  readonly createdIn?: number | null
  /** By which a work that comes later finds its PDF. */
  readonly identities?: readonly string[]
}

export type PurgeOutcome = {
  readonly purged: readonly RecordId[]
  /** False while another program reads the file, and on a server: the bytes go with the next checkpoint or vacuum. */
  readonly bytesGone: boolean
}

export type OptimizeOutcome = { readonly bytesBefore: number; readonly bytesAfter: number }

export type BackupRequest = {
  readonly target: string
  readonly force: boolean
  /** Pages of the file. */
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void
}

export interface Storage {
  /** Whatever `work` writes has this author; null: none. */
  signed<T>(author: string | null, work: () => Promise<T>): Promise<T>
  /** Gives `work` a storage that reads one snapshot and cannot write. Others wait, so `work` may await nothing but its reads. */
  snapshot<T>(
    work: (snapshot: Storage) => Promise<T>,
    /** After this time, searches by words stop with what they have found. */
    timeLimitMs?: number | null,
  ): Promise<T>
  /**
   * Whatever `work` reads has this limit: a search answers with what it has found, any other read fails with `too_expensive`,
   * or with `cancelled` where the caller is gone. Writes have none.
   */
  limited<T>(limit: CallLimit, work: () => Promise<T>): Promise<T>
  /** In a snapshot: whether a search had to stop because the time was up. */
  isCut(): boolean
  /** Leaves no time to searches with a time limit, running ones and later ones. */
  stopSearches(): void
  readonly vectors: VectorStorage
  readonly memory: MemoryStorage
  readonly works: WorksStorage
  readonly imports: ImportStorage
  readonly archive: ArchiveStorage
  readonly tokens: TokenStorage
  readonly log: LogStorage
  /**
   * Adds all or none, with vectors, facts and usages. Content that its namespace has already is reinforced instead.
   * A session of its namespace that was never started begins with the first record that names it.
   */
  add(records: readonly Addition[], vectors?: EmbeddedRecords): Promise<AddOutcome[]>
  /** In the order asked, without those that do not exist. `asOfMs` reads the state at that time, also of records deleted since. */
  get(
    ids: readonly RecordId[],
    options?: { readonly deleted?: boolean; readonly asOfMs?: number | undefined },
  ): Promise<CairnRecord[]>
  /** Changes one live record, and its vectors with its text; null where there is none. */
  update(id: RecordId, change: RecordChange, vectors?: EmbeddedRecords): Promise<CairnRecord | null>
  softDelete(ids: readonly RecordId[]): Promise<RecordId[]>
  restore(ids: readonly RecordId[]): Promise<RecordId[]>
  /** Removes records and, in the same transaction, rewrites the summaries that quote them. */
  purge(ids: readonly RecordId[], summaries?: readonly SessionSummary[]): Promise<PurgeOutcome>
  /** Oldest first. */
  history(id: RecordId): Promise<Revision[]>
  /** From now on `by` replaces `id`. */
  supersede(id: RecordId, by: RecordId, how: SupersedeOptions): Promise<SupersedeOutcome>
  reinstate(id: RecordId): Promise<boolean>
  /** The chain of records that superseded each of these, the last one valid. */
  successors(
    ids: readonly RecordId[],
    atMs: number,
  ): Promise<ReadonlyMap<RecordId, readonly RecordId[]>>
  /** Also where it is no longer. */
  anySuperseded(): Promise<boolean>
  list(request: ListRequest): Promise<RecordPage>

  /** Here and below, a namespace limits everything that is read to it; null: no limit. */
  resolve(prefix: string, namespace: string | null): Promise<Resolution>
  /** The shortest beginnings that still name each record alone. */
  shorten(ids: readonly RecordId[], namespace: string | null): Promise<string[]>

  /** Best first; equal scores in the order the records were added. */
  rank(match: WordMatch, page: Page): Promise<RankedPage>
  /** Newest first: what passes the filter and does not match `unwanted`. */
  newest(filter: Filter, unwanted: WordMatch | null, page: Page): Promise<ListedPage>
  /** Newest first: records that contain this text, for text that the index has no words for. */
  containing(text: string, filter: Filter, page: Page): Promise<ListedPage>
  weigh(words: readonly Node[], scope: WordScope, best: BestMatch): Promise<WeighedWords>
  missing(words: readonly Node[], scope: WordScope): Promise<boolean[]>
  /** Terms of the index within a few typing mistakes of each word, best first. */
  nearTerms(words: readonly string[], namespace?: string | null): Promise<NearTerm[][]>

  /** The session, successor, facts and neighbours of each record, in a fixed number of statements. */
  loadHitContext(
    ids: readonly RecordId[],
    request: HitContextRequest,
  ): Promise<ReadonlyMap<RecordId, HitContext>>
  /** A page of everything that was found, in another order than by relevance; null where the time was up. */
  sorted(
    found: ResultSet,
    page: Page & { readonly order: FoundOrder },
  ): Promise<{ readonly ids: readonly RecordId[]; readonly total: number } | null>
  /** `wide`: sources by folder, and the facets that only the page shows. Null where the time was up. */
  facets(
    found: ResultSet,
    options?: { readonly wide?: boolean },
  ): Promise<{ readonly facets: Facets; readonly total: number } | null>
  /** Oldest first, with the anchor; null where it is unknown. */
  timelineAround(request: TimelineAround): Promise<CairnRecord[] | null>
  timelineRange(request: TimelineRange): Promise<RecordPage>

  /** Changes with every commit of any process. */
  version(): Promise<string>
  /** What a search reads before it begins, in one round trip; with a namespace, counts what is in it. */
  state(namespace: string | null): Promise<SearchState>
  statistics(namespace?: string | null): Promise<Statistics>
  sizes(): Promise<FileSizes>
  figures(): Promise<Figures>
  overview(request: OverviewRequest): Promise<Overview>
  check(): Promise<Check[]>
  /**
   * Derives the indexes and everything else from the records again. Vectors that have changed are forgotten, and all of the
   * model `stale`: their records wait.
   */
  rebuild(stale: string | null): Promise<void>
  /** Merges the indexes; `vacuum` also rewrites the file without gaps. Refused where the disk is too full. */
  optimize(vacuum: boolean): Promise<OptimizeOutcome>
  /** What only a storage in one file can do; null for a database server. */
  readonly file: FileStorage | null
  close(): Promise<void>
}

export interface FileStorage {
  /** False once the file was deleted or replaced by another: then every operation fails. */
  isInPlace(): boolean
  /** Copies a snapshot of the file while others write; returns its bytes. */
  backup(request: BackupRequest): Promise<number>
  /** When the process exits: ends the snapshot that is held, so that a write runs at once, before this turn ends. */
  releaseSnapshot(): void
}
