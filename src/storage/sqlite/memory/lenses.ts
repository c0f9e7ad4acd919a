/** A lens that was saved is read back as it was, by its name. */

import type { StoredLens } from '../../memory.js'
import type { Row, Statements } from '../statements.js'

const COLUMNS = 'name, sentence, options, created_at, updated_at'

const SQL = {
  save: `INSERT INTO lenses (${COLUMNS}) VALUES (:name, :sentence, :options, :now, :now)
    ON CONFLICT (name) DO UPDATE
      SET sentence = excluded.sentence, options = excluded.options, updated_at = excluded.updated_at
    RETURNING ${COLUMNS}`,
  all: `SELECT ${COLUMNS} FROM lenses ORDER BY name`,
  byName: `SELECT ${COLUMNS} FROM lenses WHERE name = :name`,
  remove: 'DELETE FROM lenses WHERE name = :name',
} as const

export type LensesTable = ReturnType<typeof createLensesTable>

export function createLensesTable(statements: Statements) {
  return {
    save({ name, sentence, options }: Omit<StoredLens, 'createdAt' | 'updatedAt'>, now: number) {
      const values = { name, sentence, options: JSON.stringify(options), now }
      const [row] = statements.all(SQL.save, values)
      if (row === undefined) throw new Error(`the lens ${name} was saved and is not there`)
      return toLens(row)
    },
    all: (): StoredLens[] => statements.all(SQL.all).map(toLens),
    find(name: string): StoredLens | null {
      const [row] = statements.all(SQL.byName, { name })
      return row === undefined ? null : toLens(row)
    },
    remove: (name: string): boolean => statements.run(SQL.remove, { name }).changes > 0,
  }
}

function toLens(row: Row): StoredLens {
  return {
    name: String(row.name),
    sentence: row.sentence as string | null,
    options: JSON.parse(String(row.options)) as StoredLens['options'],
    createdAt: new Date(row.created_at as number).toISOString(),
    updatedAt: new Date(row.updated_at as number).toISOString(),
  }
}
