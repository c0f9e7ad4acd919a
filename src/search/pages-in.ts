/** A stretch of a document that has pages says which of them it stands on; metadata that is none of ours says nothing. */

import type { Pages, Range } from '../core/answer.js'
import type { CairnRecord } from '../core/record.js'
import { type PageSpan, pagesOf } from '../text/pages-of.js'

export function pagesIn({ metadata }: Pick<CairnRecord, 'metadata'>, range: Range): Pages | null {
  const { pages } = metadata
  if (!Array.isArray(pages) || pages.length === 0) return null
  const read = pages.map(readPage)
  return read.every((page) => page !== null) ? pagesOf(read, range) : null
}

function readPage(value: unknown): PageSpan | null {
  if (typeof value !== 'object' || value === null) return null
  const { page, start, end } = value as Readonly<Record<string, unknown>>
  if (!Number.isInteger(page) || !Number.isInteger(start) || !Number.isInteger(end)) return null
  return { page: Number(page), start: Number(start), end: Number(end) }
}
