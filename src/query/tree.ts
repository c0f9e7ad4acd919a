/** The query tree: its tagged nodes, how they are joined, and how a tree is printed in the query language. */

import type { MetadataFilter, MetadataTest } from '../core/filter.js'
import { printMetadataTest } from './metadata.js'

/** The fields a word can be tied to; `abstract:` is another name for the body of a work. */
export const FIELD_NAMES = {
  title: 'title',
  body: 'body',
  abstract: 'body',
  people: 'people',
  person: 'people',
  author: 'people',
  authors: 'people',
  venue: 'venue',
  key: 'key',
  doi: 'doi',
  year: 'year',
} as const

export type Field = (typeof FIELD_NAMES)[keyof typeof FIELD_NAMES]

/** `nearby` words may also match in the neighbouring turns of a session. */
export type Word = { readonly kind: 'word'; readonly text: string; readonly nearby?: true }
export type Prefix = { readonly kind: 'prefix'; readonly text: string; readonly nearby?: true }

/** `together` holds parts side by side, whose bare words may be relaxed; a written AND or OR is never relaxed. */
type Group = { readonly kind: 'together' | 'and' | 'or'; readonly parts: readonly Node[] }

export type Node =
  | Word
  | Prefix
  /** `"a phrase"`, or `"a phra"*` where the last word is a prefix. */
  | { readonly kind: 'phrase'; readonly text: string; readonly open: boolean }
  | { readonly kind: 'near'; readonly words: readonly string[]; readonly distance: number }
  | { readonly kind: 'tag'; readonly tag: string }
  /** Only while a query is parsed: then it is a filter, see `liftMetadata`. */
  | { readonly kind: 'metadata'; readonly test: MetadataTest }
  | { readonly kind: 'field'; readonly field: Field; readonly part: Node }
  | { readonly kind: 'not'; readonly part: Node }
  | Group

export type Query = {
  readonly text: string
  /** Null for a query without anything to search. */
  readonly root: Node | null
  /** Its tests of metadata: a filter, no part of the tree. */
  readonly where: MetadataFilter | null
  /** Whether phrases, prefixes or NEAR were shortened or left out because they would take too long. */
  readonly isCut: boolean
}

/** Null for no parts, the part itself for one, else a node over all of them. */
export function join(kind: Group['kind'], parts: readonly Node[]): Node | null {
  const [first, second] = parts
  if (first === undefined) return null
  if (second === undefined) return first
  return { kind, parts: parts.flatMap((part) => (canFlatten(part, kind) ? part.parts : [part])) }
}

/** A group inside a group of its kind needs no parentheses, unless they limit a negation. */
function canFlatten(part: Node, kind: string): part is Group {
  return part.kind === kind && isGroup(part) && !part.parts.some((inner) => inner.kind === 'not')
}

export function isGroup(node: Node): node is Group {
  return node.kind === 'together' || node.kind === 'and' || node.kind === 'or'
}

export function negate(part: Node): Node {
  return part.kind === 'not' ? part.part : { kind: 'not', part }
}

/** Ties every word of a tree to a field. A tag has none, and an inner field wins. */
export function scopeToField(field: Field, node: Node): Node {
  if (node.kind === 'tag' || node.kind === 'metadata' || node.kind === 'field') return node
  if (node.kind === 'not') return negate(scopeToField(field, node.part))
  if (!isGroup(node)) return { kind: 'field', field, part: node }
  return { kind: node.kind, parts: node.parts.map((part) => scopeToField(field, part)) }
}

const SEPARATORS = { together: ' ', and: ' AND ', or: ' OR ' } as const

/** The tree as the query that parses to the same tree. */
export function printQuery(node: Node | null): string {
  if (node === null) return ''
  switch (node.kind) {
    case 'word':
      return node.text
    case 'phrase':
      return `${quote(node.text)}${node.open ? '*' : ''}`
    case 'prefix':
      return `${node.text}*`
    case 'near': {
      const words = node.words.map((word) => (/[\s,"]/.test(word) ? quote(word) : word))
      return `NEAR(${words.join(' ')}, ${node.distance})`
    }
    case 'tag':
      return `tag:${/[\s"()]/.test(node.tag) ? quote(node.tag) : node.tag}`
    case 'metadata':
      return printMetadataTest(node.test)
    case 'field':
      return `${node.field}:${printQuery(node.part)}`
    case 'not':
      return `-${wrap(node.part)}`
    default:
      return node.parts.map(wrap).join(SEPARATORS[node.kind])
  }
}

function wrap(node: Node): string {
  return isGroup(node) ? `(${printQuery(node)})` : printQuery(node)
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
