/** What takes the place of what can be followed to its end, and never goes round in a circle. */

import type { RecordId } from '../../../core/ids.js'
import { END_OF_TIME } from '../../../core/time.js'
import type { SupersedeOptions, SupersedeOutcome } from '../../storage.js'
import { successorThen, wasThere } from '../past/then.js'
import type { Statements } from '../statements.js'
import type { RecordsTable } from './records.js'

const SUPERSEDES = 'SUPERSEDES'

const SQL = {
  link: `INSERT INTO links (id, source, target, type, author, note, created_at)
    SELECT :linkId, n.row, o.row, '${SUPERSEDES}', :author, :note, :now
    FROM records n, records o WHERE n.id = :by AND o.id = :id`,
  unlink: `DELETE FROM links WHERE type = '${SUPERSEDES}'
    AND target = (SELECT row FROM records WHERE id = :id)`,
  /** Each step of each chain; a circle, which only another program can have made, ends somewhere. */
  successors: `WITH RECURSIVE chain (start, row, depth) AS (
      SELECT r.row, r.row, 0 FROM records r WHERE r.id IN (SELECT value FROM json_each(:ids))
      UNION ALL
      SELECT chain.start, ${successorThen('r')}, chain.depth + 1
        FROM chain CROSS JOIN records r ON r.row = chain.row WHERE chain.depth < 1000)
    SELECT s.id AS start, r.id FROM chain CROSS JOIN records s ON s.row = chain.start
      CROSS JOIN records r ON r.row = chain.row AND ${wasThere('r')}
    WHERE chain.depth > 0 ORDER BY chain.start, chain.depth`,
  any: `SELECT EXISTS (SELECT 1 FROM revisions WHERE ended_by = 'supersede')`,
  /** What these records correct, each with the last state it had. */
  correctedBy: `SELECT o.id, n.id AS by, v.row AS revision FROM records n
    CROSS JOIN revisions v ON v.successor = n.row
    CROSS JOIN records o ON o.row = v.record AND o.superseded_at IS NOT NULL
      AND v.number = (SELECT max(x.number) FROM revisions x WHERE x.record = o.row)
    WHERE n.id IN (SELECT value FROM json_each(:ids))`,
  /** All states of a record since it was last valid: it may have been deleted and restored in between. */
  handOver: `UPDATE revisions SET successor = (SELECT row FROM records WHERE id = :heir)
    WHERE record = (SELECT row FROM records WHERE id = :id)
      AND successor = (SELECT row FROM records WHERE id = :by)
      AND valid_until >= (SELECT superseded_at FROM records WHERE id = :id)`,
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
  const reinstate = (id: RecordId, now: number): boolean => {
    statements.run(SQL.unlink, { id })
    return records.reinstate(id, now).length > 0
  }
  return {
    successors,
    any: (): boolean => statements.value(SQL.any) === 1,
    /** Inside a transaction of the caller's. */
    supersede(id: RecordId, by: RecordId, how: SupersedeOptions, now: number): SupersedeOutcome {
      const [old, newer] = records.read([id, by], false)
      if (id === by || successors([by], END_OF_TIME).get(by)?.includes(id)) return 'circle'
      if (old === undefined || newer === undefined) return 'gone'
      if (old.supersededAt !== null) return 'superseded'
      records.supersede(id, by, now)
      statements.run(SQL.link, { linkId: makeId(), id, by, ...how, now })
      return 'done'
    },
    reinstate,
    /**
     * Before these are purged: what they correct goes over to what corrects them, or is valid again. Gives the latter.
     */
    leaveTo(ids: readonly RecordId[], now: number): RecordId[] {
      const freed: RecordId[] = []
      for (const row of statements.all(SQL.correctedBy, { ids: JSON.stringify(ids) })) {
        const [id, by] = [row.id as RecordId, row.by as RecordId]
        if (ids.includes(id)) continue
        const heir = successors([by], END_OF_TIME)
          .get(by)
          ?.find((one) => !ids.includes(one))
        if (heir === undefined) {
          reinstate(id, now)
          freed.push(id)
          continue
        }
        statements.run(SQL.handOver, { id, by, heir })
        const link = { id, by: heir, linkId: makeId(), author: null, note: null, now }
        statements.run(SQL.link, link)
      }
      return freed
    },
  }
}
