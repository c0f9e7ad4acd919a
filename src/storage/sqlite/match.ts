/** Compiles a query tree to an FTS5 expression; no user text can break out of its quotes. */

import { Buffer } from 'node:buffer'
import type { Field, Node, Prefix, Word } from '../../query/tree.js'
import { queryTokens } from '../../text/segment.js'
import { completePrefix } from '../../text/stem.js'
import { foldWord } from '../../text/tokens.js'
import { COLUMN_WEIGHTS } from './bm25.js'
import { type Condition, joinConditions } from './statements.js'

/**
 * An FTS5 expression, and the words and phrases that give points to a row that holds them, each an expression of one
 * phrase. The words of a NEAR count wherever they are.
 */
export type Expression = { readonly match: string; readonly leaves: readonly string[] }

/** What a part of the tree requires and what it excludes: FTS5 has NOT only between two expressions. */
type Compiled = { readonly wanted: Expression | null; readonly unwanted: readonly Expression[] }

/** Null where the tree only excludes. */
export function compileRanked(root: Node, fields: readonly Field[] | null): Expression | null {
  const { wanted, unwanted } = compile(root, fields)
  return wanted === null ? null : subtract(wanted, unwanted)
}

export function compileMatch(root: Node, fields: readonly Field[] | null): string | null {
  return compileRanked(root, fields)?.match ?? null
}

export type RequiredWords = {
  readonly required?: Node | null
  readonly unwanted?: Node | null
  readonly fields?: readonly Field[] | null
}

/** The full-text index of the present records and that of past states, with the column of their rows. */
export const PRESENT = { row: 'r.row', index: 'records_ft' } as const
export const PAST = { row: 'r.revision', index: 'revisions_ft' } as const

export const CONTAINS = '(instr(r.body, :text) > 0 OR instr(r.title, :text) > 0)'

/** Adds to a condition the words that rows must hold and must not hold; null where there is no condition at all. */
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

function compile(node: Node, fields: readonly Field[] | null): Compiled {
  switch (node.kind) {
    case 'word':
      return want(chooseColumns(node, fields), [compilePhrase(node.text)])
    case 'phrase': {
      const phrases = node.open ? compilePrefix(node.text) : [compilePhrase(node.text)]
      return want(fields ?? OWN_COLUMNS, phrases)
    }
    case 'prefix':
      return want(chooseColumns(node, fields), compilePrefix(node.text))
    case 'near': {
      const words = node.words.map(compilePhrase)
      const { wanted } = want(fields ?? OWN_COLUMNS, words)
      const near = inFields(fields ?? OWN_COLUMNS, `NEAR(${words.join(' ')}, ${node.distance})`)
      return { wanted: { match: near, leaves: wanted?.leaves ?? [] }, unwanted: [] }
    }
    case 'tag':
      return want(['tags'], [quote(tagToken(node.tag))])
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

function want(columns: readonly string[] | null, phrases: readonly string[]): Compiled {
  const leaves = phrases.map((phrase) => inFields(columns, phrase))
  const each = leaves.map((match) => ({ match, leaves: [match] }))
  return { wanted: group(each, ' OR '), unwanted: [] }
}

function joinByAnd(parts: readonly Compiled[]): Compiled {
  const wanted = parts.flatMap((part) => (part.wanted === null ? [] : [part.wanted]))
  return { wanted: group(wanted, ' AND '), unwanted: parts.flatMap((part) => part.unwanted) }
}

/** `a OR NOT b` has no FTS5 form: an exclusion is lifted out of its OR, so what is excluded never comes back. */
function joinByOr(parts: readonly Compiled[]): Compiled {
  const wanted = parts.flatMap((part) =>
    part.wanted === null ? [] : [subtract(part.wanted, part.unwanted)],
  )
  const refusals = parts.filter((part) => part.wanted === null)
  return { wanted: group(wanted, ' OR '), unwanted: refusals.flatMap((part) => part.unwanted) }
}

function group(expressions: readonly Expression[], by: string): Expression | null {
  const [first] = expressions
  if (first === undefined) return null
  if (expressions.length === 1) return first
  return {
    match: `(${expressions.map(({ match }) => match).join(by)})`,
    leaves: expressions.flatMap(({ leaves }) => leaves),
  }
}

/** NOT (NOT a AND NOT b) is a OR b. */
function negate({ wanted, unwanted }: Compiled): Compiled {
  if (wanted !== null) return { wanted: null, unwanted: [subtract(wanted, unwanted)] }
  return { wanted: group(unwanted, ' OR '), unwanted: [] }
}

function subtract({ match, leaves }: Expression, unwanted: readonly Expression[]): Expression {
  const refused = unwanted.map((part) => part.match).join(' OR ')
  return { match: refused === '' ? match : `(${match} NOT (${refused}))`, leaves }
}

/** The columns of the record itself; the text of its neighbours is searched for bare words only. */
export const OWN_COLUMNS = Object.keys(COLUMN_WEIGHTS).filter(
  (column): column is Exclude<keyof typeof COLUMN_WEIGHTS, 'context'> => column !== 'context',
)

function chooseColumns(node: Word | Prefix, fields: readonly Field[] | null) {
  return fields ?? (node.nearby ? null : OWN_COLUMNS)
}

function inFields(columns: readonly string[] | null, expression: string): string {
  return columns === null ? expression : `{${columns.join(' ')}} : ${expression}`
}

function compilePhrase(text: string): string {
  const { words, lastIsPrefix } = queryTokens(text)
  return quote(words.join(' ')) + (lastIsPrefix ? ' *' : '')
}

/** FTS5 stems a prefix before it compares, so the words that the prefix may complete to are added. */
function compilePrefix(text: string): string[] {
  const { words, isSegmented } = queryTokens(text)
  const beginning = `${quote(words.join(' '))} *`
  const [only] = words
  if (isSegmented || words.length !== 1 || only === undefined) return [beginning]
  return [beginning, ...completePrefix(foldWord(only)).map(({ word }) => quote(word))]
}

/** FTS5 reads its expression up to the first zero character. */
export function quote(text: string): string {
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}

/** No suffix that the stemmer removes ends in x, and no text contains such a word by chance. */
export function tagToken(tag: string): string {
  return `xtag${Buffer.from(tag.normalize('NFC').toLowerCase()).toString('hex')}x`
}

export function isTagToken(term: string): boolean {
  return /^xtag[0-9a-f]+x$/.test(term)
}
