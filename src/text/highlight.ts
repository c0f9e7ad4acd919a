/** Finds every place in a text that a query matches, in the offsets of that text. */

import type { Range } from '../core/answer.js'
import { type Segmented, segment, startsWithRun } from './segment.js'
import { completePrefix, stem } from './stem.js'
import { foldWord, type Token, tokenize } from './tokens.js'

/** Words in their indexed form (see `queryTokens`) that stand next to each other. */
export type Pattern = { readonly words: readonly string[]; readonly lastIsPrefix: boolean }

/** `pattern` is the index of the pattern in the list that was searched for. */
export type Match = Range & { readonly pattern: number }

type Compiled = {
  readonly pattern: number
  readonly terms: readonly string[]
  readonly last: string
  /** Null: the last term must be equal. Else terms that count although they do not start with it. */
  readonly alsoLast: ReadonlySet<string> | null
  /** A letter of a script without spaces is found through its pair, but only the letter is marked. */
  readonly marksOnlyLetter: boolean
}
export type TokenizedText = {
  readonly segmented: Segmented | null
  readonly tokens: readonly Token[]
}

export function tokenizeText(text: string): TokenizedText {
  const segmented = segment(text)
  return { segmented, tokens: tokenize(segmented?.text ?? text) }
}

export type Matcher = ReturnType<typeof createMatcher>

/**
 * Prepares the patterns once for many texts. Matches are ordered by start, then end, then pattern.
 * @example
 * createMatcher([{ words: ['cafe'], lastIsPrefix: false }])(tokenizeText('Le Café'))
 * // [{ start: 3, end: 7, pattern: 0 }]
 */
export function createMatcher(patterns: readonly Pattern[]) {
  const byTerm = new Map<string, Compiled[]>()
  /** Patterns that begin with a prefix are tried at every token. */
  const prefixes: Compiled[] = []
  for (const [i, pattern] of patterns.entries()) {
    const compiled = compilePattern(pattern, i)
    if (compiled === null) continue
    const first = compiled.terms[0] ?? compiled.last
    if (compiled.terms.length === 0 && compiled.alsoLast !== null) prefixes.push(compiled)
    else byTerm.set(first, [...(byTerm.get(first) ?? []), compiled])
  }
  const mayBegin = createStartFilter([...byTerm.keys(), ...prefixes.map(({ last }) => last)])
  return ({ segmented, tokens }: TokenizedText): Match[] => {
    const matches: Match[] = []
    const add = (compiled: Compiled, at: number): void => {
      const range = matchAt(compiled, tokens, at)
      if (range === null) return
      const start = segmented?.originalStart(range.start) ?? range.start
      const end = segmented?.originalEnd(range.end) ?? range.end
      matches.push({ start, end, pattern: compiled.pattern })
    }
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] as Token
      if (!mayBegin(token)) continue
      for (const compiled of byTerm.get(token.term) ?? []) add(compiled, at)
      for (const compiled of prefixes) add(compiled, at)
    }
    return matches.sort((a, b) => a.start - b.start || a.end - b.end || a.pattern - b.pattern)
  }
}

/**
 * Whether a token may begin one of these terms, by its first two letters: most tokens of a text are never stemmed, which
 * takes half of the time. Stemming changes neither letter, but for y to i in the second; other scripts pass.
 */
export function createStartFilter(terms: readonly string[]): (token: Token) => boolean {
  const keys = new Set(terms.map((term) => startKey(term, 0, term.length)))
  if (keys.has(null)) return () => true
  return ({ text, start, end }) => {
    const key = startKey(text, start, end)
    return key === null || keys.has(key) || keys.has(key & 0xff00)
  }
}

/** Null where one of the letters is not ASCII. */
function startKey(text: string, start: number, end: number): number | null {
  const first = text.charCodeAt(start)
  const second = start + 1 < end ? text.charCodeAt(start + 1) : 0
  if (!(first < 0x80 && second < 0x80)) return null
  const last = toLowerCode(second)
  return (toLowerCode(first) << 8) | (last === 0x79 ? 0x69 : last)
}

function toLowerCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
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
    alsoLast: pattern.lastIsPrefix
      ? new Set(completePrefix(folded).map((completion) => completion.stem))
      : null,
    marksOnlyLetter: pattern.lastIsPrefix && startsWithRun(folded),
  }
}

/** The range of the pattern where it begins with the token at `at`; null where it does not. */
function matchAt(compiled: Compiled, tokens: readonly Token[], at: number): Range | null {
  const { terms, last, alsoLast, marksOnlyLetter } = compiled
  for (let i = 0; i < terms.length; i++) {
    if (tokens[at + i]?.term !== terms[i]) return null
  }
  const final = tokens[at + terms.length]
  if (final === undefined) return null
  const fits = alsoLast === null ? final.term === last : final.term.startsWith(last)
  if (!fits && !alsoLast?.has(final.term)) return null
  const end = marksOnlyLetter ? final.start + last.length : final.end
  return { start: tokens[at]?.start ?? 0, end }
}
