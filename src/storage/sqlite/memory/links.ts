/** The links table: each pair of records is linked once per type, and a citation may name a work that is not stored yet. */

import type { RecordId } from '../../../core/ids.js'
import type { Link, LinkView } from '../../../core/record.js'
import { checkEnds, type NewLink } from '../../memory.js'
import { toLinkView } from '../../memory-rows.js'
import { noteLink } from '../log.js'
import { convertRow, type Parts, type Row, type Statements } from '../statements.js'
import { getRow } from '../tables/records.js'
import { beginningOf } from './sessions.js'

const COLUMNS = `l.id, l.type, a.id AS source, b.id AS target, l.target_ref AS targetRef, l.author, l.note,
  l.created_at AS createdAt`
const ENDS = 'JOIN records a ON a.row = l.source LEFT JOIN records b ON b.row = l.target'
const LINKS = `SELECT ${COLUMNS} FROM links l ${ENDS}`
const ROW = 'SELECT row FROM records WHERE id = :id'

const SQL = {
  same: `SELECT row FROM links WHERE source = :source AND type = :type
    AND (target = :target OR target_ref = :targetRef) ORDER BY row`,
  insert: `INSERT INTO links (id, source, target, target_ref, type, author, note, created_at)
    VALUES (:id, :source, :target, :targetRef, :type, :author, :note, :now)`,
  update: `UPDATE links SET target = coalesce(:target, target), target_ref = coalesce(:targetRef, target_ref),
      author = coalesce(:author, author), note = coalesce(:note, note) WHERE row = :row`,
  removeRows: 'DELETE FROM links WHERE row IN (SELECT value FROM json_each(:rows))',
  remove: 'DELETE FROM links WHERE id = :id',
  byId: `${LINKS} WHERE l.id = :id`,
  byRow: `${LINKS} WHERE l.row = :row`,
  between: `${LINKS} WHERE a.id = :source AND b.id = :target ORDER BY l.row`,
  ofRecord: `SELECT ${COLUMNS}, w.direction, o.id AS other, o.title, o.source AS origin,
      ${beginningOf('o.body')} AS beginning
    FROM (
      SELECT row, 'out' AS direction, target AS other FROM links WHERE source = (${ROW})
      UNION ALL
      SELECT row, 'in', source FROM links WHERE target = (${ROW})) w
    CROSS JOIN links l ON l.row = w.row ${ENDS} LEFT JOIN records o ON o.row = w.other
    WHERE o.deleted_at IS NULL ORDER BY l.created_at, l.row`,
} as const

export function createLinkReads(statements: Statements) {
  return {
    findLink: (source: RecordId, target: RecordId, type: string | null): Link[] =>
      statements
        .all(SQL.between, { source, target })
        .map(toLink)
        .filter((link) => type === null || link.type === type),
    listLinks: (id: RecordId): LinkView[] =>
      statements.all(SQL.ofRecord, { id }).map((row) => toLinkView(toLink(row))),
  }
}

export function createLinksTable(parts: Parts) {
  const { statements, now, makeId } = parts
  /** Returns the row of the link, old or new. */
  const write = (link: NewLink): number => {
    const source = getRow(statements, link.source)
    const target = link.target === null ? null : getRow(statements, link.target)
    const { type, targetRef, author, note } = link
    const [row, ...rest] = statements.column<number>(SQL.same, { source, type, target, targetRef })
    const values = { target, targetRef, author, note }
    if (row === undefined) {
      const created = { id: makeId(), source, type, now: now() }
      return statements.run(SQL.insert, { ...values, ...created }).lastRow
    }
    // One link had the reference and another the record: they become one link.
    if (rest.length > 0) statements.run(SQL.removeRows, { rows: rest })
    statements.run(SQL.update, { ...values, row })
    return row
  }

  const add = (link: NewLink): Link => {
    checkEnds(link)
    const [written] = statements.all(SQL.byRow, { row: write(link) })
    return toLink(written as Row)
  }

  const remove = (id: string): Link | null => {
    const [row] = statements.all(SQL.byId, { id })
    if (row === undefined) return null
    statements.run(SQL.remove, { id })
    return toLink(row)
  }

  return {
    writes: {
      link(given: NewLink): Link {
        const link = add({ ...given, author: statements.author() ?? given.author })
        noteLink(parts, 'link', link)
        return link
      },
      unlink(id: string): Link | null {
        const link = remove(id)
        if (link !== null) noteLink(parts, 'unlink', link)
        return link
      },
    },
    relink(added: readonly NewLink[], removed: readonly string[]): void {
      for (const id of removed) remove(id)
      for (const link of added) add(link)
    },
  }
}

function toLink(row: Row): Link {
  return convertRow(row, { times: ['createdAt'] })
}
