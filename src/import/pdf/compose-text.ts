/** Joins the lines of a PDF into flowing text, and records which part of the text each page holds. */

import { findRunningLines, type Line, type PageLines, SOFT_HYPHEN } from './lines.js'
import type { PdfPage } from './read-pdf.js'

/** The line distance of a page that has too few lines to measure it. */
const USUAL_LEADING = 1.2
const MIN_STEPS = 4

export function composeText(pages: readonly PageLines[]): {
  readonly text: string
  readonly pages: readonly PdfPage[]
} {
  const running = findRunningLines(pages)
  const kept = pages.map(({ lines }) => lines.filter((line) => !running.has(line)))
  const words = collectWords(kept.flat())
  const usualLeading = computeLeading(kept.flat()) ?? USUAL_LEADING
  const all = kept.flatMap((lines, page) => {
    const leading = computeLeading(lines) ?? usualLeading
    return lines.map((line, at) => ({ line, page, context: { lines, at, leading, words } }))
  })
  const spans = new Map<number, { readonly start: number; readonly end: number }>()
  const parts: string[] = []
  let start = 0
  for (const [at, { line, page }] of all.entries()) {
    const next = all[at + 1]
    const { between, dropsHyphen } =
      next === undefined
        ? { between: '', dropsHyphen: line.text.endsWith(SOFT_HYPHEN) }
        : joinLines(line, next.line, next.context)
    const text = dropsHyphen ? line.text.slice(0, -1) : line.text
    const end = start + text.length
    spans.set(page, { start: spans.get(page)?.start ?? start, end })
    parts.push(text, between)
    start = end + between.length
  }
  let end = 0
  const positions = pages.map(({ label }, at) => {
    const span = spans.get(at) ?? { start: end, end }
    end = span.end
    return { page: at + 1, label, ...span }
  })
  return { text: parts.join(''), pages: positions }
}

/** The lower quartile of the line distances in letter sizes: the smallest are those within paragraphs. */
function computeLeading(lines: readonly Line[]): number | null {
  const steps = lines.flatMap((below, at) => {
    const above = lines[at - 1]
    if (above === undefined || above.angle !== below.angle) return []
    const isSameColumn = below.left < above.right && above.left < below.right
    const step = (above.height - below.height) / Math.max(above.size, below.size)
    return isSameColumn && step > 0.8 && step < 3 ? step : []
  })
  if (steps.length < MIN_STEPS) return null
  return steps.sort((a, b) => a - b)[steps.length >> 2] ?? null
}

/** How many lines before and after show how long a line may be. */
const NEIGHBOURS = 4

/**
 * Whether the first word of the line would have fitted on the line before, as in lists, verses, code, and paragraphs
 * that are neither indented nor separated. Two longer lines show the width of the column; one letter size allows for ragged lines.
 */
function isForcedLine(above: Line, below: Line, { lines, at }: LineContext): boolean {
  if (at === 0) return false
  const [word = ''] = below.text.split(' ', 1)
  const wordWidth = ((below.right - below.left) * word.length) / Math.max(1, below.text.length)
  const ends = lines
    .slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS)
    .filter((line) => line.angle === above.angle && Math.abs(line.size - above.size) < 0.5)
    .filter((line) => line.left < above.right)
    .map((line) => line.right)
    .sort((a, b) => b - a)
  return (ends[1] ?? 0) > above.right + wordWidth + above.size
}

type Joint = {
  readonly between: '' | ' ' | '\n' | '\n\n'
  readonly dropsHyphen: boolean
}

type LineContext = {
  /** The lines of the page, and the index of the second line among them. */
  readonly lines: readonly Line[]
  readonly at: number
  /** The line distance within a paragraph, in letter sizes. */
  readonly leading: number
  readonly words: ReadonlySet<string>
}

/** A distance this much larger than the leading ends a paragraph. */
const PARAGRAPH_GAP = 1.35
const SAME_SIZE = 1.12

const HYPHEN = /(?<=\p{L}\p{M}*)[-\u2010\u00ad]$/u
const LAST_WORD = /([\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*)[-\u2010\u00ad]$/u
const FIRST_WORD = /^[\p{L}\p{M}]+/u
const SENTENCE_END = /[.!?:;…。！？][\p{Pe}\p{Pf}"'\d]*$/u
const ITEM = /^(?:[•◦▪‣∙●■–—] ?\S|\[\d{1,3}\] |\(?\d{1,2}[.)] )/
/** An entry of a table of contents, whose dots were replaced by an ellipsis. */
const CONTENTS = / … ?[\divxlc]+$/
const OPEN_ADDRESS = /(?:https?:\/\/|doi\.org\/|\b10\.\d{4,9}\/)\S*[/_=&?-]$/i
const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff00-\uff65]/u

function joinLines(above: Line, below: Line, context: LineContext): Joint {
  const flow = findFlow(above, below, context)
  // A soft hyphen is never part of the text.
  const isSoft = above.text.endsWith(SOFT_HYPHEN)
  if (flow === 'apart') return { between: '\n\n', dropsHyphen: isSoft }
  const goesOn = /^\p{Ll}/u.test(below.text)
  if (goesOn && HYPHEN.test(above.text)) {
    return { between: '', dropsHyphen: isSoft || !isCompound(above, below, context.words) }
  }
  const isUnfinished = goesOn && !SENTENCE_END.test(above.text)
  if (flow === 'jump' && !isUnfinished) return { between: '\n\n', dropsHyphen: isSoft }
  const isOwnLine =
    ITEM.test(below.text) || CONTENTS.test(above.text) || isForcedLine(above, below, context)
  const space = needsNoSpace(above, below, context.words) ? '' : ' '
  return { between: isOwnLine ? '\n' : space, dropsHyphen: isSoft }
}

/** `next` in the same column, `jump` to the next column or page, or `apart`: not the same paragraph. */
function findFlow(above: Line, below: Line, context: LineContext): 'next' | 'jump' | 'apart' {
  if (above.angle !== below.angle) return 'apart'
  const size = Math.max(above.size, below.size)
  if (size > Math.min(above.size, below.size) * SAME_SIZE) return 'apart'
  if (context.at === 0) return 'jump'
  const step = above.height - below.height
  const isBeside = below.left >= above.right || above.left >= below.right
  if (step <= 0 || isBeside) return 'jump'
  if (step > context.leading * PARAGRAPH_GAP * size) return 'apart'
  return isIndented(above, below, context.lines[context.at + 1]) ? 'apart' : 'next'
}

/** The indented first line of a paragraph; the line after it is not indented. */
function isIndented(above: Line, below: Line, after: Line | undefined): boolean {
  if (after === undefined || !SENTENCE_END.test(above.text)) return false
  const indent = below.left - above.left
  const isBack = Math.abs(after.left - above.left) < below.size * 0.3
  return isBack && indent > below.size * 0.7 && indent < below.size * 4
}

/**
 * "infor-" and "mation" are one word. The hyphen of "state-of-the-" stays, and that of "well-" where
 * the document writes "well-known" elsewhere and never "wellknown".
 */
function isCompound(above: Line, below: Line, words: ReadonlySet<string>): boolean {
  const left = LAST_WORD.exec(above.text)?.[1]?.toLowerCase() ?? ''
  const right = FIRST_WORD.exec(below.text)?.[0].toLowerCase() ?? ''
  return /[-\u2010]/.test(left) || (words.has(`${left}-${right}`) && !words.has(left + right))
}

function needsNoSpace(above: Line, below: Line, words: ReadonlySet<string>): boolean {
  if (isSplitWord(above, below, words)) return true
  if (OPEN_ADDRESS.test(above.text)) return true
  return NO_SPACES.test(above.text.slice(-1)) && NO_SPACES.test(below.text.slice(0, 1))
}

/**
 * PDF.js drops soft hyphens, even at the end of a line. Two parts that are one word elsewhere in the document, and not
 * words themselves, were split by one.
 */
function isSplitWord(above: Line, below: Line, words: ReadonlySet<string>): boolean {
  const left = /\p{L}\p{Ll}+$/u.exec(above.text)?.[0].toLowerCase()
  const right = /^\p{Ll}{2,}/u.exec(below.text)?.[0]
  if (left === undefined || right === undefined) return false
  return words.has(left + right) && !words.has(left) && !words.has(right)
}

/** All words but those at the ends of lines, which may be parts of words. */
function collectWords(lines: Iterable<Line>): ReadonlySet<string> {
  const words = new Set<string>()
  for (const { text } of lines) {
    const within = text.toLowerCase().replaceAll('\u2010', '-').split(' ').slice(1, -1).join(' ')
    for (const [word] of within.matchAll(/[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu)) words.add(word)
  }
  return words
}
