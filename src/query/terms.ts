/** Reads a query tree: its terms, its required and refused parts, and its text for the embedder. */

import { hasToken } from '../text/tokens.js'
import { type Field, isGroup, join, type Node, type Query, scopeToField } from './tree.js'

/** Words without content of their own: the list that the ranking was measured with. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their ' +
    'then there these they this to was will with what which who whom whose when where why how ' +
    'do does did i you he she we me my your his her our us been being were has have had can ' +
    'could would should about from than so any all some more most other over under between ' +
    'after before during also may might shall'
  ).split(' '),
)

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase())
}

export type Term = {
  readonly text: string
  readonly isPrefix: boolean
  readonly field: Field | null
}

/** All terms of a tree except refused ones, each once. */
export function listTerms(root: Node | null): Term[] {
  const terms = new Map<string, Term>()
  for (const term of walkTerms(root, null)) {
    terms.set(`${term.field}\n${term.isPrefix}\n${term.text.toLowerCase()}`, term)
  }
  return [...terms.values()]
}

/** The query as plain text for the embedder, without operators, refused parts and tags. */
export function toPlainText(root: Node | null): string {
  return [...walkTerms(root, null)].map(({ text }) => text).join(' ')
}

function* walkTerms(node: Node | null, field: Field | null): Generator<Term> {
  switch (node?.kind) {
    case 'word':
      yield { text: node.text, isPrefix: false, field }
      break
    case 'phrase':
      yield { text: node.text, isPrefix: node.open, field }
      break
    case 'prefix':
      yield { text: node.text, isPrefix: true, field }
      break
    case 'near':
      for (const text of node.words) yield { text, isPrefix: false, field }
      break
    case 'field':
      yield* walkTerms(node.part, node.field)
      break
    case 'together':
    case 'and':
    case 'or':
      for (const part of node.parts) yield* walkTerms(part, field)
      break
  }
}

/** A term as a tree of its own. A phrase of one word is that word. */
export function termToNode({ text, isPrefix, field }: Term): Node {
  const isPhrase = /\s/.test(text)
  const part: Node = isPhrase
    ? { kind: 'phrase', text, open: isPrefix }
    : { kind: isPrefix ? 'prefix' : 'word', text }
  return field === null ? part : { kind: 'field', field, part }
}

type Phrase = Extract<Node, { kind: 'phrase' }>

/** A phrase and its field; null for any other node. */
function readPhrase(node: Node): { readonly phrase: Phrase; readonly field: Field | null } | null {
  if (node.kind === 'phrase') return { phrase: node, field: null }
  if (node.kind !== 'field' || node.part.kind !== 'phrase') return null
  return { phrase: node.part, field: node.field }
}

/** The phrases that are asked for, each with its field. */
export function listPhrases(node: Node | null): Node[] {
  if (node === null) return []
  if (isGroup(node)) return node.parts.flatMap(listPhrases)
  return readPhrase(node) === null ? [] : [node]
}

/** The tree with these phrases as plain words. */
export function unquotePhrases(node: Node, phrases: readonly Node[]): Node | null {
  if (isGroup(node)) {
    const parts = node.parts.flatMap((part) => unquotePhrases(part, phrases) ?? [])
    return join(node.kind, parts)
  }
  const read = phrases.includes(node) ? readPhrase(node) : null
  if (read === null) return node
  // An operator, a field or a prefix is only a word inside quotation marks, and stays one.
  const plain = read.phrase.text.replace(/["“”„«»()*:]/g, ' ')
  const words = plain.split(/\s+/).map((word) => word.replace(/^-+/, ''))
  const texts = words.map((word) => (/^(AND|OR|NOT)$/.test(word) ? word.toLowerCase() : word))
  const together = join(
    'together',
    texts.filter(hasToken).map((text): Node => ({ kind: 'word', text })),
  )
  return together && (read.field === null ? together : scopeToField(read.field, together))
}

/** A pasted passage has a pair for every word. The first ones are enough, and each needs an index lookup. */
export const MAX_PAIRS = 24

/** Adjacent words as phrases of two, each once; null if there are none. */
export function pairAdjacentWords(root: Node | null): Node | null {
  const parts = root?.kind === 'together' ? root.parts : []
  const pairs = new Map<string, Node>()
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1]
    if (pairs.size === MAX_PAIRS) break
    if (part.kind !== 'word' || next?.kind !== 'word') continue
    const [left, right] = [part.text.toLowerCase(), next.text.toLowerCase()]
    if (left === right || isStopWord(left) || isStopWord(right)) continue
    const text = `${part.text} ${next.text}`
    pairs.set(`${left} ${right}`, { kind: 'phrase', text, open: false })
  }
  return join('or', [...pairs.values()])
}

/**
 * The constraints for every retriever: a record that does not match `required` (phrases, fields, tags and NEAR) is no hit.
 * Plain words are only for ranking.
 */
export function extractConstraints(root: Node | null) {
  const required: Node[] = []
  const unwanted: Node[] = []
  const visit = (node: Node): void => {
    if (node.kind === 'not') {
      unwanted.push(node.part)
    } else if (node.kind === 'together' || node.kind === 'and') {
      for (const part of node.parts) visit(part)
    } else {
      const own = requiredPart(node)
      if (own !== null) required.push(own)
    }
  }
  if (root !== null) visit(root)
  return { required: join('and', required), unwanted: join('or', unwanted) }
}

/** Null if a record may match without any of the words. */
function requiredPart(node: Node): Node | null {
  switch (node.kind) {
    case 'phrase':
    case 'field':
    case 'tag':
    case 'near':
      return node
    case 'word':
    case 'prefix':
    case 'metadata':
    case 'not':
      return null
    case 'together':
    case 'and':
    case 'or': {
      const parts = node.parts.map(requiredPart)
      // One branch that any record may satisfy makes all of them optional.
      if (node.kind === 'or' && parts.includes(null)) return null
      const required = parts.filter((part) => part !== null)
      return join(node.kind === 'or' ? 'or' : 'and', required)
    }
  }
}

const IDENTIFIER = /[_.:/\\@#$]|\d|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u

/** True for quotes, fields, operators, or a lone identifier: then exact words matter, not similarity. */
export function asksForWords({ root }: Query): boolean {
  if (root === null) return true
  if (root.kind === 'word') return IDENTIFIER.test(root.text)
  return root.kind !== 'together' || root.parts.some((part) => part.kind !== 'word')
}
