/** The OpenAlex client: fetches one work, a search, and the works that a work cites or is cited by. */

import { badInput, CairnError } from '../../core/errors.js'
import { createPace, parseBaseUrl, REAL_TIMERS, type Timers } from '../../core/http-client.js'
import { listAt, textAt, valueAt } from '../../core/json-fields.js'
import type { Work } from '../../core/work.js'
import {
  type Identifier,
  makeArxivDoi,
  normalizeOpenAlex,
  printIdentifier,
  readIdentifier,
} from '../identifiers.js'
import { FIELDS, readWork } from './read-work.js'
import { createResponseCache, type Request, requestJson, type Service } from './request.js'

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

/** `skipped`: works without a title. */
export type OpenAlexCounts = Readonly<Record<'requests' | 'fromCache' | 'skipped', number>>

export type OpenAlex = ReturnType<typeof createOpenAlex>

export function createOpenAlex(options: OpenAlexOptions) {
  const service = createService(options)
  return {
    /** By DOI, OpenAlex id or arXiv id in any written form; null if OpenAlex does not know it. */
    work: async (id: string): Promise<Work | null> => {
      const identifier = readIdentifier(id)
      if (identifier !== null) return fetchWork(service, identifier)
      throw badInput(
        `"${id.slice(0, 100)}" is not a DOI, OpenAlex id or arXiv id.`,
        'Give it like 10.1000/182, W2741809807 or arXiv:1706.03762.',
      )
    },
    /** `fromDate`: published on this day or later: `2019`, `2019-07` or `2019-07-28`. */
    search: async (
      query: string,
      { limit, fromDate }: { readonly limit: number; readonly fromDate?: string },
    ): Promise<readonly Work[]> => {
      const search = query.replace(/\s+/g, ' ').trim().toWellFormed()
      if (search === '') throw badInput('The search for works is empty.', 'Give some words.')
      const params = { search, ...(fromDate === undefined ? {} : makeDateFilter(fromDate)) }
      return fetchList(service, params, limit)
    },
    /** The works that a work from OpenAlex cites, in its order. */
    references: async ({ references }: Work, limit: number): Promise<readonly Work[]> => {
      const cited = references.flatMap((each) => readIdentifier(each) ?? [])
      return fetchMany(service, cited, limit)
    },
    /** The works that cite a work from OpenAlex, the most cited first. */
    citations: async ({ openAlexId }: Work, limit: number): Promise<readonly Work[]> => {
      if (openAlexId === null) return []
      const params = { filter: `cites:${openAlexId}`, sort: 'cited_by_count:desc' }
      return fetchList(service, params, limit)
    },
    counts: (): OpenAlexCounts => ({ ...service.counts }),
  }
}

function createService(options: OpenAlexOptions): Service {
  const { now, random, sleep } = { ...REAL_TIMERS, ...options }
  const { cacheDir, retries = 4, requestsPerSecond = 8 } = options
  const mailto = options.mailto?.trim() || null
  const apiKey = options.apiKey?.trim() || null
  if (mailto !== null && !/^[^\s@]+@[^\s@]+$/.test(mailto)) {
    const problem = 'The mail address for OpenAlex is not a mail address.'
    throw badInput(problem, 'Give it like name@example.org.')
  }
  if (apiKey !== null && !/^[\x21-\x7e]*$/.test(apiKey)) {
    throw badInput('The key in OPENALEX_API_KEY holds characters that no key has.')
  }
  return {
    baseUrl: parseBaseUrl(options.baseUrl ?? OPENALEX_BASE, {
      name: 'The base address of OpenAlex',
      example: OPENALEX_BASE,
      keyVariable: 'OPENALEX_API_KEY',
    }),
    mailto,
    apiKey,
    timeoutMs: options.timeoutMs ?? 20_000,
    attempts: retries + 1,
    timers: { now, random, sleep },
    pace: createPace(requestsPerSecond, { now, sleep }),
    cache: cacheDir === null ? null : createResponseCache(cacheDir, now),
    counts: { requests: 0, fromCache: 0, skipped: 0 },
  }
}

function makeDateFilter(date: string): { readonly filter: string } {
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(date) ?? []
  if (year !== undefined) return { filter: `from_publication_date:${year}-${month}-${day}` }
  const hint = 'Give it like 2019, 2019-07 or 2019-07-28.'
  throw badInput(`"${date.slice(0, 100)}" is not a date.`, hint)
}

const MAX_PAGE = 100
const MAX_BATCH = 50
/** Fifty long DOIs would make an address that servers refuse. */
const MAX_BATCH_CHARS = 3_000

/** Null if OpenAlex does not know the identifier, or the work has no title. */
async function fetchWork(service: Service, id: Identifier): Promise<Work | null> {
  const { kind, value } = toListedId(id)
  const parts = value.split('/')
  // Such a DOI would lead out of its folder, and none exists.
  if (parts.some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return null
  const name = parts.map(encodeURIComponent).join('/')
  const body = await requestJson(service, {
    path: `/works/${kind === 'doi' ? 'doi:' : ''}${name}`,
    params: { select: FIELDS },
    expected: 'a work',
    matches: (found) => textAt(found, 'id') !== null || readWork(found) !== null,
  })
  return body === undefined ? null : (readWorks(service, [body])[0] ?? null)
}

function readWorks({ counts }: Service, results: readonly unknown[]): Work[] {
  const works = results.flatMap((result) => readWork(result) ?? [])
  counts.skipped += results.length - works.length
  return works
}

async function fetchPage(service: Service, params: Request['params']): Promise<unknown> {
  const body = await requestJson(service, {
    path: '/works',
    params: { ...params, select: FIELDS },
    expected: 'a list of works',
    matches: (found) => Array.isArray(valueAt(found, 'results')),
  })
  if (body !== undefined) return body
  throw new CairnError('service_unavailable', {
    message: 'OpenAlex answered with status 404 where its lists of works are.',
    hint: 'Check the base address.',
  })
}

/** Follows the cursor until `limit` works are found, or it ends, repeats itself or brings nothing new. */
async function fetchList(
  service: Service,
  params: Request['params'],
  limit: number,
): Promise<readonly Work[]> {
  const works: Work[] = []
  const seen = new Set<string>()
  const followed = new Set<string>()
  let cursor: string | null = '*'
  while (cursor !== null && !followed.has(cursor) && works.length < limit) {
    followed.add(cursor)
    const size = String(Math.min(limit, MAX_PAGE))
    const page = await fetchPage(service, { ...params, 'per-page': size, cursor })
    const fresh = listAt(page, 'results').filter((result) => {
      const key = normalizeOpenAlex(textAt(result, 'id') ?? '') ?? JSON.stringify(result)
      return !seen.has(key) && seen.add(key)
    })
    works.push(...readWorks(service, fresh))
    cursor = fresh.length === 0 ? null : textAt(page, 'meta', 'next_cursor')
  }
  return works.slice(0, limit)
}

type ListedId = { readonly kind: 'openalex' | 'doi'; readonly value: string }

/** OpenAlex knows a work of arXiv by its DOI. */
function toListedId({ kind, value }: Identifier): ListedId {
  return kind === 'arxiv' ? { kind: 'doi', value: makeArxivDoi(value) } : { kind, value }
}

/** In the order of the identifiers; stops once `limit` works are found. */
async function fetchMany(
  service: Service,
  identifiers: readonly Identifier[],
  limit: number,
): Promise<readonly Work[]> {
  const wanted = new Map(identifiers.map(toListedId).map((id) => [printIdentifier(id), id]))
  const found: Work[] = []
  for (const { kind, values } of makeBatches([...wanted.values()])) {
    if (found.length >= limit) break
    const filter = `${kind === 'openalex' ? 'ids.openalex' : 'doi'}:${values.join('|')}`
    const page = await fetchPage(service, { filter, 'per-page': String(MAX_PAGE) })
    found.push(...readWorks(service, listAt(page, 'results')))
  }
  for (const id of wanted.values()) {
    if (found.length >= limit || isListable(id)) continue
    const work = await fetchWork(service, id)
    if (work !== null) found.push(work)
  }
  return sortLike(found, [...wanted.keys()]).slice(0, limit)
}

/** Each kind has its own filter; a value with a character that filters use is fetched alone. */
function makeBatches(ids: readonly ListedId[]) {
  const batches: { readonly kind: ListedId['kind']; readonly values: string[] }[] = []
  for (const kind of ['openalex', 'doi'] as const) {
    let [values, chars]: [string[], number] = [[], Number.POSITIVE_INFINITY]
    for (const { value } of ids.filter((each) => each.kind === kind && isListable(each))) {
      const more = encodeURIComponent(value).length + 3
      if (values.length === MAX_BATCH || chars + more > MAX_BATCH_CHARS) {
        values = []
        chars = 0
        batches.push({ kind, values })
      }
      values.push(value)
      chars += more
    }
  }
  return batches
}

function isListable({ value }: ListedId): boolean {
  return !/[,|!"]/.test(value)
}

/** A DOI that OpenAlex has twice gives its first work. Works under other ids, into which some were merged, come last. */
function sortLike(found: readonly Work[], keys: readonly string[]): readonly Work[] {
  const byKey = new Map<string, Work>()
  const merged: Work[] = []
  for (const work of found) {
    const own = [`openalex:${work.openAlexId}`, `doi:${work.doi}`]
    for (const key of own) if (!byKey.has(key)) byKey.set(key, work)
    if (!own.some((key) => keys.includes(key))) merged.push(work)
  }
  return [...new Set([...keys.flatMap((key) => byKey.get(key) ?? []), ...merged])]
}
