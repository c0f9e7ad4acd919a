/** Any typed string becomes a query tree; no text is ever refused. */

import { hasToken } from '../text/tokens.js'
import { lex, type Token } from './lex.js'
import { isProse } from './prose.js'
import { FIELD_NAMES, type Field, join, type Node, negate, type Query } from './tree.js'

/** Deeper parentheses are read as if they were not there: FTS5 has a limit, and no person nests this far. */
export const MAX_DEPTH = 24
/** Words beyond this many are not searched: a pasted chapter is still a query, and still answers quickly. */
export const MAX_WORDS = 200

const TAG_NAMES = new Set(['tag', 'tags'])
const KNOWN_NAMES: ReadonlySet<string> = new Set([...Object.keys(FIELD_NAMES), ...TAG_NAMES])

/**
 * Reads the query language: words, "phrases", pre*, title:word, tag:x, AND OR NOT, -word, ( ), NEAR(a b, 5).
 * NOT binds closest, then AND, then words side by side, then OR.
 * @example parseQuery('deploy -staging').root
 * // { kind: 'together', parts: [{ kind: 'word', text: 'deploy' }, { kind: 'not', part: { … 'staging' } }] }
 */
export function parseQuery(text: string): Query {
  const reader = createReader(
    lex(isProse(text) ? text.replace(/["“”„«»]/g, ' ') : text, KNOWN_NAMES),
  )
  const parts: Node[] = []
  while (!reader.done()) {
    const part = readOr(reader, 0)
    if (part !== null) parts.push(part)
    else reader.skip()
  }
  return { text, root: join('together', parts) }
}

type Reader = {
  peek(): Token | undefined
  /** True where an operator at the next token has something to search behind it; otherwise it is a word. */
  hasOperand(): boolean
  skip(): void
  done(): boolean
  /** Takes the next token as a word that may be searched; false once there are too many. */
  countWord(): boolean
}

function createReader(tokens: readonly Token[]): Reader {
  const operands = findOperands(tokens)
  let at = 0
  let words = 0
  return {
    peek: () => tokens[at],
    hasOperand: () => operands[at + 1] === true,
    skip: () => {
      at += 1
    },
    done: () => at >= tokens.length,
    countWord: () => {
      words += 1
      return words <= MAX_WORDS
    },
  }
}

/** A negation refuses for all of the parentheses it stands in: `a OR b -c` is `(a OR b) -c`. */
function readOr(reader: Reader, depth: number): Node | null {
  const parts: Node[] = []
  const refused: Node[] = []
  for (;;) {
    const { wanted, unwanted } = readTogether(reader, depth)
    refused.push(...unwanted)
    if (wanted !== null) parts.push(wanted)
    if (!isOperator(reader, 'OR') || !reader.hasOperand()) break
    reader.skip()
  }
  const wanted = join('or', parts)
  return join('together', wanted === null ? refused : [wanted, ...refused])
}

type Together = { readonly wanted: Node | null; readonly unwanted: readonly Node[] }

function readTogether(reader: Reader, depth: number): Together {
  const wanted: Node[] = []
  const unwanted: Node[] = []
  for (;;) {
    const token = reader.peek()
    if (token === undefined || token.kind === 'close') break
    const isSecond = wanted.length + unwanted.length > 0
    if (isSecond && isOperator(reader, 'OR') && reader.hasOperand()) break
    const part = readAnd(reader, depth)
    if (part !== null) (part.kind === 'not' ? unwanted : wanted).push(part)
  }
  return { wanted: join('together', wanted), unwanted }
}

function readAnd(reader: Reader, depth: number): Node | null {
  const parts: Node[] = []
  let next = readNot(reader, depth)
  while (next !== null) {
    parts.push(next)
    if (!isOperator(reader, 'AND') || !reader.hasOperand()) break
    reader.skip()
    next = readNot(reader, depth)
  }
  return join('and', parts)
}

function readNot(reader: Reader, depth: number): Node | null {
  let negative = false
  while (reader.peek()?.kind === 'minus' || (isOperator(reader, 'NOT') && reader.hasOperand())) {
    negative = !negative
    reader.skip()
  }
  const part = readAtom(reader, depth)
  return part !== null && negative ? negate(part) : part
}

function readAtom(reader: Reader, depth: number): Node | null {
  const token = reader.peek()
  if (token === undefined || token.kind === 'close') return null
  reader.skip()
  switch (token.kind) {
    case 'open':
      return readGroup(reader, depth + 1)
    case 'field':
      return readField(reader, token.name, depth)
    case 'minus':
      return null
    case 'operator':
      // In small letters, so that what is printed reads as a word again.
      return readWord(reader, token.name.toLowerCase())
    case 'phrase':
      return hasToken(token.text) && reader.countWord() ? token : null
    case 'near':
      return reader.countWord() ? token : null
    case 'word':
      return readWord(reader, token.text)
  }
}

/** A closing parenthesis that is missing is supplied by the end of the text. */
function readGroup(reader: Reader, depth: number): Node | null {
  if (depth > MAX_DEPTH) return null
  const parts: Node[] = []
  while (!reader.done() && reader.peek()?.kind !== 'close') {
    const part = readOr(reader, depth)
    if (part !== null) parts.push(part)
  }
  reader.skip()
  return join('together', parts)
}

function readField(reader: Reader, name: string, depth: number): Node | null {
  if (TAG_NAMES.has(name)) {
    const token = reader.peek()
    if (token?.kind !== 'word' && token?.kind !== 'phrase') return readWord(reader, name)
    reader.skip()
    return { kind: 'tag', tag: token.text }
  }
  const field = FIELD_NAMES[name as keyof typeof FIELD_NAMES]
  const part = readNot(reader, depth)
  return part === null ? readWord(reader, name) : within(field, part)
}

/** A field around a group reaches every part of it; a tag has no field. */
export function within(field: Field, node: Node): Node {
  switch (node.kind) {
    case 'word':
    case 'phrase':
    case 'prefix':
    case 'near':
      return { kind: 'field', field, part: node }
    case 'tag':
    case 'field':
      return node
    case 'not':
      return negate(within(field, node.part))
    case 'together':
    case 'and':
    case 'or':
      return { kind: node.kind, parts: node.parts.map((part) => within(field, part)) }
  }
}

/** The marks of a sentence around a word are not part of it: `code?` is `code`, `C++` stays. */
const SENTENCE_MARKS = /^["'“”„«».,;:!?…-]+|["'“”„«».,;:!?…]+$/g

function readWord(reader: Reader, written: string): Node | null {
  const text = written.replace(SENTENCE_MARKS, '')
  if (!hasToken(text) || !reader.countWord()) return null
  const isPrefix = text.endsWith('*') && !text.slice(0, -1).includes('*')
  return isPrefix ? { kind: 'prefix', text: text.slice(0, -1) } : { kind: 'word', text }
}

function isOperator(reader: Reader, name: 'AND' | 'OR' | 'NOT'): boolean {
  const token = reader.peek()
  return token?.kind === 'operator' && token.name === name
}

/** For each token whether an operand begins there; from the right, so that a long row of NOTs costs no more. */
function findOperands(tokens: readonly Token[]): boolean[] {
  const operands: boolean[] = []
  for (let at = tokens.length - 1; at >= 0; at--) {
    operands[at] = beginsOperand(tokens[at], operands[at + 1] === true)
  }
  return operands
}

function beginsOperand(token: Token | undefined, nextIsOperand: boolean): boolean {
  switch (token?.kind) {
    case undefined:
    case 'close':
      return false
    case 'operator':
      return token.name === 'NOT' && nextIsOperand
    case 'minus':
    case 'field':
      return nextIsOperand
    case 'word':
    case 'phrase':
      return hasToken(token.text)
    case 'open':
    case 'near':
      return true
  }
}
