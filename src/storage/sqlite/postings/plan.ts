/** Turns a query tree into clauses of words and phrases with the meaning of its FTS5 expression, or leaves it to SQL. */

import type { Field, Node } from '../../../query/tree.js'
import { queryTokens } from '../../../text/segment.js'
import { tokenize } from '../../../text/tokens.js'
import { COLUMN_NAMES, type Column, OWN_COLUMNS } from '../../bm25.js'
import { tagToken } from '../../indexed-form.js'

/** A word or a phrase in the columns of the bit mask. */
export type Leaf = { readonly terms: readonly string[]; readonly columns: number }

export type Plan = {
  /** A row matches if it holds at least one leaf of each clause. All leaves that it holds are scored. */
  readonly clauses: readonly (readonly Leaf[])[]
  readonly refused: readonly Leaf[]
}

/** FTS5 truncates longer terms. */
const LONGEST_TERM = 1000

/** The wanted and refused leaves of a subtree; `wanted` is null if it only refuses. */
type Part = { readonly wanted: Plan['clauses'] | null; readonly refused: readonly Leaf[] }

class NeedsSql extends Error {}

/** Returns null for queries that only SQL can answer: prefixes, NEAR, and alternatives that are not words or phrases. */
export function planPostings(root: Node, fields: readonly Field[] | null): Plan | null {
  try {
    const { wanted, refused } = planPart(root, fields)
    return wanted === null ? null : { clauses: wanted, refused }
  } catch (error) {
    if (error instanceof NeedsSql) return null
    throw error
  }
}

function planPart(node: Node, fields: readonly Field[] | null): Part {
  switch (node.kind) {
    case 'word':
      return planLeaf(node.text, fields ?? (node.nearby ? COLUMN_NAMES : OWN_COLUMNS))
    case 'phrase':
      if (node.open) throw new NeedsSql()
      return planLeaf(node.text, fields ?? OWN_COLUMNS)
    case 'tag':
      return planLeaf(tagToken(node.tag), ['tags'])
    case 'field':
      return planPart(node.part, [node.field])
    case 'not':
      return negate(planPart(node.part, fields))
    case 'together':
    case 'and': {
      const parts = node.parts.map((part) => planPart(part, fields))
      const wanted = parts.flatMap((part) => part.wanted ?? [])
      return join(parts, wanted)
    }
    case 'or': {
      // A negation inside an OR applies to the whole query, as in the FTS5 expression.
      const parts = node.parts.map((part) => planPart(part, fields))
      const leaves = parts.flatMap((part) => (part.wanted === null ? [] : listAlternatives(part)))
      return join(parts, leaves.length === 0 ? [] : [leaves])
    }
    case 'prefix':
    case 'near':
    case 'metadata':
      throw new NeedsSql()
  }
}

function planLeaf(text: string, columns: readonly Column[]): Part {
  const { words, lastIsPrefix } = queryTokens(text)
  const joined = words.join(' ')
  const terms = tokenize(joined).map(({ term }) => term)
  const isPlain =
    !lastIsPrefix &&
    terms.length > 0 &&
    joined.isWellFormed() &&
    !joined.includes('\0') &&
    terms.every(({ length }) => length <= LONGEST_TERM)
  if (!isPlain) throw new NeedsSql()
  const mask = columns.reduce((sum, column) => sum | (1 << COLUMN_NAMES.indexOf(column)), 0)
  return { wanted: [[{ terms, columns: mask }]], refused: [] }
}

function join(parts: readonly Part[], wanted: Plan['clauses']): Part {
  const refused = parts.flatMap((part) => part.refused)
  return { wanted: wanted.length === 0 ? null : wanted, refused }
}

/** The negation of a part that only refuses wants what it refused. */
function negate(part: Part): Part {
  if (part.wanted !== null) return { wanted: null, refused: listAlternatives(part) }
  return { wanted: part.refused.length === 0 ? null : [part.refused], refused: [] }
}

function listAlternatives({ wanted, refused }: Part): readonly Leaf[] {
  const [clause, another] = wanted ?? []
  if (clause === undefined || another !== undefined || refused.length > 0) throw new NeedsSql()
  return clause
}
