/** The public exports of the library. */

export type {
  ArchiveConflict,
  ArchiveCounts,
  ArchiveOptions,
  ArchiveReport,
  BackupAnswer,
  BackupOptions,
  ExportAllOptions,
  LostEntries,
} from './cairn/archive.js'
export type { Ask, AskOptions } from './cairn/ask.js'
export { Cairn } from './cairn/cairn.js'
export type { CopyOptions, CopyReport } from './cairn/copy.js'
export type { ExploreAnswer, ExploredNode } from './cairn/explore.js'
export type { FactListAnswer, Facts } from './cairn/facts.js'
export type {
  HistoryAnswer,
  Moved,
  ReplayAnswer,
  Replayed,
  SupersedeAnswer,
  WhyAnswer,
} from './cairn/history.js'
export type {
  ImportCounts,
  ImportedConflict,
  ImportProgress,
  ImportReport,
  ImportSkipped,
  TransferOptions,
  WatchOptions,
} from './cairn/import.js'
export type {
  ImportAnswer,
  ImportConflict,
  ImportOptions as WorkImportOptions,
  ImportOutcome,
} from './cairn/import-works.js'
export type { Lenses, LensShown } from './cairn/lenses.js'
export type { Links, LinksAnswer } from './cairn/links.js'
export type { DoctorAnswer, StatsAnswer } from './cairn/maintenance.js'
export type {
  MirrorChange,
  MirrorConflict,
  MirrorCounts,
  MirrorReport,
  MirrorWatchOptions,
} from './cairn/mirror.js'
export type { ModelProbe } from './cairn/model-probes.js'
export type { ModelsAnswer } from './cairn/models.js'
export { type MemoryOptions, type OpenOptions, openCairn } from './cairn/open.js'
export type {
  ImportedWork,
  Online,
  OnlineAnswer,
  OnlineOptions,
  OpenAlexConfig,
} from './cairn/openalex.js'
export type { AddAnswer, GetAnswer, StrengthAnswer } from './cairn/records.js'
export type { SessionListAnswer, SessionShown, Sessions } from './cairn/sessions.js'
export type { TimelineAnswer, TimelineEntry } from './cairn/timeline.js'
export type { Watch } from './cairn/watch.js'
export type {
  CitationsAnswer,
  CitedReference,
  CitedWork,
  ExportFilter,
  GivenCitation,
  StoredWork,
  Works,
} from './cairn/works.js'
export {
  type LoadedOptions,
  type LoadOptions,
  loadConfiguration,
} from './config/load-configuration.js'
export type * from './core/answer.js'
export type {
  ChatConfig,
  ChatModel,
  ChatOptions,
  ChatReply,
  OwnChatModel,
} from './core/chat-model.js'
export type { ChatProvider, ChatRequest } from './core/chat-protocols.js'
export { CairnError, ERROR_CODES, type ErrorCode } from './core/errors.js'
export { FACT_TYPES, type FactType } from './core/fact.js'
export type { RecordId } from './core/ids.js'
export { createLog, LOG_LEVELS, type Log, type LogLevel } from './core/log.js'
export type * from './core/record.js'
export { DEFAULT_NAMESPACE, KINDS, LINK_TYPES, SECTORS, TIERS, USAGES } from './core/record.js'
export { VERSION } from './core/version.js'
export * from './core/work.js'
export type { BuildProgress } from './embedding/indexer.js'
export { type EmbedderConfig, loadEmbedder, type Provider } from './embedding/open-embedder.js'
export type { OwnEmbedder } from './embedding/own-embedder.js'
export { FORMAT_DESCRIPTIONS as IMPORT_FORMATS, type ImportFormat } from './import/importer.js'
export type { CitationEdge, Step } from './literature/explore.js'
export type { Conflict } from './literature/merge-works.js'
export type { Contradiction } from './memory/contradictions.js'
export type { AnyOperation, Effect, Operation } from './operations/operation.js'
export * from './operations/operations.js'
export type {
  FactInput,
  FactListInput,
  LinkInput,
  ReplayInput,
  SessionEnd,
  SessionInput,
  SessionListInput,
  StrengthInput,
  SupersedeInput,
  TimelineInput,
  UnlinkInput,
} from './schemas/memory-requests.js'
export type {
  ListInput,
  MirrorInput,
  OptimizeOptions,
  RecordInput,
  RecordPatch,
  StatsOptions,
} from './schemas/record-requests.js'
export type {
  AskInput,
  LensOptions,
  SearchDefaults,
  SearchInput,
} from './schemas/search-request.js'
export type {
  ExploreInput,
  ExploreStart,
  OnlineExpandInput,
  OnlineSearchInput,
} from './schemas/work-requests.js'
export type { CacheOptions } from './search/cache.js'
export type {
  Check,
  FileSizes,
  PurgeOutcome,
  RecordPage,
  SizePart,
  Statistics,
} from './storage/storage.js'
export type { ModelInfo, ModelState, StoredModel } from './storage/vectors.js'
