/** A text as units that are small enough to fill chunks with, each counted once. */

import { isBreak } from './breaks.js'
import { type Block, splitBlocks } from './chunk-blocks.js'
import { sentenceEnds } from './chunk-sentences.js'
import { endOfWord, skipSpace, skipSpaceBack } from './chunk-words.js'

/** How good a place the start of a unit is to cut before: more is better. */
export const BORDER = {
  letter: 0,
  word: 1,
  line: 2,
  sentence: 3,
  item: 4,
  paragraph: 5,
  heading: 6,
} as const

/** Why no chunk is to end before a unit: it would part a heading from its text, or tear code. */
export type Hold = 'free' | 'code' | 'heading'

export type Unit = {
  readonly start: number
  readonly end: number
  /** Without the fixed cost of a text. */
  readonly tokens: number
  readonly border: number
  readonly hold: Hold
  readonly level: 'sentence' | 'line' | 'word' | 'letters'
  readonly isCode: boolean
}

/** What fits into one chunk, and what a part of the text takes of it. */
export type Measure = {
  readonly text: string
  readonly room: number
  /** The tokens of `text.slice(start, end)` without the fixed cost of a text. */
  tokensOf(start: number, end: number): number
}

type Span = { readonly start: number; readonly end: number }

/** A word that is too long is cut into parts, so many of which fill a chunk. */
const PARTS_PER_CHUNK = 8

/** The units of the whole text: sentences, headings and lines of code. */
export function readUnits(measure: Measure): Unit[] {
  const units: Unit[] = []
  // Of headings in a row, as many hold together as leave half of a chunk for their text.
  const mostHeld = measure.room / 2
  let held = 0
  for (const block of splitBlocks(measure.text)) {
    const isHeading = block.kind === 'heading'
    const tokens = isHeading ? measure.tokensOf(block.start, block.end) : 0
    const hold = held > 0 && held + tokens <= mostHeld ? 'heading' : 'free'
    const first: First = { border: borderOf(block), hold }
    const read =
      block.kind === 'code' ? codeLines(block, measure, first) : sentences(block, measure, first)
    for (const unit of read) units.push(unit)
    const sum = hold === 'heading' ? held + tokens : tokens
    held = isHeading && sum <= mostHeld ? sum : 0
  }
  return units
}

function sentences(block: Block, measure: Measure, first: First): Unit[] {
  const { start, end } = block
  const spans: Span[] = []
  let from = start
  if (block.kind !== 'heading') {
    for (const length of sentenceEnds(measure.text.slice(start, end))) {
      spans.push({ start: from, end: start + length })
      from = start + length
    }
  }
  spans.push({ start: from, end })
  const others = { border: BORDER.sentence, hold: 'free' } as const
  return toUnits(spans, measure, { level: 'sentence', isCode: false, first, others })
}

function codeLines(block: Block, measure: Measure, first: First): Unit[] {
  const isWhole = measure.tokensOf(block.start, block.end) <= measure.room
  const others = { border: BORDER.line, hold: isWhole ? 'code' : 'free' } as const
  const shape: Shape = { level: 'line', isCode: true, first, others }
  const lines = toUnits(lineSpans(block, measure), measure, shape)
  if (isWhole) return lines
  // Even in code that must be cut, a fence does not stand apart from its first or last line.
  return lines.map((line, i) =>
    i === 1 || (i > 0 && i === lines.length - 1) ? { ...line, hold: 'code' } : line,
  )
}

function borderOf(block: Block): number {
  if (block.kind === 'heading') return BORDER.heading
  return block.isApart ? BORDER.paragraph : BORDER.item
}

/**
 * The same unit in smaller ones: lines, then words, then letters in parts of about an eighth of
 * `size` tokens. Null where it is one grapheme.
 */
export function splitUnit(unit: Unit, measure: Measure, size = measure.room): Unit[] | null {
  if (unit.level === 'sentence') {
    const lines = lineSpans(unit, measure)
    if (lines.length > 1) return toParts(unit, measure, lines, LINES)
  }
  if (unit.level === 'sentence' || unit.level === 'line') {
    const words = wordSpans(unit, measure)
    if (words.length > 1) return toParts(unit, measure, words, WORDS)
  }
  const letters = letterParts(unit, measure, size)
  return letters.length > 1 ? toParts(unit, measure, letters, LETTERS) : null
}

const LINES = { level: 'line', others: { border: BORDER.line, hold: 'free' } } as const
const WORDS = { level: 'word', others: { border: BORDER.word, hold: 'free' } } as const
const LETTERS = { level: 'letters', others: { border: BORDER.letter, hold: 'free' } } as const
type Parts = typeof LINES | typeof WORDS | typeof LETTERS

function toParts(unit: Unit, measure: Measure, spans: readonly Span[], parts: Parts): Unit[] {
  const { border, hold, isCode } = unit
  const { level, others } = parts
  return toUnits(spans, measure, { level, isCode, first: { border, hold }, others })
}

/** What stands between line breaks. */
function lineSpans({ start, end }: Span, measure: Measure): Span[] {
  // A part of its own: no search goes on to the next line break of a long text.
  const part = measure.text.slice(start, end)
  const spans: Span[] = []
  for (let from = 0; from < part.length; ) {
    const newline = part.indexOf('\n', from)
    const to = newline < 0 ? part.length : newline
    spans.push({ start: start + from, end: start + to })
    from = to + 1
  }
  return spans
}

/** What stands between white space, and after wide commas. */
function wordSpans({ start, end }: Span, { text }: Measure): Span[] {
  const spans: Span[] = []
  for (let from = skipSpace(text, start, end); from < end; ) {
    const to = endOfWord(text, from, end)
    spans.push({ start: from, end: to })
    from = skipSpace(text, to, end)
  }
  return spans
}

/** One pass forward, however few breaks there are: a megabyte of marks is one letter. */
function letterParts(unit: Unit, measure: Measure, size: number): Span[] {
  const length = unit.end - unit.start
  const wanted = Math.ceil((unit.tokens / Math.max(1, size)) * PARTS_PER_CHUNK)
  const step = length / Math.min(length, Math.max(2, wanted))
  const spans: Span[] = []
  let from = unit.start
  for (let target = unit.start + step; from < unit.end; target += step) {
    let at = Math.min(unit.end, Math.max(from + 1, Math.floor(target)))
    while (at < unit.end && !isBreak(measure.text, at)) at++
    if (at > target) target += step * Math.floor((at - target) / step)
    spans.push({ start: from, end: at })
    from = at
  }
  return spans
}

type First = Pick<Unit, 'border' | 'hold'>

type Shape = Pick<Unit, 'level' | 'isCode'> & {
  /** What the first unit takes over from the whole. */
  readonly first: First
  readonly others: First
}

/** Without the white space around each, and without those that are nothing else. */
function toUnits(spans: readonly Span[], measure: Measure, shape: Shape): Unit[] {
  const { level, isCode, first, others } = shape
  const units: Unit[] = []
  for (const span of spans) {
    const { start, end } = trimSpan(measure.text, span)
    if (start === end) continue
    const tokens = measure.tokensOf(start, end)
    const { border, hold } = units.length === 0 ? first : others
    // Written out: spreading objects took most of the time of a megabyte of words.
    units.push({ start, end, tokens, border, hold, level, isCode })
  }
  return units
}

export function trimSpan(text: string, span: Span): Span {
  const start = skipSpace(text, span.start, span.end)
  return { start, end: skipSpaceBack(text, start, span.end) }
}
