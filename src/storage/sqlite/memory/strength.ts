/** How strongly a record is remembered changes by one formula, from what it had faded to. */

import type { RecordId } from '../../../core/ids.js'
import type { Sector } from '../../../core/record.js'
import { effectiveSalience } from '../../../core/salience.js'
import type { Statements } from '../statements.js'

const SQL = {
  read: `SELECT row, id, salience, importance, sector, coalesce(accessed_at, created_at) AS accessed_at
    FROM records WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL`,
  /** Each is [row, salience]. */
  write: `UPDATE records SET salience = j.value ->> 1, accessed_at = :atMs
    FROM json_each(:values) j WHERE records.row = j.value ->> 0`,
} as const

export type Strength = ReturnType<typeof createStrength>

export function createStrength(statements: Statements) {
  return {
    /** Gives what each record that is there has become, in the order asked. */
    change(
      ids: readonly RecordId[],
      next: (effective: number) => number,
      { decay, atMs }: { readonly decay: number; readonly atMs: number },
    ): ReadonlyMap<RecordId, number> {
      const rows = statements.all(SQL.read, { ids: JSON.stringify(ids) }).map((row) => {
        const stored = {
          salience: row.salience as number,
          importance: row.importance as number,
          sector: row.sector as Sector | null,
          accessedAtMs: row.accessed_at as number,
        }
        const salience = next(effectiveSalience(stored, atMs, decay))
        return { row: Number(row.row), id: row.id as RecordId, salience }
      })
      if (rows.length === 0) return new Map()
      const values = JSON.stringify(rows.map(({ row, salience }) => [row, salience]))
      statements.run(SQL.write, { values, atMs })
      const changed = new Map(rows.map(({ id, salience }) => [id, salience]))
      return new Map(ids.flatMap((id) => (changed.has(id) ? [[id, changed.get(id) ?? 0]] : [])))
    },
  }
}
