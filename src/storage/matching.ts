/** Compiles a query tree to boolean rules; each backend prints them in its own query language. */

import type { Field, Node, Prefix, Word } from '../query/tree.js'
import { queryTokens } from '../text/segment.js'
import { completePrefix } from '../text/stem.js'
import { foldWord } from '../text/tokens.js'
import { type Column, OWN_COLUMNS } from './bm25.js'
import { tagToken } from './indexed-form.js'

/** A word or a phrase in one of these columns (null: any); its last word may be a prefix. */
export type Leaf = {
  readonly kind: 'leaf'
  readonly words: string
  readonly lastIsPrefix: boolean
  readonly columns: readonly Column[] | null
}

export type Matching =
  | Leaf
  /** All parts in one column, with at most `distance` words between the first and the last. */
  | { readonly kind: 'near'; readonly parts: readonly Leaf[]; readonly distance: number }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Matching[] }
  | {
      readonly kind: 'without'
      readonly part: Matching
      readonly refused: readonly Matching[]
    }

/** What a part of the tree requires and excludes, kept apart because FTS5 has NOT only between two expressions. */
type Compiled = { readonly wanted: Matching | null; readonly unwanted: readonly Matching[] }

/** Null for a tree that only excludes. */
export function compileTree(root: Node, fields: readonly Field[] | null): Matching | null {
  const { wanted, unwanted } = compile(root, fields)
  return wanted === null ? null : subtract(wanted, unwanted)
}

/** The words and phrases that score. The words of a NEAR score anywhere in the record. */
export function listLeaves(matching: Matching): readonly Leaf[] {
  if (matching.kind === 'leaf') return [matching]
  if (matching.kind === 'without') return listLeaves(matching.part)
  return matching.parts.flatMap(listLeaves)
}

function compile(node: Node, fields: readonly Field[] | null): Compiled {
  switch (node.kind) {
    case 'word':
      return want([readPhrase(node.text, chooseColumns(node, fields))])
    case 'phrase': {
      const columns = fields ?? OWN_COLUMNS
      return want(node.open ? readPrefix(node.text, columns) : [readPhrase(node.text, columns)])
    }
    case 'prefix':
      return want(readPrefix(node.text, chooseColumns(node, fields)))
    case 'near': {
      const parts = node.words.map((word) => readPhrase(word, fields ?? OWN_COLUMNS))
      return { wanted: { kind: 'near', parts, distance: node.distance }, unwanted: [] }
    }
    case 'tag':
      return want([readWord(tagToken(node.tag), ['tags'])])
    case 'metadata':
      return { wanted: null, unwanted: [] }
    case 'field':
      return compile(node.part, [node.field])
    case 'not':
      return negate(compile(node.part, fields))
    case 'together':
    case 'and':
      return joinByAnd(node.parts.map((part) => compile(part, fields)))
    case 'or':
      return joinByOr(node.parts.map((part) => compile(part, fields)))
  }
}

function want(leaves: readonly Leaf[]): Compiled {
  return { wanted: group('any', leaves), unwanted: [] }
}

function joinByAnd(parts: readonly Compiled[]): Compiled {
  const wanted = parts.flatMap((part) => (part.wanted === null ? [] : [part.wanted]))
  return { wanted: group('all', wanted), unwanted: parts.flatMap((part) => part.unwanted) }
}

/** FTS5 has no `a OR NOT b`: an exclusion is lifted out of its OR, so that it holds for all alternatives. */
function joinByOr(parts: readonly Compiled[]): Compiled {
  const wanted = parts.flatMap((part) =>
    part.wanted === null ? [] : [subtract(part.wanted, part.unwanted)],
  )
  const refusals = parts.filter((part) => part.wanted === null)
  return { wanted: group('any', wanted), unwanted: refusals.flatMap((part) => part.unwanted) }
}

function group(kind: 'all' | 'any', parts: readonly Matching[]): Matching | null {
  const [first, second] = parts
  if (first === undefined) return null
  return second === undefined ? first : { kind, parts }
}

/** NOT (NOT a AND NOT b) is a OR b. */
function negate({ wanted, unwanted }: Compiled): Compiled {
  if (wanted !== null) return { wanted: null, unwanted: [subtract(wanted, unwanted)] }
  return { wanted: group('any', unwanted), unwanted: [] }
}

function subtract(part: Matching, refused: readonly Matching[]): Matching {
  return refused.length === 0 ? part : { kind: 'without', part, refused }
}

function chooseColumns(node: Word | Prefix, fields: readonly Field[] | null) {
  return fields ?? (node.nearby ? null : OWN_COLUMNS)
}

function readPhrase(text: string, columns: Leaf['columns']): Leaf {
  const { words, lastIsPrefix } = queryTokens(text)
  return { kind: 'leaf', words: words.join(' '), lastIsPrefix, columns }
}

/** FTS5 stems a prefix before it compares it, so the words that the prefix may complete to are added. */
function readPrefix(text: string, columns: Leaf['columns']): Leaf[] {
  const { words, isSegmented } = queryTokens(text)
  const beginning = { kind: 'leaf', words: words.join(' '), lastIsPrefix: true, columns } as const
  const [only] = words
  if (isSegmented || words.length !== 1 || only === undefined) return [beginning]
  const completions = completePrefix(foldWord(only)).map(({ word }) => word)
  return [beginning, ...completions.map((word) => readWord(word, columns))]
}

function readWord(words: string, columns: Leaf['columns']): Leaf {
  return { kind: 'leaf', words, lastIsPrefix: false, columns }
}
