/** Promise: the front door of the library; everything public, nothing else. */

export {
  type AddAnswer,
  Cairn,
  type DoctorAnswer,
  type GetAnswer,
  type StatsAnswer,
} from './cairn.js'
export type {
  ChunkHit,
  Degradation,
  Explanation,
  Hit,
  MatchType,
  Range,
  SearchAnswer,
  SimilarAnswer,
  Snippet,
  Suggestion,
} from './core/answer.js'
export { CairnError, ERROR_CODES, type ErrorCode } from './core/errors.js'
export type { RecordId } from './core/ids.js'
export { createLog, LOG_LEVELS, type Log, type LogLevel } from './core/log.js'
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
export { VERSION } from './core/version.js'
export type { EmbedderConfig, Provider } from './embedding/open-embedder.js'
export { type OpenOptions, openCairn } from './engine.js'
export type { BuildProgress } from './indexing/meaning.js'
export type { ListInput, RecordInput, RecordPatch } from './requests/record-requests.js'
export type { SearchInput } from './requests/search-request.js'
export type { ModelInfo, ModelState, StoredModel } from './storage/meaning.js'
export type { Check, PurgeOutcome, RecordPage, Statistics } from './storage/storage.js'
