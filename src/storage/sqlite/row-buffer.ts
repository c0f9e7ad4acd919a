/** Many rows enter a table in few statements, in their order. */

import type { Statements, Value } from './statements.js'

/**
 * Rows of one statement. A statement on a table with triggers or keys first saves every page that it will change, so that it can be
 * undone alone: for a row at a time that takes longer than the row. The rest of many rows goes in by the smaller sizes.
 */
const SIZES = [250, 25, 1] as const

type InsertOptions = {
  /** As in `ON CONFLICT …`. */
  readonly end?: string
  /** By column: what stands for a value that is not put in as it is. */
  readonly marks?: Readonly<Record<string, string>>
}

/** What one table needs; `into` as in `INSERT INTO chunks`. The texts are made when they are first used, and kept. */
export class InsertText {
  readonly width: number
  readonly #head: string
  readonly #row: string
  readonly #end: string
  readonly #texts = new Map<number, string>()

  constructor(
    into: string,
    columns: readonly string[],
    { end = '', marks = {} }: InsertOptions = {},
  ) {
    this.width = columns.length
    this.#head = `${into} (${columns.join(', ')}) VALUES `
    this.#row = `(${columns.map((column) => marks[column] ?? '?').join(', ')})`
    this.#end = end
  }

  of(rows: number): string {
    const known = this.#texts.get(rows)
    if (known !== undefined) return known
    const all = Array.from({ length: rows }, () => this.#row)
    const text = `${this.#head}${all.join(', ')} ${this.#end}`.trimEnd()
    this.#texts.set(rows, text)
    return text
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
    this.#full = SIZES[0] * text.width
  }

  add(values: readonly Value[]): void {
    for (const value of values) this.#waiting.push(value)
    if (this.#waiting.length >= this.#full) this.flush()
  }

  flush(): void {
    const { width } = this.#text
    let at = 0
    for (const rows of SIZES) {
      const values = rows * width
      for (; this.#waiting.length - at >= values; at += values) {
        const all = at === 0 && this.#waiting.length === values
        const given = all ? this.#waiting : this.#waiting.slice(at, at + values)
        this.#statements.run(this.#text.of(rows), given)
      }
    }
    this.#waiting = []
  }
}
