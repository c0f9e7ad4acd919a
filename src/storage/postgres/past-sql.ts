/** The SQL conditions and expressions that look at records as they were at a time in the past. */

/** Over the view `past r`: each record in the one state it had then. */
export const WAS = 'r.valid_from <= :asOfMs AND r.valid_until > :asOfMs'

const OTHER_STATES = 'revisions v WHERE v.namespace = r.home AND v.record = r.row'

/** Over `past r`: the last state of a record that is superseded now. */
export const IS_SUPERSEDED = `r.superseded_at IS NOT NULL AND r.deleted_at IS NULL AND r.ended_by = 'supersede'
  AND r.number = (SELECT max(v.number) FROM ${OTHER_STATES})`

/** Over `past r`: the last state of a record that was superseded then. */
export const WAS_SUPERSEDED = `r.ended_by = 'supersede' AND r.valid_until <= :asOfMs
  AND (r.superseded_at IS NOT NULL OR r.deleted_at IS NOT NULL OR r.present_from > :asOfMs)
  AND NOT EXISTS (SELECT 1 FROM ${OTHER_STATES} AND v.number > r.number AND v.valid_from <= :asOfMs)`

/** An expression over `past r`: whether another record has superseded that state. */
export function isSupersededSql({ asOfMs }: { readonly asOfMs?: number }): string {
  return asOfMs === undefined ? 'true' : 'r.valid_until <= :asOfMs'
}

/** An expression over the last state `v` that had begun by `:atMs` and is over now; null where there is none. */
function lastState(record: string, expression: string): string {
  return `(SELECT ${expression} FROM revisions v
    WHERE v.namespace = ${record}.namespace AND v.record = ${record}.row AND v.valid_from <= :atMs
    ORDER BY v.number DESC LIMIT 1)`
}

function wasAsNow(record: string): string {
  return `(${record}.present AND coalesce(${record}.valid_from, ${record}.created_at) <= :atMs)`
}

/** The record had been added and was not deleted at `:atMs`. */
export function existedSql(record: string): string {
  const isDeleted = lastState(record, `v.ended_by = 'delete' AND v.valid_until <= :atMs`)
  return `(${record}.created_at <= :atMs
    AND (${wasAsNow(record)} OR NOT coalesce(${isDeleted}, ${record}.deleted_at IS NOT NULL)))`
}

export function pastBodySql(record: string): string {
  return `CASE WHEN ${wasAsNow(record)} THEN ${record}.body
    ELSE coalesce(${lastState(record, 'v.body')}, ${record}.body) END`
}

/** The row of the record that had superseded it by `:atMs`; null where none had. */
export function pastSuccessorSql(record: string): string {
  return `CASE WHEN NOT ${wasAsNow(record)}
    THEN ${lastState(record, 'CASE WHEN v.valid_until <= :atMs THEN v.successor END')} END`
}
