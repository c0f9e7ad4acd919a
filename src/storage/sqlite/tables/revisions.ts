/** Promise: before a record changes, is hidden or is replaced, what it was is kept whole. */

import type { RecordId } from '../../../core/ids.js'
import type { CairnRecord } from '../../../core/record.js'
import type { Revision, RevisionEnd } from '../../../core/revision.js'
import { BLOCK_SLOTS } from '../migrations/0002-meaning.js'
import type { Row, Statements } from '../statements.js'
import type { RowReader } from './records.js'

const SQL = {
  /** With the vector that the model in charge had made of the whole text. */
  keep: `INSERT INTO revisions (record, number, valid_from, valid_until, ended_by, kind, namespace, title, body, tags,
      people, source, metadata, importance, sector, tier, updated_at, occurred_at, title_ix, body_ix, tags_ix,
      people_ix, work, model, scale, codes)
    SELECT r.row, 1 + coalesce((SELECT max(v.number) FROM revisions v WHERE v.record = r.row), 0),
      coalesce(r.valid_from, r.created_at), max(:now, coalesce(r.valid_from, r.created_at)), :endedBy,
      r.kind, r.namespace, r.title, r.body, r.tags, r.people, r.source, r.metadata, r.importance, r.sector, r.tier,
      r.updated_at, r.occurred_at, r.title_ix, r.body_ix, r.tags_ix, r.people_ix,
      (SELECT w.details FROM works w WHERE w.record = r.row), e.model, f.scale, f.codes
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value AND r.present
    LEFT JOIN models m ON m.state = 'active'
    LEFT JOIN embedded e ON e.model = m.row AND e.record = r.row
    LEFT JOIN chunks c ON c.model = m.row AND c.record = r.row AND c.ordinal = 0
    LEFT JOIN vectors f ON f.place = coalesce(e.whole_block, c.block) * ${BLOCK_SLOTS} + coalesce(e.whole_slot, c.slot)`,
  /** What a record is from now on began now, or, where the clock was set back, when the state before it ended. */
  begin: `UPDATE records SET valid_from = max(:now,
      coalesce((SELECT max(v.valid_until) FROM revisions v WHERE v.record = records.row), created_at))
    WHERE id IN (SELECT value FROM json_each(:ids))`,
  history: `SELECT v.* FROM revisions v JOIN records r ON r.row = v.record WHERE r.id = :id ORDER BY v.number`,
  /** Each record in the state it had then; the row itself where that is what it still is. */
  statesThen: `SELECT p.id, p.kind, p.namespace, p.title, p.body, p.tags, p.people, p.source, p.metadata, p.importance,
      p.sector, p.tier, p.salience, p.session_id, p.created_at, p.updated_at, p.accessed_at, p.occurred_at,
      p.superseded_at, p.deleted_at, p.work
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value
    CROSS JOIN past p ON p.row = r.row
    WHERE (NOT r.present OR coalesce(r.valid_from, r.created_at) > :asOfMs)
      AND p.revision = (SELECT v.row FROM revisions v
        WHERE v.record = r.row AND v.valid_from <= :asOfMs ORDER BY v.number DESC LIMIT 1)`,
} as const

export type RevisionsTable = ReturnType<typeof createRevisionsTable>

export function createRevisionsTable(statements: Statements, toRecord: RowReader) {
  return {
    /** Keeps what these records are; those that are hidden already have nothing to keep. */
    keep(ids: readonly RecordId[], endedBy: RevisionEnd, now: number): void {
      statements.run(SQL.keep, { ids: JSON.stringify(ids), endedBy, now })
    },
    /** After a change, or when they are shown again. */
    begin(ids: readonly RecordId[], now: number): void {
      statements.run(SQL.begin, { ids: JSON.stringify(ids), now })
    },
    history: (id: RecordId): Revision[] => statements.all(SQL.history, { id }).map(toRevision),
    /** Those of the records that have changed since, as they were. */
    asOf(ids: readonly RecordId[], asOfMs: number): Map<RecordId, CairnRecord> {
      const rows = statements.all(SQL.statesThen, { ids: JSON.stringify(ids), asOfMs })
      const then = (ms: unknown): unknown => (ms !== null && Number(ms) > asOfMs ? null : ms)
      return new Map(
        rows.map((row) => [
          row.id as RecordId,
          toRecord({
            ...row,
            superseded_at: then(row.superseded_at),
            deleted_at: then(row.deleted_at),
          }),
        ]),
      )
    },
  }
}

function toRevision(row: Row): Revision {
  return {
    number: Number(row.number),
    validFrom: toIso(row.valid_from),
    validUntil: toIso(row.valid_until),
    endedBy: row.ended_by as RevisionEnd,
    kind: row.kind as Revision['kind'],
    namespace: row.namespace as string,
    title: row.title as string | null,
    body: row.body as string,
    tags: JSON.parse(row.tags as string) as string[],
    people: JSON.parse(row.people as string) as string[],
    source: row.source as string | null,
    metadata: JSON.parse(row.metadata as string) as Revision['metadata'],
    work: row.work === null ? null : (JSON.parse(row.work as string) as Revision['work']),
    importance: Number(row.importance),
    sector: row.sector as Revision['sector'],
    tier: row.tier as Revision['tier'],
    occurredAt: row.occurred_at === null ? null : toIso(row.occurred_at),
  }
}

function toIso(ms: unknown): string {
  return new Date(Number(ms)).toISOString()
}
