/** The past of a record: its revisions, and the records that superseded it. */

import type { RecordId } from '../../../core/ids.js'
import type { CairnRecord, Revision, RevisionEnd } from '../../../core/record.js'
import { END_OF_TIME } from '../../../core/time.js'
import { BLOCK_SLOTS } from '../../../vectors/block.js'
import { toColumnName } from '../../column-name.js'
import { groupChains } from '../../past-states.js'
import type { SupersedeOptions, SupersedeOutcome } from '../../storage.js'
import { existedSql, pastSuccessorSql } from '../past/past-sql.js'
import { convertRow, type NamedValues, type Parts } from '../statements.js'
import {
  CONTENT,
  INDEXED,
  type RecordsTable,
  type RowReader,
  selectFields,
  selectRecord,
} from './records.js'

const COPIED = [...CONTENT, 'updatedAt', ...INDEXED, 'author'].map(toColumnName)
const JOINED = ['work', 'model', 'scale', 'checksum', 'codes']
const INSERT = `INSERT INTO revisions (record, number, valid_from, valid_until, ended_by, successor, ended_author,
    ${[...COPIED, ...JOINED].join(', ')})`
const qualify = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${alias}.${column}`).join(', ')
const STATE = ['number', 'validFrom', 'validUntil', 'endedBy']
const SUPERSEDES = 'SUPERSEDES'

const SQL = {
  /** With the vector that the active model made of the whole text. */
  keep: `${INSERT}
    SELECT r.row, 1 + coalesce((SELECT max(v.number) FROM revisions v WHERE v.record = r.row), 0),
      coalesce(r.valid_from, r.created_at), max(:now, coalesce(r.valid_from, r.created_at)), :endedBy,
      (SELECT n.row FROM records n WHERE n.id = :successor), :author, ${qualify('r', COPIED)},
      (SELECT w.details FROM works w WHERE w.record = r.row), e.model, f.scale, f.checksum, f.codes
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value AND r.present
    LEFT JOIN models m ON m.state = 'active'
    LEFT JOIN embedded e ON e.model = m.row AND e.record = r.row
    LEFT JOIN chunks c ON c.model = m.row AND c.record = r.row AND c.ordinal = 0
    LEFT JOIN vectors f ON f.place = coalesce(e.whole_block, c.block) * ${BLOCK_SLOTS} + coalesce(e.whole_slot, c.slot)`,
  /** The last state of a superseded record once more, with zero length. */
  mark: `${INSERT}
    SELECT v.record, v.number + 1, max(:now, v.valid_until), max(:now, v.valid_until), :endedBy, v.successor,
      :author, ${qualify('v', [...COPIED, ...JOINED])}
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value AND r.superseded_at IS NOT NULL AND r.deleted_at IS NULL
    CROSS JOIN revisions v ON v.record = r.row
      AND v.number = (SELECT max(x.number) FROM revisions x WHERE x.record = r.row)`,
  /** The current state begins now or, if the clock was set back, when the state before it ended. */
  begin: `UPDATE records SET author = :author, valid_from = max(:now,
      coalesce((SELECT max(v.valid_until) FROM revisions v WHERE v.record = records.row), created_at))
    WHERE id IN (SELECT value FROM json_each(:ids))`,
  history: `SELECT ${selectFields('v', [...STATE, ...CONTENT, 'work', 'author', 'endedAuthor'])}
    FROM revisions v JOIN records r ON r.row = v.record WHERE r.id = :id ORDER BY v.number`,
  /** Each record in the state it had then, without records that are still in that state. */
  asOf: `SELECT ${selectRecord('p', {
    supersededAt: `CASE WHEN p.ended_by = 'supersede' AND p.valid_until <= :asOfMs
        THEN iif(p.superseded_at <= :asOfMs, p.superseded_at, p.valid_until) END`,
    deletedAt: `CASE WHEN p.ended_by = 'delete' AND p.valid_until <= :asOfMs THEN p.valid_until END`,
    work: 'p.work',
    revision: 'p.number',
  })}
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value
    CROSS JOIN past p ON p.row = r.row
    WHERE (NOT r.present OR coalesce(r.valid_from, r.created_at) > :asOfMs)
      AND p.revision = (SELECT v.row FROM revisions v
        WHERE v.record = r.row AND v.valid_from <= :asOfMs ORDER BY v.number DESC LIMIT 1)`,
  link: `INSERT INTO links (id, source, target, type, author, note, created_at)
    SELECT :linkId, n.row, o.row, '${SUPERSEDES}', :author, :note, :now
    FROM records n, records o WHERE n.id = :by AND o.id = :id`,
  unlink: `DELETE FROM links WHERE type = '${SUPERSEDES}'
    AND target = (SELECT row FROM records WHERE id = :id)`,
  /** Each step of each chain. The depth ends a cycle, which only another program can have made. */
  successors: `WITH RECURSIVE chain (start, row, depth) AS (
      SELECT r.row, r.row, 0 FROM records r WHERE r.id IN (SELECT value FROM json_each(:ids))
      UNION ALL
      SELECT chain.start, ${pastSuccessorSql('r')}, chain.depth + 1
        FROM chain CROSS JOIN records r ON r.row = chain.row WHERE chain.depth < 1000)
    SELECT s.id AS start, r.id FROM chain CROSS JOIN records s ON s.row = chain.start
      CROSS JOIN records r ON r.row = chain.row AND ${existedSql('r')}
    WHERE chain.depth > 0 ORDER BY chain.start, chain.depth`,
  any: `SELECT EXISTS (SELECT 1 FROM revisions WHERE ended_by = 'supersede')`,
  /** The records that these supersede, each by its last revision. */
  supersededBy: `SELECT o.id, n.id AS by FROM records n
    CROSS JOIN revisions v ON v.successor = n.row
    CROSS JOIN records o ON o.row = v.record AND o.superseded_at IS NOT NULL
      AND v.number = (SELECT max(x.number) FROM revisions x WHERE x.record = o.row)
    WHERE n.id IN (SELECT value FROM json_each(:ids))`,
  /** All revisions since the record was last valid: it may have been deleted and restored in between. */
  handOver: `UPDATE revisions SET successor = (SELECT row FROM records WHERE id = :heir)
    WHERE record = (SELECT row FROM records WHERE id = :id)
      AND successor = (SELECT row FROM records WHERE id = :by)
      AND valid_until >= (SELECT superseded_at FROM records WHERE id = :id)`,
} as const

export type RevisionEnding = { readonly endedBy: RevisionEnd; readonly successor?: RecordId }

export type RevisionsTable = ReturnType<typeof createRevisionsTable>

export function createRevisionsTable({ statements, now }: Parts, toRecord: RowReader) {
  const run = (sql: string, values: NamedValues) =>
    statements.run(sql, { author: statements.author(), ...values })
  return {
    /** Stores the current state of these records, except hidden ones. */
    keep(ids: readonly RecordId[], end: RevisionEnding, atMs = now()): void {
      const { endedBy, successor = null } = end
      run(SQL.keep, { ids, endedBy, successor, now: atMs })
    },
    /** Notes when superseded records are deleted or restored. */
    mark(ids: readonly RecordId[], endedBy: RevisionEnd): void {
      run(SQL.mark, { ids, endedBy, now: now() })
    },
    /** Must be called after a change, and when records are shown again. */
    begin(ids: readonly RecordId[], atMs = now()): void {
      run(SQL.begin, { ids, now: atMs })
    },
    history: (id: RecordId): Revision[] =>
      statements.all(SQL.history, { id }).map((row) =>
        convertRow(row, {
          times: ['validFrom', 'validUntil', 'occurredAt'],
          texts: ['tags', 'people'],
          objects: ['metadata'],
          works: ['work'],
        }),
      ),
    /** The past state of the records that have changed since. */
    asOf(ids: readonly RecordId[], asOfMs: number): Map<RecordId, CairnRecord> {
      const rows = statements.all(SQL.asOf, { ids, asOfMs })
      return new Map(rows.map((row) => [row.id as RecordId, toRecord(row)]))
    },
  }
}

export type Supersession = ReturnType<typeof createSupersession>

export function createSupersession({ statements, now, makeId }: Parts, records: RecordsTable) {
  const successors = (ids: readonly RecordId[], atMs: number): Map<RecordId, RecordId[]> =>
    groupChains(statements.all(SQL.successors, { ids, atMs }))
  const link = (id: RecordId, by: RecordId, how: SupersedeOptions): void => {
    const author = statements.author() ?? how.author
    statements.run(SQL.link, { linkId: makeId(), id, by, ...how, author, now: now() })
  }
  const reinstate = (id: RecordId): boolean => {
    statements.run(SQL.unlink, { id })
    return records.reinstate(id).length > 0
  }
  return {
    successors,
    reinstate,
    any: (): boolean => statements.value(SQL.any) === 1,

    supersede(id: RecordId, by: RecordId, how: SupersedeOptions): SupersedeOutcome {
      const [old, newer] = records.read([id, by], false)
      if (id === by || successors([by], END_OF_TIME).get(by)?.includes(id)) return 'circle'
      if (old === undefined || newer === undefined) return 'gone'
      if (old.supersededAt !== null) return 'superseded'
      records.supersede(id, by)
      link(id, by, how)
      return 'done'
    },

    /**
     * Before these records are purged: makes their own successor the successor of the records that they supersede. Records
     * without such a successor become valid again; returns those.
     */
    leaveTo(ids: readonly RecordId[]): RecordId[] {
      const freed: RecordId[] = []
      const superseded = statements.all<{ id: RecordId; by: RecordId }>(SQL.supersededBy, { ids })
      for (const { id, by } of superseded.filter((one) => !ids.includes(one.id))) {
        const chain = successors([by], END_OF_TIME).get(by) ?? []
        const heir = chain.find((one) => !ids.includes(one))
        if (heir === undefined) {
          reinstate(id)
          freed.push(id)
        } else {
          statements.run(SQL.handOver, { id, by, heir })
          link(id, heir, { author: null, note: null })
        }
      }
      return freed
    },
  }
}
