/** Prepares each statement once per connection, and reads a version that changes with every commit. */

import type { Database, Statement } from 'better-sqlite3'

export type Row = Readonly<Record<string, unknown>>

export type Statements = {
  /** All rows. */
  all(sql: string, values?: Values): Row[]
  /** Rows one by one, for what would be large together. */
  each(sql: string, values?: Values): IterableIterator<Row>
  /** The first column of the first row. */
  value(sql: string, values?: Values): unknown
  /** All rows as lists of their columns, which takes half the time: for hundreds of rows in every search. */
  lists(sql: string, values?: Values): unknown[][]
  /** The first column of all rows. */
  column(sql: string, values?: Values): unknown[]
  run(sql: string, values?: Values): { readonly changes: number; readonly lastRow: number }
}

export type Value = string | number | bigint | Uint8Array | null
/** By name; or by place, which takes half the time and is for statements that run for every passage. */
type Values = Readonly<Record<string, Value>> | readonly Value[]

/** Filters combine into many shapes; this many are kept, the longest unused goes first. */
const MAX_KEPT = 200

export function createStatements(db: Database): Statements {
  const rows = createCache((sql) => db.prepare<[Values], Row>(sql))
  const plain = createCache((sql) => db.prepare<[Values], unknown[]>(sql).raw())
  const single = createCache((sql) => db.prepare<[Values], unknown>(sql).pluck())
  return {
    all: (sql, values = {}) => rows(sql).all(values),
    each: (sql, values = {}) => rows(sql).iterate(values),
    value: (sql, values = {}) => single(sql).get(values),
    lists: (sql, values = {}) => plain(sql).all(values),
    column: (sql, values = {}) => single(sql).all(values),
    run: (sql, values = {}) => {
      const { changes, lastInsertRowid } = rows(sql).run(values)
      return { changes, lastRow: Number(lastInsertRowid) }
    },
  }
}

function createCache<S extends Statement<[Values]>>(
  prepare: (sql: string) => S,
): (sql: string) => S {
  const kept = new Map<string, S>()
  return (sql) => {
    const known = kept.get(sql)
    // As long as there is much room nothing has to go, so the order of use need not be kept.
    if (known !== undefined && kept.size < MAX_KEPT / 2) return known
    const statement = known ?? prepare(sql)
    if (known) kept.delete(sql)
    else if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
    kept.set(sql, statement)
    return statement
  }
}

const VERSION_SQL = {
  /** Moves with the commits of all others, and not with our own. */
  others: 'PRAGMA data_version',
  /** Moves with every row that we write ourselves. */
  own: 'SELECT total_changes()',
} as const

/** Costs microseconds, so it may be asked before every use of what was kept in memory. */
export function readVersion(statements: Statements): string {
  return `${statements.value(VERSION_SQL.others)}.${statements.value(VERSION_SQL.own)}`
}
