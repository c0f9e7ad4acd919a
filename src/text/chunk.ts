/** Cuts a long text into chunks that fit a model, preferably between paragraphs or sentences. */

import {
  BORDER,
  type Measure,
  readUnits,
  type Span,
  splitSpans,
  splitUnit,
  trimSpan,
  type Unit,
} from './chunk-units.js'

/** The chunk is `text.slice(start, end)`, without white space around it. */
export type Chunk = Span

export type ChunkOptions = {
  /** Counts tokens as the model does; `countTokens('')` is the fixed cost of any text. */
  countTokens(part: string): number
  /** Counts `text.slice(start, end)`, if the caller can do that faster. */
  countRange?(start: number, end: number): number
  /** The only exception is a single grapheme with more tokens. */
  readonly maxTokens: number
  /** The most tokens that a chunk repeats from the previous one; at most half of a chunk. */
  readonly overlapTokens: number
}

/** A chunk ends at the best border in this last part of it, not at the last border that fits. */
const CUT_SHARE = 0.25
/** The token budget of a chunk is adjusted at most this many times. */
const MAX_ROUNDS = 4

/**
 * Returns chunks in text order. Together they hold all of the text except white space.
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
    capacity: options.maxTokens - fixed,
    countTokens: (start, end) => Math.max(0, count(start, end) - fixed),
  }
  if (measure.countTokens(whole.start, whole.end) <= measure.capacity) return [whole]
  const overlapTokens = Math.min(options.overlapTokens, Math.floor(measure.capacity / 2))
  return new Chunker(measure, overlapTokens).cutAll()
}

/** The start of a chunk, and how many of its tokens are repeated. */
type Start = { readonly start: number; readonly tokens: number }
type OverlapLimits = { readonly after: number; readonly limit: number }

class Chunker {
  readonly #measure: Measure
  readonly #capacity: number
  readonly #overlapTokens: number
  /** Two stacks: splitting a unit moves only the units read after it, not the rest of the text. */
  readonly #read: Unit[] = []
  readonly #ahead: Unit[]

  constructor(measure: Measure, overlapTokens: number) {
    this.#measure = measure
    this.#capacity = measure.capacity
    this.#overlapTokens = overlapTokens
    this.#ahead = readUnits(measure).reverse()
  }

  cutAll(): Chunk[] {
    const chunks: Chunk[] = []
    for (let first = 0; ; ) {
      const needed = this.#makeFit(first)
      const begin = this.#unit(first)
      if (begin === undefined) return chunks
      const after = chunks.at(-1)?.start ?? Number.POSITIVE_INFINITY
      const limit = Math.min(this.#overlapTokens, this.#capacity - needed)
      const overlap = this.#findOverlap(first, { after, limit })
      // The next sentence fits alone, but not with any overlap: split it like one that is too long.
      const isTight = first > 0 && limit < this.#overlapTokens && overlap === null
      const couldRepeat = begin.level === 'sentence' || begin.level === 'line'
      if (isTight && couldRepeat && this.#isProse(first) && this.#split(first)) continue
      const bare = { start: begin.start, tokens: 0 }
      let start = overlap ?? bare
      let end = this.#fill(start, first)
      // Dropping the overlap is better than splitting code or separating a heading from its text.
      if (overlap !== null && (end === first || this.#isHeld(end))) {
        const other = this.#fill(bare, first)
        if (end === first || !this.#isHeld(other)) {
          start = bare
          end = other
        }
      }
      end = Math.max(end, first + 1)
      chunks.push({ start: start.start, end: this.#unit(end - 1)?.end ?? begin.end })
      first = end
    }
  }

  /** Undefined for an index outside the text. */
  #unit(index: number): Unit | undefined {
    while (this.#read.length <= index) {
      const next = this.#ahead.pop()
      if (next === undefined) return undefined
      this.#read.push(next)
    }
    return index < 0 ? undefined : this.#read[index]
  }

  #tokens(index: number): number {
    return this.#unit(index)?.tokens ?? 0
  }

  /** Replaces a unit by smaller ones; false if it cannot be split. */
  #split(index: number): boolean {
    const unit = this.#unit(index)
    const parts = unit === undefined ? null : splitUnit(unit, this.#measure)
    if (parts === null) return false
    const [, ...later] = this.#read.splice(index)
    for (const one of later.reverse()) this.#ahead.push(one)
    for (const part of parts.reverse()) this.#ahead.push(part)
    return true
  }

  #isHeld(end: number): boolean {
    return (this.#unit(end)?.hold ?? 'free') !== 'free'
  }

  #isProse(first: number): boolean {
    if (this.#isHeld(first + 1)) return false
    return this.#unit(first)?.isCode === false && this.#unit(first - 1)?.isCode === false
  }

  /**
   * Splits units that do not fit into a chunk, and returns the tokens that the chunk must hold: the first unit with the
   * units that should stay with it (whole code, a heading with its text), if they fit.
   */
  #makeFit(first: number): number {
    while (this.#tokens(first) > this.#capacity && this.#split(first)) {}
    const alone = this.#tokens(first)
    const together = this.#countHeld(first, ['code', 'heading'])
    if (together.tokens <= this.#capacity) return together.tokens
    for (;;) {
      const { tokens, next } = this.#countHeld(first, ['heading'])
      if (tokens <= this.#capacity) return tokens
      if (next <= first + 1 || !this.#split(next - 1)) return alone
    }
  }

  #countHeld(first: number, holds: readonly Unit['hold'][]) {
    let tokens = this.#tokens(first)
    let next = first + 1
    while (tokens <= this.#capacity && holds.includes(this.#unit(next)?.hold ?? 'free')) {
      tokens += this.#tokens(next)
      next++
    }
    return { tokens, next }
  }

  /**
   * The index after the last unit of a chunk that starts at `from`; `first` if not even that unit fits.
   * Token counts of parts do not add up exactly, so each attempt is counted as a whole.
   */
  #fill(from: Start, first: number): number {
    let good = first
    let end = first
    let sum = from.tokens
    let budget = this.#capacity
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (let unit = this.#unit(end); unit !== undefined; unit = this.#unit(end)) {
        if (unit.tokens > this.#capacity && this.#split(end)) continue
        if (sum + unit.tokens > budget) break
        sum += unit.tokens
        end++
      }
      if (end === good) break
      const used = this.#countTo(from.start, end)
      if (used > this.#capacity) break
      good = end
      if (this.#unit(end) === undefined) return end
      budget = used > 0 ? Math.floor((sum * this.#capacity) / used) : sum + this.#capacity
    }
    // Over capacity: drop the excess and count again.
    while (end > good) {
      const over = this.#countTo(from.start, end) - this.#capacity
      if (over <= 0) break
      for (let dropped = 0; end > good && (dropped === 0 || dropped < over); ) {
        dropped += Math.max(1, this.#tokens(--end))
      }
    }
    if (this.#unit(end) === undefined) return end
    const cut = this.#findBestCut(first, end, sum)
    const fits = cut === end || this.#countTo(from.start, cut) <= this.#capacity
    return fits ? cut : end
  }

  #countTo(start: number, end: number): number {
    return this.#measure.countTokens(start, this.#unit(end - 1)?.end ?? start)
  }

  /** The best border near the end, or the last one that splits neither code nor a heading from its text. */
  #findBestCut(first: number, end: number, tokens: number): number {
    let best = end
    let bestRank = -1
    let left = 0
    for (let at = end; at > first; at--) {
      const unit = this.#unit(at)
      if (unit === undefined) break
      if (left > tokens * CUT_SHARE && bestRank > 0) break
      const rank = rankCut(unit)
      if (rank > bestRank) {
        best = at
        bestRank = rank
      }
      left += this.#tokens(at - 1)
    }
    return best
  }

  /** The start of a chunk that repeats the end of the previous one; null if nothing can be repeated. */
  #findOverlap(first: number, { after, limit: most }: OverlapLimits): Start | null {
    const last = this.#unit(first - 1)
    if (last === undefined) return null
    // The limit applies to the repeated text counted as a whole.
    for (let limit = most; limit > 0; ) {
      const start = this.#findOverlapStart(first, { after, limit })
      if (start === null) return null
      const tokens = this.#measure.countTokens(start, last.end)
      if (tokens <= most) return { start, tokens }
      limit -= tokens - most
    }
    return null
  }

  /** Prefers whole sentences. */
  #findOverlapStart(first: number, { after, limit }: OverlapLimits): number | null {
    let best: Unit | null = null
    let bestSum = 0
    let sum = 0
    for (let i = first - 1; i >= 0; i--) {
      const unit = this.#unit(i)
      if (unit === undefined) break
      if (unit.start <= after || sum + unit.tokens > limit) {
        // Text without tokens ("***") is not an overlap.
        if (bestSum > 0 || unit.isCode) break
        return this.#findSuffix(unit, { after, limit: limit - sum }) ?? best?.start ?? null
      }
      sum += unit.tokens
      if (rankRepeat(unit) >= 0 && (best === null || rankRepeat(unit) >= rankRepeat(best))) {
        best = unit
        bestSum = sum
      }
    }
    return best?.start ?? null
  }

  /** The start of the longest suffix of a unit that fits: at a line, a word, or inside a word if necessary. */
  #findSuffix(unit: Unit, limits: OverlapLimits): number | null {
    // A word is split only if it is longer than the overlap, not because this limit is small.
    const isWord = unit.level === 'word' || unit.level === 'letters'
    if (isWord && unit.tokens <= this.#overlapTokens && unit.start > limits.after) return null
    const split = splitSpans(unit, this.#measure, limits.limit)
    if (split === null) return null
    let sum = 0
    let found: number | null = null
    // From the end, because a sentence usually has many more words than fit.
    for (const untrimmed of split.spans.toReversed()) {
      const { start, end } = trimSpan(this.#measure.text, untrimmed)
      if (start === end) continue
      const tokens = this.#measure.countTokens(start, end)
      if (start <= limits.after || sum + tokens > limits.limit) {
        const part = { ...unit, start, end, tokens, level: split.level }
        return found ?? this.#findSuffix(part, limits)
      }
      sum += tokens
      found = start
    }
    return found
  }
}

/** A cut at a held border is the last resort: in code rather than after a heading. */
function rankCut({ hold, border }: Unit): number {
  if (hold === 'free') return 1 + border
  return hold === 'code' ? 0 : -1
}

/**
 * Ranks the start of an overlap. All sentence starts are equal. Code is repeated by whole lines, but
 * not from inside a block that is kept whole: its closing fence alone is useless.
 */
function rankRepeat(unit: Unit): number {
  if (unit.isCode) return unit.level === 'line' && unit.hold !== 'code' ? BORDER.line : -1
  return Math.min(unit.border, BORDER.sentence)
}
