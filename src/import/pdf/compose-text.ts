/** Joins the lines of a PDF into flowing text, and records which part of the text each page holds. */

import { findRunningLines, type Line, type PageLines, SOFT_HYPHEN } from './lines.js'
import type { PdfPage } from './read-pdf.js'

/** The usual line distance, where a page has too few lines to measure it. */
const USUAL_LEADING = 1.2
const MIN_STEPS = 4

export function composeText(pages: readonly PageLines[]): {
  readonly text: string
  readonly pages: readonly PdfPage[]
} {
  const running = findRunningLines(pages)
  const kept = pages.map(({ lines }) => lines.filter((line) => !running.has(line)))
  const words = collectWords(kept.flat())
  const usualLeading = computeLeading(kept.flatMap(measureSteps)) ?? USUAL_LEADING
  const all = kept.flatMap((lines, page) => {
    const leading = computeLeading(measureSteps(lines)) ?? usualLeading
    return lines.map((line, at) => ({
      line,
      page,
      context: {
        isSamePage: at > 0,
        leading,
        after: lines[at + 1],
        isForcedLine: isForcedLine(lines, at),
        words,
      },
    }))
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

/** The distance of each line from the one above, in letter sizes. */
function measureSteps(lines: readonly Line[]): number[] {
  const steps: number[] = []
  for (const [at, below] of lines.entries()) {
    const above = lines[at - 1]
    if (above === undefined || above.angle !== below.angle) continue
    const isSameColumn = below.left < above.right && above.left < below.right
    const step = (above.height - below.height) / Math.max(above.size, below.size)
    if (isSameColumn && step > 0.8 && step < 3) steps.push(step)
  }
  return steps
}

/** The lower quartile: the smallest distances are those within paragraphs. */
function computeLeading(steps: readonly number[]): number | null {
  if (steps.length < MIN_STEPS) return null
  return [...steps].sort((a, b) => a - b)[steps.length >> 2] ?? null
}

/** How many lines before and after show how long a line may be. */
const NEIGHBOURS = 4
/** In letter sizes: allows for ragged lines and wide spaces. */
const MIN_FREE = 1
const MIN_LONGER_LINES = 2

/**
 * Whether the first word of the line would have fitted on the line before, as in lists, verses, code, and paragraphs
 * that are neither indented nor separated.
 */
function isForcedLine(lines: readonly Line[], at: number): boolean {
  const above = lines[at - 1]
  const below = lines[at]
  if (above === undefined || below === undefined) return false
  const [word = ''] = below.text.split(' ', 1)
  const share = word.length / Math.max(1, below.text.length)
  const needed = above.right + (below.right - below.left) * share + above.size * MIN_FREE
  const longer = lines
    .slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS)
    .filter((line) => line.angle === above.angle && Math.abs(line.size - above.size) < 0.5)
    .filter((line) => line.left < above.right && line.right > needed)
  return longer.length >= MIN_LONGER_LINES
}

type Joint = {
  readonly between: '' | ' ' | '\n' | '\n\n'
  /** Whether the hyphen at the end of the first line is removed. */
  readonly dropsHyphen: boolean
}

type LineContext = {
  readonly isSamePage: boolean
  /** The line distance within a paragraph, in letter sizes. */
  readonly leading: number
  /** The line after the second one, on the same page. */
  readonly after: Line | undefined
  readonly isForcedLine: boolean
  readonly words: ReadonlySet<string>
}

/** A distance this much larger than the leading ends a paragraph. */
const PARAGRAPH_GAP = 1.35
const SAME_SIZE = 1.12
const BREAK: Joint = { between: '\n\n', dropsHyphen: false }

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

/** What separates two lines in the text. */
function joinLines(above: Line, below: Line, context: LineContext): Joint {
  const joint = chooseJoint(above, below, context)
  // A soft hyphen is never part of the text.
  return above.text.endsWith(SOFT_HYPHEN) ? { ...joint, dropsHyphen: true } : joint
}

function chooseJoint(above: Line, below: Line, context: LineContext): Joint {
  const flow = findFlow(above, below, context)
  if (flow === 'apart') return BREAK
  const hyphen = joinHyphen(above, below, context.words)
  if (hyphen !== null) return hyphen
  if (flow === 'jump' && !isUnfinished(above, below)) return BREAK
  if (context.isForcedLine || ITEM.test(below.text) || CONTENTS.test(above.text)) {
    return { between: '\n', dropsHyphen: false }
  }
  return { between: needsNoSpace(above, below, context.words) ? '' : ' ', dropsHyphen: false }
}

/** `next` in the same column, `jump` to the next column or page, or `apart`: not the same paragraph. */
function findFlow(above: Line, below: Line, context: LineContext): 'next' | 'jump' | 'apart' {
  if (above.angle !== below.angle) return 'apart'
  const size = Math.max(above.size, below.size)
  if (size > Math.min(above.size, below.size) * SAME_SIZE) return 'apart'
  if (!context.isSamePage) return 'jump'
  const step = above.height - below.height
  const isBeside = below.left >= above.right || above.left >= below.right
  if (step <= 0 || isBeside) return 'jump'
  if (step > context.leading * PARAGRAPH_GAP * size) return 'apart'
  return isIndented(above, below, context.after) ? 'apart' : 'next'
}

/** The indented first line of a paragraph; the line after it is not indented. */
function isIndented(above: Line, below: Line, after: Line | undefined): boolean {
  if (after === undefined || !SENTENCE_END.test(above.text)) return false
  const indent = below.left - above.left
  const isBack = Math.abs(after.left - above.left) < below.size * 0.3
  return isBack && indent > below.size * 0.7 && indent < below.size * 4
}

function isUnfinished(above: Line, below: Line): boolean {
  return !SENTENCE_END.test(above.text) && /^\p{Ll}/u.test(below.text)
}

/**
 * "infor-" and "mation" are one word. The hyphen of "state-of-the-" stays, and that of "well-" where
 * the document writes "well-known" elsewhere and never "wellknown".
 */
function joinHyphen(above: Line, below: Line, words: ReadonlySet<string>): Joint | null {
  if (!HYPHEN.test(above.text) || !/^\p{Ll}/u.test(below.text)) return null
  if (above.text.endsWith(SOFT_HYPHEN)) return { between: '', dropsHyphen: true }
  const left = LAST_WORD.exec(above.text)?.[1]?.toLowerCase() ?? ''
  const right = FIRST_WORD.exec(below.text)?.[0].toLowerCase() ?? ''
  const isCompound =
    /[-\u2010]/.test(left) || (words.has(`${left}-${right}`) && !words.has(left + right))
  return { between: '', dropsHyphen: !isCompound }
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
