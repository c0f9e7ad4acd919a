/** Notes events, and lists the log of a file. */

import type { RecordId } from '../../core/ids.js'
import type { NewEvent, NotedAction } from '../log.js'
import { bindLog, type LogDialect, type LogStorage, listLogSql, toLogPage } from '../log.js'
import type { Runners } from './runner.js'
import type { Statements } from './statements.js'

const INTO = 'INSERT INTO events (at, action, namespace, subject, author)'
const SQL = {
  note: `${INTO} VALUES (:at, :action, :namespace, :subject, :author)`,
  noteRecords: `${INTO} SELECT :at, :action, r.namespace, r.id, :author
    FROM json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value`,
} as const

const DIALECT: LogDialect = {
  past: 'revisions v CROSS JOIN records r ON r.row = v.record',
  isOf: (revision) => `${revision}.record = r.row`,
  ownNamespace: 'namespace',
}

/** Inside a transaction of the caller's, as is the next. */
export function noteEvent(statements: Statements, event: NewEvent, at: number): void {
  statements.run(SQL.note, { ...event, at, author: statements.author() })
}

/** One event for each of these records. */
export function noteRecords(
  statements: Statements,
  action: NotedAction,
  { ids, at }: { readonly ids: readonly RecordId[]; readonly at: number },
): void {
  const values = { action, ids: JSON.stringify(ids), at, author: statements.author() }
  if (ids.length > 0) statements.run(SQL.noteRecords, values)
}

export function createLog(
  statements: Statements,
  now: () => number,
  { run, write }: Runners,
): LogStorage {
  return {
    note: (event) => write(() => noteEvent(statements, event, now())),
    list: (request) =>
      run(() => {
        const values = bindLog(request)
        const sql = listLogSql(DIALECT, request)
        return toLogPage(
          sql.flatMap((one) => statements.all(one, values)),
          request,
        )
      }),
  }
}
