/** Holds the number of words of every row, read from the `_docsize` table of the index. */

import { LONG_TEXT_WORDS } from '../../bm25.js'
import type { Row, Statements } from '../statements.js'
import { expectThat, LAST_ROW } from './fts5-pages.js'
import type { PostingsOptions } from './postings.js'
import { BLOCK_ROWS, createSizeReader, type SizeReader } from './sizes.js'

/** Deleted rows leave gaps in the arrays. Beyond these limits the arrays would be too sparse, and SQL ranks instead. */
const SPARE_ROWS = 1_000_000
const MAX_GAPS = 8
/** SQL ranks files with longer texts, because the norms are a table with an entry for every length. */
const LONGEST = 4_000_000

/** Concatenates the sizes of many rows: returning one value per row would cost ten times as much as reading them. */
const SIZES = `CAST(group_concat(sz, '') AS BLOB) AS sizes`

const SQL = {
  last: (table: string) => `SELECT coalesce(max(id), 0) FROM ${table}_docsize`,
  count: (table: string) => `SELECT count(*) FROM ${table}_docsize`,
  /** Returns sizes in row order, as the table is scanned. Sorting, or listing consecutive rows, takes three times as long. */
  block: (table: string) => `SELECT ${SIZES} FROM ${table}_docsize WHERE id BETWEEN :from AND :to`,
  blockWithGaps: (table: string) =>
    `SELECT ${SIZES}, group_concat(id) AS rows FROM ${table}_docsize WHERE id BETWEEN :from AND :to`,
  some: (table: string) => `SELECT ${SIZES}, group_concat(d.id) AS rows
    FROM json_each(:rows) wanted CROSS JOIN ${table}_docsize d ON d.id = wanted.value`,
} as const

export class RowLengths {
  /** Words in all columns, indexed by row. */
  words = new Uint32Array(0)
  /** Words in the text columns, indexed by row. */
  textWords = new Uint32Array(0)
  longest = 0
  isLoaded = false
  readonly #statements: Statements
  readonly #table: string
  readonly #isText: readonly boolean[]
  #readSums: SizeReader | null = null

  constructor(statements: Statements, { table, weights, textColumns }: PostingsOptions) {
    this.#statements = statements
    this.#table = table
    this.#isText = weights.map((_, column) => textColumns.includes(column))
  }

  isLong(row: number): boolean {
    return (this.textWords[row] ?? 0) > LONG_TEXT_WORDS
  }

  /** Reads the lengths of all rows. They take eight bytes per row. */
  load(): void {
    this.isLoaded = false
    const last = this.#readLast()
    this.words = new Uint32Array(withSpare(last))
    this.textWords = new Uint32Array(this.words.length)
    const hasGaps = this.#count() < last
    const sql = hasGaps ? SQL.blockWithGaps(this.#table) : SQL.block(this.#table)
    for (let from = 1; from <= last; from += BLOCK_ROWS) {
      const to = Math.min(last, from + BLOCK_ROWS - 1)
      const [block] = this.#statements.all(sql, { from, to })
      const rows = hasGaps ? splitRows(block) : { from, count: to - from + 1 }
      this.#readSizes(block?.sizes, rows)
    }
    this.isLoaded = true
  }

  /** Reads the lengths of the given rows again. */
  refresh(rows: Iterable<number>): void {
    const last = this.#readLast()
    if (last >= this.words.length) {
      const [words, textWords] = [this.words, this.textWords]
      this.words = new Uint32Array(withSpare(last))
      this.words.set(words)
      this.textWords = new Uint32Array(withSpare(last))
      this.textWords.set(textWords)
    }
    const [some] = this.#statements.all(SQL.some(this.#table), { rows: JSON.stringify([...rows]) })
    this.#readSizes(some?.sizes, splitRows(some))
  }

  #readLast(): number {
    const last = Number(this.#statements.value(SQL.last(this.#table)))
    expectThat(last <= LAST_ROW, 'row numbers that fit')
    if (last > SPARE_ROWS) {
      expectThat(last <= SPARE_ROWS + MAX_GAPS * this.#count(), 'rows close together')
    }
    return last
  }

  #count(): number {
    return Number(this.#statements.value(SQL.count(this.#table)))
  }

  #readSizes(sizes: unknown, rows: Rows): void {
    const bytes = sizes instanceof Uint8Array ? sizes : new Uint8Array(0)
    this.#readSums ??= createSizeReader(this.#isText)
    let done = 0
    for (const { words, textWords, longest } of this.#readSums(bytes, rows.count)) {
      this.longest = longest
      for (const [i, row] of rows.numbers?.slice(done, done + words.length).entries() ?? []) {
        this.words[row] = words[i] as number
        this.textWords[row] = textWords[i] as number
      }
      if (rows.numbers === undefined) {
        this.words.set(words, rows.from + done)
        this.textWords.set(textWords, rows.from + done)
      }
      done += words.length
    }
    expectThat(this.longest <= LONGEST, 'a text that is not too long')
  }
}

/** The row numbers of a block: `count` consecutive ones from `from`, or the listed `numbers`. */
type Rows = {
  readonly from: number
  readonly count: number
  readonly numbers?: readonly number[]
}

function splitRows(block: Row | undefined): Rows {
  const numbers = typeof block?.rows === 'string' ? block.rows.split(',').map(Number) : []
  return { from: 0, count: numbers.length, numbers }
}

function withSpare(last: number): number {
  return Math.ceil((last + 1) * 1.1) + 1000
}
