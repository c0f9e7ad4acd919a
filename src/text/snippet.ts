/** Cuts a snippet: a short, readable part of a text that shows the matches. */

import type { Range, Snippet } from '../core/answer.js'
import { breakAfter, breakBefore, findWordEnd, findWordStart, isBreak } from './breaks.js'
import { type Match, mergeRanges } from './highlight.js'
import { endsSentence } from './sentences.js'

/** Matches that overlap or touch. A block is cut only if it is longer than a snippet. */
type Block = Range & { readonly matches: readonly Match[] }

/** `text` is an exact substring of the body. */
export type Cut = Omit<Snippet, 'end'>

export type CutOptions = {
  readonly maxChars: number
  /** The chunk of the body nearest to the query vector. */
  readonly near?: Range | null
  /** Links, tags and the like: cut only if they are longer than a snippet. Sorted. */
  readonly pieces?: readonly Range[]
  /** The snippets cut before, which the new one does not overlap. */
  readonly taken?: readonly Range[]
}

/** What is cut must be inside `gap`. */
type Bounds = { readonly maxChars: number; readonly gap: Range }

/**
 * Prefers the passage with the most distinct patterns, then one in the nearest chunk, then the most matches, then the
 * earliest. Without matches, takes the beginning of the nearest chunk or of the text. The matches must be sorted by start.
 * @example
 * cutSnippet('One. Two cafés.', [{ start: 9, end: 14, pattern: 0 }], { maxChars: 12 })
 * // { text: 'Two cafés.', start: 5, highlights: [{ start: 4, end: 9 }] }
 */
export function cutSnippet(body: string, matches: readonly Match[], options: CutOptions): Cut {
  const { maxChars, near, pieces = [], taken = [] } = options
  const blocks = joinBlocks(widenMatches(matches, pieces, maxChars))
  const best = findBestPassage(blocks, options)
  const bounds = { maxChars, gap: findGap(best?.start ?? 0, taken, body.length) }
  const chosen =
    best === null
      ? skipSpace(body, near?.start ?? 0)
      : chooseStart(body, blocks, { ...best, ...bounds })
  const from = leavePiece(chosen, pieces, { first: best?.start ?? null, maxChars })
  const window = { start: from, atLeast: best?.end ?? 0, ...bounds }
  const to = chooseEnd(body, blocks, pieces, window)
  const cut = body.slice(from, to)
  const text = cut.trim()
  const start = from + (cut.length - cut.trimStart().length)
  const end = start + text.length
  const highlights = mergeRanges(matches)
    .filter((range) => range.start < end && range.end > start)
    .map((range) => ({
      start: Math.max(range.start, start) - start,
      end: Math.min(range.end, end) - start,
    }))
  return { text, start, highlights }
}

function skipSpace(body: string, from: number): number {
  const at = body.slice(from).search(/\S/)
  return at < 0 ? from : from + at
}

/** From the end of the last taken range before the offset to the start of the first one after it. */
function findGap(at: number, taken: readonly Range[], length: number): Range {
  const before = taken.map(({ end }) => end).filter((end) => end <= at)
  const after = taken.map(({ start }) => start).filter((start) => start > at)
  return { start: Math.max(0, ...before), end: Math.min(length, ...after) }
}

/** A match inside a piece gets the whole piece, if it fits. Both lists must be sorted. */
function widenMatches(
  matches: readonly Match[],
  pieces: readonly Range[],
  maxChars: number,
): readonly Match[] {
  let next = 0
  return matches.map((match) => {
    while ((pieces[next]?.end ?? Number.POSITIVE_INFINITY) <= match.start) next++
    const piece = pieces[next]
    if (piece === undefined || piece.start >= match.end) return match
    const start = Math.min(match.start, piece.start)
    const end = Math.max(match.end, piece.end)
    return end - start > maxChars ? match : { ...match, start, end }
  })
}

function joinBlocks(matches: readonly Match[]): Block[] {
  let next = 0
  return mergeRanges(matches).map((range) => {
    const from = next
    while (next < matches.length && (matches[next]?.start ?? 0) <= range.end) next++
    return { ...range, matches: matches.slice(from, next) }
  })
}

/** Slides a window over the blocks with two pointers: each block enters and leaves it once. */
function findBestPassage(
  blocks: readonly Block[],
  { maxChars, near = null, taken = [] }: CutOptions,
) {
  const counts = new Map<number, number>()
  let count = 0
  const change = (block: Block | undefined, by: 1 | -1): void => {
    for (const { pattern } of block?.matches ?? []) {
      const left = (counts.get(pattern) ?? 0) + by
      if (left === 0) counts.delete(pattern)
      else counts.set(pattern, left)
      count += by
    }
  }
  let from = 0
  let best = { start: 0, end: 0, rank: 0, count: 0 }
  for (const [to, block] of blocks.entries()) {
    change(block, 1)
    const least = Math.max(block.end - maxChars, findGap(block.start, taken, 0).start)
    while (from < to && (blocks[from]?.start ?? 0) < least) {
      change(blocks[from++], -1)
    }
    const start = blocks[from]?.start ?? 0
    const isNear = near !== null && start >= near.start && block.end <= near.end
    const rank = counts.size + (isNear ? 0.5 : 0)
    if (rank > best.rank || (rank === best.rank && count > best.count)) {
      best = { start, end: block.end, rank, count }
    }
  }
  return blocks.length === 0 ? null : best
}

function chooseStart(
  body: string,
  blocks: readonly Block[],
  { start, end, maxChars, gap }: Range & Bounds,
): number {
  const slack = maxChars - (end - start)
  if (slack <= 0) return start
  // Half of the slack goes before the matches; more if the text ends soon after them.
  const before = Math.max(Math.floor(slack / 2), slack - (gap.end - end))
  // The snippet must not begin inside a block.
  const blockBefore = blocks.findLast((block) => block.start < start)
  const earliest = Math.max(gap.start, start - before, blockBefore?.end ?? 0)
  const sentences: number[] = []
  for (let at = earliest; at <= start; at++) if (startsSentence(body, at)) sentences.push(at)
  const endsSoon = gap.end - earliest <= maxChars
  return (endsSoon ? sentences[0] : sentences.at(-1)) ?? findWordStart(body, earliest, start)
}

/** Moves the start out of a piece. Pieces with matches are blocks, which a snippet does not begin inside anyway. */
function leavePiece(
  at: number,
  pieces: readonly Range[],
  { first, maxChars }: { readonly first: number | null; readonly maxChars: number },
): number {
  const piece = pieces.find((one) => one.start <= at && one.end > at)
  if (piece === undefined) return at
  if (first === null) return piece.end - piece.start > maxChars ? piece.end : piece.start
  return piece.start < at && piece.end <= first ? piece.end : at
}

/** If this share is filled, the snippet ends with a sentence, not with the last word that fits. */
const MIN_FILL = 0.6

function chooseEnd(
  body: string,
  blocks: readonly Block[],
  pieces: readonly Range[],
  window: Bounds & { readonly start: number; readonly atLeast: number },
): number {
  const { start, atLeast, maxChars, gap } = window
  const furthest = start + maxChars
  if (furthest >= gap.end) return gap.end
  // A block longer than a snippet is cut between letters.
  if (atLeast > furthest) return breakBefore(body, furthest, start + 1)
  const split = blocks.find((block) => block.start < furthest && block.end > furthest)
  const latest = split === undefined ? furthest : split.start
  const least = Math.max(atLeast, start + 1, breakAfter(body, atLeast, latest))
  const enough = Math.max(least, start + Math.floor(maxChars * MIN_FILL))
  let at = latest
  while (at >= enough && !startsSentence(body, at)) at--
  if (at < enough) at = findWordEnd(body, least, latest)
  const piece = pieces.find((one) => one.start < at && one.end > at)
  if (piece !== undefined && piece.start >= least) at = piece.start
  else if (piece !== undefined && piece.end <= furthest) at = piece.end
  const heading = HEADING_LAST.exec(body.slice(least, at))
  return heading === null ? at : least + heading.index
}

/** The heading of the text that is no longer shown. */
const HEADING_LAST = /\n[ \t]*#{1,6}[ \t][^\n]*\s*$/

const SPACE = /\s/
const CLOSING = /["'”’»)\]」』]/
/** Ends a sentence only before a space: not in "3.14". */
const STOP = /[.!?…]/
const WIDE_STOP = /[。！？]/

/** Also true for the start of a line. */
function startsSentence(text: string, at: number): boolean {
  if (at === 0) return true
  // The usual cases, within a word and at the next one, are checked without patterns for speed.
  let end = at - 1
  while (text.charCodeAt(end) === 0x20) end--
  if (isAsciiWord(text.charCodeAt(end))) return false
  const first = text.charAt(at)
  if (SPACE.test(first) || CLOSING.test(first) || !isBreak(text, at)) return false
  let before = at - 1
  const hasSpace = SPACE.test(text.charAt(before))
  while (before > 0 && SPACE.test(text.charAt(before))) {
    if (text.charAt(before) === '\n') return true
    before--
  }
  while (before > 0 && CLOSING.test(text.charAt(before))) before--
  const last = text.charAt(before)
  if (hasSpace && last === '.') return endsSentence(text, before)
  return WIDE_STOP.test(last) || (hasSpace && (STOP.test(last) || last === '\n'))
}

function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}
