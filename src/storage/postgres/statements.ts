/** Runs statements with named values on one connection, and joins conditions of a WHERE clause. */

import { toIso } from '../../core/time.js'

export type Row = Readonly<Record<string, unknown>>

/** A list is an array of PostgreSQL: cast it where its type is not clear (`:ids::text[]`). */
export type Value =
  | string
  | number
  | boolean
  | Uint8Array
  | null
  | readonly (string | null)[]
  | readonly (number | null)[]
  | readonly (Uint8Array | null)[]
export type Values = Readonly<Record<string, Value>>

/** One connection of a driver. Big integers are numbers, JSON is parsed, bytes are a Uint8Array, vectors are text. */
export interface Connection {
  query(
    sql: string,
    values: readonly Value[],
  ): Promise<{ readonly rows: readonly Row[]; readonly changed: number }>
  /** Stops the statement that is running now; absent where a driver cannot. */
  cancel?(): Promise<void>
}

export type Statements = ReturnType<typeof createStatements>

/**
 * Statements that do not wait for each other's results may run at once: the driver sends them together.
 * `author` names the caller whose write is running.
 */
export function createStatements(connection: Connection, author: string | null = null) {
  const send = (sql: string, values: Values) => {
    const { text, positions } = numberValues(sql)
    return connection.query(
      text,
      positions.map((name) => toStorable(values[name] ?? null)),
    )
  }
  const all = async (sql: string, values: Values = {}): Promise<readonly Row[]> =>
    (await send(sql, values)).rows
  const column = async (sql: string, values: Values = {}): Promise<unknown[]> =>
    (await all(sql, values)).map((row) => Object.values(row)[0])
  return {
    author,
    all,
    /** The first column of all rows. */
    column,
    /** The first column of the first row. */
    value: async (sql: string, values: Values = {}): Promise<unknown> =>
      (await column(sql, values))[0],
    /** How many rows it changed. */
    run: async (sql: string, values: Values = {}): Promise<number> =>
      (await send(sql, values)).changed,
  }
}

/** `:name` becomes `$1`, the same name the same number; `::type` stays. No text in the SQL may hold a colon before a letter. */
function numberValues(sql: string): { readonly text: string; readonly positions: string[] } {
  const positions: string[] = []
  const text = sql.replace(/(?<![:\w]):([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!positions.includes(name)) positions.push(name)
    return `$${positions.indexOf(name) + 1}`
  })
  return { text, positions }
}

const UNSTORABLE = /[\0\p{Surrogate}]/gu

/** PostgreSQL stores no U+0000 and no half of a surrogate pair: both become U+FFFD. */
export function toStorableText(text: string): string {
  return text.replace(UNSTORABLE, '\uFFFD')
}

function toStorable(value: Value): Value {
  if (typeof value === 'string') return toStorableText(value)
  if (!Array.isArray(value)) return value
  return value.map((one) => (typeof one === 'string' ? toStorableText(one) : one)) as Value
}

/** JSON that PostgreSQL can read: see `toStorableText`. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json
  return json.replace(/\\(?:u0000|ud[89a-f]..|.)/g, (escaped) =>
    /^\\u(?:0000|d)/.test(escaped) ? '\uFFFD' : escaped,
  )
}

/** A row whose columns have the names of the fields of `T`: milliseconds become ISO 8601, null stays null. */
export function convertTimes<T>(row: Row, names: readonly string[]): T {
  const converted: Record<string, unknown> = { ...row }
  for (const name of names) {
    if (row[name] !== null && row[name] !== undefined) converted[name] = toIso(Number(row[name]))
  }
  return converted as T
}

/** For each of these fields the list of its values, for `unnest` in a statement. */
export function toLists<T>(items: readonly T[], fields: readonly (keyof T & string)[]): Values {
  const lists = fields.map((field) => [field, items.map((item) => item[field])])
  return Object.fromEntries(lists) as Values
}

/** A part of a WHERE clause with its values. */
export type Condition = { readonly sql: string; readonly values: Values }

/** Null where a value is missing. */
export function bindCondition(
  sql: string,
  values: Readonly<Record<string, Value | undefined>>,
): Condition | null {
  const isMissing = Object.values(values).some((value) => value === null || value === undefined)
  return isMissing ? null : { sql, values: values as Values }
}

/** True for all rows where there is no condition. */
export function joinConditions(conditions: readonly (Condition | null)[]): Condition {
  const parts = conditions.filter((condition) => condition !== null)
  return {
    sql: parts.map((part) => part.sql).join(' AND ') || 'true',
    values: Object.assign({}, ...parts.map((part) => part.values)),
  }
}

/** Where one namespace is all that is read, `:namespace` names it; where it is null, every row passes. */
export function withinSql(alias: string): string {
  return `(:namespace::text IS NULL OR ${alias}.namespace = :namespace)`
}

/** Null lets every namespace pass. */
export function inNamespaces(alias: string, namespaces: readonly string[] | null) {
  return bindCondition(`${alias}.namespace = ANY (:namespaces::text[])`, { namespaces })
}
