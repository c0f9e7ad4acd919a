/** Cuts a snippet: a short, readable part of a text that shows the matches. */

import type { Range, Snippet } from '../core/answer.js'
import { breakAfter, breakBefore, findWordEnd, findWordStart, isBreak } from './breaks.js'
import { type Match, mergeRanges } from './highlight.js'

/** Matches that overlap or touch. A block is cut only if it is longer than a snippet. */
type Block = Range & { readonly matches: readonly Match[] }

/** `text` is an exact substring of the body. */
export type Cut = Omit<Snippet, 'end'>

/** `near` is the chunk of the body nearest to the query vector. */
export type CutOptions = { readonly maxChars: number; readonly near?: Range | null }

/**
 * Prefers the passage with the most distinct patterns, then one in the nearest chunk, then the most matches, then the
 * earliest. Without matches, takes the beginning of the nearest chunk or of the text. The matches must be sorted by start.
 * @example
 * cutSnippet('One. Two cafés.', [{ start: 9, end: 14, pattern: 0 }], { maxChars: 12 })
 * // { text: 'Two cafés.', start: 5, highlights: [{ start: 4, end: 9 }] }
 */
export function cutSnippet(body: string, matches: readonly Match[], options: CutOptions): Cut {
  const { maxChars } = options
  const blocks = joinBlocks(matches)
  const best = findBestPassage(blocks, options)
  const from =
    best === null
      ? skipSpace(body, options.near?.start ?? 0)
      : chooseStart(body, blocks, { ...best, maxChars })
  const to = chooseEnd(body, blocks, { start: from, atLeast: best?.end ?? 0, maxChars })
  const cut = body.slice(from, to)
  const text = cut.trim()
  const start = from + (cut.length - cut.trimStart().length)
  const end = start + text.length
  const highlights = blocks
    .filter((block) => block.start < end && block.end > start)
    .map((block) => ({
      start: Math.max(block.start, start) - start,
      end: Math.min(block.end, end) - start,
    }))
  return { text, start, highlights }
}

function skipSpace(body: string, from: number): number {
  const at = body.slice(from).search(/\S/)
  return at < 0 ? from : from + at
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
function findBestPassage(blocks: readonly Block[], { maxChars, near = null }: CutOptions) {
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
    while (from < to && block.end - (blocks[from]?.start ?? 0) > maxChars) {
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
  { start, end, maxChars }: Range & { readonly maxChars: number },
): number {
  const slack = maxChars - (end - start)
  if (slack <= 0) return start
  // Half of the slack goes before the matches; more if the text ends soon after them.
  const before = Math.max(Math.floor(slack / 2), slack - (body.length - end))
  // The snippet must not begin inside a block.
  const blockBefore = blocks.findLast((block) => block.start < start)
  const earliest = Math.max(0, start - before, blockBefore?.end ?? 0)
  const sentences: number[] = []
  for (let at = earliest; at <= start; at++) if (startsSentence(body, at)) sentences.push(at)
  const endsSoon = body.length - earliest <= maxChars
  return (endsSoon ? sentences[0] : sentences.at(-1)) ?? findWordStart(body, earliest, start)
}

/** If this share is filled, the snippet ends with a sentence, not with the last word that fits. */
const MIN_FILL = 0.6

function chooseEnd(
  body: string,
  blocks: readonly Block[],
  window: { readonly start: number; readonly atLeast: number; readonly maxChars: number },
): number {
  const furthest = window.start + window.maxChars
  if (furthest >= body.length) return body.length
  // A block longer than a snippet is cut between letters.
  if (window.atLeast > furthest) return breakBefore(body, furthest, window.start + 1)
  const split = blocks.find((block) => block.start < furthest && block.end > furthest)
  const latest = split === undefined ? furthest : split.start
  const least = Math.max(window.atLeast, breakAfter(body, window.atLeast, latest))
  const enough = Math.max(least, window.start + Math.floor(window.maxChars * MIN_FILL))
  for (let at = latest; at >= enough; at--) if (startsSentence(body, at)) return at
  return findWordEnd(body, Math.max(least, window.start + 1), latest)
}

const SPACE = /\s/
const CLOSING = /["'”’»)\]」』]/
/** Ends a sentence only before a space: not in "3.14" or "e.g.x". */
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
  return WIDE_STOP.test(last) || (hasSpace && (STOP.test(last) || last === '\n'))
}

function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}
