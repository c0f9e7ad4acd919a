/** Finds the pages of a document that a range of its text is on. */

import type { Pages, Range } from '../core/answer.js'

export type PageSpan = { readonly page: number; readonly start: number; readonly end: number }

/**
 * The first and the last page that hold a character of the range. A range between two pages, which
 * holds none, is on the page before it; an empty one where its first character would be.
 * @example
 * // Pages of "One.\n\nTwo.": { page: 1, start: 0, end: 4 }, { page: 2, start: 6, end: 10 }
 * findPages(pages, { start: 2, end: 7 }) // { first: 1, last: 2 }
 */
export function findPages(pages: readonly PageSpan[], range: Range): Pages {
  const end = Math.max(range.end, range.start + 1)
  const filled = pages.filter((page) => page.start < page.end)
  const last = filled.findLast((page) => page.start < end) ?? pages[0]
  const first = filled.find((page) => page.end > range.start) ?? last
  const lastNumber = last?.page ?? 1
  return { first: Math.min(first?.page ?? 1, lastNumber), last: lastNumber }
}
