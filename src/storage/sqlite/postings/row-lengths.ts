/** Holds how many words every row has, as the index says. */

import { readVarints } from '../bm25.js'
import type { Row, Statements } from '../statements.js'
import { expectThat, LAST_ROW } from './fts5-pages.js'

/** Rows that are read with one statement: one value per row would cost ten times as much as the reading. */
const BLOCK_ROWS = 16_384
/** Rows that are gone leave gaps in the array; SQL answers for a file with more gaps than this. */
const SPARE_ROWS = 1_000_000
const MAX_GAPS = 8
/** SQL answers for texts of more words: every length up to the longest has its entry in a table. */
const LONGEST = 4_000_000

const SQL = {
  last: (table: string) => `SELECT coalesce(max(id), 0) FROM ${table}_docsize`,
  count: (table: string) => `SELECT count(*) FROM ${table}_docsize`,
  /** The sizes in one piece; the numbers of the rows only where they are not consecutive. */
  block: (table: string) => `SELECT count(*) AS n, min(id) AS first,
      CAST(group_concat(sz, '') AS BLOB) AS sizes,
      CASE WHEN max(id) - min(id) + 1 <> count(*) THEN group_concat(id) END AS rows
    FROM (SELECT id, sz FROM ${table}_docsize WHERE id BETWEEN :from AND :to ORDER BY id)`,
  some: (table: string) => `SELECT count(*) AS n, NULL AS first,
      CAST(group_concat(sz, '') AS BLOB) AS sizes, group_concat(id) AS rows
    FROM (SELECT d.id, d.sz FROM json_each(:rows) wanted
      CROSS JOIN ${table}_docsize d ON d.id = wanted.value)`,
} as const

export class RowLengths {
  /** Words by row, all columns together. */
  words = new Uint32Array(0)
  /** Words by row, of the columns that are its text. */
  textWords = new Uint32Array(0)
  longest = 0
  isLoaded = false
  readonly #statements: Statements
  readonly #table: string
  readonly #isText: readonly boolean[]

  constructor(statements: Statements, table: string, isText: readonly boolean[]) {
    this.#statements = statements
    this.#table = table
    this.#isText = isText
  }

  /** Reads all of them: eight bytes per row. */
  load(): void {
    this.isLoaded = false
    const last = this.#readLast()
    this.words = new Uint32Array(withSpare(last))
    this.textWords = new Uint32Array(this.words.length)
    this.longest = 0
    for (let from = 0; from <= last; from += BLOCK_ROWS) {
      this.#read(SQL.block(this.#table), { from, to: from + BLOCK_ROWS - 1 })
    }
    this.isLoaded = true
  }

  refresh(rows: Iterable<number>): void {
    const last = this.#readLast()
    if (last >= this.words.length) {
      const [words, textWords] = [this.words, this.textWords]
      this.words = new Uint32Array(withSpare(last))
      this.words.set(words)
      this.textWords = new Uint32Array(withSpare(last))
      this.textWords.set(textWords)
    }
    this.#read(SQL.some(this.#table), { rows: JSON.stringify([...rows]) })
  }

  #readLast(): number {
    const last = Number(this.#statements.value(SQL.last(this.#table)))
    expectThat(last <= LAST_ROW, 'row numbers that fit')
    if (last > SPARE_ROWS) {
      const count = Number(this.#statements.value(SQL.count(this.#table)))
      expectThat(last <= SPARE_ROWS + MAX_GAPS * count, 'rows close together')
    }
    return last
  }

  #read(sql: string, values: Readonly<Record<string, string | number>>): void {
    const [block] = this.#statements.all(sql, values)
    if (block === undefined || Number(block.n) === 0) return
    const { n, first, sizes, rows } = block as Row & { readonly sizes: Uint8Array }
    const numbers = rows === null ? null : String(rows).split(',').map(Number)
    const columns = this.#isText.length
    const lengths = readVarints(sizes)
    expectThat(lengths.length === Number(n) * columns, 'a size for each row and column')
    for (let i = 0; i < Number(n); i++) {
      let words = 0
      let textWords = 0
      for (let column = 0; column < columns; column++) {
        const length = lengths[i * columns + column] as number
        words += length
        if (this.#isText[column]) textWords += length
      }
      expectThat(words <= LONGEST, 'a text that is not too long')
      const row = numbers === null ? Number(first) + i : (numbers[i] as number)
      this.words[row] = words
      this.textWords[row] = textWords
      this.longest = Math.max(this.longest, words)
    }
  }
}

function withSpare(last: number): number {
  return Math.ceil((last + 1) * 1.1) + 1000
}
