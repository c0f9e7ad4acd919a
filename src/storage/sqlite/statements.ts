/** Prepares each statement once per connection, converts rows, and reads a version that changes with every commit. */

import { performance } from 'node:perf_hooks'
import type { Database, Statement } from 'better-sqlite3'
import type { RecordId } from '../../core/ids.js'
import { TimeBudget } from '../../core/time-budget.js'
import { readObject, readTexts, readTime, readWork } from './stored-values.js'

export type Row = Readonly<Record<string, unknown>>
export type Value = string | number | bigint | Uint8Array | null
/** By name, where a list or an object is bound as JSON; or by position, in half the time, for statements that run once per chunk. */
type Values = NamedValues | readonly Value[]
export type NamedValues = Readonly<Record<string, Value | object>>
type Bound = Readonly<Record<string, Value>> | readonly Value[]

export type Statements = ReturnType<typeof createStatements>

export type Parts = {
  readonly statements: Statements
  /** Everything in one transaction has the time at which it began. */
  readonly now: () => number
  readonly makeId: () => RecordId
}

/** Filters have many shapes; a full cache is emptied. */
const MAX_STATEMENTS = 200

/** `author` returns the name of the caller whose write is running. */
export function createStatements(db: Database, author: () => string | null = () => null) {
  const rows = createCache((sql) => db.prepare<[Bound], Row>(sql))
  const plain = createCache((sql) => db.prepare<[Bound], unknown[]>(sql).raw())
  const single = createCache((sql) => db.prepare<[Bound], unknown>(sql).pluck())
  const budget = new TimeBudget(() => performance.now())
  const takings = new Map<string, Taking>()
  db.function('in_time', () => Number(!budget.isSpent()))
  const take = (cache: StatementCache, sql: string, values: Values): unknown[] => {
    if (!budget.isStrict) return cache.get(sql).all(bind(values))
    const taken: unknown[] = []
    if (budget.isSpent()) return taken
    for (const row of cache.get(sql).iterate(bind(values))) {
      taken.push(row)
      budget.isSpent()
    }
    return taken
  }
  /**
   * SQLite cannot be interrupted, but a statement can be left after any row. After a pause it continues from there when the
   * same snapshot runs it again.
   */
  const takeInTime = (cache: StatementCache, sql: string, values: Values): unknown[] => {
    if (!budget.hasLimit || budget.isStrict) return take(cache, sql, values)
    const key = `${sql} ${JSON.stringify(values)}`
    const taking = takings.get(key) ?? new Taking(cache, sql, bind(values))
    takings.set(key, taking)
    if (budget.isSpent()) taking.end()
    while (!taking.isDone) {
      taking.takeNext()
      if (budget.isSpentAfterWork()) taking.end()
    }
    return taking.taken
  }
  return {
    author,
    /** The time budget of the running search. */
    budget,
    /**
     * A condition for statements that return their first row late: it checks the clock every 1024 rows. Null without a time
     * limit, so that traced SQL runs in other programs, which lack this function.
     */
    timeCheck: (alias: string): Condition | null =>
      budget.isStrict ? { sql: `(${alias}.row & 1023 OR in_time())`, values: {} } : null,
    all: <R = Row>(sql: string, values: Values = {}) => take(rows, sql, values) as R[],
    each: (sql: string, values: Values = {}) => rows.get(sql).iterate(bind(values)),
    /** The first column of the first row. */
    value: (sql: string, values: Values = {}) => single.get(sql).get(bind(values)),
    /** All rows as lists of columns, in half the time: for hundreds of rows in every search. */
    lists: (sql: string, values: Values = {}) => take(plain, sql, values) as unknown[][],
    listsInTime: (sql: string, values: Values = {}) =>
      takeInTime(plain, sql, values) as unknown[][],
    columnInTime: (sql: string, values: Values = {}) => takeInTime(single, sql, values),
    /** The first column of all rows. */
    column: <V = unknown>(sql: string, values: Values = {}) => take(single, sql, values) as V[],
    /** Ends paused statements, before the snapshot ends or the file is closed. */
    forgetPaused(): void {
      for (const taking of takings.values()) taking.end()
      takings.clear()
    },
    run(sql: string, values: Values = {}) {
      const { changes, lastInsertRowid } = rows.get(sql).run(bind(values))
      return { changes, lastRow: Number(lastInsertRowid) }
    },
  }
}

function bind(values: Values): Bound {
  if (Array.isArray(values) || !Object.values(values).some(isJson)) return values as Bound
  const bound = Object.entries(values).map(([name, value]) => [
    name,
    isJson(value) ? JSON.stringify(value) : value,
  ])
  return Object.fromEntries(bound)
}

function isJson(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

const ROWS_AT_ONCE = 20

/**
 * Inserts rows twenty at a time. `into` names the table and its columns.
 * SQLite opens all indexes for each statement: a record takes 29 µs alone and 15 µs as one of twenty.
 */
export function insertRows(
  statements: Statements,
  into: string,
  rows: readonly (readonly Value[])[],
): void {
  const row = `(${rows[0]?.map(() => '?').join(', ')})`
  const many = `INSERT INTO ${into} VALUES ${Array(ROWS_AT_ONCE).fill(row).join(', ')}`
  const whole = rows.length - (rows.length % ROWS_AT_ONCE)
  for (let at = 0; at < whole; at += ROWS_AT_ONCE) {
    statements.run(many, rows.slice(at, at + ROWS_AT_ONCE).flat())
  }
  for (const values of rows.slice(whole))
    statements.run(`INSERT INTO ${into} VALUES ${row}`, values)
}

type StatementCache<S extends Statement<[Bound]> = Statement<[Bound]>> = {
  get(sql: string): S
  /** Takes a statement out of the cache while its rows are read, since it cannot run twice at once. */
  borrow(sql: string): S
  giveBack(sql: string, statement: S): void
}

function createCache<S extends Statement<[Bound]>>(prepare: (sql: string) => S): StatementCache<S> {
  const cached = new Map<string, S>()
  const add = (sql: string, statement: S): S => {
    if (cached.size >= MAX_STATEMENTS) cached.clear()
    cached.set(sql, statement)
    return statement
  }
  return {
    get: (sql) => cached.get(sql) ?? add(sql, prepare(sql)),
    borrow(sql) {
      const statement = cached.get(sql) ?? prepare(sql)
      cached.delete(sql)
      return statement
    },
    giveBack: add,
  }
}

/** The rows of a statement that are read one by one. */
class Taking {
  readonly taken: unknown[] = []
  isDone = false
  readonly #rows: IterableIterator<unknown>
  readonly #giveBack: () => void

  constructor(cache: StatementCache, sql: string, values: Bound) {
    const statement = cache.borrow(sql)
    this.#rows = statement.iterate(values)
    this.#giveBack = () => cache.giveBack(sql, statement)
  }

  takeNext(): void {
    const next = this.#rows.next()
    if (next.done) this.end()
    else this.taken.push(next.value)
  }

  end(): void {
    if (this.isDone) return
    this.isDone = true
    this.#rows.return?.()
    this.#giveBack()
  }
}

/** A part of a WHERE clause with its values. Conditions of the same shape have the same text, so that it is prepared once. */
export type Condition = { readonly sql: string; readonly values: NamedValues }

/** Null if a value is missing. */
export function bindCondition(
  sql: string,
  values: Readonly<Record<string, Value | object | undefined>>,
): Condition | null {
  const isMissing = Object.values(values).some((value) => value === null || value === undefined)
  return isMissing ? null : { sql, values: values as NamedValues }
}

/** Without conditions, every row passes. */
export function joinConditions(conditions: readonly (Condition | null)[]): Condition {
  const parts = conditions.filter((condition) => condition !== null)
  return {
    sql: parts.map((part) => part.sql).join(' AND ') || 'true',
    values: Object.assign({}, ...parts.map((part) => part.values)),
  }
}

/** Null lets every namespace pass. */
export function inNamespaces(alias: string, namespaces: readonly string[] | null) {
  const sql = `${alias}.namespace IN (SELECT value FROM json_each(:namespaces))`
  return bindCondition(sql, { namespaces })
}

/** Passes rows of the namespace `:namespace`; if it is null, every row. For rows that another condition has found already. */
export function withinSql(alias: string): string {
  return `(:namespace IS NULL OR ${alias}.namespace = :namespace)`
}

/**
 * Changes with the commits of other connections and with the rows that this one writes. Takes microseconds, so it can be read
 * before every use of a cached result.
 */
export function readVersion(statements: Statements): string {
  return `${statements.value('PRAGMA data_version')}.${statements.value('SELECT total_changes()')}`
}

const CONVERSIONS = {
  times: readTime,
  texts: readTexts,
  objects: readObject,
  works: readWork,
  flags: (stored: unknown) => stored === 1,
}
type Conversions = { readonly [type in keyof typeof CONVERSIONS]?: readonly string[] }

/** Converts a row whose columns are named as the fields of `T`: milliseconds become ISO 8601, JSON is parsed, null stays null. */
export function convertRow<T>(row: Row, conversions: Conversions): T {
  const converted: Record<string, unknown> = { ...row }
  for (const [type, names] of Object.entries(conversions)) {
    const convert = CONVERSIONS[type as keyof Conversions]
    for (const name of names) {
      if (row[name] !== null && row[name] !== undefined) converted[name] = convert(row[name])
    }
  }
  return converted as T
}

/** The elements of a column of JSON; none if another program wrote invalid JSON. */
export function eachOf(column: string): string {
  return `json_each(iif(json_valid(${column}), ${column}, '[]'))`
}
