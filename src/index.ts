/** Promise: the front door of the library; everything public, nothing else. */

export { type AddAnswer, Cairn } from './cairn.js'
export {
  type LoadedOptions,
  type LoadOptions,
  loadConfiguration,
} from './configuration/load-configuration.js'
export type {
  ChunkHit,
  ContradictingFact,
  Degradation,
  Explanation,
  FacetName,
  Facets,
  FacetValue,
  FactShown,
  Hit,
  MatchType,
  Pages,
  Range,
  SearchAnswer,
  SimilarAnswer,
  Snippet,
  Successor,
  Suggestion,
  Turn,
} from './core/answer.js'
export { CairnError, ERROR_CODES, type ErrorCode } from './core/errors.js'
export { FACT_TYPES, type FactType } from './core/fact.js'
export type { RecordId } from './core/ids.js'
export { LINK_TYPES, type Link, type LinkView } from './core/link.js'
export { createLog, LOG_LEVELS, type Log, type LogLevel } from './core/log.js'
export type { OverTime, Overview, OverviewStep } from './core/overview.js'
export {
  type CairnRecord,
  DEFAULT_NAMESPACE,
  KINDS,
  type Kind,
  type Metadata,
  type NearDuplicate,
  SECTORS,
  type Sector,
  TIERS,
  type Tier,
} from './core/record.js'
export type { Revision, RevisionEnd } from './core/revision.js'
export {
  type Session,
  type SessionBrief,
  type SessionContext,
  type SessionRecord,
  type SessionState,
  USAGES,
  type Usage,
} from './core/session.js'
export { VERSION } from './core/version.js'
export {
  CITATION_STYLES,
  type CitationStyle,
  EXPORT_FORMATS,
  type ExportFormat,
  NO_DETAILS,
  type PersonName,
  WORK_TYPES,
  type Work,
  type WorkDetails,
  type WorkType,
} from './core/work.js'
export type { EmbedderConfig, Provider } from './embedding/open-embedder.js'
export { type MemoryOptions, type OpenOptions, openCairn } from './engine.js'
export type { BuildProgress } from './indexing/meaning.js'
export type { AnyOperation, Effect, Operation, Option } from './interfaces/operations/operation.js'
export {
  OPERATIONS,
  type OperationAnswer,
  type OperationInput,
  type OperationName,
  operation,
  perform,
  performNamed,
} from './interfaces/operations/operations.js'
export type {
  ArchiveConflict,
  ArchiveCounts,
  ArchiveOptions,
  ArchiveReport,
} from './library/archive.js'
export type { BackupAnswer, BackupOptions } from './library/backup.js'
export type { DoctorAnswer, OptimizeOptions, StatsAnswer, StatsOptions } from './library/care.js'
export type { ExploreAnswer, ExploredNode } from './library/explore.js'
export type { FactListAnswer, Facts } from './library/facts.js'
export type { ExportFilter, StoredWork } from './library/find-works.js'
export type {
  ImportCounts,
  ImportedConflict,
  ImportProgress,
  ImportReport,
  ImportSkipped,
} from './library/import-report.js'
export type {
  ImportAnswer,
  ImportConflict,
  ImportOptions as WorkImportOptions,
  ImportOutcome,
} from './library/import-works.js'

export type { TransferOptions } from './library/importing.js'
export type { CacheOptions } from './library/kept-answers.js'
export type { Lenses, LensShown } from './library/lenses.js'
export type { Links, LinksAnswer } from './library/links.js'
export type { ModelsAnswer } from './library/models.js'
export type {
  ImportedWork,
  Online,
  OnlineAnswer,
  OnlineOptions,
  OpenAlexConfig,
} from './library/openalex.js'
export type { HistoryAnswer, SupersedeAnswer } from './library/past.js'
export type { Moved, ReplayAnswer, Replayed, WhyAnswer } from './library/provenance.js'
export type { GetAnswer } from './library/reading.js'
export type { SessionListAnswer, SessionShown, Sessions } from './library/sessions.js'
export type { StrengthAnswer, StrengthInput } from './library/strength.js'
export type { TimelineAnswer, TimelineEntry } from './library/timeline.js'
export type { Watch, WatchOptions } from './library/watching.js'
export type {
  CitationsAnswer,
  CitedReference,
  CitedWork,
  GivenCitation,
  Works,
} from './library/works.js'
export type { CitationEdge, Step } from './literature/citation-graph.js'
export type { Conflict } from './literature/merge-works.js'
export type { Contradiction } from './memory/contradictions.js'
export type { LensOptions } from './requests/lens-request.js'
export type {
  FactInput,
  FactListInput,
  LinkInput,
  ReplayInput,
  SessionEnd,
  SessionInput,
  SessionListInput,
  SupersedeInput,
  TimelineInput,
  UnlinkInput,
} from './requests/memory-requests.js'
export type { ListInput, RecordInput, RecordPatch } from './requests/record-requests.js'
export type { SearchDefaults, SearchInput } from './requests/search-request.js'
export type {
  ExploreInput,
  ExploreStart,
  OnlineExpandInput,
  OnlineSearchInput,
} from './requests/work-requests.js'
export type { ModelInfo, ModelState, StoredModel } from './storage/meaning.js'
export type {
  Check,
  FileSizes,
  PurgeOutcome,
  RecordPage,
  SizePart,
  Statistics,
} from './storage/storage.js'
export { type ImportFormat, SENTENCES as IMPORT_FORMATS } from './transfer/item.js'
