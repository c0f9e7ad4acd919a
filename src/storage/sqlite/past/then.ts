/** How a record stood at the moment `:atMs` is asked in one way, whatever became of it since. */

/** Over the last state `v` that had begun by then and is over now; null where there is none. */
function lastState(record: string, expression: string): string {
  return `(SELECT ${expression} FROM revisions v WHERE v.record = ${record}.row AND v.valid_from <= :atMs
    ORDER BY v.number DESC LIMIT 1)`
}

/** It was valid then, and as it is now. */
function wasAsNow(record: string): string {
  return `(${record}.present AND coalesce(${record}.valid_from, ${record}.created_at) <= :atMs)`
}

/** It had been added and was not deleted then. */
export function wasThere(record: string): string {
  const isDeleted = lastState(record, `v.ended_by = 'delete' AND v.valid_until <= :atMs`)
  return `(${record}.created_at <= :atMs
    AND (${wasAsNow(record)} OR NOT coalesce(${isDeleted}, ${record}.deleted_at IS NOT NULL)))`
}

/** The text it had then. */
export function bodyThen(record: string): string {
  return `CASE WHEN ${wasAsNow(record)} THEN ${record}.body
    ELSE coalesce(${lastState(record, 'v.body')}, ${record}.body) END`
}

/** What had taken its place by then, as a row of `records`; null where nothing had. */
export function successorThen(record: string): string {
  return `CASE WHEN NOT ${wasAsNow(record)}
    THEN ${lastState(record, 'iif(v.valid_until <= :atMs, v.successor, NULL)')} END`
}
