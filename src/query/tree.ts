/** A query is a small tree of tagged nodes, with no trace of SQL in it. */

/** The fields a word can be tied to; `abstract:` is another name for the body of a work. */
export const FIELD_NAMES = {
  title: 'title',
  body: 'body',
  abstract: 'body',
  people: 'people',
  person: 'people',
  author: 'people',
  authors: 'people',
} as const

export type Field = 'title' | 'body' | 'people'

/** `nearby` words may also stand in what surrounds a turn of a session. */
export type Word = { readonly kind: 'word'; readonly text: string; readonly nearby?: true }
/** `"a phrase"`, or `"a phra"*` where the last word is a beginning. */
export type Phrase = { readonly kind: 'phrase'; readonly text: string; readonly open: boolean }
export type Prefix = { readonly kind: 'prefix'; readonly text: string; readonly nearby?: true }
export type Near = {
  readonly kind: 'near'
  readonly words: readonly string[]
  readonly distance: number
}
/** The record carries exactly this tag. */
export type Tag = { readonly kind: 'tag'; readonly tag: string }
export type InField = { readonly kind: 'field'; readonly field: Field; readonly part: Node }
/** Parts written side by side: the bare words among them may be relaxed. */
export type Together = { readonly kind: 'together'; readonly parts: readonly Node[] }
/** Parts joined by a written AND: never relaxed. */
export type And = { readonly kind: 'and'; readonly parts: readonly Node[] }
export type Or = { readonly kind: 'or'; readonly parts: readonly Node[] }
export type Not = { readonly kind: 'not'; readonly part: Node }

export type Node = Word | Phrase | Prefix | Near | Tag | InField | Together | And | Or | Not

export type Query = {
  /** What the user typed. */
  readonly text: string
  /** Null where there is nothing to look for: empty text. */
  readonly root: Node | null
}

/** Joins what is there: nothing, the one part itself, or a node over all of them. */
export function join(kind: 'together' | 'and' | 'or', parts: readonly Node[]): Node | null {
  const [first, second] = parts
  if (first === undefined) return null
  if (second === undefined) return first
  return { kind, parts: parts.flatMap((part) => (dissolves(part, kind) ? part.parts : [part])) }
}

/** A group in a group of its kind is the same without its parentheses, unless they hold a negation in. */
function dissolves(part: Node, kind: string): part is Together | And | Or {
  return part.kind === kind && 'parts' in part && !part.parts.some((inner) => inner.kind === 'not')
}

/** Not not x is x. */
export function negate(part: Node): Node {
  return part.kind === 'not' ? part.part : { kind: 'not', part }
}
