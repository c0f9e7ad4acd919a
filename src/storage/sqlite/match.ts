/** Compiles a query tree to an FTS5 expression; no user text can break out of its quotes. */

import type { Field, Node } from '../../query/tree.js'
import { OWN_COLUMNS } from '../bm25.js'
import { compileTree, type Leaf, listLeaves, type Matching } from '../matching.js'
import { type Condition, joinConditions } from './statements.js'

/** An FTS5 expression, and an expression for each word and phrase that scores. */
export type Expression = { readonly match: string; readonly leaves: readonly string[] }

/** Null for a tree that only excludes. */
export function compileRanked(root: Node, fields: readonly Field[] | null): Expression | null {
  const matching = compileTree(root, fields)
  if (matching === null) return null
  return { match: print(matching), leaves: listLeaves(matching).map(print) }
}

export function compileMatch(root: Node, fields: readonly Field[] | null): string | null {
  return compileRanked(root, fields)?.match ?? null
}

export type RequiredWords = {
  readonly required?: Node | null
  readonly unwanted?: Node | null
  readonly fields?: readonly Field[] | null
}

/** The full-text indexes of present records and of past states, with the column of their rows. */
export const PRESENT = { row: 'r.row', index: 'records_ft' } as const
export const PAST = { row: 'r.revision', index: 'revisions_ft' } as const

export const CONTAINS = '(instr(r.body, :text) > 0 OR instr(r.title, :text) > 0)'

/** Adds required and unwanted words to a condition; null if there is no condition at all. */
export function restrictByWords(
  condition: Condition | null,
  { required = null, unwanted = null, fields = null }: RequiredWords,
  { row, index }: typeof PRESENT | typeof PAST,
): Condition | null {
  const matching = `(SELECT rowid FROM ${index} WHERE ${index} MATCH`
  const wanted = required && compileMatch(required, fields)
  const refused = unwanted && compileMatch(unwanted, fields)
  const conditions = [
    condition,
    wanted && { sql: `${row} IN ${matching} :required)`, values: { required: wanted } },
    refused && { sql: `${row} NOT IN ${matching} :unwanted)`, values: { unwanted: refused } },
  ].filter((part) => part !== null && part !== '')
  return conditions.length === 0 ? null : joinConditions(conditions)
}

function print(matching: Matching): string {
  switch (matching.kind) {
    case 'leaf':
      return inColumns(matching.columns, printPhrase(matching))
    case 'near': {
      const { parts, distance } = matching
      const near = `NEAR(${parts.map(printPhrase).join(' ')}, ${distance})`
      return inColumns(parts[0]?.columns ?? OWN_COLUMNS, near)
    }
    case 'without':
      return `(${print(matching.part)} NOT (${matching.refused.map(print).join(' OR ')}))`
    case 'all':
      return `(${matching.parts.map(print).join(' AND ')})`
    case 'any':
      return `(${matching.parts.map(print).join(' OR ')})`
  }
}

function inColumns(columns: Leaf['columns'], expression: string): string {
  return columns === null ? expression : `{${columns.join(' ')}} : ${expression}`
}

function printPhrase({ words, lastIsPrefix }: Leaf): string {
  return quote(words) + (lastIsPrefix ? ' *' : '')
}

/** FTS5 reads its expression up to the first zero character. */
export function quote(text: string): string {
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
