/** Promise: where the next chunk begins, so that it repeats a little of the last, in whole sentences if it can. */

import type { UnitStream } from './chunk-stream.js'
import { BORDER, lastWords, type Measure, splitUnit, type Unit } from './chunk-units.js'

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
  const last = stream.at(options.first - 1)
  if (last === undefined) return null
  for (let limit = options.limit; limit > 0; ) {
    const start = overlapStart(stream, measure, { ...options, limit })
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
  options: OverlapOptions,
): number | null {
  let best: Unit | null = null
  let sum = 0
  let bestSum = 0
  for (let i = options.first - 1; i >= 0; i--) {
    const unit = stream.at(i)
    if (unit === undefined) break
    if (unit.start <= options.after || sum + unit.tokens > options.limit) {
      // Signs alone ("***") are no overlap worth its name.
      if (bestSum > 0 || unit.isCode) break
      return suffixStart(unit, measure, { ...options, limit: options.limit - sum }) ?? startOf(best)
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

/** The longest end of a unit that fits, from the start of a line or word; of letters in need. */
function suffixStart(unit: Unit, measure: Measure, options: OverlapOptions): number | null {
  // A word is torn only where it is longer than any overlap, not because there is little room here.
  const isWord = unit.level === 'word' || unit.level === 'letters'
  if (isWord && unit.tokens <= options.overlapTokens && unit.start > options.after) return null
  const words = lastWords(unit, measure, options.limit)
  const found = words === null ? NOT_ENOUGH : suffixOf(words, measure, options)
  if (found !== NOT_ENOUGH) return found
  const parts = splitUnit(unit, measure, options.limit)
  if (parts === null) return null
  const suffix = suffixOf(parts, measure, options)
  return suffix === NOT_ENOUGH ? (parts[0]?.start ?? null) : suffix
}

/** All of the parts fit, so that those before them may as well. */
const NOT_ENOUGH = -1

function suffixOf(
  parts: readonly Unit[],
  measure: Measure,
  options: OverlapOptions,
): number | null {
  let sum = 0
  let start: number | null = null
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] as Unit
    if (part.start <= options.after || sum + part.tokens > options.limit) {
      return start ?? suffixStart(part, measure, options)
    }
    sum += part.tokens
    start = part.start
  }
  return NOT_ENOUGH
}
