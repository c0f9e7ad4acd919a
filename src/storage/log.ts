/** The log: who wrote, purged and exported what. Most entries are read from records and revisions; the others are stored as events. */

import type { RevisionEnd } from '../core/record.js'
import { toIso } from '../core/time.js'
import { readCursor, writeCursor } from './cursor.js'

/** Actions that leave no revision behind. */
export type NotedAction =
  | 'restore'
  | 'reinstate'
  | 'purge'
  | 'link'
  | 'unlink'
  | 'reinforce'
  | 'deemphasize'
  | `session.${'start' | 'end' | 'summarise'}`
  | `fact.${'add' | 'reinforce' | 'remove'}`
  | `lens.${'save' | 'remove'}`
  | `token.${'add' | 'revoke'}`
  | 'models.remove'
  | 'embed'
  | 'doctor'
  | 'export'
  | 'import'
  | 'backup'
  | 'copy'

export type NewEvent = {
  readonly action: NotedAction
  /** Null if it concerns every namespace. */
  readonly namespace: string | null
  /** The id or name of its object. */
  readonly subject: string | null
}

export type LogEntry = Omit<NewEvent, 'action'> & {
  readonly at: string
  readonly action: NotedAction | 'add' | RevisionEnd
  /** The name of the token; null without one. */
  readonly author: string | null
  /** The number of records written at once; `subject` is the first of them. */
  readonly count: number
}

export type LogRequest = {
  /** Null: all. */
  readonly namespace: string | null
  readonly author: string | null
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly limit: number
  readonly cursor: string | null
}

export type LogPage = { readonly entries: readonly LogEntry[]; readonly next: string | null }

export interface LogStorage {
  /** Stores an event with the current time and the author of the caller. */
  note(event: NewEvent): Promise<void>
  /** The same if the caller has a name; otherwise does nothing. */
  noteNamed(event: NewEvent): Promise<void>
  /** Newest first. */
  list(request: LogRequest): Promise<LogPage>
}

/** The parts of the SQL in which the backends differ. */
export type LogDialect = {
  /** Revisions `v` with their records `r`, in this order. */
  readonly past: string
  /** A condition: the revision belongs to the record `r`. */
  readonly isOf: (revision: string) => string
  /** The column of a revision with the namespace that its record had then. */
  readonly ownNamespace: string
}

type Source = {
  readonly from: string
  readonly time: string
  readonly columns: readonly string[]
  readonly where: string
}

/** Finds the newest times of a source by an index, and groups what happened at each by action, author and namespace. */
function groupSql({ from, time, columns, where }: Source): string {
  const newest = (bound: string): string => `(SELECT ${time} FROM ${from}
      WHERE ${time} >= :since AND ${time} ${bound} AND ${where} ORDER BY ${time} DESC LIMIT 1)`
  return `WITH RECURSIVE times (at, n) AS (
      SELECT ${newest('<= :until')}, 1
      UNION ALL
      SELECT ${newest('< times.at')}, times.n + 1 FROM times WHERE times.at IS NOT NULL AND times.n < :limit)
    SELECT times.at, ${columns.join(', ')}, min(r.id) AS subject, count(*) AS count
    FROM times CROSS JOIN ${from} WHERE ${time} = times.at AND ${where} GROUP BY 1, 2, 3, 4`
}

/** The statements of a page; each gives rows of the log. A caller of one namespace sees records that were in it and still are. */
export function listLogSql(
  { past, isOf, ownNamespace }: LogDialect,
  { namespace, author }: Pick<LogRequest, 'namespace' | 'author'>,
): string[] {
  const all = (...conditions: readonly (string | false)[]): string =>
    conditions.filter((one) => one !== false).join(' AND ') || 'true'
  const first = (
    column: string,
    own = column,
  ): string => `CASE WHEN r.valid_from IS NULL THEN r.${column}
      ELSE (SELECT f.${own} FROM revisions f WHERE ${isOf('f')} AND f.number = 1) END`
  const [creator, home] = [first('author'), first('namespace', ownNamespace)]
  const own = `v.${ownNamespace}`
  const isHere = namespace !== null
  const isTheirs = author !== null
  // A superseded record that is restored leaves a revision of zero length; its restoration is an event.
  const isRestored = `v.ended_by = 'supersede' AND v.valid_from = v.valid_until AND EXISTS (
      SELECT 1 FROM revisions x WHERE ${isOf('x')} AND x.number = v.number - 1 AND x.ended_by = 'delete')`
  const isSeen = (alias: string): string =>
    all(isHere && `${alias}.namespace = :namespace`, isTheirs && `${alias}.author = :author`)
  // A row number in a cursor would reveal how many events other callers have caused.
  const rank = `(SELECT count(*) FROM events x WHERE x.at = e.at AND x.row <= e.row AND ${isSeen('x')})`
  return [
    groupSql({
      from: 'records r',
      time: 'r.created_at',
      columns: [`'add' AS action`, `${creator} AS author`, `${home} AS namespace`],
      where: all(
        isHere && `r.namespace = :namespace AND ${home} = :namespace`,
        isTheirs && `${creator} = :author`,
      ),
    }),
    groupSql({
      from: past,
      time: 'v.valid_until',
      columns: ['v.ended_by AS action', 'v.ended_author AS author', `${own} AS namespace`],
      where: all(
        `NOT (${isRestored})`,
        isHere && `r.namespace = :namespace AND ${own} = :namespace`,
        isTheirs && 'v.ended_author = :author',
      ),
    }),
    `SELECT e.at, e.action, e.author, e.namespace, e.subject, 1 AS count, ${rank} AS row FROM events e
      WHERE e.at >= :since AND e.at <= :until AND (e.at < :cursorAt OR ${rank} < :cursorRow)
        AND ${isSeen('e')}
      ORDER BY e.at DESC, e.row DESC LIMIT :limit`,
  ]
}

/** Orders the entries of one millisecond: events by their number, then the rest. */
type Key = { readonly atMs: number; readonly id: string }

export function bindLog(request: LogRequest) {
  const { namespace, author, sinceMs, untilMs, limit } = request
  const { atMs, id } = readCursor(request.cursor)
  return {
    since: sinceMs ?? Number.MIN_SAFE_INTEGER,
    until: Math.min(untilMs === null ? Number.MAX_SAFE_INTEGER : untilMs - 1, atMs),
    cursorAt: atMs,
    cursorRow: id.startsWith('e') ? Number(id.slice(1)) : 0,
    // One extra entry shows that there are more; another may lie before the cursor.
    limit: limit + 2,
    ...(namespace !== null && { namespace }),
    ...(author !== null && { author }),
  }
}

/** `rows` holds the rows of all statements. */
export function toLogPage(
  rows: readonly Readonly<Record<string, unknown>>[],
  { limit, cursor }: Pick<LogRequest, 'limit' | 'cursor'>,
): LogPage {
  const start = readCursor(cursor)
  const found = rows.flatMap(({ row, at, ...rest }) => {
    if (at === null) return []
    const { action, namespace, author } = rest
    const id =
      row === undefined
        ? `a${JSON.stringify([action, namespace, author])}`
        : `e${String(row).padStart(16, '0')}`
    const key = { atMs: Number(at), id }
    const entry = { at: toIso(key.atMs), ...rest, count: Number(rest.count) } as LogEntry
    return isBefore(key, start) ? [{ key, entry }] : []
  })
  found.sort((a, b) => (isBefore(a.key, b.key) ? 1 : -1))
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    entries: shown.map(({ entry }) => entry),
    next: last === undefined ? null : writeCursor(last.entry.at, last.key.id),
  }
}

function isBefore(a: Key, b: Key): boolean {
  return a.atMs === b.atMs ? a.id < b.id : a.atMs < b.atMs
}
