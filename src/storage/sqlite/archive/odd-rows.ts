/** Finds values that Cairn does not write, and replaces each by the value that Cairn reads it as. */

import { ARCHIVE_FIELDS, ARCHIVE_KINDS, type ArchiveKind } from '../../archive.js'
import type { Row, Statements } from '../statements.js'
import { parseJson } from '../stored-values.js'
import { fromColumn, getArchiveTable, IS_JSON, toColumn, toColumns } from './archive-tables.js'

const MAX_NAMED = 5

/** Each row with its id or key, its odd fields, and the value that it is read as. */
function* findOddRows(statements: Statements) {
  for (const kind of ARCHIVE_KINDS) {
    const types = Object.entries(ARCHIVE_FIELDS[kind])
    const { all, key } = getArchiveTable(kind)
    for (const row of statements.each(all)) {
      const fields = listOddFields(kind, row)
      if (fields.length === 0) continue
      const value = types.map(([field, type]) => [field, fromColumn(type, row[field])])
      const name = String(row.id ?? key.map((field) => row[field]).join(' '))
      yield { kind, name, fields, value: Object.fromEntries(value) }
    }
  }
}

export function listOddFields(kind: ArchiveKind, row: Row): string[] {
  return Object.entries(ARCHIVE_FIELDS[kind])
    .filter(([field, type]) => isOdd(type, row[field]))
    .map(([field]) => field)
}

/** True if reading a value and writing it again gives another value. */
function isOdd(type: Parameters<typeof fromColumn>[0], stored: unknown): boolean {
  if (stored === null || type === 'results') return false
  const value = fromColumn(type, stored)
  if (!IS_JSON.has(type)) return toColumn(type, value) !== stored
  return JSON.stringify(parseJson(stored)) !== JSON.stringify(value)
}

/** Names the first odd rows; an empty text if there are none. */
export function describeOddRows(statements: Statements): string {
  let count = 0
  const named: string[] = []
  for (const { kind, name, fields } of findOddRows(statements)) {
    if (count++ < MAX_NAMED) named.push(`${kind} ${name} (${fields.join(', ')})`)
  }
  if (count === 0) return ''
  const rest = count > MAX_NAMED ? ` and ${count - MAX_NAMED} more` : ''
  return `values of another program: ${named.join('; ')}${rest}`
}

export function mendOddRows(statements: Statements): void {
  for (const { kind, fields, value } of [...findOddRows(statements)]) {
    for (const field of fields) {
      statements.run(getArchiveTable(kind).set(field), toColumns(kind, value))
    }
  }
}
