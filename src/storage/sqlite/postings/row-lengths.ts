/** How many words every row has is known without asking, and is as the index says at this moment. */

import { readVarints } from '../bm25.js'
import type { Row, Statements } from '../statements.js'
import { LAST_ROW } from './doclist.js'
import { expectThat } from './unreadable.js'

/** Rows that are read with one statement: a value each would cost ten times as much as the reading. */
const BLOCK_ROWS = 16_384
/** Rows that are gone leave gaps in the array; a file that has more gaps than this is SQL's. */
const SPARE_ROWS = 1_000_000
const MOST_GAPS = 8
/** A text of more words than this is SQL's: every length up to the longest has its place in a table. */
const LONGEST = 4_000_000

const SQL = {
  last: (table: string) => `SELECT coalesce(max(id), 0) FROM ${table}_docsize`,
  count: (table: string) => `SELECT count(*) FROM ${table}_docsize`,
  /** Sizes in one piece, as they stand; the numbers of the rows only where they are not one after the other. */
  block: (table: string) => `SELECT count(*) AS n, min(id) AS first,
      CAST(group_concat(sz, '') AS BLOB) AS sizes,
      CASE WHEN max(id) - min(id) + 1 <> count(*) THEN group_concat(id) END AS rows
    FROM (SELECT id, sz FROM ${table}_docsize WHERE id BETWEEN :from AND :to ORDER BY id)`,
  some: (table: string) => `SELECT d.id, d.sz FROM json_each(:rows) wanted
    CROSS JOIN ${table}_docsize d ON d.id = wanted.value`,
} as const

export class RowLengths {
  /** Words by row, all columns together. */
  words = new Uint32Array(0)
  /** Words by row, of the columns that are its text. */
  textWords = new Uint32Array(0)
  /** The most words that a row has. */
  longest = 0
  isLoaded = false
  readonly #statements: Statements
  readonly #table: string
  /** Whether each column is text. */
  readonly #isText: readonly boolean[]

  constructor(statements: Statements, table: string, isText: readonly boolean[]) {
    this.#statements = statements
    this.#table = table
    this.#isText = isText
  }

  /** All of them, in pieces: about eight bytes a row are kept. */
  load(): void {
    this.isLoaded = false
    const last = this.#readLast()
    this.words = new Uint32Array(roomFor(last))
    this.textWords = new Uint32Array(this.words.length)
    this.longest = 0
    for (let from = 0; from <= last; from += BLOCK_ROWS) {
      const values = { from, to: from + BLOCK_ROWS - 1 }
      const [block] = this.#statements.all(SQL.block(this.#table), values)
      if (block !== undefined && Number(block.n) > 0) this.#keepBlock(block)
    }
    this.isLoaded = true
  }

  /** Those that may have changed. */
  refresh(rows: Iterable<number>): void {
    const last = this.#readLast()
    if (last >= this.words.length) {
      this.words = grown(this.words, roomFor(last))
      this.textWords = grown(this.textWords, roomFor(last))
    }
    const wanted = JSON.stringify([...rows])
    for (const row of this.#statements.all(SQL.some(this.#table), { rows: wanted })) {
      const sizes = readVarints(row.sz as Uint8Array)
      expectThat(sizes.length === this.#isText.length, 'a size for each column')
      const text = sizes.filter((_, column) => this.#isText[column])
      this.#keep(Number(row.id), sum(sizes), sum(text))
    }
  }

  #readLast(): number {
    const last = Number(this.#statements.value(SQL.last(this.#table)))
    expectThat(last <= LAST_ROW, 'rows in reach')
    if (last > SPARE_ROWS) {
      const count = Number(this.#statements.value(SQL.count(this.#table)))
      expectThat(last <= SPARE_ROWS + MOST_GAPS * count, 'rows close together')
    }
    return last
  }

  #keepBlock({ n, first, sizes, rows }: Row): void {
    const numbers = rows === null ? null : String(rows).split(',').map(Number)
    const bytes = sizes as Uint8Array
    let [place, column, value, all, text] = [0, 0, 0, 0, 0]
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number
      value = value * 128 + (byte & 127)
      if (byte >= 128) continue
      all += value
      if (this.#isText[column]) text += value
      value = 0
      if (++column < this.#isText.length) continue
      this.#keep(numbers === null ? Number(first) + place : (numbers[place] ?? 0), all, text)
      place++
      column = all = text = 0
    }
    expectThat(place === Number(n) && column === 0, 'a size for each row and column')
  }

  #keep(row: number, words: number, textWords: number): void {
    expectThat(row >= 0 && words <= LONGEST, 'a row in reach')
    this.words[row] = words
    this.textWords[row] = textWords
    if (words > this.longest) this.longest = words
  }
}

function grown(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length)
  larger.set(array)
  return larger
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** With room for what is added next. */
function roomFor(last: number): number {
  return Math.ceil((last + 1) * 1.1) + 1000
}
