/** Promise: words give one ranked list of ids, and every id says how far the query was relaxed to reach it. */

import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { Reading, Relaxation, Step } from '../query/steps.js'
import type { Field } from '../query/tree.js'
import type { Page, Storage } from '../storage/storage.js'
import { byWords, type Found, type FoundPage, NOTHING } from './found.js'

export type KeywordSearch = {
  readonly text: string
  readonly reading: Reading
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  readonly page: Page
}

export async function findByKeyword(storage: Storage, search: KeywordSearch): Promise<FoundPage> {
  const { reading, filter, fields, page } = search
  if (reading.wanted !== null) return relaxUntilEnough(storage, search)
  if (reading.unwanted !== null) {
    const unwanted = { root: reading.unwanted, fields, filter }
    return listed(await storage.newest(filter, unwanted, page))
  }
  const symbols = search.text.trim()
  if (symbols !== '') return listed(await storage.containing(symbols, filter, page))
  // Without a filter there is no question at all.
  if (Object.keys(filter).length === 0) return NOTHING
  return listed(await storage.newest(filter, null, page))
}

/**
 * The next step is taken only where all that is known so far does not fill one page. So what is known is short,
 * whatever the offset, and the pages of one query are stretches of one list.
 */
async function relaxUntilEnough(storage: Storage, search: KeywordSearch): Promise<FoundPage> {
  const [first, ...wider] = search.reading.steps
  if (first === undefined) return NOTHING
  const { limit, offset } = search.page
  const asAsked = await takeStep(storage, search, first, search.page)
  if (asAsked.total >= limit || wider.length === 0)
    return { ...asAsked, isExact: true, relaxed: false, widest: null }

  let known =
    offset === 0
      ? asAsked.found
      : (await takeStep(storage, search, first, { limit, offset: 0 })).found
  let total = asAsked.total
  let relaxed = false
  let widest: Relaxation = null
  for (const step of wider) {
    widest = step.relaxed
    const reach = { limit: offset + limit + known.length, offset: 0 }
    const next = await takeStep(storage, search, step, reach)
    const seen = new Set(known.map(({ id }) => id))
    relaxed ||= next.total > total
    known = [...known, ...next.found.filter(({ id }) => !seen.has(id))]
    total = next.total
    if (total >= limit) break
  }
  return { found: known.slice(offset, offset + limit), total, isExact: true, relaxed, widest }
}

async function takeStep(
  storage: Storage,
  { fields, filter }: KeywordSearch,
  { root, relaxed }: Step,
  page: Page,
): Promise<{ readonly found: readonly Found[]; readonly total: number }> {
  const { ranked, total } = await storage.rank({ root, fields, filter }, page)
  return { found: ranked.map(({ id, bm25 }) => byWords(id, bm25, relaxed)), total }
}

function listed({ ids, total }: { ids: readonly RecordId[]; total: number }): FoundPage {
  const found = ids.map((id) => byWords(id, null, null))
  return { found, total, isExact: true, relaxed: false, widest: null }
}
