/** The OpenAlex client: checks its options and each request, and returns works. */

import { badInput } from '../../core/errors.js'
import { createPace, parseBaseUrl, REAL_TIMERS, type Timers } from '../../core/http-client.js'
import type { Work } from '../../core/work.js'
import { readIdentifier } from '../identifiers.js'
import { fetchCitations, fetchList, fetchReferences, fetchWork } from './fetch-works.js'
import { createResponseCache, type Service } from './request.js'

const OPENALEX_BASE = 'https://api.openalex.org'

export type OpenAlexOptions = Partial<Timers> & {
  readonly baseUrl?: string
  /** OpenAlex writes to this address before it blocks a client. */
  readonly mailto: string | null
  /** From the environment only; never logged, shown or stored. */
  readonly apiKey?: string | null
  readonly requestsPerSecond?: number
  readonly timeoutMs?: number
  /** How often a request is repeated after its first failure. */
  readonly retries?: number
  /** The folder of the response cache; null: no cache. */
  readonly cacheDir: string | null
}

export type OpenAlexSearch = {
  readonly limit: number
  /** Published on this day or later: `2019`, `2019-07` or `2019-07-28`. */
  readonly fromDate?: string
}

export type OpenAlexCounts = {
  readonly requests: number
  readonly fromCache: number
  /** Works that were skipped because they have no title. */
  readonly skipped: number
}

export type OpenAlex = ReturnType<typeof createOpenAlex>

/** Sends and reads nothing before a method is called. */
export function createOpenAlex(options: OpenAlexOptions) {
  const service = createService(options)
  return {
    /** By DOI, OpenAlex id or arXiv id in any written form; null where OpenAlex does not know it. */
    work: async (id: string): Promise<Work | null> => {
      const identifier = readIdentifier(id)
      if (identifier !== null) return fetchWork(service, identifier)
      throw badInput(
        `"${id.slice(0, 100)}" is not a DOI, OpenAlex id or arXiv id.`,
        'Give it like 10.1000/182, W2741809807 or arXiv:1706.03762.',
      )
    },
    search: async (
      query: string,
      { limit, fromDate }: OpenAlexSearch,
    ): Promise<readonly Work[]> => {
      const search = query.replace(/\s+/g, ' ').trim().toWellFormed()
      if (search === '') throw badInput('The search for works is empty.', 'Give some words.')
      const params = { search, ...(fromDate === undefined ? {} : makeDateFilter(fromDate)) }
      return fetchList(service, params, checkLimit(limit))
    },
    /** The works it cites; none where OpenAlex does not know it. */
    references: async (work: Work, limit: number) =>
      fetchReferences(service, work, checkLimit(limit)),
    /** The works that cite it, the most cited first; none where OpenAlex does not know it. */
    citations: async (work: Work, limit: number) =>
      fetchCitations(service, work, checkLimit(limit)),
    counts: (): OpenAlexCounts => ({ ...service.counts }),
  }
}

function createService(options: OpenAlexOptions): Service {
  const { now, random, sleep } = { ...REAL_TIMERS, ...options }
  const { cacheDir, retries = 4, requestsPerSecond = 8 } = options
  if (!(requestsPerSecond > 0)) {
    throw badInput(
      `${requestsPerSecond} requests per second are too few.`,
      'Give a number above 0.',
    )
  }
  return {
    baseUrl: parseBaseUrl(options.baseUrl ?? OPENALEX_BASE, {
      name: 'The base address of OpenAlex',
      example: OPENALEX_BASE,
      keyVariable: 'OPENALEX_API_KEY',
    }),
    mailto: checkMailto(options.mailto),
    apiKey: checkKey(options.apiKey ?? null),
    timeoutMs: options.timeoutMs ?? 20_000,
    attempts: retries + 1,
    timers: { now, random, sleep },
    pace: createPace(requestsPerSecond, { now, sleep }),
    cache: cacheDir === null ? null : createResponseCache(cacheDir, now),
    counts: { requests: 0, fromCache: 0, skipped: 0 },
  }
}

function checkMailto(text: string | null): string | null {
  const mailto = (text ?? '').trim()
  if (mailto === '') return null
  if (/^[^\s@]+@[^\s@]+$/.test(mailto)) return mailto
  throw badInput(
    'The mail address for OpenAlex is not a mail address.',
    'Give it like name@example.org.',
  )
}

function checkKey(text: string | null): string | null {
  const key = (text ?? '').trim()
  if (/^[\x21-\x7e]*$/.test(key)) return key === '' ? null : key
  throw badInput('The key in OPENALEX_API_KEY holds characters that no key has.')
}

function checkLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit
  throw badInput(`The limit ${limit} is not a whole number of works.`)
}

function makeDateFilter(date: string): { readonly filter: string } {
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(date) ?? []
  if (year !== undefined) return { filter: `from_publication_date:${year}-${month}-${day}` }
  throw badInput(
    `"${date.slice(0, 100)}" is not a date.`,
    'Give it like 2019, 2019-07 or 2019-07-28.',
  )
}
