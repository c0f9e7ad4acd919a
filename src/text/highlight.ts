/** Finds all matches of a query in a text, as offsets of that text. */

import type { Range } from '../core/answer.js'
import { segment, startsWithRun } from './segment.js'
import { completePrefix, stem } from './stem.js'
import { foldWord, TokenCursor, tokenize, toTerm } from './tokens.js'

/** Adjacent words in their indexed form (see `queryTokens`). */
export type Pattern = { readonly words: readonly string[]; readonly lastIsPrefix: boolean }

/** `pattern` is the index in the list of patterns. */
export type Match = Range & { readonly pattern: number }

type Compiled = {
  readonly pattern: number
  readonly terms: readonly string[]
  readonly last: string
  /** Null: the last term must be equal. Otherwise a prefix, which also matches these terms. */
  readonly alsoLast: ReadonlySet<string> | null
  /** A single letter of a script without spaces matches an indexed pair, but only the letter is marked. */
  readonly marksOnlyLetter: boolean
}
export type Matcher = ReturnType<typeof createMatcher>

/**
 * Compiles the patterns once for many texts. Matches are sorted by start, then end, then pattern.
 * @example
 * createMatcher([{ words: ['cafe'], lastIsPrefix: false }])('Le Café')
 * // [{ start: 3, end: 7, pattern: 0 }]
 */
export function createMatcher(patterns: readonly Pattern[]) {
  const byTerm = new Map<string, Compiled[]>()
  /** Patterns of a single prefix are tried at every token. */
  const prefixes: Compiled[] = []
  for (const [i, pattern] of patterns.entries()) {
    const compiled = compilePattern(pattern, i)
    if (compiled === null) continue
    const first = compiled.terms[0] ?? compiled.last
    if (compiled.terms.length === 0 && compiled.alsoLast !== null) prefixes.push(compiled)
    else byTerm.set(first, [...(byTerm.get(first) ?? []), compiled])
  }
  const beginnings = prefixes.flatMap(({ last, alsoLast }) => [last, ...(alsoLast ?? [])])
  const mayBegin = createStartFilter([...byTerm.keys(), ...beginnings])
  return (given: string): Match[] => {
    const segmented = segment(given)
    const text = segmented?.text ?? given
    const matches: Match[] = []
    const at = new TokenCursor(text)
    const add = (compiled: Compiled, term: string): void => {
      const range = matchAt(compiled, { text, term, start: at.start, end: at.end })
      if (range === null) return
      const start = segmented?.originalStart(range.start) ?? range.start
      const end = segmented?.originalEnd(range.end) ?? range.end
      matches.push({ start, end, pattern: compiled.pattern })
    }
    while (at.next()) {
      if (!mayBegin(text, at.start, at.end)) continue
      const term = toTerm(text, at.start, at.end)
      for (const compiled of byTerm.get(term) ?? []) add(compiled, term)
      for (const compiled of prefixes) add(compiled, term)
    }
    return matches.sort((a, b) => a.start - b.start || a.end - b.end || a.pattern - b.pattern)
  }
}

/**
 * Rejects tokens that cannot match one of these terms, by their first three letters, so that few tokens need stemming.
 * Stemming changes only a y among them, to i, and may cut them off. Letters outside ASCII always pass.
 */
export function createStartFilter(terms: readonly string[]) {
  const starts = new Uint8Array(1 << 15)
  let passesAll = false
  for (const term of terms) {
    const key = startKey(term, 0, term.length)
    if (key < 0) passesAll = true
    else starts[key] = 1
  }
  return (text: string, start: number, end: number): boolean => {
    const key = passesAll ? -1 : startKey(text, start, end)
    if (key < 0 || starts[key] === 1) return true
    // A term of one or two letters.
    return starts[key & ~0x1f] === 1 || starts[key & ~0x3ff] === 1
  }
}

/** Five bits for each of the three letters, the same for both cases; −1 if one is not ASCII. */
function startKey(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start)
  const second = start + 1 < end ? text.charCodeAt(start + 1) : 0
  const third = start + 2 < end ? text.charCodeAt(start + 2) : 0
  if (!((first | second | third) < 0x80)) return -1
  return ((first & 0x1f) << 10) | (yToI(second) << 5) | yToI(third)
}

/** The five lowest bits of a letter; those of an i for a y. */
function yToI(code: number): number {
  const bits = code & 0x1f
  return bits === 25 ? 9 : bits
}

/** Merges ranges that overlap or touch. The ranges must be sorted by start. */
export function mergeRanges(matches: readonly Range[]): Range[] {
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of matches) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

function compilePattern(pattern: Pattern, index: number): Compiled | null {
  // A word of several tokens becomes a longer phrase.
  const text = pattern.words.join(' ')
  const tokens = tokenize(text)
  const final = tokens.at(-1)
  if (final === undefined) return null
  const folded = foldWord(text.slice(final.start, final.end))
  return {
    pattern: index,
    terms: tokens.slice(0, -1).map((token) => token.term),
    last: stem(folded),
    alsoLast: pattern.lastIsPrefix
      ? new Set(completePrefix(folded).map((completion) => completion.stem))
      : null,
    marksOnlyLetter: pattern.lastIsPrefix && startsWithRun(folded),
  }
}

type FirstToken = Range & { readonly text: string; readonly term: string }

/** The range of a match that begins with this token; null if the pattern does not match here. */
function matchAt(compiled: Compiled, first: FirstToken): Range | null {
  const { terms, last, alsoLast, marksOnlyLetter } = compiled
  const { text } = first
  let { term, start, end } = first
  const at = terms.length === 0 ? null : new TokenCursor(text, end)
  for (const wanted of terms) {
    if (term !== wanted || !at?.next()) return null
    ;({ start, end } = at)
    term = toTerm(text, start, end)
  }
  const fits = alsoLast === null ? term === last : term.startsWith(last)
  if (!fits && !alsoLast?.has(term)) return null
  return { start: first.start, end: marksOnlyLetter ? start + last.length : end }
}
