/** Builds each room once and wires them together; the only file that knows them all. */

import { randomBytes } from 'node:crypto'
import { hostname, uptime } from 'node:os'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { createIdGenerator } from '../core/ids.js'
import { type Log, silentLog } from '../core/log.js'
import { DEFAULT_NAMESPACE, type SessionOwner } from '../core/record.js'
import { REINFORCEMENT } from '../core/salience.js'
import type { Clock } from '../core/time.js'
import { VERSION } from '../core/version.js'
import { Indexer } from '../embedding/indexer.js'
import type { EmbedderConfig } from '../embedding/open-embedder.js'
import { check } from '../schemas/check.js'
import { type SearchDefaults, searchDefaults } from '../schemas/search-request.js'
import type { CacheOptions } from '../search/cached-search.js'
import { openSqlite } from '../storage/sqlite/open-sqlite.js'
import { Cairn } from './cairn.js'
import type { OpenAlexConfig } from './openalex.js'

export type OpenOptions = {
  /** The path of the database file, or `:memory:`. */
  readonly file: string
  /** Where writes go unless they say otherwise. Default: `default`. */
  readonly namespace?: string
  /** Nothing outside `namespace` can be read or written. Default: false. */
  readonly pinned?: boolean
  /** False refuses a file that is not there yet. Default: true. */
  readonly create?: boolean
  readonly readOnly?: boolean
  /** How long a write waits for another process. Default: 5000. */
  readonly busyTimeoutMs?: number
  /**
   * The embedding model of a file that has none yet; a file that has one keeps it. Default: the bundled model.
   * `false` switches vectors off: records are stored and searched by words, and wait for vectors.
   */
  readonly vectors?: EmbedderConfig | false
  /** Where keys of remote models are read from. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Sees every SQL statement that runs. */
  readonly trace?: (sql: string) => void
  readonly log?: Log
  /** How OpenAlex is reached when it is asked; the key is read from `OPENALEX_API_KEY` of `env`. */
  readonly openAlex?: Omit<OpenAlexConfig, 'apiKey'>
  readonly memory?: MemoryOptions
  /** What a search takes where neither it nor its lens says otherwise. */
  readonly search?: SearchDefaults
  /** Equal searches are answered from memory until anyone writes; `false` switches it off. See docs/caching.md. */
  readonly cache?: CacheOptions | false
  /** Milliseconds UTC; for tests and replays. Default: the machine's clock. */
  readonly now?: Clock
}

export type MemoryOptions = {
  /** What a recall adds, as a share of what is left to 1; 0 switches it off. Default: 0.02. */
  readonly reinforcement?: number
  /** How fast salience fades, as a multiple of the usual; 0 switches it off. Default: 1. */
  readonly decay?: number
}

/**
 * Opens (and where needed creates) a Cairn file.
 * @example
 * const cairn = await openCairn({ file: 'notes.cairn' })
 * await cairn.add({ body: 'We deploy on Thursdays.', tags: ['release'] })
 * const answer = await cairn.search('deploy')
 * await cairn.close()
 */
export async function openCairn(options: OpenOptions): Promise<Cairn> {
  const now = options.now ?? Date.now
  const { reinforcement = REINFORCEMENT, decay = 1 } = options.memory ?? {}
  check(searchDefaults, options.search ?? {})
  const storage = openSqlite({
    file: options.file,
    programVersion: VERSION,
    create: options.create ?? true,
    readOnly: options.readOnly ?? false,
    busyTimeoutMs: options.busyTimeoutMs ?? 5000,
    trace: options.trace ?? null,
    now,
    makeId: createIdGenerator({ now, randomBytes }),
    decay,
    reinforcement,
  })
  const log = options.log ?? silentLog
  const config = options.vectors ?? { provider: 'static' }
  const env = options.env ?? process.env
  return new Cairn({
    storage,
    indexer: new Indexer({ storage, config: config === false ? null : config, env, log }),
    file: options.file,
    namespace: options.namespace ?? DEFAULT_NAMESPACE,
    pinned: options.pinned ?? false,
    log,
    timer: () => performance.now(),
    now,
    reinforcement,
    decay,
    searchDefaults: options.search ?? {},
    cache: options.cache ?? {},
    openAlex: { ...options.openAlex, apiKey: env.OPENALEX_API_KEY ?? null },
    self: { host: hostname(), pid: process.pid },
    isAlive,
    onExit,
  })
}

/** Of another machine nothing is known; here a process is gone with the machine's last start, or when it is not there. */
function isAlive({ host, pid }: SessionOwner, sinceMs: number): boolean {
  if (host !== hostname()) return true
  if (sinceMs < Date.now() - uptime() * 1000) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Runs `finish` when the process ends without a close; gives what takes that back. */
function onExit(finish: () => void): () => void {
  process.once('exit', finish)
  return () => process.off('exit', finish)
}
