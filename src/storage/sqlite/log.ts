/** Notes events, and lists the log of a file. */

import type { RecordId } from '../../core/ids.js'
import type { Link } from '../../core/record.js'
import {
  bindLog,
  type LogDialect,
  type LogPage,
  type LogRequest,
  type LogStorage,
  listLogSql,
  type NewEvent,
  type NotedAction,
  toLogPage,
} from '../log.js'
import { type Runners, runEach } from './runner.js'
import type { Parts } from './statements.js'

const INTO = 'INSERT INTO events (at, action, namespace, subject, author)'
const SQL = {
  note: `${INTO} VALUES (:at, :action, :namespace, :subject, :author)`,
  noteRecords: `${INTO} SELECT :at, :action, r.namespace, r.id, :author
    FROM json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value`,
  /** The event of a link between namespaces has no namespace: a caller who sees only one end must not learn of it. */
  noteLink: `${INTO} SELECT :at, :action, CASE WHEN t.namespace <> s.namespace THEN NULL ELSE s.namespace END, s.id, :author
    FROM records s LEFT JOIN records t ON t.id = :target WHERE s.id = :source`,
} as const

const DIALECT: LogDialect = {
  past: 'revisions v CROSS JOIN records r ON r.row = v.record',
  isOf: (revision) => `${revision}.record = r.row`,
  ownNamespace: 'namespace',
}

type LogParts = Pick<Parts, 'statements' | 'now'>

/** Notes an event inside a transaction of the caller. */
export function noteEvent({ statements, now }: LogParts, event: NewEvent): void {
  statements.run(SQL.note, { ...event, at: now(), author: statements.author() })
}

/** One event for each of these records. */
export function noteRecords(
  { statements, now }: LogParts,
  action: NotedAction,
  ids: readonly RecordId[],
): void {
  const values = { action, ids, at: now(), author: statements.author() }
  if (ids.length > 0) statements.run(SQL.noteRecords, values)
}

export function noteLink(
  { statements, now }: LogParts,
  action: 'link' | 'unlink',
  { source, target }: Pick<Link, 'source' | 'target'>,
): void {
  statements.run(SQL.noteLink, { action, source, target, at: now(), author: statements.author() })
}

export function createLog(parts: LogParts, { run, write }: Runners): LogStorage {
  const { statements } = parts
  const list = (request: LogRequest): LogPage => {
    const values = bindLog(request)
    const rows = listLogSql(DIALECT, request).flatMap((sql) => statements.all(sql, values))
    return toLogPage(rows, request)
  }
  const { note } = runEach(write, { note: (event: NewEvent) => noteEvent(parts, event) })
  return {
    note,
    noteNamed: async (event) => {
      if (statements.author() !== null) await note(event)
    },
    ...runEach(run, { list }),
  }
}
