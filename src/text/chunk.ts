/** A long text becomes chunks that a model can read whole, cut where a reader would cut. */

import { findOverlap, type Overlap } from './chunk-overlap.js'
import { UnitStream } from './chunk-stream.js'
import { type Measure, readUnits, trimSpan, type Unit } from './chunk-units.js'

/** The chunk is `text.slice(start, end)`, without white space around it. */
export type Chunk = { readonly start: number; readonly end: number }

export type ChunkOptions = {
  /** The model's own count; `countTokens('')` is what any text costs before its first word. */
  countTokens(part: string): number
  /** The same for `text.slice(start, end)`, for whoever can tell without looking at the text again. */
  countRange?(start: number, end: number): number
  /** The most that a chunk counts; one grapheme that counts more is the only exception. */
  readonly maxTokens: number
  /** The most that a chunk repeats of the one before it; never more than half of a chunk. */
  readonly overlapTokens: number
}

/** A chunk ends at the best border in its last quarter, rather than at the last one that fits. */
const SHARE_TO_CHOOSE_FROM = 0.25
/** Counts of parts that add up to too much are corrected so many times. */
const MAX_ROUNDS = 4

/**
 * Chunks in the order of the text, which together hold all of it but white space.
 * @example
 * const countTokens = (part: string) => part.split(/\s+/).filter(Boolean).length
 * chunkText('One two. Three four.', { countTokens, maxTokens: 3, overlapTokens: 0 })
 * // [{ start: 0, end: 8 }, { start: 9, end: 20 }]
 */
export function chunkText(text: string, options: ChunkOptions): readonly Chunk[] {
  const whole = trimSpan(text, { start: 0, end: text.length })
  if (whole.start === whole.end) return []
  const fixed = options.countTokens('')
  const count = options.countRange ?? ((start, end) => options.countTokens(text.slice(start, end)))
  const measure: Measure = {
    text,
    room: options.maxTokens - fixed,
    tokensOf: (start, end) => Math.max(0, count(start, end) - fixed),
  }
  if (measure.tokensOf(whole.start, whole.end) <= measure.room) return [whole]
  const overlapTokens = Math.min(options.overlapTokens, Math.floor(measure.room / 2))
  return cutAll(new UnitStream(readUnits(measure), measure), measure, overlapTokens)
}

function cutAll(stream: UnitStream, measure: Measure, overlapTokens: number): Chunk[] {
  const chunks: Chunk[] = []
  for (let first = 0; ; ) {
    const needed = makeFit(stream, measure, first)
    const begin = stream.at(first)
    if (begin === undefined) return chunks
    const after = chunks.at(-1)?.start ?? Number.POSITIVE_INFINITY
    const limit = Math.min(overlapTokens, measure.room - needed)
    const overlap = findOverlap(stream, measure, { first, after, limit, overlapTokens })
    // The next sentence fits, but not after a word of the last one: then it is too long as well.
    const isTight = first > 0 && limit < overlapTokens && overlap === null
    const couldRepeat = begin.level === 'sentence' || begin.level === 'line'
    if (isTight && couldRepeat && isProse(stream, first) && stream.split(first)) continue
    const bare = { start: begin.start, tokens: 0 }
    let start = overlap ?? bare
    let end = fill(stream, measure, start, first)
    // Less is lost without the overlap than without the rest of the code or the text of a heading.
    if (overlap !== null && (end === first || isTorn(stream, end))) {
      const other = fill(stream, measure, bare, first)
      if (end === first || !isTorn(stream, other)) {
        start = bare
        end = other
      }
    }
    end = Math.max(end, first + 1)
    chunks.push({ start: start.start, end: stream.at(end - 1)?.end ?? begin.end })
    first = end
  }
}

function isTorn(stream: UnitStream, end: number): boolean {
  return (stream.at(end)?.hold ?? 'free') !== 'free'
}

function isProse(stream: UnitStream, first: number): boolean {
  if (isTorn(stream, first + 1)) return false
  return stream.at(first)?.isCode === false && stream.at(first - 1)?.isCode === false
}

/**
 * Splits what cannot be in one chunk, and returns the tokens that the chunk must have room for: the
 * first unit with what holds on to it (code as a whole, a heading with its text) where that fits.
 */
function makeFit(stream: UnitStream, measure: Measure, first: number): number {
  while ((stream.at(first)?.tokens ?? 0) > measure.room && stream.split(first)) {}
  const alone = stream.at(first)?.tokens ?? 0
  const together = heldTokens(stream, measure, first, ['code', 'heading'])
  if (together.tokens <= measure.room) return together.tokens
  for (;;) {
    const { tokens, next } = heldTokens(stream, measure, first, ['heading'])
    if (tokens <= measure.room) return tokens
    if (next <= first + 1 || !stream.split(next - 1)) return alone
  }
}

function heldTokens(
  stream: UnitStream,
  measure: Measure,
  first: number,
  holds: readonly string[],
): { readonly tokens: number; readonly next: number } {
  let tokens = stream.at(first)?.tokens ?? 0
  let next = first + 1
  while (tokens <= measure.room && holds.includes(stream.at(next)?.hold ?? 'free')) {
    tokens += stream.at(next)?.tokens ?? 0
    next++
  }
  return { tokens, next }
}

/**
 * The place after the last unit of a chunk from `from` on; `first` where not even that unit fits.
 * Counts of parts do not quite add up to the count of the whole, so each try is counted as a whole.
 */
function fill(stream: UnitStream, measure: Measure, from: Overlap, first: number): number {
  let good = first
  let end = first
  let sum = from.tokens
  let budget = measure.room
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (let unit = stream.at(end); unit !== undefined; unit = stream.at(end)) {
      if (unit.tokens > measure.room && stream.split(end)) continue
      if (sum + unit.tokens > budget) break
      sum += unit.tokens
      end++
    }
    if (end === good) break
    const used = countTo(stream, measure, from.start, end)
    if (used > measure.room) break
    good = end
    if (stream.at(end) === undefined) return end
    budget = used > 0 ? Math.floor((sum * measure.room) / used) : sum + measure.room
  }
  // Too much: as much is dropped as was too much, and counted again.
  while (end > good) {
    const over = countTo(stream, measure, from.start, end) - measure.room
    if (over <= 0) break
    for (let dropped = 0; end > good && (dropped === 0 || dropped < over); ) {
      dropped += Math.max(1, stream.at(--end)?.tokens ?? 0)
    }
  }
  if (stream.at(end) === undefined) return end
  const cut = bestCut(stream, { first, end, tokens: sum })
  const fits = cut === end || countTo(stream, measure, from.start, cut) <= measure.room
  return fits ? cut : end
}

function countTo(stream: UnitStream, measure: Measure, start: number, end: number): number {
  return measure.tokensOf(start, stream.at(end - 1)?.end ?? start)
}

type Filled = { readonly first: number; readonly end: number; readonly tokens: number }

/** The best border near the end, or the last one before it that tears neither code nor a heading. */
function bestCut(stream: UnitStream, { first, end, tokens }: Filled): number {
  let best = end
  let bestRank = -1
  let left = 0
  for (let at = end; at > first; at--) {
    const unit = stream.at(at)
    if (unit === undefined) break
    const isNear = left <= tokens * SHARE_TO_CHOOSE_FROM
    if (!isNear && bestRank > 0) break
    const rank = cutRank(unit)
    if (rank > bestRank) {
      best = at
      bestRank = rank
    }
    left += stream.at(at - 1)?.tokens ?? 0
  }
  return best
}

/** A held cut is the last resort: code rather than a heading, and as late as can be. */
function cutRank({ hold, border }: Unit): number {
  if (hold === 'free') return 1 + border
  return hold === 'code' ? 0 : -1
}
