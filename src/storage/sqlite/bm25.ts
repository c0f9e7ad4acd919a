/** FTS5's own BM25 formula, and the text lengths that it stores. */

import { addUp, roundFrequency, TEXT_COLUMNS } from '../bm25.js'
import type { Statements } from './statements.js'

/** FTS5's own constants. */
const FTS5_K1 = 1.2
const FTS5_B = 0.75
/** FTS5's idf of a word in more than half of the records, for which its formula is negative. */
const FTS5_LEAST_IDF = 1e-6

export function fts5IdfOf(records: number, matching: number): number {
  const idf = Math.log((records - matching + 0.5) / (matching + 0.5))
  return idf <= 0 ? FTS5_LEAST_IDF : idf
}

/**
 * The frequency behind FTS5's f · (k1 + 1) / (f + k1 · (1 − b + b · length / average)); by hand, 1.375 at the average
 * length: 1.375 · 1.2 / (2.2 − 1.375) = 2.
 */
export function recoverFrequency(share: number, words: number, averageWords: number): number {
  const norm = FTS5_K1 * (1 - FTS5_B + (FTS5_B * words) / averageWords)
  return roundFrequency((share * norm) / (FTS5_K1 + 1 - share))
}

/** A sequence of varints: seven bits per byte, the highest bits first. */
export function readVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let value = 0
  for (const byte of bytes) {
    value = value * 128 + (byte & 127)
    if (byte < 128) {
      numbers.push(value)
      value = 0
    }
  }
  return numbers
}

export function readColumnLengths(statements: Statements, table: string, rows: readonly number[]) {
  const sql = `SELECT d.id, d.sz FROM json_each(:rows) wanted
    CROSS JOIN ${table}_docsize d ON d.id = wanted.value`
  const sizes = statements.listsInTime(sql, { rows })
  return new Map(sizes.map(([row, size]) => [row, readVarints(size as Uint8Array)]))
}

/** The number of words in the text of each row, without tags and names. */
export function readWordCounts(statements: Statements, table: string, rows: readonly number[]) {
  const lengths = [...readColumnLengths(statements, table, rows)]
  return new Map(
    lengths.map(([row, columns]) => [row, addUp(TEXT_COLUMNS.map((one) => columns[one] ?? 0))]),
  )
}
