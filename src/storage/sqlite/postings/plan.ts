/** A query tree becomes lists to be crossed, with the meaning that its FTS5 expression has, or is left to SQL. */

import type { Field, Node } from '../../../query/tree.js'
import { queryTokens } from '../../../text/segment.js'
import { tokenize } from '../../../text/tokens.js'
import { COLUMN_WEIGHTS } from '../bm25.js'
import { OWN_COLUMNS, tagToken } from '../match.js'

/** A word, or words that stand next to each other, in the columns of the mask. */
export type Leaf = { readonly terms: readonly string[]; readonly columns: number }

export type Plan = {
  /** A row has to hold one leaf of each, and every leaf it holds counts. */
  readonly clauses: readonly (readonly Leaf[])[]
  /** A row must hold none of these. */
  readonly refused: readonly Leaf[]
}

const COLUMN_NAMES: readonly string[] = Object.keys(COLUMN_WEIGHTS)
const EVERY_COLUMN = maskOf(COLUMN_NAMES)
/** FTS5 cuts longer ones. */
const LONGEST_TERM = 1000

/** What a part asks for and what it refuses; `wanted` is null where it only refuses. */
type Part = { readonly wanted: Plan['clauses'] | null; readonly refused: readonly Leaf[] }

/** A part that only SQL can answer. */
class NeedsSql extends Error {}

/** Null for what only SQL can answer: beginnings, NEAR, and alternatives that are more than words and phrases. */
export function planOf(root: Node, fields: readonly Field[] | null): Plan | null {
  try {
    const { wanted, refused } = planPart(root, fields)
    const plan = { clauses: wanted ?? [], refused }
    return wanted === null || losesPoints(plan) ? null : plan
  } catch (error) {
    if (error instanceof NeedsSql) return null
    throw error
  }
}

/**
 * FTS5 forgets points of alternatives that it has already looked ahead to, where an AND that holds them stands in a NOT:
 * what it gives there depends on the rows before.
 */
export function losesPoints({ clauses, refused }: Plan): boolean {
  return refused.length > 0 && clauses.length > 1 && clauses.some(({ length }) => length > 1)
}

function planPart(node: Node, fields: readonly Field[] | null): Part {
  switch (node.kind) {
    case 'word':
      return wants(leafOf(node.text, fields ?? (node.nearby ? null : OWN_COLUMNS)))
    case 'phrase':
      if (node.open) throw new NeedsSql()
      return wants(leafOf(node.text, fields ?? OWN_COLUMNS))
    case 'tag':
      return wants(leafOf(tagToken(node.tag), ['tags']))
    case 'field':
      return planPart(node.part, [node.field])
    case 'not':
      return negated(planPart(node.part, fields))
    case 'together':
    case 'and':
      return joinedByAnd(node.parts.map((part) => planPart(part, fields)))
    case 'or':
      return joinedByOr(node.parts.map((part) => planPart(part, fields)))
    case 'prefix':
    case 'near':
      throw new NeedsSql()
  }
}

function wants(leaf: Leaf): Part {
  return { wanted: [[leaf]], refused: [] }
}

function leafOf(text: string, columns: readonly string[] | null): Leaf {
  const { words, lastIsPrefix } = queryTokens(text)
  const asked = words.join(' ')
  const terms = tokenize(asked).map(({ term }) => term)
  const isPlain =
    !lastIsPrefix &&
    terms.length > 0 &&
    asked.isWellFormed() &&
    !asked.includes('\0') &&
    terms.every(({ length }) => length <= LONGEST_TERM)
  if (!isPlain) throw new NeedsSql()
  return { terms, columns: columns === null ? EVERY_COLUMN : maskOf(columns) }
}

function maskOf(columns: readonly string[]): number {
  return columns.reduce((mask, column) => mask | (1 << COLUMN_NAMES.indexOf(column)), 0)
}

function joinedByAnd(parts: readonly Part[]): Part {
  const wanted = parts.flatMap((part) => part.wanted ?? [])
  return {
    wanted: wanted.length === 0 ? null : wanted,
    refused: parts.flatMap(({ refused }) => refused),
  }
}

/** A lone refusal is lifted out of its OR, as in the FTS5 expression. */
function joinedByOr(parts: readonly Part[]): Part {
  const asking = parts.filter(({ wanted }) => wanted !== null)
  const refusing = parts.filter(({ wanted }) => wanted === null)
  const wanted = asking.flatMap(alternativesOf)
  return {
    wanted: wanted.length === 0 ? null : [wanted],
    refused: refusing.flatMap(({ refused }) => refused),
  }
}

/** Refusing what only refuses asks for it. */
function negated(part: Part): Part {
  if (part.wanted !== null) return { wanted: null, refused: alternativesOf(part) }
  return { wanted: part.refused.length === 0 ? null : [part.refused], refused: [] }
}

function alternativesOf({ wanted, refused }: Part): readonly Leaf[] {
  const [clause, another] = wanted ?? []
  if (clause === undefined || another !== undefined || refused.length > 0) throw new NeedsSql()
  return clause
}
