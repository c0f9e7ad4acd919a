/** Many works are asked for in few requests and come back in the order they were asked for. */

import type { Work } from '../../core/work.js'
import { type Identifier, makeArxivDoi, printIdentifier } from '../identifiers.js'
import type { Service } from './ask.js'
import { askWork } from './ask-work.js'
import { askPage, MAX_PAGE } from './lists.js'

export type ManyOptions = {
  readonly limit?: number
  readonly signal?: AbortSignal | undefined
}

const MAX_BATCH = 50
/** Fifty long DOIs would make an address that servers refuse. */
const MAX_BATCH_CHARS = 3_000
const FILTERS = { openalex: 'ids.openalex', doi: 'doi' } as const

/** OpenAlex knows a work of arXiv by its DOI. */
type Listed = { readonly kind: 'openalex' | 'doi'; readonly value: string }

/** Stops asking once `limit` works are found. */
export async function askMany(
  service: Service,
  identifiers: readonly Identifier[],
  { limit = Number.POSITIVE_INFINITY, signal }: ManyOptions,
): Promise<readonly Work[]> {
  const asked = new Map(identifiers.map(asListed).map((id) => [printIdentifier(id), id]))
  const found: Work[] = []
  for (const batch of batchesOf([...asked.values()])) {
    if (found.length >= limit) break
    const [first] = batch
    if (first !== undefined && !canBeListed(first)) {
      found.push(...[await askWork(service, first, signal)].filter((work) => work !== null))
      continue
    }
    const filter = `${FILTERS[first?.kind ?? 'doi']}:${batch.map(({ value }) => value).join('|')}`
    const question = { params: { filter }, signal }
    const { works } = await askPage(service, question, { 'per-page': String(MAX_PAGE) })
    for (const work of works) {
      if (work === null) service.note('untitled')
      else found.push(work)
    }
  }
  return inOrder(found, [...asked.keys()]).slice(0, limit)
}

/** Each kind has its own filter; a value with a sign that filters are made of goes alone. */
function* batchesOf(ids: readonly Listed[]): Generator<readonly Listed[]> {
  for (const kind of ['openalex', 'doi'] as const) {
    let batch: Listed[] = []
    let chars = 0
    for (const id of ids.filter((each) => each.kind === kind && canBeListed(each))) {
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
  for (const id of ids.filter((each) => !canBeListed(each))) yield [id]
}

function asListed(id: Identifier): Listed {
  return id.kind === 'arxiv'
    ? { kind: 'doi', value: makeArxivDoi(id.value) }
    : { kind: id.kind, value: id.value }
}

function canBeListed({ value }: Listed): boolean {
  return !/[,|!"]/.test(value)
}

/**
 * A DOI that OpenAlex has twice gives its first work. Last come works that were not asked for by these names: ids
 * that were merged into others.
 */
function inOrder(found: readonly Work[], keys: readonly string[]): readonly Work[] {
  const byKey = new Map<string, Work>()
  for (const work of found) {
    for (const key of keysOf(work)) if (!byKey.has(key)) byKey.set(key, work)
  }
  const expected = new Set(keys)
  const strangers = found.filter((work) => !keysOf(work).some((key) => expected.has(key)))
  return [...new Set([...keys.flatMap((key) => byKey.get(key) ?? []), ...strangers])]
}

function keysOf({ openAlexId, doi }: Work): readonly string[] {
  return [
    ...(openAlexId === null ? [] : [`openalex:${openAlexId}`]),
    ...(doi === null ? [] : [`doi:${doi}`]),
  ]
}
