/** How long texts are is read from the sizes that FTS5 keeps. */

import { TEXT_COLUMNS } from './bm25.js'
import type { Statements } from './statements.js'
import { readVarints } from './varints.js'

const SQL = {
  sizes: (table: string) => `SELECT d.id, d.sz FROM json_each(:rows) wanted
    CROSS JOIN ${table}_docsize d ON d.id = wanted.value`,
} as const

/** The words of each row of a full-text index, by its number. */
export function readWordCounts(
  statements: Statements,
  table: string,
  rows: readonly number[],
): ReadonlyMap<unknown, number> {
  const sizes = statements.lists(SQL.sizes(table), { rows: JSON.stringify(rows) })
  return new Map(sizes.map(([row, size]) => [row, countWords(size as Uint8Array)]))
}

function countWords(sizes: Uint8Array): number {
  const columns = readVarints(sizes)
  return TEXT_COLUMNS.reduce((sum, column) => sum + (columns[column] ?? 0), 0)
}
