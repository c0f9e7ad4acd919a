/** Splits a long text into units that are rendered one by one, and finds its headings. */

import type { Range } from '../../../src/core/answer.js'

export type Heading = { readonly at: number; readonly depth: number; readonly text: string }

const UNIT_CHARS = 6000
/** A list without an end is cut between its items. */
const LIST_CHARS = 4 * UNIT_CHARS

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^(#{1,6})[ \t]+(.*)$/
const HEADING_CHARS = 300
const ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/
/** After an empty line this begins a paragraph, whatever was before. */
const PARAGRAPH = /^[\p{L}"“(]/u

type Line = {
  readonly at: number
  readonly text: string
  readonly isCode: boolean
  readonly isAfterGap: boolean
}

function* readLines(body: string): Generator<Line> {
  let fence: string | null = null
  let isAfterGap = true
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf('\n', at)
    const text = body.slice(at, end < 0 ? body.length : end)
    const [, mark] = FENCE.exec(text) ?? []
    const isCode = fence !== null
    if (mark !== undefined) {
      if (fence === null) fence = mark
      else if (mark.startsWith(fence)) fence = null
    }
    yield { at, text, isCode, isAfterGap }
    isAfterGap = text.trim() === ''
    at = end < 0 ? body.length : end + 1
  }
}

/** The units in order; together they are the whole text, and each is rendered as it would be in the whole. */
export function splitUnits(
  body: string,
  { isMarkdown }: { readonly isMarkdown: boolean },
): Range[] {
  const units: Range[] = []
  let start = 0
  for (const { at, text, isCode, isAfterGap } of readLines(body)) {
    const length = at - start
    if (length < UNIT_CHARS) continue
    const canBegin = isMarkdown
      ? !isCode &&
        (HEADING.test(text) ||
          (isAfterGap && PARAGRAPH.test(text)) ||
          (length >= LIST_CHARS && ITEM.test(text)))
      : isAfterGap || length >= LIST_CHARS
    if (!canBegin) continue
    units.push({ start, end: at })
    start = at
  }
  if (start < body.length) units.push({ start, end: body.length })
  return units
}

export function findUnit(units: readonly Range[], at: number): number {
  return Math.max(
    0,
    units.findLastIndex(({ start }) => start <= at),
  )
}

export function listHeadings(body: string): Heading[] {
  const headings: Heading[] = []
  for (const { at, text, isCode } of readLines(body)) {
    const [, hashes, title = ''] = isCode ? [] : (HEADING.exec(text) ?? [])
    if (hashes === undefined) continue
    const shown = stripHashes(title.trim().slice(0, HEADING_CHARS))
      .replace(/[*_`]|\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
    if (shown !== '') headings.push({ at, depth: hashes.length, text: shown })
  }
  return headings
}

/** A heading may end with hashes. */
function stripHashes(title: string): string {
  let end = title.length
  while (title.charAt(end - 1) === '#') end--
  return title.slice(0, end)
}

/** The levels of headings below a title of level 1, by offset: none is left out on the way down. */
export function levelHeadings(headings: readonly Heading[]): ReadonlyMap<number, number> {
  const least = Math.min(...headings.map(({ depth }) => depth))
  let last = 1
  return new Map(
    headings.map(({ at, depth }) => {
      last = Math.min(6, depth - least + 2, last + 1)
      return [at, last]
    }),
  )
}

/** "Release day, moved!" → "release-day-moved", as links inside of a text name a heading. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-')

const MARKDOWN_FILE = /\.(?:md|markdown|mdx|mkd|qmd|rmd)$/i
const MARKDOWN_SIGN =
  /^#{1,6} \S|^[-*+] \S|^\d+[.)] \S|^ {0,3}(?:```|~~~)|^\|.*\|[ \t]*$|^> \S|\[[^\]\n]+\]\([^)\s]+\)|\[\[[^\]\n]+\]\]|\*\*\S|`[^`\n]+`/m
const SIGNS_IN = 20_000

/** Their text is written down as Markdown where it has headings and lists. */
const CONVERTED_FILE = /\.(?:html?|xhtml|docx|epub)$/i

/** By the name of the file; for a note without a file, by how it is written. Other files and abstracts are plain text. */
export function isMarkdown({
  kind,
  body,
  metadata,
}: {
  readonly kind: string
  readonly body: string
  readonly metadata: Readonly<Record<string, unknown>>
}): boolean {
  const { path } = metadata
  if (typeof path === 'string') {
    if (MARKDOWN_FILE.test(path)) return true
    if (!CONVERTED_FILE.test(path)) return false
  }
  return kind !== 'work' && MARKDOWN_SIGN.test(body.slice(0, SIGNS_IN))
}
