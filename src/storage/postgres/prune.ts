/** Plans which rows a search by words may leave out: those whose words cannot give enough points together. */

import { addUp, BM25_K1 } from '../bm25.js'
import { anyOf, type Expression, joinQueries, type SoughtLeaf } from './match.js'

/** What any word can give at most, before it is multiplied by its idf. */
const MOST_WEIGHT = BM25_K1 + 1
/** Rows that the rarest words should lead to at first: in all, and for each that is wanted. */
const LEAST_ROWS = 200
const ROWS_PER_WANTED = 5
/** Words of more than a fifth of all records are taken to be everywhere when rows are left out. */
const FREQUENT_IDF = Math.log(5)
const MAX_RULE_WORDS = 12
const MAX_RULE_STEPS = 300
/** One of so many rules is chosen by the points that the rows of the rarest words have. */
const RULES = 8

type CountedLeaf = SoughtLeaf & { readonly idf: number; readonly count: number }

/**
 * The rarest words are looked up first. Then only rows are scored whose words could together give as many points as the last of
 * the best has; null where there is nothing to leave out.
 */
export function planPruning(leaves: readonly CountedLeaf[], limit: number) {
  const sorted = leaves.toSorted((a, b) => b.idf - a.idf)
  const enough = Math.max(LEAST_ROWS, limit * ROWS_PER_WANTED)
  const most = sorted.map(({ idf }) => idf * MOST_WEIGHT)
  let taken = 0
  for (let rows = 0; taken < sorted.length && rows < enough; taken++) {
    rows += sorted[taken]?.count ?? 0
  }
  if (taken === sorted.length) return null
  const outside = addUp(most.slice(taken))
  /** All rows that can have so many points. */
  const atLeast = (points: number): Expression => {
    let essential = 0
    while (addUp(most.slice(essential)) >= points) essential++
    const any = anyOf(sorted.slice(0, essential))
    const frequent = sorted.findIndex(({ idf }) => idf < FREQUENT_IDF)
    const rare = sorted.slice(0, frequent < 0 ? MAX_RULE_WORDS : Math.min(frequent, MAX_RULE_WORDS))
    const words = rare.map(({ query }, i) => ({ query, points: most[i] ?? 0 }))
    const query = compileAtLeast(words, points - addUp(most.slice(rare.length)))
    return query === null ? any : { ...any, query }
  }
  return {
    first: { narrowed: anyOf(sorted.slice(0, taken)), outside },
    atLeast,
    /** For rows with so many points and more, from none on. */
    listRules(expression: Expression): { readonly points: number; readonly rule: Expression }[] {
      const steps = Array.from({ length: RULES }, (_, i) => (outside * (i + 1)) / (RULES + 1))
      return [
        { points: 0, rule: expression },
        ...steps.map((points) => ({ points, rule: atLeast(points) })),
      ]
    },
  }
}

/** A tsquery for texts whose words have so many points together; null where all have. */
export function compileAtLeast(
  words: readonly { readonly query: string; readonly points: number }[],
  points: number,
): string | null {
  const rest = words.map((_, i) => addUp(words.slice(i).map((word) => word.points)))
  let steps = 0
  /** True for all texts, false for none. */
  const compile = (from: number, needed: number): string | boolean => {
    // Where the rule would become long, it lets more pass.
    if (needed <= 0 || ++steps > MAX_RULE_STEPS) return true
    const word = words[from]
    if (word === undefined || (rest[from] ?? 0) < needed) return false
    const withIt = compile(from + 1, needed - word.points)
    const withoutIt = compile(from + 1, needed)
    if (withIt === false || withoutIt === true) return withoutIt
    const held = withIt === true ? word.query : `(${word.query}&${withIt})`
    return withoutIt === false ? held : `(${held}|${withoutIt})`
  }
  const rule = compile(0, points)
  if (rule === false) return joinQueries([], '|')
  return rule === true ? null : rule
}
