/** Compiles a query tree to tsquery; a lexeme is made of letters and digits, so no user text can break out. */

import type { Field, Node } from '../../query/tree.js'
import { tokenize } from '../../text/tokens.js'
import { COLUMN_NAMES, type Column, OWN_COLUMNS } from '../bm25.js'
import { compileTree, type Leaf, listLeaves, type Matching } from '../matching.js'
import { type Condition, joinConditions } from './statements.js'
import { COLUMN_GAP, hashToken, LEXEME_MARKS, quoteLexeme, shortenToken } from './word-parts.js'

/** A word or phrase that gives points. */
export type SoughtLeaf = {
  /** As it was written. */
  readonly text: string
  /** As a tsquery. */
  readonly query: string
  readonly terms: readonly string[]
  readonly hashes: readonly number[]
  readonly lastIsPrefix: boolean
  /** A mask of the columns in which it counts. */
  readonly columns: number
}

export type Expression = {
  /** For a text of one part. */
  readonly query: string
  readonly leaves: readonly SoughtLeaf[]
  /** For texts of several parts: what each test finds is joined by the rule; null where any of them is enough. */
  readonly tests: readonly string[]
  readonly rule: ((test: (index: number) => string) => string) | null
  /** Whether the words of a NEAR are among the leaves. */
  readonly hasNear: boolean
}

/** Matches nothing. */
const NOWHERE = quoteLexeme('/')
export const ALL_COLUMNS = (1 << COLUMN_NAMES.length) - 1
export const OWN_MASK = maskOf(OWN_COLUMNS)

export function maskOf(columns: readonly Column[] | null): number {
  if (columns === null) return ALL_COLUMNS
  return columns.reduce((mask, column) => mask | (1 << COLUMN_NAMES.indexOf(column)), 0)
}

/** Null where the tree only excludes. Without neighbours in the index, no word is looked for in their texts. */
export function compileMatch(
  root: Node,
  fields: readonly Field[] | null,
  hasNeighbours = true,
): Expression | null {
  const tree = compileTree(root, fields)
  if (tree === null) return null
  const matching = hasNeighbours ? tree : inOwnColumns(tree)
  const leaves = listLeaves(matching).map(readLeaf)
  if (isAnyOfLeaves(matching) && !hasNear(matching)) return anyOf(leaves)
  const tests: string[] = []
  const addTest = (query: string): number => tests.push(query) - 1
  const rule = compileRule(matching, addTest)
  return {
    query: print(matching),
    leaves,
    tests,
    rule: isAnyOfLeaves(matching) ? null : rule,
    hasNear: hasNear(matching),
  }
}

function inOwnColumns(matching: Matching): Matching {
  if (matching.kind === 'leaf') return { ...matching, columns: matching.columns ?? OWN_COLUMNS }
  if (matching.kind === 'near') return matching
  if (matching.kind !== 'without') {
    return { ...matching, parts: matching.parts.map(inOwnColumns) }
  }
  const { part, refused } = matching
  return { kind: 'without', part: inOwnColumns(part), refused: refused.map(inOwnColumns) }
}

/** A term of the index, in these columns or wherever it is. */
export function queryTerm(term: string, columns: readonly Column[] | null = null): string {
  return joinQueries(
    listForms(columns).map((form) => printPhrase([term], false, form)),
    '|',
  )
}

/**
 * Where any of the leaves is enough. A phrase is not looked for where one of its words is: the server would read the text of
 * every row on the pages where the words of the phrase are.
 */
export function anyOf(leaves: readonly SoughtLeaf[]): Expression {
  const words = leaves.filter(({ terms, lastIsPrefix }) => terms.length === 1 && !lastIsPrefix)
  const needed = leaves.filter(({ terms, lastIsPrefix, columns }) => {
    const whole = lastIsPrefix ? terms.slice(0, -1) : terms
    const isFound = (one: SoughtLeaf) =>
      one.columns === columns && whole.includes(one.terms[0] ?? '')
    return terms.length < 2 || !words.some(isFound)
  })
  const tests = [...new Set(needed.map(({ query }) => query))]
  return { query: joinQueries(tests, '|'), leaves, tests, rule: null, hasNear: false }
}

export type RequiredWords = {
  readonly required?: Node | null
  readonly unwanted?: Node | null
  readonly fields?: readonly Field[] | null
}

/** The index of the present records and that of past states, with the column of their rows in `records r` and `past r`. */
export const PRESENT = { row: 'r.row', table: 'words', key: 'record' } as const
export const PAST = { row: 'r.revision', table: 'past_words', key: 'revision' } as const
export type WordsTable = typeof PRESENT | typeof PAST

export const CONTAINS = '(strpos(r.body, :text) > 0 OR strpos(r.title, :text) > 0)'

/** Adds to a condition the words that rows must hold and must not hold; null where there is no condition at all. */
export function restrictByWords(
  condition: Condition | null,
  { required = null, unwanted = null, fields = null }: RequiredWords,
  table: WordsTable,
): Condition | null {
  const wanted = required && compileMatch(required, fields)
  const refused = unwanted && compileMatch(unwanted, fields)
  const conditions = [
    condition,
    wanted && isAmong(table, 'IN', findRows(wanted, table, 'required')),
    refused && isAmong(table, 'NOT IN', findRows(refused, table, 'unwanted')),
  ].filter((part) => part !== null)
  return conditions.length === 0 ? null : joinConditions(conditions)
}

function isAmong({ row }: WordsTable, operator: string, rows: Condition): Condition {
  return { sql: `${row} ${operator} (${rows.sql})`, values: rows.values }
}

/** Selects the rows that match. */
export function findRows(
  expression: Expression,
  { table, key }: WordsTable,
  name: string,
): Condition {
  const { sql, values } = findLongRows(expression, name)
  return {
    sql: `SELECT w.${key} FROM ${table} w WHERE w.is_whole AND w.lexemes @@ :${name}Query::tsquery
      UNION ALL SELECT w.${key} FROM ${table} w WHERE ${sql.where} GROUP BY w.${key}${sql.having}`,
    values: { [`${name}Query`]: expression.query, ...values },
  }
}

/** What rows of texts of several parts have to fulfil, and all rows of one text together. */
export function findLongRows({ tests, rule }: Expression, name: string) {
  const having =
    rule?.((i) => `bool_or(w.lexemes @@ (:${name}Tests::text[])[${i + 1}]::tsquery)`) ?? null
  const any = { [`${name}Any`]: joinQueries(tests, '|') }
  return {
    sql: {
      where: `NOT w.is_whole AND w.lexemes @@ :${name}Any::tsquery`,
      having: having === null ? '' : ` HAVING ${having}`,
    },
    values: having === null ? any : { ...any, [`${name}Tests`]: tests },
  }
}

export function joinQueries(queries: readonly string[], operator: '|' | '&'): string {
  return queries.length === 0 ? NOWHERE : `(${queries.join(operator)})`
}

function print(matching: Matching): string {
  switch (matching.kind) {
    case 'leaf':
      return readLeaf(matching).query
    case 'near':
      return printNear(matching.parts.map(readLeaf), matching.distance)
    case 'without':
      return `(${print(matching.part)} & !${joinQueries(matching.refused.map(print), '|')})`
    case 'all':
      return joinQueries(matching.parts.map(print), '&')
    case 'any':
      return joinQueries(matching.parts.map(print), '|')
  }
}

function compileRule(
  matching: Matching,
  addTest: (query: string) => number,
): NonNullable<Expression['rule']> {
  const joinRules = (parts: readonly Matching[], operator: string) => {
    const rules = parts.map((part) => compileRule(part, addTest))
    return (test: (index: number) => string): string =>
      `(${rules.map((rule) => rule(test)).join(operator)})`
  }
  switch (matching.kind) {
    case 'leaf':
    case 'near': {
      const index = addTest(print(matching))
      return (test) => test(index)
    }
    case 'without': {
      const wanted = compileRule(matching.part, addTest)
      const refused = joinRules(matching.refused, ' OR ')
      return (test) => `(${wanted(test)} AND NOT ${refused(test)})`
    }
    case 'all':
      return joinRules(matching.parts, ' AND ')
    case 'any':
      return joinRules(matching.parts, ' OR ')
  }
}

function isAnyOfLeaves(matching: Matching): boolean {
  if (matching.kind === 'any') return matching.parts.every(isAnyOfLeaves)
  return matching.kind === 'leaf' || matching.kind === 'near'
}

function hasNear(matching: Matching): boolean {
  if (matching.kind === 'leaf') return false
  if (matching.kind === 'without') return hasNear(matching.part)
  return matching.kind === 'near' || matching.parts.some(hasNear)
}

function readLeaf({ words, lastIsPrefix, columns }: Leaf): SoughtLeaf {
  const terms = tokenize(words.replaceAll('\0', ' ')).map(({ term }) => shortenToken(term))
  const queries = listForms(columns).map((form) => printPhrase(terms, lastIsPrefix, form))
  return {
    text: words,
    query: terms.length === 0 ? NOWHERE : joinQueries(queries, '|'),
    terms,
    hashes: terms.map(hashToken),
    lastIsPrefix,
    columns: maskOf(columns),
  }
}

/** How lexemes of some columns are written: with a mark before them, or a label behind. */
type Form = { readonly mark: string; readonly label: string }
const OWN: Form = { mark: '', label: '' }

function listForms(columns: readonly Column[] | null): readonly Form[] {
  const mask = maskOf(columns)
  const own = (mask & OWN_MASK) === OWN_MASK
  const others = COLUMN_NAMES.filter(
    (column, i) => (mask & (1 << i)) !== 0 && !(own && column !== 'context'),
  )
  const forms = others.map((column) =>
    column === 'body' ? { mark: '', label: 'B' } : { mark: LEXEME_MARKS[column], label: '' },
  )
  return own ? [OWN, ...forms] : forms
}

function printPhrase(
  terms: readonly string[],
  lastIsPrefix: boolean,
  { mark, label }: Form,
): string {
  const lexemes = terms.map((term, i) => {
    const star = lastIsPrefix && i === terms.length - 1 ? '*' : ''
    const suffix = star === '' && label === '' ? '' : `:${star}${label}`
    return `'${mark}${term.replaceAll("'", '')}'${suffix}`
  })
  return lexemes.length === 1 ? (lexemes[0] ?? NOWHERE) : `(${lexemes.join('<->')})`
}

/**
 * Two words are near where one follows the other at one of the distances. Of more than two, every two of them have to be
 * near; beyond the gap between columns, it is enough that all of them are there.
 */
function printNear(leaves: readonly SoughtLeaf[], distance: number): string {
  const words = leaves.map(({ query }) => query)
  const span = leaves.reduce((most, { terms }) => Math.max(most, terms.length), 1)
  const pairs = leaves.flatMap((a, i) => leaves.slice(i + 1).map((b) => [a, b] as const))
  if (distance + span >= COLUMN_GAP || pairs.length === 0) return joinQueries(words, '&')
  const near = pairs.map(([a, b]) => {
    const follow = [followAt(a, b, distance), followAt(b, a, distance)].flat()
    return joinQueries(follow, '|')
  })
  return joinQueries(near, '&')
}

/** `a <n> b` measures from the end of a phrase to the beginning of the next. */
function followAt(a: SoughtLeaf, b: SoughtLeaf, distance: number): string[] {
  return Array.from({ length: distance + 1 }, (_, i) => `(${a.query}<${i + 1}>${b.query})`)
}
