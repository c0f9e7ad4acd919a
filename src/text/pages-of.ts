/** A range of characters says which pages it stands on. */

/** A page's number and the range of characters that it holds. */
export type PageSpan = { readonly page: number; readonly start: number; readonly end: number }

export type PageRange = { readonly first: number; readonly last: number }

/**
 * The first and the last page that hold a character of the range. A range between two pages, which
 * holds none, stands on the page before it; an empty one where its first character would.
 * @example
 * // Pages of "One.\n\nTwo.": { page: 1, start: 0, end: 4 }, { page: 2, start: 6, end: 10 }
 * pagesOf(pages, { start: 2, end: 7 }) // { first: 1, last: 2 }
 */
export function pagesOf(
  pages: readonly PageSpan[],
  range: { readonly start: number; readonly end: number },
): PageRange {
  const end = Math.max(range.end, range.start + 1)
  // Both ends of pages only ever grow, so each border can be found by halving.
  let last = countWhile(pages, (page) => page.start < end) - 1
  while (last > 0 && isEmpty(pages[last])) last--
  let first = countWhile(pages, (page) => page.end <= range.start)
  while (first < last && isEmpty(pages[first])) first++
  const numberOf = (index: number): number => pages[Math.max(0, index)]?.page ?? 1
  return { first: numberOf(Math.min(first, last)), last: numberOf(last) }
}

function isEmpty(page: PageSpan | undefined): boolean {
  return page === undefined || page.start === page.end
}

/** How many pages from the first one on fulfil what no page does after one that does not. */
function countWhile(pages: readonly PageSpan[], holds: (page: PageSpan) => boolean): number {
  let low = 0
  let high = pages.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const page = pages[middle]
    if (page !== undefined && holds(page)) low = middle + 1
    else high = middle
  }
  return low
}
