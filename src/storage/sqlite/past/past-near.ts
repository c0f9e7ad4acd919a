/** What was there is found by meaning as well, by the vector its text had. */

import type { RecordId } from '../../../core/ids.js'
import type { Field, Node } from '../../../query/tree.js'
import { cosineFine } from '../../../vectors/fine-codes.js'
import type { Condition, PreparedFilter } from '../filter.js'
import { compileMatch } from '../match.js'
import type { Statements } from '../statements.js'
import { toFineCodes } from '../vectors/fine-vectors.js'
import { isSupersededSql } from './past-states.js'

const SQL = {
  states: (
    condition: string,
    isSuperseded: string,
  ) => `SELECT r.revision, r.row, r.id, r.scale, r.codes,
      ${isSuperseded} AS isSuperseded FROM past r
    WHERE r.model = :model AND r.codes IS NOT NULL AND ${condition}`,
  matching: 'r.revision IN (SELECT rowid FROM revisions_ft WHERE revisions_ft MATCH :required)',
  notMatching:
    'r.revision NOT IN (SELECT rowid FROM revisions_ft WHERE revisions_ft MATCH :unwanted)',
} as const

export type PastNear = {
  readonly id: RecordId
  readonly row: number
  readonly revision: number
  readonly similarity: number
  readonly isSuperseded: boolean
}

export type PastNearSearch = {
  /** The number of the model in the file. */
  readonly model: number
  readonly vector: Float32Array
  readonly filter: PreparedFilter
  readonly required: Node | null
  readonly unwanted: Node | null
  readonly fields: readonly Field[] | null
}

/** All states that have a vector of this model, with their cosines, in no order. */
export function findPastNear(
  statements: Statements,
  search: PastNearSearch,
  past: Condition,
): PastNear[] {
  const { required, unwanted, fields } = search
  const wanted = required === null ? null : compileMatch(required, fields)
  const refused = unwanted === null ? null : compileMatch(unwanted, fields)
  const parts = [past.sql]
  if (wanted !== null) parts.push(SQL.matching)
  if (refused !== null) parts.push(SQL.notMatching)
  const rows = statements.all(SQL.states(parts.join(' AND '), isSupersededSql(search.filter)), {
    ...past.values,
    model: search.model,
    ...(wanted === null ? {} : { required: wanted }),
    ...(refused === null ? {} : { unwanted: refused }),
  })
  return rows.map((row) => ({
    id: row.id as RecordId,
    row: Number(row.row),
    revision: Number(row.revision),
    similarity: cosineFine(search.vector, toFineCodes(row)),
    isSuperseded: row.isSuperseded === 1,
  }))
}
