/** OpenAlex is asked politely, and whatever it answers becomes works or one clear sentence. */

import { badInput } from '../../core/errors.js'
import { createPace, parseBaseUrl, REAL_TIMERS, type Timers } from '../../core/http-client.js'
import { VERSION } from '../../core/version.js'
import type { Work } from '../../core/work.js'
import { createAnswerCache, NO_CACHE } from './answer-cache.js'
import type { Service } from './ask.js'
import { askMany } from './ask-many.js'
import { askWork } from './ask-work.js'
import { askWorks } from './lists.js'
import { askCitations, askReferences } from './neighbours.js'
import { readId, readLimit, searchParams } from './questions.js'

export const OPENALEX_BASE = 'https://api.openalex.org'
const DAY_MS = 86_400_000

export type OpenAlexOptions = Partial<Timers> & {
  readonly baseUrl?: string
  /** Who is asking: OpenAlex writes there before it blocks somebody. */
  readonly mailto: string | null
  /** From the environment alone. It is never logged, shown or stored. */
  readonly apiKey?: string | null
  readonly requestsPerSecond?: number
  readonly timeoutMs?: number
  /** How often a request is tried again after the first time. */
  readonly retries?: number
  /** Where answers are kept; null keeps none. */
  readonly cacheDir: string | null
  readonly cacheTimeToLiveMs?: number
  readonly userAgent?: string
  readonly fetch?: typeof fetch
}

export type Asking = { readonly signal?: AbortSignal | undefined }

export type OpenAlexSearch = Asking & {
  readonly limit: number
  /** In OpenAlex's own words: `type:article,is_oa:true`. */
  readonly filter?: string
  /** Published on this day or later: `2019`, `2019-07` or `2019-07-28`. */
  readonly fromDate?: string
}

export type OpenAlexCounts = {
  readonly requests: number
  readonly fromCache: number
  /** Works without a title, which were left out. */
  readonly skipped: number
}

export type OpenAlex = {
  /** By DOI, OpenAlex id or arXiv id in any written form; null where OpenAlex does not know it. */
  readonly work: (id: string, asking?: Asking) => Promise<Work | null>
  /** In the order of the ids; what OpenAlex does not know is left out. */
  readonly works: (ids: readonly string[], asking?: Asking) => Promise<readonly Work[]>
  readonly search: (query: string, options: OpenAlexSearch) => Promise<readonly Work[]>
  /** The works it cites; none where OpenAlex does not know it. */
  readonly references: (
    of: Work | string,
    limit: number,
    asking?: Asking,
  ) => Promise<readonly Work[]>
  /** The works that cite it, the most cited first; none where OpenAlex does not know it. */
  readonly citations: (
    of: Work | string,
    limit: number,
    asking?: Asking,
  ) => Promise<readonly Work[]>
  readonly counts: () => OpenAlexCounts
}

/** Nothing is asked, read or written before a method is called. */
export function createOpenAlex(options: OpenAlexOptions): OpenAlex {
  const noted = { request: 0, from_cache: 0, untitled: 0 }
  const service = createService(options, (event) => void noted[event]++)

  return {
    work: async (id, { signal } = {}) => askWork(service, readId(id), signal),
    works: async (ids, { signal } = {}) => askMany(service, ids.map(readId), { signal }),
    search: async (query, { limit, filter, fromDate, signal }) => {
      const params = searchParams(query, { filter, fromDate })
      return askWorks(service, { params, signal }, readLimit(limit))
    },
    references: async (of, limit, { signal } = {}) =>
      askReferences(service, of, { limit: readLimit(limit), signal }),
    citations: async (of, limit, { signal } = {}) =>
      askCitations(service, of, { limit: readLimit(limit), signal }),
    counts: () => ({
      requests: noted.request,
      fromCache: noted.from_cache,
      skipped: noted.untitled,
    }),
  }
}

function createService(options: OpenAlexOptions, note: Service['note']): Service {
  const { now, random, sleep } = { ...REAL_TIMERS, ...options }
  const { cacheDir, cacheTimeToLiveMs = 7 * DAY_MS, retries = 4 } = options
  return {
    baseUrl: parseBaseUrl(options.baseUrl ?? OPENALEX_BASE, {
      name: 'The base address of OpenAlex',
      example: OPENALEX_BASE,
      keyVariable: 'OPENALEX_API_KEY',
    }),
    mailto: readMailto(options.mailto),
    apiKey: readKey(options.apiKey ?? null),
    userAgent: options.userAgent ?? `cairn-search/${VERSION}`,
    timeoutMs: options.timeoutMs ?? 20_000,
    attempts: retries + 1,
    fetch: options.fetch ?? fetch,
    world: { now, random, sleep },
    pace: createPace(readPace(options.requestsPerSecond ?? 8), { now, sleep }),
    cache:
      cacheDir === null
        ? NO_CACHE
        : createAnswerCache(cacheDir, { timeToLiveMs: cacheTimeToLiveMs, now }),
    note,
  }
}

function readMailto(text: string | null): string | null {
  const mailto = (text ?? '').trim()
  if (mailto === '') return null
  if (/^[^\s@]+@[^\s@]+$/.test(mailto)) return mailto
  throw badInput('The mail address for OpenAlex is not one.', 'Give it like name@example.org.')
}

function readKey(text: string | null): string | null {
  const key = (text ?? '').trim()
  if (/^[\x21-\x7e]*$/.test(key)) return key === '' ? null : key
  throw badInput('The key in OPENALEX_API_KEY has spaces or signs that no key has.')
}

function readPace(perSecond: number): number {
  if (perSecond > 0) return perSecond
  throw badInput(`${perSecond} requests a second to OpenAlex are none.`, 'Give a number above 0.')
}
