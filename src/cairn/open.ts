/** Opens a Cairn file and everything that all callers share. `view.ts` builds the modules for each caller. */

import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import type { ChatConfig, OwnChatModel } from '../core/chat-model.js'
import { badInput } from '../core/errors.js'
import { EXTRACTORS, type Extractor } from '../core/fact.js'
import { REAL_TIMERS } from '../core/http-client.js'
import { type Log, silentLog } from '../core/log.js'
import { DEFAULT_NAMESPACE } from '../core/record.js'
import { REINFORCEMENT } from '../core/salience.js'
import type { Clock } from '../core/time.js'
import { Indexer } from '../embedding/indexer.js'
import type { EmbedderConfig } from '../embedding/open-embedder.js'
import { createOutages } from '../embedding/outages.js'
import type { OwnEmbedder } from '../embedding/own-embedder.js'
import { assertNames, check } from '../schemas/check.js'
import { type SearchDefaults, searchDefaults } from '../schemas/search-request.js'
import { type CacheOptions, createSearchCache } from '../search/cache.js'
import type { Storage } from '../storage/storage.js'
import type { Cairn } from './cairn.js'
import type { ModelMemory } from './model-memory.js'
import { type Arithmetic, openStorage } from './open-storage.js'
import type { OpenAlexConfig } from './openalex.js'
import { createRecalls } from './recalls.js'
import { createViews } from './view.js'

/** One search must not keep the other callers of a server waiting. */
export const SERVER_TIME_LIMIT_MS = 5000

export type OpenOptions = {
  /** The path of the file, `:memory:`, or the same as `url`. */
  readonly file?: string
  /** Instead of a file, a PostgreSQL database with pgvector: `postgres://user@host/name?schema=cairn`. */
  readonly url?: string
  /** The namespace of writes that name none. Default: `default`. */
  readonly namespace?: string
  /** Nothing outside `namespace` can be read or written. Default: false. */
  readonly pinned?: boolean
  /** False refuses a file that does not exist yet. Default: true. */
  readonly create?: boolean
  readonly readOnly?: boolean
  /** Opens a damaged file for `exportAll` only, which leaves out unreadable entries. Default: false. */
  readonly salvage?: boolean
  /** How long a write waits for another process. Default: 5000; on a server 30000. */
  readonly busyTimeoutMs?: number
  /**
   * The embedding model of a file that has none yet; a file that has one keeps it, asked at the `baseUrl` and with the
   * `timeoutMs` that are given here. Default: the bundled model.
   * `false` switches vectors off: records are stored and found by keywords, and get their vectors later.
   */
  readonly vectors?: EmbedderConfig | false
  /**
   * An embedding model of your own, for a file that has none yet. To move a file to it, call
   * `cairn.embed({ provider: 'own', model: embedder.id })`.
   */
  readonly embedder?: OwnEmbedder
  /**
   * A language model, for `ask` and for whatever else asks for one; nothing is sent to it before. An object of your own
   * with `id` and `complete` is one too. Default: none. See docs/answers.md.
   */
  readonly llm?: ChatConfig | OwnChatModel
  /** The source of the keys of remote models. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Sees every SQL statement that runs. */
  readonly trace?: (sql: string) => void
  readonly log?: Log
  /** The settings of the OpenAlex client; the key is read from `OPENALEX_API_KEY` of `env`. */
  readonly openAlex?: Omit<OpenAlexConfig, 'apiKey'>
  readonly memory?: MemoryOptions
  /** Defaults for search options that neither the search nor its lens gives. */
  readonly search?: SearchDefaults
  /** Equal searches are answered from a cache until the file changes; `false` switches it off. See docs/caching.md. */
  readonly cache?: CacheOptions | false
  /**
   * How long a search may take. Then it answers with the hits so far and reports this in `degraded`. 0: no limit.
   * Default: no limit; `cairn serve` and `cairn mcp` have 5000.
   */
  readonly timeLimitMs?: number
  /** Milliseconds UTC; for tests and replays. Default: the machine's clock. */
  readonly now?: Clock
}

export type MemoryOptions = {
  /** How much a recall adds to the salience, as a share of the distance to 1; 0 switches it off. Default: 0.02. */
  readonly reinforcement?: number
  /** The speed at which salience fades, as a multiple of the default; 0 switches it off. Default: 1. */
  readonly decay?: number
  /** Who finds facts and makes the summaries of sessions: rules, the language model, or both. Default: `rules`. */
  readonly extract?: Extractor
}

/** An object, so that the compiler misses no option. */
const OPTIONS: Readonly<Record<keyof OpenOptions, true>> = {
  file: true,
  url: true,
  namespace: true,
  pinned: true,
  create: true,
  readOnly: true,
  salvage: true,
  busyTimeoutMs: true,
  vectors: true,
  embedder: true,
  llm: true,
  env: true,
  trace: true,
  log: true,
  openAlex: true,
  memory: true,
  search: true,
  cache: true,
  timeLimitMs: true,
  now: true,
}

/**
 * Opens a Cairn file, and creates it if it does not exist.
 * @example
 * const cairn = await openCairn({ file: 'notes.cairn' })
 * await cairn.add({ body: 'We deploy on Thursdays.', tags: ['release'] })
 * const answer = await cairn.search('deploy')
 * await cairn.close()
 */
export async function openCairn(options: OpenOptions): Promise<Cairn> {
  await checkOptions(options)
  const { now: clock = Date.now } = options
  // Stored times are whole numbers.
  const now = () => Math.trunc(clock())
  const { reinforcement = REINFORCEMENT, decay = 1 } = options.memory ?? {}
  const arithmetic = { now, decay, reinforcement }
  return openOver(await openStorage(options, arithmetic), options, arithmetic)
}

async function checkOptions(options: OpenOptions): Promise<void> {
  if (typeof options !== 'object' || options === null) {
    throw badInput('openCairn needs its options.', "Write openCairn({ file: 'notes.cairn' }).")
  }
  assertNames(options, Object.keys(OPTIONS))
  assertNames(options.memory ?? {}, ['reinforcement', 'decay', 'extract'])
  assertNames(options.cache || {}, ['entries', 'ttlMs'])
  const { extract = 'rules' } = options.memory ?? {}
  if (!EXTRACTORS.includes(extract)) {
    throw badInput(`memory.extract must be one of ${EXTRACTORS.join(', ')}, not "${extract}".`)
  }
  check(searchDefaults, options.search ?? {})
  const { embedder, llm } = options
  if (embedder !== undefined)
    (await import('../embedding/own-embedder.js')).checkOwnEmbedder(embedder)
  if (llm !== undefined) (await import('../core/chat-model.js')).checkChat(llm)
}

/** The same over a storage that is open already. */
export async function openOver(
  { storage, file }: Readonly<{ storage: Storage; file: string }>,
  options: OpenOptions,
  { now, decay, reinforcement }: Arithmetic,
): Promise<Cairn> {
  const { env = process.env, log = silentLog, embedder = null, search: defaults = {} } = options
  const own = embedder === null ? null : { provider: 'own' as const, model: embedder.id }
  const vectors = options.vectors ?? own ?? { provider: 'static' }
  const config = vectors === false ? null : vectors
  const timers = { ...REAL_TIMERS, now }
  // A command is a process of its own: the next one must not wait for the same server again.
  const folder = file === ':memory:' ? null : tmpdir()
  const outages = createOutages({ file: storage.file === null ? file : resolve(file), folder, now })
  const { llm } = options
  const chat =
    llm === undefined ? null : (await import('./chat.js')).openChat(llm, env, { timers, outages })
  const timer = () => performance.now()
  const { extract = 'rules' } = options.memory ?? {}
  const loadModelMemory = async (): Promise<ModelMemory> =>
    (await import('./model-memory.js')).createModelMemory({ chat, log, timer }, extract)
  const shared = {
    loadModelMemory: extract === 'rules' ? null : loadModelMemory,
    storage,
    chat,
    file,
    log,
    now,
    decay,
    defaults,
    indexer: new Indexer({ storage, config, embedder, env, timers, outages, log }),
    recalls: createRecalls({ storage, log, now, reinforcement, decay, onExit }),
    timer,
    answerFromCache: createSearchCache(options.cache ?? {}, now),
    timeLimitMs: options.timeLimitMs ?? null,
    openAlex: { ...options.openAlex, apiKey: env.OPENALEX_API_KEY ?? null },
    openTarget: (address: string) => openStorage({ file: address }, { now, decay, reinforcement }),
  }
  const { namespace = DEFAULT_NAMESPACE, pinned = false } = options
  return createViews(shared, { namespace, pinned })
}

/** Calls `flush` when the process exits without a close; returns a function that cancels this. */
function onExit(flush: () => void): () => void {
  process.once('exit', flush)
  return () => process.off('exit', flush)
}
