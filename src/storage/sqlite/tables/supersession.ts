/** Promise: what takes the place of what can be followed to its end, and never goes round in a circle. */

import type { RecordId } from '../../../core/ids.js'
import type { SupersedeOptions, SupersedeOutcome } from '../../storage.js'
import type { Statements } from '../statements.js'
import type { RecordsTable } from './records.js'

const SUPERSEDES = 'SUPERSEDES'

const SQL = {
  link: `INSERT INTO links (id, source, target, type, author, note, created_at)
    SELECT :linkId, n.row, o.row, '${SUPERSEDES}', :author, :note, :now
    FROM records n, records o WHERE n.id = :by AND o.id = :id`,
  unlink: `DELETE FROM links WHERE type = '${SUPERSEDES}'
    AND target = (SELECT row FROM records WHERE id = :id)`,
  /** Each step of each chain; UNION instead of UNION ALL ends a circle that another program may have made. */
  successors: `WITH RECURSIVE chain (start, row, depth) AS (
      SELECT r.row, l.source, 1 FROM records r
        JOIN links l ON l.target = r.row AND l.type = '${SUPERSEDES}'
        WHERE r.id IN (SELECT value FROM json_each(:ids)) AND l.created_at <= :atMs
      UNION
      SELECT chain.start, l.source, chain.depth + 1 FROM chain
        JOIN links l ON l.target = chain.row AND l.type = '${SUPERSEDES}'
        WHERE chain.depth < 1000 AND l.created_at <= :atMs)
    SELECT s.id AS start, r.id FROM chain JOIN records s ON s.row = chain.start
      JOIN records r ON r.row = chain.row AND (r.deleted_at IS NULL OR r.deleted_at > :atMs)
    ORDER BY chain.start, chain.depth`,
  any: `SELECT EXISTS (SELECT 1 FROM revisions WHERE ended_by = 'supersede')`,
  /** Of a correction that is purged, what it had corrected. */
  onlyBy: `SELECT o.id FROM links l JOIN records o ON o.row = l.target JOIN records n ON n.row = l.source
    WHERE l.type = '${SUPERSEDES}' AND n.id IN (SELECT value FROM json_each(:ids))`,
} as const

export type Supersession = ReturnType<typeof createSupersession>

export function createSupersession(
  statements: Statements,
  records: RecordsTable,
  makeId: () => string,
) {
  const successors = (ids: readonly RecordId[], atMs: number): Map<RecordId, RecordId[]> => {
    const chains = new Map<RecordId, RecordId[]>()
    for (const row of statements.all(SQL.successors, { ids: JSON.stringify(ids), atMs })) {
      const start = row.start as RecordId
      const chain = chains.get(start) ?? []
      if (!chain.includes(row.id as RecordId)) chain.push(row.id as RecordId)
      chains.set(start, chain)
    }
    return chains
  }
  return {
    successors,
    any: (): boolean => statements.value(SQL.any) === 1,
    /** Inside a transaction of the caller's. */
    supersede(id: RecordId, by: RecordId, how: SupersedeOptions, now: number): SupersedeOutcome {
      const [old, newer] = records.read([id, by], false)
      if (id === by || successors([by], now).get(by)?.includes(id)) return 'circle'
      if (old === undefined || newer === undefined) return 'gone'
      if (old.supersededAt !== null) return 'superseded'
      records.supersede(id, now)
      statements.run(SQL.link, { linkId: makeId(), id, by, ...how, now })
      return 'done'
    },
    reinstate(id: RecordId, now: number): boolean {
      statements.run(SQL.unlink, { id })
      return records.reinstate(id, now).length > 0
    },
    correctedBy: (ids: readonly RecordId[]): RecordId[] =>
      statements.column(SQL.onlyBy, { ids: JSON.stringify(ids) }) as RecordId[],
  }
}
