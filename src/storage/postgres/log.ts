/** Notes events, and lists the log of a schema. */

import type { RecordId } from '../../core/ids.js'
import type { Link } from '../../core/record.js'
import {
  bindLog,
  type LogDialect,
  type LogStorage,
  listLogSql,
  type NewEvent,
  type NotedAction,
  toLogPage,
} from '../log.js'
import type { Runners } from './runner.js'
import type { Statements } from './statements.js'

const INTO = 'INSERT INTO events (at, action, namespace, subject, author)'
const SQL = {
  note: `${INTO} VALUES (:at, :action, :namespace, :subject, :author)`,
  noteRecords: `${INTO} SELECT :at::bigint, :action, r.namespace, r.id, :author
    FROM unnest(:ids::text[]) WITH ORDINALITY AS wanted (id, n) JOIN records r ON r.id = wanted.id ORDER BY wanted.n`,
  /** A link between two namespaces is logged in none of them: who sees one of them must not learn of the other. */
  noteLink: `${INTO} SELECT :at::bigint, :action, CASE WHEN t.namespace <> s.namespace THEN NULL ELSE s.namespace END, s.id, :author
    FROM records s LEFT JOIN records t ON t.id = :target WHERE s.id = :source`,
} as const

const DIALECT: LogDialect = {
  past: 'revisions v JOIN records r ON r.namespace = v.namespace AND r.row = v.record',
  isOf: (revision) => `${revision}.namespace = r.namespace AND ${revision}.record = r.row`,
  ownNamespace: 'own_namespace',
}

type LinkEnds = Pick<Link, 'source' | 'target'>

/** Runs in the transaction of its caller, as `noteRecords` does. */
export async function noteEvent(
  statements: Statements,
  event: NewEvent,
  at: number,
): Promise<void> {
  await statements.run(SQL.note, { ...event, at, author: statements.author })
}

/** One event for each of these records. */
export async function noteRecords(
  statements: Statements,
  action: NotedAction,
  { ids, at }: { readonly ids: readonly RecordId[]; readonly at: number },
): Promise<void> {
  if (ids.length === 0) return
  await statements.run(SQL.noteRecords, { action, ids, at, author: statements.author })
}

export async function noteLink(
  statements: Statements,
  action: 'link' | 'unlink',
  { source, target, at }: LinkEnds & { readonly at: number },
): Promise<void> {
  await statements.run(SQL.noteLink, { action, source, target, at, author: statements.author })
}

export function createLog(
  now: () => number,
  author: () => string | null,
  { run, amend }: Runners,
): LogStorage {
  const note = (event: NewEvent): Promise<void> =>
    amend(event.namespace, (statements) => noteEvent(statements, event, now()))
  return {
    note,
    noteNamed: async (event) => {
      if (author() !== null) await note(event)
    },
    list: (request) =>
      run(async (statements) => {
        const values = bindLog(request)
        const sql = listLogSql(DIALECT, request)
        const found = await Promise.all(sql.map((one) => statements.all(one, values)))
        return toLogPage(found.flat(), request)
      }),
  }
}
