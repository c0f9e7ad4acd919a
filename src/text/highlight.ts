/** Every place in a text that a query matches, in the offsets of that text. */

import { startsWithRun } from './script-units.js'
import { type Segmented, segment } from './segment.js'
import { prefixStems, stem } from './stem.js'
import { foldWord, type Token, tokenize } from './tokens.js'

/** Words in their indexed form (see `queryTokens`) that stand next to each other. */
export type Pattern = {
  readonly kind: 'phrase'
  readonly words: readonly string[]
  readonly lastIsPrefix: boolean
}

export type Range = { readonly start: number; readonly end: number }
/** `pattern` is the place of the pattern in the list that was searched for. */
export type Match = Range & { readonly pattern: number }

type Compiled = {
  readonly pattern: number
  /** The terms before the last one, which may be a prefix. */
  readonly terms: readonly string[]
  readonly last: string
  /** Null: the last term must be equal. Else terms that count although they do not start with it. */
  readonly alsoLast: ReadonlySet<string> | null
  /** A letter of a script without spaces is found through its pair, but only it was asked for. */
  readonly marksOnlyLetter: boolean
}
type Index = {
  readonly byTerm: ReadonlyMap<string, readonly Compiled[]>
  /** Patterns that begin with their prefix, by its first UTF-16 unit. */
  readonly byUnit: ReadonlyMap<number, readonly Compiled[]>
}

/**
 * All matches, by start, then end, then pattern.
 * @example
 * findMatches('Le Café', [{ kind: 'phrase', words: ['cafe'], lastIsPrefix: false }])
 * // [{ start: 3, end: 7, pattern: 0 }]
 */
export function findMatches(text: string, patterns: readonly Pattern[]): Match[] {
  const index = indexPatterns(patterns)
  if (index.byTerm.size === 0 && index.byUnit.size === 0) return []
  const { segmented, tokens } = readText(text)
  const matches: Match[] = []
  for (const [at, token] of tokens.entries()) {
    for (const compiled of index.byTerm.get(token.term) ?? []) {
      if (fits(compiled, tokens, at)) matches.push(matchOf(compiled, segmented, tokens, at))
    }
    for (const compiled of index.byUnit.get(token.term.charCodeAt(0)) ?? []) {
      if (fits(compiled, tokens, at)) matches.push(matchOf(compiled, segmented, tokens, at))
    }
  }
  return matches.sort(byPlace)
}

type Read = {
  readonly text: string
  readonly segmented: Segmented | null
  readonly tokens: readonly Token[]
}

/** What was read last: the words of a hit are counted and then marked, in the same text. */
let lastRead: Read | null = null
/** A longer text is not held in memory until the next one comes. */
const LONGEST_KEPT = 100_000

function readText(text: string): Read {
  if (lastRead?.text === text) return lastRead
  const segmented = segment(text)
  const read = { text, segmented, tokens: tokenize(segmented?.text ?? text) }
  lastRead = text.length <= LONGEST_KEPT ? read : null
  return read
}

/** The ranges that the matches cover together; ranges that touch become one. */
export function mergeRanges(matches: readonly Range[]): Range[] {
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of [...matches].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** The same patterns are looked for in all hits of a page. */
const indexed = new WeakMap<readonly Pattern[], Index>()

function indexPatterns(patterns: readonly Pattern[]): Index {
  const known = indexed.get(patterns) ?? makeIndex(patterns)
  indexed.set(patterns, known)
  return known
}

function makeIndex(patterns: readonly Pattern[]): Index {
  const byTerm = new Map<string, Compiled[]>()
  const byUnit = new Map<number, Compiled[]>()
  for (const [i, pattern] of patterns.entries()) {
    const compiled = compilePattern(pattern, i)
    if (compiled === null) continue
    const first = compiled.terms[0]
    if (first !== undefined) append(byTerm, first, compiled)
    else if (compiled.alsoLast === null) append(byTerm, compiled.last, compiled)
    else append(byUnit, compiled.last.charCodeAt(0), compiled)
  }
  return { byTerm, byUnit }
}

function compilePattern(pattern: Pattern, index: number): Compiled | null {
  // One space per word keeps words apart; a word of several tokens becomes a longer phrase.
  const text = pattern.words.join(' ')
  const tokens = tokenize(text)
  const final = tokens.at(-1)
  if (final === undefined) return null
  const folded = foldWord(text.slice(final.start, final.end))
  return {
    pattern: index,
    terms: tokens.slice(0, -1).map((token) => token.term),
    last: stem(folded),
    alsoLast: pattern.lastIsPrefix ? new Set(prefixStems(folded)) : null,
    marksOnlyLetter: pattern.lastIsPrefix && startsWithRun(folded),
  }
}

function fits(compiled: Compiled, tokens: readonly Token[], at: number): boolean {
  const { terms, last, alsoLast } = compiled
  for (let i = 0; i < terms.length; i++) {
    if (tokens[at + i]?.term !== terms[i]) return false
  }
  const term = tokens[at + terms.length]?.term
  if (term === undefined) return false
  if (alsoLast === null) return term === last
  return term.startsWith(last) || alsoLast.has(term)
}

function matchOf(
  compiled: Compiled,
  segmented: Segmented | null,
  tokens: readonly Token[],
  at: number,
): Match {
  const start = tokens[at]?.start ?? 0
  const last = tokens[at + compiled.terms.length]
  const end = compiled.marksOnlyLetter
    ? (last?.start ?? 0) + compiled.last.length
    : (last?.end ?? 0)
  if (segmented === null) return { start, end, pattern: compiled.pattern }
  return {
    start: segmented.originalStart(start),
    end: segmented.originalEnd(end),
    pattern: compiled.pattern,
  }
}

function byPlace(a: Match, b: Match): number {
  return a.start - b.start || a.end - b.end || a.pattern - b.pattern
}

function append<Key>(map: Map<Key, Compiled[]>, key: Key, compiled: Compiled): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [compiled])
  else list.push(compiled)
}
