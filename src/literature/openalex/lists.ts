/** Lists of works come whole or up to a limit, each work once, whatever the cursor does. */

import { CairnError } from '../../core/errors.js'
import type { Work } from '../../core/work.js'
import { normalizeOpenAlex } from '../identifiers.js'
import { ask, type Expected, type Service } from './ask.js'
import { listAt, textAt, valueAt } from './json.js'
import { FIELDS, readWork } from './read-work.js'

export type ListQuestion = {
  /** `filter`, `search`, `sort`. */
  readonly params: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** What OpenAlex gives on one page at most. */
export const MAX_PAGE = 100

const A_LIST: Expected = {
  name: 'a list of works',
  fits: (answer) => Array.isArray(valueAt(answer, 'results')),
}

export type Page = {
  /** Null for what has no title. */
  readonly works: readonly (Work | null)[]
  /** What tells the results of this page from those of others. */
  readonly keys: readonly string[]
  readonly nextCursor: string | null
}

export async function askPage(
  service: Service,
  { params, signal }: ListQuestion,
  page: Readonly<Record<string, string>>,
): Promise<Page> {
  const body = await ask(service, {
    path: '/works',
    params: { ...params, ...page, select: FIELDS.join(',') },
    expects: A_LIST,
    signal,
  })
  if (body === undefined) throw noLists()
  const results = listAt(body, 'results')
  return {
    works: results.map(readWork),
    keys: results.map(
      (result) => normalizeOpenAlex(textAt(result, 'id') ?? '') ?? JSON.stringify(result),
    ),
    nextCursor: textAt(body, 'meta', 'next_cursor'),
  }
}

/** Follows the cursor until `limit` works are found, it ends, comes back, or brings nothing new. */
export async function askWorks(
  service: Service,
  question: ListQuestion,
  limit: number,
): Promise<readonly Work[]> {
  const works: Work[] = []
  const seen = new Set<string>()
  const followed = new Set<string>()
  let cursor: string | null = '*'
  while (cursor !== null && !followed.has(cursor) && works.length < limit) {
    followed.add(cursor)
    const size = String(Math.min(limit, MAX_PAGE))
    const page: Page = await askPage(service, question, { 'per-page': size, cursor })
    const before = seen.size
    for (const [i, work] of page.works.entries()) {
      const key = page.keys[i] ?? ''
      if (seen.has(key)) continue
      seen.add(key)
      if (work === null) service.note('untitled')
      else works.push(work)
    }
    cursor = seen.size === before ? null : page.nextCursor
  }
  return works.slice(0, limit)
}

/** A list that does not exist is not an empty list: somebody else is answering. */
function noLists(): CairnError {
  return new CairnError('service_unavailable', {
    message: 'OpenAlex answered with status 404 where its lists of works are.',
    hint: 'Check the base address.',
  })
}
