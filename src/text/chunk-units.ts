/** Promise: a text as units that are small enough to fill chunks with, each counted once. */

import { type Block, splitBlocks } from './chunk-blocks.js'
import { sentenceEnds } from './chunk-sentences.js'
import { isBreak } from './text-breaks.js'

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

const LINE = /[^\n]+/g
// Chinese and Japanese have no spaces, but they have commas.
const WIDE_COMMAS = '、，；：'
const SPACE = /\s/
/** A word that is too long is cut into parts, so many of which fill a chunk. */
const PARTS_PER_CHUNK = 8
/** More than a token takes in nearly all texts. */
const CHARS_PER_TOKEN = 10
const LEAST_TAIL_CHARS = 40

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
    const read = block.kind === 'code' ? codeLines : sentences
    for (const unit of read(block, measure, { border: borderOf(block), hold })) units.push(unit)
    const sum = hold === 'heading' ? held + tokens : tokens
    held = isHeading && sum <= mostHeld ? sum : 0
  }
  return units
}

function sentences(block: Block, measure: Measure, first: Shape['first']): Unit[] {
  const { start } = block
  const text = measure.text.slice(start, block.end)
  const ends = block.kind === 'heading' ? [] : sentenceEnds(text)
  ends.push(text.length)
  const spans = ends.map((end, i) => ({ start: start + (ends[i - 1] ?? 0), end: start + end }))
  const rest = { level: 'sentence', isCode: false, hold: 'free', border: BORDER.sentence } as const
  return toUnits(spans, measure, { first, ...rest })
}

function codeLines(block: Block, measure: Measure, first: Shape['first']): Unit[] {
  const isWhole = measure.tokensOf(block.start, block.end) <= measure.room
  const hold = isWhole ? 'code' : 'free'
  const rest = { level: 'line', isCode: true, hold, border: BORDER.line } as const
  const lines = toUnits(matches(LINE, block, measure), measure, { first, ...rest })
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
  for (const [level, border, spans] of finer(unit, measure, size)) {
    if (spans.length < 2) continue
    return toUnits(spans, measure, {
      first: unit,
      level,
      border,
      isCode: unit.isCode,
      hold: 'free',
    })
  }
  return null
}

/**
 * The last of the words that `splitUnit` gives, enough of them to take more than `size` tokens as a rule; null where
 * the unit is short, or would be split into something else than words. A long sentence has ten times as many words as
 * an overlap repeats.
 */
export function lastWords(unit: Unit, measure: Measure, size: number): Unit[] | null {
  if (unit.level !== 'sentence' && unit.level !== 'line') return null
  const wanted = unit.end - Math.max(LEAST_TAIL_CHARS, size * CHARS_PER_TOKEN)
  const space = measure.text.lastIndexOf(' ', wanted)
  if (space <= unit.start || measure.text.slice(unit.start, unit.end).includes('\n')) return null
  const words = wordSpans({ start: space, end: unit.end }, measure)
  const shape = { level: 'word', border: BORDER.word, isCode: unit.isCode, hold: 'free' } as const
  return toUnits(words, measure, { first: shape, ...shape })
}

function* finer(unit: Unit, measure: Measure, size: number) {
  if (unit.level === 'sentence') {
    yield ['line', BORDER.line, matches(LINE, unit, measure)] as const
  }
  if (unit.level === 'sentence' || unit.level === 'line') {
    yield ['word', BORDER.word, wordSpans(unit, measure)] as const
  }
  yield ['letters', BORDER.letter, letterParts(unit, measure, size)] as const
}

function matches(pattern: RegExp, span: Span, measure: Measure): Span[] {
  const part = measure.text.slice(span.start, span.end)
  return Array.from(part.matchAll(pattern), (match) => ({
    start: span.start + match.index,
    end: span.start + match.index + match[0].length,
  }))
}

/**
 * What stands between white space, each with the wide commas after it. As a pattern,
 * `[^\\s、，；：]+[、，；：]*|[、，；：]+`, it took three times as long: every match is an array and an object.
 */
function wordSpans({ start, end }: Span, { text }: Measure): Span[] {
  const spans: Span[] = []
  for (let at = start; at < end; ) {
    if (isSpace(text, at)) {
      at++
      continue
    }
    const from = at
    while (at < end && !isSpace(text, at) && !isWideComma(text, at)) at++
    while (at < end && isWideComma(text, at)) at++
    spans.push({ start: from, end: at })
  }
  return spans
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  return SPACE.test(text.charAt(at))
}

function isWideComma(text: string, at: number): boolean {
  return text.charCodeAt(at) > 0x3000 && WIDE_COMMAS.includes(text.charAt(at))
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

type Shape = Pick<Unit, 'level' | 'isCode' | 'hold'> & {
  /** What the first unit takes over from the whole, and the border before each other one. */
  readonly first: Pick<Unit, 'border' | 'hold'>
  readonly border: number
}

/** Without the white space around each, and without those that are nothing else. */
function toUnits(spans: readonly Span[], measure: Measure, shape: Shape): Unit[] {
  const { level, isCode } = shape
  const units: Unit[] = []
  for (const span of spans) {
    const { start, end } = trimSpan(measure.text, span)
    if (start === end) continue
    const tokens = measure.tokensOf(start, end)
    const { border, hold } = units.length === 0 ? shape.first : shape
    // Written out: spreading objects took most of the time of a megabyte of words.
    units.push({ start, end, tokens, border, hold, level, isCode })
  }
  return units
}

export function trimSpan(text: string, span: Span): Span {
  const { start, end } = span
  // Most spans are words: two looks instead of three strings took a third off the time of cutting an abstract.
  if (isPlain(text.charCodeAt(start)) && isPlain(text.charCodeAt(end - 1))) return span
  const part = text.slice(start, end)
  const from = start + (part.length - part.trimStart().length)
  return { start: from, end: Math.max(from, start + part.trimEnd().length) }
}

/** A printed character of ASCII: no white space. Past the end of a text it is false. */
function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x7f
}
