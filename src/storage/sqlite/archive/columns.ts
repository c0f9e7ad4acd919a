/** A line of an archive becomes the values of a row, and the row the same line again. */

import { toIso } from '../../../core/time.js'
import type { Fields, FieldType } from '../../archive.js'
import type { Row, Value } from '../statements.js'

/** `createdAt` → `created_at`. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** What a SELECT has to name; `elsewhere` are the fields that are no columns of the table itself. */
export function selected(
  fields: Fields,
  alias: string,
  elsewhere: Readonly<Record<string, string>> = {},
): string {
  return Object.keys(fields)
    .map((field) => `${elsewhere[field] ?? `${alias}.${columnOf(field)}`} AS ${field}`)
    .join(', ')
}

/** The columns of an INSERT; `computed` gives SQL for those that are not the value of their field. */
export function inserted(fields: readonly string[], computed: Computed = {}): string {
  return `(${fields.map(columnOf).join(', ')}) VALUES (${fields
    .map((field) => computed[field] ?? `:${field}`)
    .join(', ')})`
}

/** The columns of an UPDATE. */
export function assigned(fields: readonly string[], computed: Computed = {}): string {
  return fields.map((field) => `${columnOf(field)} = ${computed[field] ?? `:${field}`}`).join(', ')
}

type Computed = Readonly<Record<string, string>>

/** Where another table knows a record, a session or a fact by its id. */
export const ROW_OF = {
  records: (field: string) => `(SELECT row FROM records WHERE id = :${field})`,
  sessions: (field: string) => `(SELECT row FROM sessions WHERE id = :${field})`,
  facts: (field: string) => `(SELECT row FROM facts WHERE id = :${field})`,
} as const

export function toValue(fields: Fields, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, type]) => [field, fromColumn(type, row[field])]),
  )
}

export function toColumns(fields: Fields, value: object): Record<string, Value> {
  const given = new Map(Object.entries(value))
  return Object.fromEntries(
    Object.entries(fields).map(([field, type]) => [field, toColumn(type, given.get(field))]),
  )
}

function fromColumn(type: FieldType, stored: unknown): unknown {
  if (stored === null) return null
  switch (type) {
    case 'time':
    case 'time?':
      return toIso(Number(stored))
    case 'flag':
      return stored === 1
    case 'object':
    case 'object?':
    case 'texts':
      return JSON.parse(String(stored))
    default:
      return stored
  }
}

function toColumn(type: FieldType, value: unknown): Value {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'time':
    case 'time?':
      return Date.parse(String(value))
    case 'flag':
      return value === true ? 1 : 0
    case 'object':
    case 'object?':
    case 'texts':
      return JSON.stringify(value)
    default:
      return value as Value
  }
}
