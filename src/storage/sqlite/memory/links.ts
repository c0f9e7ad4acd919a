/** Two records are linked once in each way, and a citation waits for what it names. */

import { badInput, noRecord } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import type { Link, LinkView } from '../../../core/record.js'
import { summaryOf } from '../../../text/summary.js'
import type { NewLink } from '../../memory.js'
import type { Row, Statements } from '../statements.js'
import { beginningOf } from './sessions.js'

const COLUMNS = 'l.id, l.type, l.target_ref, l.author, l.note, l.created_at'
const ENDS = `a.id AS source, b.id AS target FROM links l
  JOIN records a ON a.row = l.source LEFT JOIN records b ON b.row = l.target`
const ROW = 'SELECT row FROM records WHERE id = :id'

const SQL = {
  ends: `SELECT id, row FROM records WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL`,
  same: `SELECT row FROM links WHERE source = :source AND type = :type
    AND (target = :target OR target_ref = :targetRef) ORDER BY row`,
  insert: `INSERT INTO links (id, source, target, target_ref, type, author, note, created_at)
    VALUES (:id, :source, :target, :targetRef, :type, :author, :note, :now)`,
  update: `UPDATE links SET target = coalesce(:target, target), target_ref = coalesce(:targetRef, target_ref),
      author = coalesce(:author, author), note = coalesce(:note, note) WHERE row = :row`,
  removeRows: 'DELETE FROM links WHERE row IN (SELECT value FROM json_each(:rows))',
  remove: 'DELETE FROM links WHERE id = :id',
  byId: `SELECT ${COLUMNS}, ${ENDS} WHERE l.id = :id`,
  byRow: `SELECT ${COLUMNS}, ${ENDS} WHERE l.row = :row`,
  between: `SELECT ${COLUMNS}, ${ENDS} WHERE a.id = :source AND b.id = :target ORDER BY l.row`,
  ofRecord: `SELECT w.direction, ${COLUMNS}, o.id AS other, o.title, ${beginningOf('o.body')} AS beginning
    FROM (
      SELECT row, 'out' AS direction, target AS other FROM links WHERE source = (${ROW})
      UNION ALL
      SELECT row, 'in', source FROM links WHERE target = (${ROW})) w
    CROSS JOIN links l ON l.row = w.row LEFT JOIN records o ON o.row = w.other
    WHERE o.deleted_at IS NULL ORDER BY l.created_at, l.row`,
} as const

export type LinksTable = ReturnType<typeof createLinksTable>

export function createLinksTable(statements: Statements) {
  /** Of records that are there. */
  const rowsOf = (ids: readonly RecordId[]): number[] => {
    const rows = statements.all(SQL.ends, { ids: JSON.stringify(ids) })
    const known = new Map(rows.map(({ id, row }) => [id as RecordId, Number(row)]))
    return ids.map((id) => {
      const row = known.get(id)
      if (row === undefined) throw noRecord(id)
      return row
    })
  }
  /** Gives the number of the link that says this, old or new. */
  const write = (link: NewLink, id: string, now: number): number => {
    const ends = link.target === null ? [link.source] : [link.source, link.target]
    const [source = 0, target = null] = rowsOf(ends)
    const { type, targetRef, author, note } = link
    const same = statements.column(SQL.same, { source, type, target, targetRef }) as number[]
    const [row, ...rest] = same
    if (row === undefined) {
      const values = { id, source, target, targetRef, type, author, note, now }
      return statements.run(SQL.insert, values).lastRow
    }
    // Until now one link knew its name and another its record: from here on they are one.
    if (rest.length > 0) statements.run(SQL.removeRows, { rows: JSON.stringify(rest) })
    statements.run(SQL.update, { row, target, targetRef, author, note })
    return row
  }

  return {
    add(link: NewLink, id: string, now: number): Link {
      checkEnds(link)
      const [written] = statements.all(SQL.byRow, { row: write(link, id, now) })
      if (written === undefined) throw new Error(`the link ${id} was written and is not there`)
      return toLink(written)
    },

    remove(id: string): Link | null {
      const [row] = statements.all(SQL.byId, { id })
      if (row === undefined) return null
      statements.run(SQL.remove, { id })
      return toLink(row)
    },

    between: (source: RecordId, target: RecordId, type: string | null): Link[] =>
      statements
        .all(SQL.between, { source, target })
        .map(toLink)
        .filter((link) => type === null || link.type === type),

    ofRecord: (id: RecordId): LinkView[] =>
      statements.all(SQL.ofRecord, { id }).map((row) => toView(row, id)),
  }
}

function checkEnds({ source, target, targetRef }: NewLink): void {
  if (source === target) {
    throw badInput(`"${source}" cannot be linked to itself.`, 'Name two different records.')
  }
  if (target === null && targetRef === null) {
    throw badInput(`A link of "${source}" leads nowhere.`, 'Name a record or what it cites.')
  }
}

function toLink(row: Row): Link {
  return {
    id: String(row.id),
    type: String(row.type),
    source: row.source as RecordId,
    target: row.target as RecordId | null,
    targetRef: row.target_ref as string | null,
    author: row.author as string | null,
    note: row.note as string | null,
    createdAt: new Date(row.created_at as number).toISOString(),
  }
}

function toView(row: Row, self: RecordId): LinkView {
  const id = row.other as RecordId | null
  const direction = row.direction as LinkView['direction']
  const ends = direction === 'out' ? { source: self, target: id } : { source: id, target: self }
  const summary = summaryOf(String(row.beginning))
  return {
    ...toLink({ ...row, ...ends }),
    direction,
    other: id === null ? null : { id, title: row.title as string | null, summary },
  }
}
