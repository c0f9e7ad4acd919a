/** Promise: many rows enter a table in few statements, in their order. */

import type { Statements, Value } from './statements.js'

/**
 * Rows of one statement. A statement on a table with triggers first saves every page that it will change, so that it can
 * be undone alone: for a row at a time that takes longer than the row. More than these gain nothing.
 */
const ROWS_AT_ONCE = 50

/** The two texts that one table needs; made once, when the program is loaded. */
export type InsertText = { readonly one: string; readonly many: string; readonly width: number }

/** `into` as in `INSERT INTO chunks`; `end` as in `ON CONFLICT …`. `marks` says what stands for a value that is not put in as it is. */
export function insertText(
  into: string,
  columns: readonly string[],
  { end = '', marks = {} }: { end?: string; marks?: Readonly<Record<string, string>> } = {},
): InsertText {
  const head = `${into} (${columns.join(', ')}) VALUES `
  const row = `(${columns.map((column) => marks[column] ?? '?').join(', ')})`
  const rows = Array.from({ length: ROWS_AT_ONCE }, () => row)
  return {
    one: `${head}${row} ${end}`,
    many: `${head}${rows.join(', ')} ${end}`,
    width: columns.length,
  }
}

/**
 * For one transaction: `flush` before it ends. What is given must stay as it is until then. Where a row may be refused, the
 * error comes from a later `add`, or from `flush`. A class, as the writers of vectors are: functions that are made anew for
 * every transaction are compiled anew as well.
 */
export class RowBuffer {
  readonly #statements: Statements
  readonly #text: InsertText
  readonly #full: number
  #waiting: Value[] = []

  constructor(statements: Statements, text: InsertText) {
    this.#statements = statements
    this.#text = text
    this.#full = ROWS_AT_ONCE * text.width
  }

  add(values: readonly Value[]): void {
    for (const value of values) this.#waiting.push(value)
    if (this.#waiting.length < this.#full) return
    this.#statements.run(this.#text.many, this.#waiting)
    this.#waiting = []
  }

  flush(): void {
    const { one, width } = this.#text
    for (let at = 0; at < this.#waiting.length; at += width) {
      this.#statements.run(one, this.#waiting.slice(at, at + width))
    }
    this.#waiting = []
  }
}
