/** Where the next chunk begins, so that it repeats a little of the last, in whole sentences if it can. */

import type { UnitStream } from './chunk-stream.js'
import { BORDER, type Measure, splitUnit, type Unit } from './chunk-units.js'
import { skipSpaceBack, startOfWord } from './chunk-words.js'

export type Overlap = { readonly start: number; readonly tokens: number }

export type OverlapOptions = {
  /** The unit that the next chunk brings new. */
  readonly first: number
  /** The overlap begins after this offset, the start of the last chunk. */
  readonly after: number
  /** The most tokens to repeat here, and the most anywhere. */
  readonly limit: number
  readonly overlapTokens: number
}

/** Null where nothing can be repeated. The limit is kept for the repeated text as a whole. */
export function findOverlap(
  stream: UnitStream,
  measure: Measure,
  options: OverlapOptions,
): Overlap | null {
  const { first, after, overlapTokens } = options
  const last = stream.at(first - 1)
  if (last === undefined) return null
  for (let limit = options.limit; limit > 0; ) {
    const start = overlapStart(stream, measure, { first, after, limit, overlapTokens })
    if (start === null) return null
    const tokens = measure.tokensOf(start, last.end)
    if (tokens <= options.limit) return { start, tokens }
    limit -= tokens - options.limit
  }
  return null
}

function overlapStart(
  stream: UnitStream,
  measure: Measure,
  { first, after, limit, overlapTokens }: OverlapOptions,
): number | null {
  let best: Unit | null = null
  let sum = 0
  let bestSum = 0
  for (let i = first - 1; i >= 0; i--) {
    const unit = stream.at(i)
    if (unit === undefined) break
    if (unit.start <= after || sum + unit.tokens > limit) {
      // Signs alone ("***") are no overlap worth its name.
      if (bestSum > 0 || unit.isCode) break
      const most = { after, limit: limit - sum, overlapTokens }
      return suffixStart(unit, measure, most) ?? startOf(best)
    }
    sum += unit.tokens
    if (rankOf(unit) >= 0 && (best === null || rankOf(unit) >= rankOf(best))) {
      best = unit
      bestSum = sum
    }
  }
  return startOf(best)
}

/**
 * Any start of a sentence is as good as another. Code is repeated by whole lines only, and not from
 * inside a block that is kept whole: its closing fence alone says nothing.
 */
function rankOf(unit: Unit): number {
  if (unit.isCode) return unit.level === 'line' && unit.hold !== 'code' ? BORDER.line : -1
  return Math.min(unit.border, BORDER.sentence)
}

function startOf(unit: Unit | null): number | null {
  return unit === null ? null : unit.start
}

type Most = Pick<OverlapOptions, 'after' | 'limit' | 'overlapTokens'>

/** The longest end of a unit that fits, from the start of a line or word; of letters in need. */
function suffixStart(unit: Unit, measure: Measure, most: Most): number | null {
  // A word is torn only where it is longer than any overlap, not because there is little room here.
  const isWord = unit.level === 'word' || unit.level === 'letters'
  if (isWord && unit.tokens <= most.overlapTokens && unit.start > most.after) return null
  if (!isWord && isOfWords(unit, measure.text)) return suffixOfWords(unit, measure, most)
  const parts = splitUnit(unit, measure, most.limit)
  return parts === null ? null : suffixOf(parts, measure, most)
}

function suffixOf(parts: readonly Unit[], measure: Measure, most: Most): number | null {
  let sum = 0
  let start: number | null = null
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] as Unit
    if (part.start <= most.after || sum + part.tokens > most.limit) {
      return start ?? suffixStart(part, measure, most)
    }
    sum += part.tokens
    start = part.start
  }
  return start
}

/** Whether `splitUnit` would give words. */
function isOfWords({ start, end }: Unit, text: string): boolean {
  return startOfWord(text, start, end) > start && !text.slice(start, end).includes('\n')
}

/** As `suffixOf` the words, of which only those are counted that may fit: a sentence has many more. */
function suffixOfWords(unit: Unit, measure: Measure, most: Most): number | null {
  const { text } = measure
  let sum = 0
  let found: number | null = null
  for (let end = unit.end; end > unit.start; ) {
    const start = startOfWord(text, unit.start, end)
    const tokens = measure.tokensOf(start, end)
    if (start <= most.after || sum + tokens > most.limit) {
      if (found !== null) return found
      return suffixStart({ ...unit, start, end, tokens, level: 'word' }, measure, most)
    }
    sum += tokens
    found = start
    end = skipSpaceBack(text, unit.start, start)
  }
  return found
}
