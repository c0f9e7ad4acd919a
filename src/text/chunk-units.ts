/** Splits Markdown or plain text into the units of chunks: sentences, headings, lines of code, words. */

import { isBreak } from './breaks.js'
import { sentenceEnds } from './sentences.js'

/** Ranks the borders before a unit: a cut at a higher one is better. */
export const BORDER = {
  letter: 0,
  word: 1,
  line: 2,
  sentence: 3,
  item: 4,
  paragraph: 5,
  heading: 6,
} as const

export type Span = { readonly start: number; readonly end: number }

export type Unit = Span & {
  /** Without the fixed cost of any text. */
  readonly tokens: number
  readonly border: number
  /** Why a chunk should not end before this unit: it would separate a heading from its text, or split code. */
  readonly hold: 'free' | 'code' | 'heading'
  readonly level: 'sentence' | 'line' | 'word' | 'letters'
  readonly isCode: boolean
}

export type Measure = {
  readonly text: string
  /** How many tokens fit into a chunk. */
  readonly capacity: number
  /** The tokens of `text.slice(start, end)` without the fixed cost of any text. */
  countTokens(start: number, end: number): number
}

/** Splits the whole text into sentences, headings and lines of code. */
export function readUnits(measure: Measure): Unit[] {
  const { text, capacity } = measure
  const units: Unit[] = []
  // Adjacent headings stay together as long as half of the chunk remains for their text.
  let held = 0
  for (const block of splitBlocks(text)) {
    const isHeading = block.kind === 'heading'
    const tokens = isHeading ? measure.countTokens(block.start, block.end) : 0
    const isHeld = held > 0 && held + tokens <= capacity / 2
    const sum = isHeld ? held + tokens : tokens
    held = isHeading && sum <= capacity / 2 ? sum : 0
    const first: First = { border: rankBlock(block), hold: isHeld ? 'heading' : 'free' }
    const inner = block.kind === 'code' ? readCode(block, measure) : readSentences(block, measure)
    for (const [i, unit] of inner.entries()) units.push(i === 0 ? { ...unit, ...first } : unit)
  }
  return units
}

function rankBlock(block: Block): number {
  if (block.kind === 'heading') return BORDER.heading
  return block.isApart ? BORDER.paragraph : BORDER.item
}

function readSentences(block: Block, measure: Measure): Unit[] {
  const { start, end, kind } = block
  const ends = kind === 'heading' ? [] : sentenceEnds(measure.text.slice(start, end))
  const cuts = [0, ...ends, end - start]
  const spans = cuts.slice(1).map((cut, i) => ({ start: start + (cuts[i] ?? 0), end: start + cut }))
  return toUnits(spans, measure, { level: 'sentence', isCode: false })
}

function readCode(block: Block, measure: Measure): Unit[] {
  const isWhole = measure.countTokens(block.start, block.end) <= measure.capacity
  const lines = toUnits(splitLines(block, measure.text), measure, { level: 'line', isCode: true })
  // If code must be cut, its fences still stay with the first and the last line.
  const isHeld = (i: number) => isWhole || i === 1 || i === lines.length - 1
  return lines.map((line, i) => (i > 0 && isHeld(i) ? { ...line, hold: 'code' } : line))
}

type Shape = Pick<Unit, 'level' | 'isCode'>
type First = Pick<Unit, 'border' | 'hold'>

/** Trims each span and drops blank ones. */
function toUnits(spans: readonly Span[], measure: Measure, { level, isCode }: Shape): Unit[] {
  const border = BORDER[level === 'letters' ? 'letter' : level]
  const units: Unit[] = []
  for (const span of spans) {
    const { start, end } = trimSpan(measure.text, span)
    if (start === end) continue
    const tokens = measure.countTokens(start, end)
    // Spreading an object here took most of the time of a long text.
    units.push({ start, end, tokens, border, hold: 'free', level, isCode })
  }
  return units
}

export function trimSpan(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end)
  const trimmed = part.trimStart()
  const from = end - trimmed.length
  return { start: from, end: from + trimmed.trimEnd().length }
}

/** Splits a unit into smaller units; null if it is one grapheme. */
export function splitUnit(unit: Unit, measure: Measure): Unit[] | null {
  const split = splitSpans(unit, measure, measure.capacity)
  if (split === null) return null
  const { level, spans } = split
  const [first, ...others] = toUnits(spans, measure, { level, isCode: unit.isCode })
  if (first === undefined) return []
  return [{ ...first, border: unit.border, hold: unit.hold }, ...others]
}

/** Splits into lines, else words, else parts of words of about an eighth of `size` tokens; null for one grapheme. */
export function splitSpans(unit: Unit, { text }: Measure, size: number) {
  if (unit.level === 'sentence') {
    const spans = splitLines(unit, text)
    if (spans.length > 1) return { level: 'line', spans } as const
  }
  if (unit.level === 'sentence' || unit.level === 'line') {
    const spans = splitWords(unit, text)
    if (spans.length > 1) return { level: 'word', spans } as const
  }
  const spans = splitLetters(unit, text, size)
  return spans.length > 1 ? ({ level: 'letters', spans } as const) : null
}

function splitLines(span: Span, text: string): Span[] {
  return matchSpans(/[^\n]+/g, span, text)
}

/** Splits at white space and after wide commas, because Chinese and Japanese have no spaces. */
function splitWords(span: Span, text: string): Span[] {
  return matchSpans(/[^\s、，；：]+[、，；：]*|[、，；：]+/g, span, text)
}

function matchSpans(pattern: RegExp, { start, end }: Span, text: string): Span[] {
  const spans: Span[] = []
  for (const { 0: part, index } of text.slice(start, end).matchAll(pattern)) {
    spans.push({ start: start + index, end: start + index + part.length })
  }
  return spans
}

/** A word that is too long is cut into parts; this many of them fill a chunk. */
const PARTS_PER_CHUNK = 8

/** One forward pass, even if there are few breaks: a megabyte of marks is one grapheme. */
function splitLetters(unit: Unit, text: string, size: number): Span[] {
  const length = unit.end - unit.start
  const wanted = Math.ceil((unit.tokens / Math.max(1, size)) * PARTS_PER_CHUNK)
  const step = length / Math.min(length, Math.max(2, wanted))
  const spans: Span[] = []
  let from = unit.start
  for (let target = unit.start + step; from < unit.end; target += step) {
    let at = Math.min(unit.end, Math.max(from + 1, Math.floor(target)))
    while (at < unit.end && !isBreak(text, at)) at++
    if (at > target) target += step * Math.floor((at - target) / step)
    spans.push({ start: from, end: at })
    from = at
  }
  return spans
}

type Block = Span & {
  readonly kind: 'prose' | 'item' | 'heading' | 'code'
  /** Whether a blank line, a heading or code comes before it. */
  readonly isApart: boolean
}

type Draft = { -readonly [key in keyof Block]: Block[key] } & { lines: number; isFenced: boolean }

const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})\s*$/
const INDENTED = /^(?: {4}| {0,3}\t)/
// A table row counts as an item.
const ITEM = /^\s*(?:[-*+•]\s|\d{1,9}[.)]\s|\|)/

/** Splits into paragraphs, headings, list items and code. Only white space is between blocks. */
function splitBlocks(text: string): Block[] {
  const blocks: Draft[] = []
  let fence: string | null = null
  let isAfterBlank = true
  let isInList = false
  let start = 0
  for (const line of text.split('\n')) {
    const end = start + line.length
    const isBlank = line.trim() === ''
    const last = blocks.at(-1)
    if (fence !== null && last !== undefined) {
      if (!isBlank) last.end = end
      if (closesFence(line, fence)) fence = null
    } else if (!isBlank) {
      const [, backticks, tildes] = FENCE.exec(line) ?? []
      fence = backticks ?? tildes ?? null
      const kind: LineKind =
        fence === null ? classifyLine(line, last, { isAfterBlank, isInList }) : 'code'
      if (kind === 'underline' && last !== undefined) {
        last.kind = 'heading'
        last.end = end
      } else if (kind === 'more' && last !== undefined) {
        last.end = end
        last.lines++
      } else {
        const isApart = isAfterBlank || last?.kind === 'heading' || last?.kind === 'code'
        const own = kind === 'more' || kind === 'underline' ? 'prose' : kind
        blocks.push({ kind: own, start, end, isApart, lines: 1, isFenced: fence !== null })
        isInList = kind === 'item' || (isInList && /^\s/.test(line))
      }
    }
    isAfterBlank = isBlank
    start = end + 1
  }
  return blocks
}

/** `more` continues the last block; `underline` makes it a heading. */
type LineKind = Block['kind'] | 'underline' | 'more'

function classifyLine(
  line: string,
  last: Draft | undefined,
  where: { readonly isAfterBlank: boolean; readonly isInList: boolean },
): LineKind {
  const isOpen = !where.isAfterBlank && (last?.kind === 'prose' || last?.kind === 'item')
  if (HEADING.test(line)) return 'heading'
  if (isOpen && last.kind === 'prose' && last.lines === 1 && UNDERLINE.test(line)) {
    return 'underline'
  }
  if (INDENTED.test(line)) {
    // Indented text under an item belongs to the item, and indented code cannot interrupt a paragraph.
    if (last?.kind === 'code' && !last.isFenced) return 'more'
    if (!isOpen && !where.isInList) return 'code'
  }
  if (ITEM.test(line)) return 'item'
  return isOpen ? 'more' : 'prose'
}

function closesFence(line: string, fence: string): boolean {
  const mark = line.trim()
  return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length)
}
