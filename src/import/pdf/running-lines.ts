/** Lines that stand on most pages in the same place are told apart from the text, and nothing else is. */

import type { Line } from './lines.js'

type Page = { readonly label: string | null; readonly lines: readonly Line[] }
type Found = { readonly page: number; readonly line: Line }

/** So many lines from the top and from the bottom of a page are looked at. */
const EDGE_LINES = 3
/** Left and right pages may have lines of their own: each stands on a little less than half of them. */
const MIN_SHARE = 0.4
const MIN_PAGES = 3
/** Lines are in the same place within so many points. */
const PLACE = 3
const MAX_SIZE = 1.05
/** Nearer to the next line than this, in sizes of a letter, is a line of a paragraph. */
const MIN_GAP = 1.3

/** The headers, footers and page numbers; empty where without them no text would be left. */
export function findRunningLines(pages: readonly Page[]): ReadonlySet<Line> {
  const repeated = findRepeated(pages)
  const running = new Set<Line>()
  for (const { label, lines } of pages) {
    // A number alone at the edge that is the page's own name needs no other proof.
    const isRunning = (line: Line): boolean =>
      repeated.has(line) || (line.text === label && /^(?:\d+|[ivxlc]+)$/.test(label))
    const fromTop = [...lines].sort((a, b) => b.height - a.height)
    for (const line of outermost(fromTop, isRunning)) running.add(line)
    for (const line of outermost(fromTop.reverse(), isRunning)) running.add(line)
  }
  const isAll = pages.every(({ lines }) => lines.every((line) => running.has(line)))
  return isAll ? new Set() : running
}

/** From the edge inwards, up to the first row that is not all of that kind: what lies behind is text. */
function outermost(lines: readonly Line[], isRunning: (line: Line) => boolean): Line[] {
  const found: Line[] = []
  for (let at = 0; at < Math.min(lines.length, EDGE_LINES); ) {
    const edge = lines[at]
    if (edge === undefined) break
    const row = lines
      .slice(at, EDGE_LINES)
      .filter((line) => Math.abs(line.height - edge.height) < PLACE)
    const next = lines[at + row.length]
    const gap = next === undefined ? Number.POSITIVE_INFINITY : Math.abs(next.height - edge.height)
    const here = row.filter((line) => isRunning(line) && gap > line.size * MIN_GAP)
    found.push(...here)
    if (here.length < row.length) break
    at += Math.max(1, row.length)
  }
  return found
}

/** Lines at an edge of their page that come again on other pages. */
function findRepeated(pages: readonly Page[]): ReadonlySet<Line> {
  const withText = pages.filter(({ lines }) => lines.length > 0).length
  const needed = Math.max(MIN_PAGES, Math.ceil(withText * MIN_SHARE))
  const bodySize = middleOf(pages.flatMap(({ lines }) => lines.map(({ size }) => size)))
  const groups = new Map<string, Found[]>()
  for (const [page, { lines }] of pages.entries()) {
    for (const line of edgesOf(lines)) {
      // What is larger than the text is a heading, however often it comes.
      if (line.size > bodySize * MAX_SIZE) continue
      const key = `${Math.round(line.height / PLACE)} ${line.angle} ${line.text.replace(/\d+/g, '#')}`
      const group = groups.get(key) ?? []
      group.push({ page, line })
      groups.set(key, group)
    }
  }
  const found = [...groups.values()].filter(
    (group) => new Set(group.map(({ page }) => page)).size >= needed && isSameOrCounting(group),
  )
  return new Set(found.flatMap((group) => group.map(({ line }) => line)))
}

function edgesOf(lines: readonly Line[]): readonly Line[] {
  if (lines.length <= 2 * EDGE_LINES) return lines
  const byHeight = [...lines].sort((a, b) => b.height - a.height)
  return [...byHeight.slice(0, EDGE_LINES), ...byHeight.slice(-EDGE_LINES)]
}

/** The same words each time, with no number but one that counts the pages. */
function isSameOrCounting(group: readonly Found[]): boolean {
  const [head] = group
  if (head === undefined) return false
  const isSame = group.every(({ line }) => line.text === head.line.text)
  // A number that never changes is no page number: a column of a table may begin like this.
  if (isSame) return /\p{L}/u.test(head.line.text)
  const numbers = group.map(({ line }) => (line.text.match(/\d+/g) ?? []).map(Number))
  return (numbers[0] ?? []).some((_, column) => {
    const offsets = group.map(({ page }, at) => (numbers[at]?.[column] ?? Number.NaN) - page)
    const usual = middleOf(offsets)
    return offsets.filter((offset) => offset === usual).length >= group.length * 0.8
  })
}

function middleOf(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0
}
