/** Words give one ranked list of ids, and every id says how far the query was relaxed to reach it. */

import { type Filter, isUnfiltered } from '../core/filter.js'
import type { ReadQuery, Relaxation, Step } from '../query/steps.js'
import type { Field } from '../query/tree.js'
import type { ListedPage, Page, Storage } from '../storage/storage.js'
import { byWords, type FoundPage, NOTHING } from './found.js'

export type KeywordSearch = {
  readonly text: string
  readonly reading: ReadQuery
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  readonly page: Page
  /** From this many hits on, the query is not relaxed. */
  readonly enough: number
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
  if (isUnfiltered(filter)) return NOTHING
  return listed(await storage.newest(filter, null, page))
}

/**
 * The next step is taken only where all that is known so far does not fill one page. So what is known is short,
 * whatever the offset, and the pages of one query are stretches of one list.
 */
async function relaxUntilEnough(storage: Storage, search: KeywordSearch): Promise<FoundPage> {
  const [first, ...wider] = search.reading.steps
  if (first === undefined) return NOTHING
  const { enough } = search
  const { limit, offset } = search.page
  const asAsked = await takeStep(storage, search, first, search.page)
  if (shown(asAsked) >= enough || wider.length === 0)
    return { ...asAsked, isExact: true, relaxed: false, widest: null }

  let known =
    offset === 0
      ? asAsked.found
      : (await takeStep(storage, search, first, { limit, offset: 0 })).found
  let last = asAsked
  let relaxed = false
  let widest: Relaxation = null
  for (const step of wider) {
    widest = step.relaxed
    const reach = { limit: offset + limit + known.length, offset: 0 }
    const next = await takeStep(storage, search, step, reach)
    const seen = new Set(known.map(({ id }) => id))
    relaxed ||= next.total > last.total
    known = [...known, ...next.found.filter(({ id }) => !seen.has(id))]
    last = next
    if (shown(last) >= enough) break
  }
  const { total, superseded, rankedBy } = last
  const found = known.slice(offset, offset + limit)
  return { found, total, superseded, isExact: true, relaxed, widest, rankedBy }
}

type StepFound = Pick<FoundPage, 'found' | 'total' | 'superseded' | 'rankedBy'>

/** What is superseded may not be seen: it does not make an answer full. */
function shown({ total, superseded }: StepFound): number {
  return total - superseded
}

async function takeStep(
  storage: Storage,
  { fields, filter }: KeywordSearch,
  { root, relaxed }: Step,
  page: Page,
): Promise<StepFound> {
  const { ranked, ...rest } = await storage.rank({ root, fields, filter }, page)
  return { ...rest, found: ranked.map((one) => byWords(one, relaxed)) }
}

function listed({ listed: ids, total, superseded }: ListedPage): FoundPage {
  const found = ids.map((one) => byWords({ ...one, bm25: null }, null))
  return { ...NOTHING, found, total, superseded }
}
