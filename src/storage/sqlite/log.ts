/** Notes events, and lists the log of a file. */

import type { RecordId } from '../../core/ids.js'
import type { Link } from '../../core/record.js'
import type { NewEvent, NotedAction } from '../log.js'
import { bindLog, type LogDialect, type LogStorage, listLogSql, toLogPage } from '../log.js'
import type { Runners } from './runner.js'
import type { Statements } from './statements.js'

const INTO = 'INSERT INTO events (at, action, namespace, subject, author)'
const SQL = {
  note: `${INTO} VALUES (:at, :action, :namespace, :subject, :author)`,
  noteRecords: `${INTO} SELECT :at, :action, r.namespace, r.id, :author
    FROM json_each(:ids) wanted CROSS JOIN records r ON r.id = wanted.value`,
  /** A link to another namespace belongs to none: whoever sees one end only must not learn of it. */
  noteLink: `${INTO} SELECT :at, :action, CASE WHEN t.namespace <> s.namespace THEN NULL ELSE s.namespace END, s.id, :author
    FROM records s LEFT JOIN records t ON t.id = :target WHERE s.id = :source`,
} as const

const DIALECT: LogDialect = {
  past: 'revisions v CROSS JOIN records r ON r.row = v.record',
  isOf: (revision) => `${revision}.record = r.row`,
  ownNamespace: 'namespace',
}

type LinkEnds = Pick<Link, 'source' | 'target'>

/** This and the next are for the transaction of a caller. */
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

export function noteLink(
  statements: Statements,
  action: 'link' | 'unlink',
  { source, target, at }: LinkEnds & { readonly at: number },
): void {
  statements.run(SQL.noteLink, { action, source, target, at, author: statements.author() })
}

export function createLog(
  statements: Statements,
  now: () => number,
  { run, write }: Runners,
): LogStorage {
  const note = (event: NewEvent): Promise<void> => write(() => noteEvent(statements, event, now()))
  return {
    note,
    noteNamed: async (event) => {
      if (statements.author() !== null) await note(event)
    },
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
