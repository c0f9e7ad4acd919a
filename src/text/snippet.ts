/** A snippet is an exact piece of the text, short, readable, and where the matches are. */

import { type Match, mergeRanges, type Range } from './highlight.js'
import { breakAfter, breakBefore, sentenceStarts, wordEnd, wordStart } from './text-breaks.js'

export const DEFAULT_SNIPPET_CHARS = 240

/** `text` is `body.slice(start, start + text.length)`; highlights count from the start of `text`. */
export type Snippet = {
  readonly text: string
  readonly start: number
  readonly highlights: readonly Range[]
}
export type SnippetOptions = { readonly maxChars?: number }

/** Matches that overlap or touch, as one thing that is never cut unless it is too long alone. */
type Block = Range & { readonly matches: readonly Match[] }

/**
 * The passage with the most distinct patterns, then the most matches, then the earliest; without
 * matches the beginning of the text.
 * @example
 * makeSnippet('One. Two cafés.', [{ start: 9, end: 14, pattern: 0 }], { maxChars: 12 })
 * // { text: 'Two cafés.', start: 5, highlights: [{ start: 4, end: 9 }] }
 */
export function makeSnippet(
  body: string,
  matches: readonly Match[],
  options: SnippetOptions = {},
): Snippet {
  const maxChars = options.maxChars ?? DEFAULT_SNIPPET_CHARS
  const blocks = joinBlocks(matches)
  const best = bestPassage(blocks, maxChars)
  const start =
    best === null ? firstVisible(body) : chooseStart(body, blocks, { ...best, maxChars })
  const end = chooseEnd(body, blocks, { start, atLeast: best?.end ?? 0, maxChars })
  return cutOut(body, blocks, { start, end })
}

function joinBlocks(matches: readonly Match[]): Block[] {
  const sorted = [...matches].sort((a, b) => a.start - b.start)
  let next = 0
  return mergeRanges(sorted).map((range) => {
    const from = next
    while (next < sorted.length && (sorted[next]?.start ?? 0) <= range.end) next++
    return { ...range, matches: sorted.slice(from, next) }
  })
}

/** Two pointers over the blocks: each enters and leaves the window once. */
function bestPassage(blocks: readonly Block[], maxChars: number): Range | null {
  const counts = new Map<number, number>()
  let count = 0
  let from = 0
  let best: { start: number; end: number; distinct: number; count: number } | null = null
  for (const [to, block] of blocks.entries()) {
    for (const { pattern } of block.matches) counts.set(pattern, (counts.get(pattern) ?? 0) + 1)
    count += block.matches.length
    while (from < to && block.end - (blocks[from]?.start ?? 0) > maxChars) {
      for (const { pattern } of blocks[from]?.matches ?? []) {
        const left = (counts.get(pattern) ?? 1) - 1
        if (left === 0) counts.delete(pattern)
        else counts.set(pattern, left)
      }
      count -= blocks[from]?.matches.length ?? 0
      from++
    }
    const isBetter =
      best === null ||
      counts.size > best.distinct ||
      (counts.size === best.distinct && count > best.count)
    if (isBetter) {
      best = { start: blocks[from]?.start ?? 0, end: block.end, distinct: counts.size, count }
    }
  }
  return best
}

type Passage = Range & { readonly maxChars: number }

function chooseStart(body: string, blocks: readonly Block[], passage: Passage): number {
  const { start, end, maxChars } = passage
  const slack = maxChars - (end - start)
  if (slack <= 0) return start
  // Half of the room before the matches; all that is left over when the text ends soon after them.
  const before = Math.max(Math.floor(slack / 2), slack - (body.length - end))
  const earliest = Math.max(0, start - before, endOfBlockBefore(blocks, start))
  const sentences = sentenceStarts(body, earliest, start)
  const endsSoon = body.length - earliest <= maxChars
  const sentence = endsSoon ? sentences.at(0) : sentences.at(-1)
  return sentence ?? wordStart(body, earliest, start)
}

function firstVisible(body: string): number {
  return Math.max(0, body.search(/\S/))
}

/** Context may not begin inside a block that is not shown whole. */
function endOfBlockBefore(blocks: readonly Block[], start: number): number {
  let end = 0
  for (const block of blocks) {
    if (block.start >= start) break
    end = block.end
  }
  return end
}

function chooseEnd(
  body: string,
  blocks: readonly Block[],
  window: { readonly start: number; readonly atLeast: number; readonly maxChars: number },
): number {
  const furthest = window.start + window.maxChars
  if (furthest >= body.length) return body.length
  // A block too long for any snippet is cut, between letters.
  if (window.atLeast > furthest) return breakBefore(body, furthest, window.start + 1)
  const split = blocks.find((block) => block.start < furthest && block.end > furthest)
  const latest = split === undefined ? furthest : split.start
  const least = Math.max(window.atLeast, breakAfter(body, window.atLeast, latest))
  return wordEnd(body, Math.max(least, window.start + 1), latest)
}

function cutOut(body: string, blocks: readonly Block[], window: Range): Snippet {
  const cut = body.slice(window.start, window.end)
  const start = window.start + (cut.length - cut.trimStart().length)
  const text = cut.trim()
  const end = start + text.length
  const highlights = blocks
    .filter((block) => block.start < end && block.end > start)
    .map((block) => ({
      start: Math.max(block.start, start) - start,
      end: Math.min(block.end, end) - start,
    }))
  return { text, start, highlights }
}
