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
  /** The matches that may be asked for next if this one finds little. A backend may prepare for them. */
  readonly next?: readonly Node[]
}

export type SearchState = Pick<VectorStorage, 'active'> & {
  version(): Promise<string>
  /** The number of records without vectors, and of all records; null if every record has vectors. */
  gaps(): Promise<{ readonly waiting: number; readonly records: number } | null>
}

/** Words are counted in these fields (null: all) of this namespace (null: all). */
export type WordScope = {
  readonly fields: readonly Field[] | null
  readonly namespace: string | null
}

type ListedId = { readonly id: RecordId; readonly isSuperseded: boolean }

/** `total` counts every match, `superseded` the superseded records among them. */
export type ListedPage = {
  readonly listed: readonly ListedId[]
  readonly total: number
  readonly superseded: number
}

/** `bm25` has SQLite's sign: it is below zero, and the lowest is the best. */
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
  /** Null for one namespace: words and pages are counted for the whole file only. */
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

/** Bytes on disk; 0 for a database in memory. */
export type FileSizes = {
  readonly file: number
  readonly wal: number
  /** Free pages inside the file; `cairn optimize --vacuum` returns them to the disk. */
  readonly free: number
  /** Whole pages, counted by SQLite's `dbstat`; null if SQLite was built without it. */
  readonly parts: Readonly<Record<SizePart, number>> | null
}

/** The metrics of a server, counted without reading every record. */
export type Figures = {
  /** Not deleted. */
  readonly records: number
  /** Of the active model. */
  readonly vectors: number
  readonly waiting: number
  readonly bytes: number
  /** The size of the write-ahead log; null for a database server. */
  readonly walBytes: number | null
  /** The connections of this process to a database server; null for a file. `waiting` counts operations that wait for one. */
  readonly connections: {
    readonly open: number
    readonly idle: number
    readonly waiting: number
  } | null
}

export type OverviewRequest = {
  /** Null chooses the shortest step that does not give too many steps. */
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
  /** Stored only if the record is new. */
  readonly facts?: readonly NewFact[]
  /** The row of the session that created the record or, if it existed, reinforced it. */
  readonly createdIn?: number | null
  /** A work that is added later finds its PDF by these. */
  readonly identities?: readonly string[]
}

export type PurgeOutcome = {
  readonly purged: readonly RecordId[]
  /** False on a server, and while another program reads the file: the next checkpoint or vacuum removes the bytes. */
  readonly bytesGone: boolean
}

export type OptimizeOutcome = { readonly bytesBefore: number; readonly bytesAfter: number }

export type BackupRequest = {
  readonly target: string
  readonly force: boolean
  /** Counts pages of the file. */
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void
}

export interface Storage {
  /** Records this author with everything that `work` writes; null records none. */
  signed<T>(author: string | null, work: () => Promise<T>): Promise<T>
  /** Gives `work` a storage that reads one snapshot and cannot write. Other operations wait, so `work` may await only its reads. */
  snapshot<T>(
    work: (snapshot: Storage) => Promise<T>,
    /** After this time, a keyword search stops and returns what it has found. */
    timeLimitMs?: number | null,
  ): Promise<T>
  /**
   * Limits the reads of `work`. At the limit a search returns what it has found; any other read fails with `too_expensive`,
   * or with `cancelled` if the caller is gone. Writes have no limit.
   */
  limited<T>(limit: CallLimit, work: () => Promise<T>): Promise<T>
  /** In a snapshot: whether a search stopped at its time limit. */
  isCut(): boolean
  /** Stops every running and later search that has a time limit. */
  stopSearches(): void
  readonly vectors: VectorStorage
  readonly memory: MemoryStorage
  readonly works: WorksStorage
  readonly imports: ImportStorage
  readonly archive: ArchiveStorage
  readonly tokens: TokenStorage
  readonly log: LogStorage
  /**
   * Adds all records or none, with vectors, facts and usages. Content that the namespace already has is reinforced instead.
   * A session that was never started begins with the first record that names it.
   */
  add(records: readonly Addition[], vectors?: EmbeddedRecords): Promise<AddOutcome[]>
  /** In the order of `ids`, without those that do not exist. `asOfMs` reads the state at that time, also of records deleted since. */
  get(
    ids: readonly RecordId[],
    options?: { readonly deleted?: boolean; readonly asOfMs?: number | undefined },
  ): Promise<CairnRecord[]>
  /** Changes one live record, and its vectors with its text; null if there is no such record. */
  update(id: RecordId, change: RecordChange, vectors?: EmbeddedRecords): Promise<CairnRecord | null>
  softDelete(ids: readonly RecordId[]): Promise<RecordId[]>
  restore(ids: readonly RecordId[]): Promise<RecordId[]>
  /** Removes records and, in the same transaction, rewrites the summaries that quote them. */
  purge(ids: readonly RecordId[], summaries?: readonly SessionSummary[]): Promise<PurgeOutcome>
  /** Oldest first. */
  history(id: RecordId): Promise<Revision[]>
  /** Makes `by` the successor of `id`. */
  supersede(id: RecordId, by: RecordId, how: SupersedeOptions): Promise<SupersedeOutcome>
  reinstate(id: RecordId): Promise<boolean>
  /** For each of these, the chain of records that superseded it; the last one is valid. */
  successors(
    ids: readonly RecordId[],
    atMs: number,
  ): Promise<ReadonlyMap<RecordId, readonly RecordId[]>>
  /** Whether any record is superseded, or was. */
  anySuperseded(): Promise<boolean>
  list(request: ListRequest): Promise<RecordPage>

  /** Here and below, a namespace limits the read to its records; null reads all. */
  resolve(prefix: string, namespace: string | null): Promise<Resolution>
  /** The shortest prefix of each id that is unique. */
  shorten(ids: readonly RecordId[], namespace: string | null): Promise<string[]>

  /** Best first; equal scores in the order in which the records were added. */
  rank(match: WordMatch, page: Page): Promise<RankedPage>
  /** Newest first: records that pass the filter and do not match `unwanted`. */
  newest(filter: Filter, unwanted: WordMatch | null, page: Page): Promise<ListedPage>
  /** Newest first: records that contain this text. For text that holds no word of the index. */
  containing(text: string, filter: Filter, page: Page): Promise<ListedPage>
  weigh(words: readonly Node[], scope: WordScope, best: BestMatch): Promise<WeighedWords>
  missing(words: readonly Node[], scope: WordScope): Promise<boolean[]>
  /** Terms of the index within a small edit distance of each word, best first. */
  nearTerms(words: readonly string[], namespace?: string | null): Promise<NearTerm[][]>

  /** The session, successor, facts and neighbours of each record, in a fixed number of statements. */
  loadHitContext(
    ids: readonly RecordId[],
    request: HitContextRequest,
  ): Promise<ReadonlyMap<RecordId, HitContext>>
  /** A page of all results in another order than by relevance; null if the time limit was reached. */
  sorted(
    found: ResultSet,
    page: Page & { readonly order: FoundOrder },
  ): Promise<{ readonly ids: readonly RecordId[]; readonly total: number } | null>
  /** `wide` counts sources by folder, and the facets that only the web page shows. Null if the time limit was reached. */
  facets(
    found: ResultSet,
    options?: { readonly wide?: boolean },
  ): Promise<{ readonly facets: Facets; readonly total: number } | null>
  /** Oldest first, with the anchor; null if there is no such anchor. */
  timelineAround(request: TimelineAround): Promise<CairnRecord[] | null>
  timelineRange(request: TimelineRange): Promise<RecordPage>

  /** Changes with every commit, of any process. */
  version(): Promise<string>
  /** The state that a search reads before it begins, in one round trip; with a namespace, counts only its records. */
  state(namespace: string | null): Promise<SearchState>
  statistics(namespace?: string | null): Promise<Statistics>
  sizes(): Promise<FileSizes>
  figures(): Promise<Figures>
  overview(request: OverviewRequest): Promise<Overview>
  check(): Promise<Check[]>
  /**
   * Derives the indexes and all other derived data from the records again. Removes damaged vectors, and all vectors of the
   * model `stale`: their records wait to be embedded again.
   */
  rebuild(stale: string | null): Promise<void>
  /** Merges the indexes; `vacuum` also rewrites the file without free pages. Refuses if the disk is too full. */
  optimize(vacuum: boolean): Promise<OptimizeOutcome>
  /** The operations of a storage in one file; null for a database server. */
  readonly file: FileStorage | null
  close(): Promise<void>
}

export interface FileStorage {
  /** False after the file was deleted or replaced: every operation fails from then on. */
  isInPlace(): boolean
  /** Copies a snapshot of the file while others write; returns its bytes. */
  backup(request: BackupRequest): Promise<number>
  /** For the exit of the process: ends the current snapshot, so that a write runs before this turn of the event loop ends. */
  releaseSnapshot(): void
}
