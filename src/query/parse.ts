/** Parses any typed text into a query tree; no text is refused. */

import { hasToken } from '../text/tokens.js'
import { hasCaseBeside, isProse, lex, type Token } from './lex.js'
import { liftMetadata } from './lift-metadata.js'
import { FIELD_NAMES, join, type Node, negate, type Query, scopeToField } from './tree.js'

/** Deeper parentheses are ignored: FTS5 has a limit, and no person nests this far. */
export const MAX_DEPTH = 24
/** The rest of a longer text is not parsed; it holds more words than are searched. */
export const MAX_QUERY_CHARS = 10_000
/** The rest of a longer word is not searched. */
const MAX_WORD_CHARS = 500
/** Words beyond this many are not searched: a pasted chapter is still a query, and still answers quickly. */
export const MAX_WORDS = 200
/** Longer ones are cut: FTS5's work for each record with the words grows with the square of their number. */
export const MAX_NEAR_WORDS = 8
export const MAX_PHRASE_WORDS = 64
/** A prefix stands for many words and counts as this many; so does each word of a NEAR. */
export const PREFIX_COST = 8
export const NEAR_COST = 4
/** A test of metadata may read every record. */
const METADATA_COST = 8

const TAG_NAMES = new Set(['tag', 'tags'])
const KNOWN_NAMES: ReadonlySet<string> = new Set([...Object.keys(FIELD_NAMES), ...TAG_NAMES])

/**
 * Parses the query language: words, "phrases", pre*, title:word, tag:x, meta.key:value, AND OR NOT, -word, ( ), NEAR(a b, 5).
 * NOT binds closest, then AND, then words side by side, then OR.
 * @example parseQuery('deploy -staging').root
 * // { kind: 'together', parts: [{ kind: 'word', text: 'deploy' }, { kind: 'not', part: { … 'staging' } }] }
 */
export function parseQuery(text: string): Query {
  const beginning = text.slice(0, MAX_QUERY_CHARS)
  const isPassage = isProse(beginning)
  const input = isPassage ? beginning.replace(/["“”„«»]/g, ' ') : beginning
  const parser = new Parser(lex(input, KNOWN_NAMES), !isPassage && hasCaseBeside(beginning))
  const parts: Node[] = []
  while (parser.next !== undefined) {
    const part = parser.parseOr(0)
    if (part !== null) parts.push(part)
    else parser.skip()
  }
  return { text, ...liftMetadata(join('together', parts)), isCut: parser.isCut }
}

/** The punctuation around a word is not part of it: `code?` is `code`, `C++` stays. */
const PUNCTUATION = /^["'“”„«».,;:!?…-]+|["'“”„«».,;:!?…]+$/g

/** One method per level of the grammar; `depth` counts the open parentheses. */
class Parser {
  readonly #tokens: readonly Token[]
  readonly #operands: readonly boolean[]
  readonly #hasOperators: boolean
  #at = 0
  /** Wanted and refused words are counted apart, so that many wanted words do not displace a refusal. */
  readonly #words = { wanted: 0, refused: 0 }
  #isRefusing = false
  /** Whether a phrase, prefix, NEAR or test was shortened or left out because it would take too long. */
  isCut = false

  /** Without `hasOperators`, AND, OR and NOT are words. */
  constructor(tokens: readonly Token[], hasOperators: boolean) {
    this.#tokens = tokens
    this.#hasOperators = hasOperators
    this.#operands = findOperands(tokens)
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at]
  }

  skip(): void {
    this.#at += 1
  }

  /** A negation holds for all of its parentheses: `a OR b -c` is `(a OR b) -c`. */
  parseOr(depth: number): Node | null {
    const branches: Node[] = []
    const refused: Node[] = []
    do {
      const wanted: Node[] = []
      let isFirst = true
      while (this.next !== undefined && this.next.kind !== 'close') {
        if (!isFirst && this.#isOperator('OR')) break
        const part = this.#parseAnd(depth)
        if (part === null) continue
        isFirst = false
        if (part.kind === 'not') refused.push(part)
        else wanted.push(part)
      }
      const branch = join('together', wanted)
      if (branch !== null) branches.push(branch)
    } while (this.#takeOperator('OR'))
    const wanted = join('or', branches)
    return join('together', wanted === null ? refused : [wanted, ...refused])
  }

  #parseAnd(depth: number): Node | null {
    const parts: Node[] = []
    do {
      const part = this.#parseNot(depth)
      if (part === null) break
      parts.push(part)
    } while (this.#takeOperator('AND'))
    return join('and', parts)
  }

  #parseNot(depth: number): Node | null {
    let isNegative = false
    while (this.next?.kind === 'minus' || this.#isOperator('NOT')) {
      isNegative = !isNegative
      this.skip()
    }
    const isRefusing = this.#isRefusing
    if (isNegative) this.#isRefusing = !isRefusing
    const part = this.#parseAtom(depth)
    this.#isRefusing = isRefusing
    return part !== null && isNegative ? negate(part) : part
  }

  #parseAtom(depth: number): Node | null {
    const token = this.next
    if (token === undefined || token.kind === 'close') return null
    this.skip()
    switch (token.kind) {
      case 'open':
        return this.#parseGroup(depth + 1)
      case 'field':
        return this.#parseField(token.name, depth)
      case 'metadata':
        return this.#countCostly(METADATA_COST) ? token : null
      case 'minus':
        return null
      case 'operator':
        // In small letters, so that what is printed parses as a word again.
        return this.#parseWord(token.name.toLowerCase())
      case 'phrase':
        return hasToken(token.text) ? this.#parsePhrase(token) : null
      case 'near': {
        const words = this.#cut(token.words, MAX_NEAR_WORDS).map((phrase) =>
          this.#cut(phrase.split(/\s+/), MAX_NEAR_WORDS).join(' '),
        )
        return this.#countCostly(NEAR_COST * words.length) ? { ...token, words } : null
      }
      case 'word':
        return this.#parseWord(token.text)
    }
  }

  /** The end of the text supplies a missing closing parenthesis. */
  #parseGroup(depth: number): Node | null {
    if (depth > MAX_DEPTH) return null
    const parts: Node[] = []
    while (this.next !== undefined && this.next.kind !== 'close') {
      const part = this.parseOr(depth)
      if (part !== null) parts.push(part)
    }
    this.skip()
    return join('together', parts)
  }

  #parseField(name: string, depth: number): Node | null {
    if (TAG_NAMES.has(name)) {
      const token = this.next
      if (token?.kind !== 'word' && token?.kind !== 'phrase') return this.#parseWord(name)
      this.skip()
      return { kind: 'tag', tag: token.text }
    }
    const part = depth > MAX_DEPTH ? null : this.#parseNot(depth + 1)
    if (part === null) return this.#parseWord(name)
    return scopeToField(FIELD_NAMES[name as keyof typeof FIELD_NAMES], part)
  }

  #parseWord(written: string): Node | null {
    const text = written.slice(0, MAX_WORD_CHARS).replace(PUNCTUATION, '')
    if (!hasToken(text)) return null
    if (text.indexOf('*') !== text.length - 1) {
      return this.#count(1) ? { kind: 'word', text } : null
    }
    return this.#countCostly(PREFIX_COST) ? { kind: 'prefix', text: text.slice(0, -1) } : null
  }

  #parsePhrase(token: Extract<Token, { kind: 'phrase' }>): Node | null {
    const all = token.text.split(/\s+/)
    const words = this.#cut(all, MAX_PHRASE_WORDS)
    if (!this.#countCostly(token.open ? PREFIX_COST : words.length)) return null
    return words.length === all.length ? token : { ...token, text: words.join(' ') }
  }

  #cut(words: readonly string[], most: number): readonly string[] {
    if (words.length > most) this.isCut = true
    return words.slice(0, most)
  }

  #count(words: number): boolean {
    const kind = this.#isRefusing ? 'refused' : 'wanted'
    this.#words[kind] += words
    return this.#words[kind] <= MAX_WORDS
  }

  #countCostly(words: number): boolean {
    const fits = this.#count(words)
    if (!fits) this.isCut = true
    return fits
  }

  /** An operator without an operand is a word. */
  #isOperator(name: 'AND' | 'OR' | 'NOT'): boolean {
    const token = this.next
    const isNamed = this.#hasOperators && token?.kind === 'operator' && token.name === name
    return isNamed && this.#operands[this.#at + 1] === true
  }

  #takeOperator(name: 'AND' | 'OR'): boolean {
    const isThere = this.#isOperator(name)
    if (isThere) this.skip()
    return isThere
  }
}

/** From the right, so that a long row of NOTs takes linear time. */
function findOperands(tokens: readonly Token[]): boolean[] {
  const operands: boolean[] = []
  for (const [i, token] of [...tokens.entries()].reverse()) {
    const isNext = operands[i + 1] === true
    if (token.kind === 'word' || token.kind === 'phrase') operands[i] = hasToken(token.text)
    else if (token.kind === 'open' || token.kind === 'near' || token.kind === 'metadata')
      operands[i] = true
    else if (token.kind === 'operator') operands[i] = token.name === 'NOT' && isNext
    else operands[i] = token.kind !== 'close' && isNext
  }
  return operands
}
