/** Fetches works from OpenAlex: one, a list page by page, many by their identifiers, and the works a work cites or is cited by. */

import { badInput, CairnError } from '../../core/errors.js'
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
import { type ExpectedBody, requestJson, type Service } from './request.js'

type Params = Readonly<Record<string, string>>

const MAX_PAGE = 100
const MAX_BATCH = 50
/** Fifty long DOIs would make an address that servers refuse. */
const MAX_BATCH_CHARS = 3_000

const A_WORK: ExpectedBody = {
  name: 'a work',
  matches: (body) => textAt(body, 'id') !== null || readWork(body) !== null,
}
const A_LIST: ExpectedBody = {
  name: 'a list of works',
  matches: (body) => Array.isArray(valueAt(body, 'results')),
}

/** Null where OpenAlex does not know the identifier, or the work has no title. */
export async function fetchWork(service: Service, id: Identifier): Promise<Work | null> {
  const path = makePath(id)
  if (path === null) return null
  const params = { select: FIELDS.join(',') }
  const body = await requestJson(service, { path, params, expects: A_WORK })
  if (body === undefined) return null
  const work = readWork(body)
  if (work === null) service.counts.skipped++
  return work
}

/** Null for a DOI that would lead out of its folder; no such DOI exists. */
function makePath(id: Identifier): string | null {
  if (id.kind === 'openalex') return `/works/${id.value}`
  const parts = (id.kind === 'arxiv' ? makeArxivDoi(id.value) : id.value).split('/')
  if (parts.some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return null
  return `/works/doi:${parts.map(encodeURIComponent).join('/')}`
}

async function fetchPage(service: Service, params: Params): Promise<unknown> {
  const body = await requestJson(service, {
    path: '/works',
    params: { ...params, select: FIELDS.join(',') },
    expects: A_LIST,
  })
  if (body !== undefined) return body
  throw new CairnError('service_unavailable', {
    message: 'OpenAlex answered with status 404 where its lists of works are.',
    hint: 'Check the base address.',
  })
}

/** Follows the cursor until `limit` works are found, or it ends, repeats itself or brings nothing new. */
export async function fetchList(
  service: Service,
  params: Params,
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
    const seenBefore = seen.size
    for (const result of listAt(page, 'results')) {
      const key = normalizeOpenAlex(textAt(result, 'id') ?? '') ?? JSON.stringify(result)
      if (seen.has(key)) continue
      seen.add(key)
      const work = readWork(result)
      if (work === null) service.counts.skipped++
      else works.push(work)
    }
    cursor = seen.size === seenBefore ? null : textAt(page, 'meta', 'next_cursor')
  }
  return works.slice(0, limit)
}

/** The works that a work cites, in its order. A work that OpenAlex described is not fetched again. */
export async function fetchReferences(
  service: Service,
  work: Work,
  limit: number,
): Promise<readonly Work[]> {
  if (limit === 0) return []
  const isDescribed = work.references.length > 0 || work.openAlexId !== null
  const citing = isDescribed ? work : await fetchWork(service, chooseIdentifier(work))
  const cited = (citing?.references ?? []).flatMap((each) => readIdentifier(each) ?? [])
  return fetchMany(service, cited, limit)
}

/** The works that cite a work, the most cited first. */
export async function fetchCitations(
  service: Service,
  work: Work,
  limit: number,
): Promise<readonly Work[]> {
  if (limit === 0) return []
  const id = work.openAlexId ?? (await fetchWork(service, chooseIdentifier(work)))?.openAlexId
  if (id === undefined || id === null) return []
  return fetchList(service, { filter: `cites:${id}`, sort: 'cited_by_count:desc' }, limit)
}

/** The identifier by which OpenAlex is most likely to know a work. */
function chooseIdentifier({ openAlexId, doi, arxivId, title }: Work): Identifier {
  if (openAlexId !== null) return { kind: 'openalex', value: openAlexId }
  if (doi !== null) return { kind: 'doi', value: doi }
  if (arxivId !== null) return { kind: 'arxiv', value: arxivId }
  throw badInput(
    `"${title.slice(0, 100)}" has no DOI, OpenAlex id or arXiv id.`,
    'OpenAlex needs one of them: add it, or search by the title.',
  )
}

/** OpenAlex knows a work of arXiv by its DOI. */
type ListedId = { readonly kind: 'openalex' | 'doi'; readonly value: string }

/** In the order of the identifiers; stops once `limit` works are found. */
async function fetchMany(
  service: Service,
  identifiers: readonly Identifier[],
  limit: number,
): Promise<readonly Work[]> {
  const wanted = new Map<string, ListedId>()
  for (const { kind, value } of identifiers) {
    const id: ListedId =
      kind === 'arxiv' ? { kind: 'doi', value: makeArxivDoi(value) } : { kind, value }
    wanted.set(printIdentifier(id), id)
  }
  const found: Work[] = []
  for (const batch of makeBatches([...wanted.values()])) {
    if (found.length >= limit) break
    const [first] = batch
    if (first === undefined) continue
    if (!isListable(first)) {
      found.push(...[await fetchWork(service, first)].filter((work) => work !== null))
      continue
    }
    const field = first.kind === 'openalex' ? 'ids.openalex' : 'doi'
    const filter = `${field}:${batch.map(({ value }) => value).join('|')}`
    const page = await fetchPage(service, { filter, 'per-page': String(MAX_PAGE) })
    for (const result of listAt(page, 'results')) {
      const work = readWork(result)
      if (work === null) service.counts.skipped++
      else found.push(work)
    }
  }
  return sortLike(found, [...wanted.keys()]).slice(0, limit)
}

/** Each kind has its own filter; a value with a character that filters use is fetched alone. */
function* makeBatches(ids: readonly ListedId[]): Generator<readonly ListedId[]> {
  for (const kind of ['openalex', 'doi'] as const) {
    let batch: ListedId[] = []
    let chars = 0
    for (const id of ids.filter((each) => each.kind === kind && isListable(each))) {
      const more = encodeURIComponent(id.value).length + 3
      if (batch.length === MAX_BATCH || (batch.length > 0 && chars + more > MAX_BATCH_CHARS)) {
        yield batch
        batch = []
        chars = 0
      }
      batch.push(id)
      chars += more
    }
    if (batch.length > 0) yield batch
  }
  for (const id of ids) if (!isListable(id)) yield [id]
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
