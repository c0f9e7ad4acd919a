/** Assembles the text pieces of a page into clean lines, in the order of the page, and finds headers and footers. */

import { groupBy } from '../../core/group-by.js'
import { normalizeText } from '../../text/normalize.js'
import type { PdfItem } from './worker.js'

export type Line = {
  readonly text: string
  /** Along the line, in points. */
  readonly left: number
  readonly right: number
  /** Across the line: greater is higher on the page. */
  readonly height: number
  /** Of the letters, in points. */
  readonly size: number
  readonly angle: number
}

type Draft = { -readonly [key in keyof Line]: Line[key] } & { longest: number; isEnded: boolean }
type Position = Omit<Line, 'text'>

/** Superscripts and subscripts are off the line by less than this share of the letters' size. */
const SAME_LINE = 0.5
/** After PDF.js reports the end of a line, only closer pieces still belong to it. */
const MAX_GAP = 3
const WORD_GAP = 0.25

export function readLines(items: readonly PdfItem[]): Line[] {
  const lines: Draft[] = []
  for (const item of items) {
    const last = lines.at(-1)
    const text = cleanPart(item.str)
    if (text.trim() === '') {
      if (last !== undefined && text !== '') last.text += ' '
    } else {
      const position = readPosition(item)
      if (last !== undefined && continues(last, position)) extend(last, position, text)
      else lines.push({ ...position, text, longest: text.length, isEnded: false })
    }
    const current = lines.at(-1)
    if (current !== undefined && item.hasEOL) current.isEnded = true
  }
  return lines
    .map(({ longest, isEnded, ...line }) => ({ ...line, text: cleanLine(line.text) }))
    .filter(({ text }) => text !== '')
}

/** Coordinates along and across the direction of writing, so that rotated pages need no special rules. */
function readPosition({ transform, width, height }: PdfItem): Position {
  const isValid = transform.every(Number.isFinite)
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = isValid ? transform : []
  const scale = Math.hypot(a, b) || 1
  const [ux, uy] = [a / scale, b / scale]
  const left = x * ux + y * uy
  return {
    left,
    right: left + (Number.isFinite(width) ? width : 0),
    height: y * ux - x * uy,
    size: height || Math.hypot(c, d) || 1,
    angle: Math.round((Math.atan2(uy, ux) * 180) / Math.PI),
  }
}

function continues(line: Draft, position: Position): boolean {
  if (position.angle !== line.angle) return false
  const size = Math.max(line.size, position.size)
  if (Math.abs(position.height - line.height) > SAME_LINE * size) return false
  if (position.left < line.left - size) return false
  return !line.isEnded || Math.abs(position.left - line.right) < MAX_GAP * size
}

function extend(line: Draft, position: Position, text: string): void {
  const gap = position.left - line.right
  if (gap > WORD_GAP * Math.min(line.size, position.size)) line.text += ' '
  line.text += text
  line.left = Math.min(line.left, position.left)
  line.right = Math.max(line.right, position.right)
  line.isEnded = false
  // The longest piece determines the size: others may be superscripts.
  if (text.length > line.longest) {
    line.longest = text.length
    line.size = position.size
    line.height = position.height
  }
}

/** Two accents of older TeX fonts that Unicode does not decompose. */
const ACCENTS: Readonly<Record<string, string>> = { ˆ: '\u0302', ˇ: '\u030c' }
export const SOFT_HYPHEN = '\u00ad'
const LIGATURE = /[\ufb00-\ufb06\ufb13-\ufb17]/g
/** Includes the private use area, where fonts keep glyphs without a letter. */
const NOT_TEXT =
  /[\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffd]/gu
/** The dots between a heading and its page in a table of contents. */
const LEADERS = /(?:[ ]?\.){5,}/g
const WHITE_SPACE = /[\s\u0085]+/g

/** One line or a part of it: no control characters, no ligatures, well-formed. Soft hyphens stay. */
export function cleanPart(text: string): string {
  return text
    .toWellFormed()
    .replace(WHITE_SPACE, ' ')
    .replaceAll('\uf0b7', '•')
    .replace(NOT_TEXT, '')
    .replace(LIGATURE, (found) => found.normalize('NFKC'))
}

/** A whole line: accents on their letters, one space at a time, no rows of dots, and soft hyphens only at its end. */
export function cleanLine(text: string): string {
  const trimmed = text.replace(LEADERS, ' … ').replace(/ {2,}/g, ' ').trim()
  const isBroken = trimmed.length > 1 && trimmed.endsWith(SOFT_HYPHEN)
  const plain = trimmed.replaceAll(SOFT_HYPHEN, '')
  const letters = plain.replace(/([\u00a8\u00af\u00b4\u02c6-\u02dd])(\p{L})/gu, composeAccent)
  return normalizeText(letters, 'NFC') + (isBroken && plain !== '' ? SOFT_HYPHEN : '')
}

/** "´e" → "é": older TeX fonts set accents before the letter. Without such a letter both stay. */
function composeAccent(both: string, mark: string, letter: string): string {
  const base = letter === 'ı' ? 'i' : letter
  // The other accents decompose into a space and a combining character.
  const accent = ACCENTS[mark] ?? mark.normalize('NFKD').trim()
  const composed = (base + accent).normalize('NFC')
  return composed.length === 1 && composed !== base ? composed : both
}

export type PageLines = { readonly label: string | null; readonly lines: readonly Line[] }
type Found = { readonly page: number; readonly line: Line }

/** How many lines at the top and at the bottom of a page may be headers and footers. */
const EDGE_LINES = 3
/** Left and right pages may have different headers, each on a little less than half of the pages. */
const MIN_SHARE = 0.4
const MIN_PAGES = 3
/** Two lines are at the same height within this many points. */
const SAME_HEIGHT = 3
const MAX_SIZE = 1.05
/** In letter sizes: a line closer to the next one belongs to a paragraph. */
const MIN_GAP = 1.3

/** Headers, footers and page numbers; empty if the text has nothing else. */
export function findRunningLines(pages: readonly PageLines[]): ReadonlySet<Line> {
  const repeated = findRepeated(pages)
  const running = new Set<Line>()
  for (const { label, lines } of pages) {
    // A number at the edge that is the label of the page needs no repetition.
    const isRunning = (line: Line): boolean =>
      repeated.has(line) || (line.text === label && /^(?:\d+|[ivxlc]+)$/.test(label))
    const fromTop = [...lines].sort((a, b) => b.height - a.height)
    for (const line of takeFromEdge(fromTop, isRunning)) running.add(line)
    for (const line of takeFromEdge(fromTop.reverse(), isRunning)) running.add(line)
  }
  const isAll = pages.every(({ lines }) => lines.every((line) => running.has(line)))
  return isAll ? new Set() : running
}

/** From the edge inwards, up to the first row that also holds text. */
function takeFromEdge(lines: readonly Line[], isRunning: (line: Line) => boolean): Line[] {
  const found: Line[] = []
  let textHeight: number | null = null
  for (const line of lines.slice(0, EDGE_LINES)) {
    const isInRow = (height: number): boolean => Math.abs(height - line.height) < SAME_HEIGHT
    if (textHeight !== null && !isInRow(textHeight)) break
    const next = lines.find(({ height }, at) => at > lines.indexOf(line) && !isInRow(height))
    const gap = next === undefined ? Number.POSITIVE_INFINITY : Math.abs(next.height - line.height)
    if (isRunning(line) && gap > line.size * MIN_GAP) found.push(line)
    else textHeight ??= line.height
  }
  return found
}

function findRepeated(pages: readonly PageLines[]): ReadonlySet<Line> {
  const withText = pages.filter(({ lines }) => lines.length > 0).length
  const needed = Math.max(MIN_PAGES, Math.ceil(withText * MIN_SHARE))
  const bodySize = median(pages.flatMap(({ lines }) => lines.map(({ size }) => size)))
  const edges = pages.flatMap(({ lines }, page) => {
    const fromTop = [...lines].sort((a, b) => b.height - a.height)
    const atEdge = new Set([...fromTop.slice(0, EDGE_LINES), ...fromTop.slice(-EDGE_LINES)])
    // A line larger than the text is a heading, however often it repeats.
    return [...atEdge]
      .filter(({ size }) => size <= bodySize * MAX_SIZE)
      .map((line): Found => ({ page, line }))
  })
  const groups = groupBy(edges, ({ line: { height, angle, text } }) => {
    return `${Math.round(height / SAME_HEIGHT)} ${angle} ${text.replace(/\d+/g, '#')}`
  })
  const found = [...groups.values()].filter(
    (group) => new Set(group.map(({ page }) => page)).size >= needed && repeatsOrCounts(group),
  )
  return new Set(found.flat().map(({ line }) => line))
}

/** The same words each time; the only number that may change is one that counts the pages. */
function repeatsOrCounts(group: readonly Found[]): boolean {
  const [head] = group
  if (head === undefined) return false
  const isSame = group.every(({ line }) => line.text === head.line.text)
  // A number that never changes is not a page number: it may begin a column of a table.
  if (isSame) return /\p{L}/u.test(head.line.text)
  const numbers = group.map(({ line }) => (line.text.match(/\d+/g) ?? []).map(Number))
  return (numbers[0] ?? []).some((_, column) => {
    const offsets = group.map(({ page }, at) => (numbers[at]?.[column] ?? Number.NaN) - page)
    const usual = median(offsets)
    return offsets.filter((offset) => offset === usual).length >= group.length * 0.8
  })
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0
}
