/** The past of a record: its revisions, and the records that superseded it. */

import type { RecordId } from '../../../core/ids.js'
import type { CairnRecord, Revision, RevisionEnd } from '../../../core/record.js'
import { END_OF_TIME, toIso } from '../../../core/time.js'
import { BLOCK_SLOTS } from '../../../vectors/block.js'
import type { SupersedeOptions, SupersedeOutcome } from '../../storage.js'
import { existedSql, pastSuccessorSql } from '../past/past-sql.js'
import type { Row, Statements } from '../statements.js'
import type { RecordsTable, RowReader } from './records.js'

/** What is kept of a record; everything else of a revision says when it was so. */
const KEPT = [
  ...['kind', 'namespace', 'title', 'body', 'tags', 'people', 'source', 'metadata', 'importance'],
  ...['sector', 'tier', 'updated_at', 'occurred_at', 'title_ix', 'body_ix', 'tags_ix', 'people_ix'],
]
/** These come from other tables. */
const JOINED = ['work', 'model', 'scale', 'codes']
const INSERT = `INSERT INTO revisions (record, number, valid_from, valid_until, ended_by, successor,
    ${[...KEPT, ...JOINED].join(', ')})`
const columnsOf = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${alias}.${column}`).join(', ')

const SQL = {
  /** With the vector that the model in charge had made of the whole text. */
  keep: `${INSERT}
    SELECT r.row, 1 + coalesce((SELECT max(v.number) FROM revisions v WHERE v.record = r.row), 0),
      coalesce(r.valid_from, r.created_at), max(:now, coalesce(r.valid_from, r.created_at)), :endedBy,
      (SELECT n.row FROM records n WHERE n.id = :successor), ${columnsOf('r', KEPT)},
      (SELECT w.details FROM works w WHERE w.record = r.row), e.model, f.scale, f.codes
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value AND r.present
    LEFT JOIN models m ON m.state = 'active'
    LEFT JOIN embedded e ON e.model = m.row AND e.record = r.row
    LEFT JOIN chunks c ON c.model = m.row AND c.record = r.row AND c.ordinal = 0
    LEFT JOIN vectors f ON f.place = coalesce(e.whole_block, c.block) * ${BLOCK_SLOTS} + coalesce(e.whole_slot, c.slot)`,
  /** Of what is superseded and not deleted: its last state once more, for no time. */
  mark: `${INSERT}
    SELECT v.record, v.number + 1, max(:now, v.valid_until), max(:now, v.valid_until), :endedBy, v.successor,
      ${columnsOf('v', [...KEPT, ...JOINED])}
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value AND r.superseded_at IS NOT NULL AND r.deleted_at IS NULL
    CROSS JOIN revisions v ON v.record = r.row
      AND v.number = (SELECT max(x.number) FROM revisions x WHERE x.record = r.row)`,
  /** What a record is from now on began now, or, where the clock was set back, when the state before it ended. */
  begin: `UPDATE records SET valid_from = max(:now,
      coalesce((SELECT max(v.valid_until) FROM revisions v WHERE v.record = records.row), created_at))
    WHERE id IN (SELECT value FROM json_each(:ids))`,
  history: `SELECT v.* FROM revisions v JOIN records r ON r.row = v.record WHERE r.id = :id ORDER BY v.number`,
  /** Each record in the state it had then; the row itself where that is what it still is. */
  asOf: `SELECT p.id, p.kind, p.namespace, p.title, p.body, p.tags, p.people, p.source, p.metadata, p.importance,
      p.sector, p.tier, p.salience, p.session_id, p.created_at, p.updated_at, p.accessed_at, p.occurred_at,
      CASE WHEN p.ended_by = 'supersede' AND p.valid_until <= :asOfMs
        THEN iif(p.superseded_at <= :asOfMs, p.superseded_at, p.valid_until) END AS superseded_at,
      CASE WHEN p.ended_by = 'delete' AND p.valid_until <= :asOfMs THEN p.valid_until END AS deleted_at, p.work
    FROM json_each(:ids) wanted
    CROSS JOIN records r ON r.id = wanted.value
    CROSS JOIN past p ON p.row = r.row
    WHERE (NOT r.present OR coalesce(r.valid_from, r.created_at) > :asOfMs)
      AND p.revision = (SELECT v.row FROM revisions v
        WHERE v.record = r.row AND v.valid_from <= :asOfMs ORDER BY v.number DESC LIMIT 1)`,
} as const

export type RevisionEnding = {
  readonly endedBy: RevisionEnd
  /** What takes its place. */
  readonly successor?: RecordId
}

export type RevisionsTable = ReturnType<typeof createRevisionsTable>

export function createRevisionsTable(statements: Statements, toRecord: RowReader) {
  return {
    /** Keeps what these records are; those that are hidden already have nothing to keep. */
    keep(ids: readonly RecordId[], end: RevisionEnding, now: number): void {
      const { endedBy, successor = null } = end
      statements.run(SQL.keep, { ids: JSON.stringify(ids), endedBy, successor, now })
    },
    /** That superseded records are deleted, or are there again, has its moment as well. */
    mark(ids: readonly RecordId[], endedBy: RevisionEnd, now: number): void {
      statements.run(SQL.mark, { ids: JSON.stringify(ids), endedBy, now })
    },
    /** After a change, or when they are shown again. */
    begin(ids: readonly RecordId[], now: number): void {
      statements.run(SQL.begin, { ids: JSON.stringify(ids), now })
    },
    history: (id: RecordId): Revision[] => statements.all(SQL.history, { id }).map(toRevision),
    /** Those of the records that have changed since, as they were. */
    asOf(ids: readonly RecordId[], asOfMs: number): Map<RecordId, CairnRecord> {
      const rows = statements.all(SQL.asOf, { ids: JSON.stringify(ids), asOfMs })
      return new Map(rows.map((row) => [row.id as RecordId, toRecord(row)]))
    },
  }
}

function toRevision(row: Row): Revision {
  return {
    number: Number(row.number),
    validFrom: toIso(Number(row.valid_from)),
    validUntil: toIso(Number(row.valid_until)),
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
    occurredAt: row.occurred_at === null ? null : toIso(Number(row.occurred_at)),
  }
}

const SUPERSEDES = 'SUPERSEDES'

const SUPERSEDE_SQL = {
  link: `INSERT INTO links (id, source, target, type, author, note, created_at)
    SELECT :linkId, n.row, o.row, '${SUPERSEDES}', :author, :note, :now
    FROM records n, records o WHERE n.id = :by AND o.id = :id`,
  unlink: `DELETE FROM links WHERE type = '${SUPERSEDES}'
    AND target = (SELECT row FROM records WHERE id = :id)`,
  /** Each step of each chain; a circle, which only another program can have made, ends somewhere. */
  successors: `WITH RECURSIVE chain (start, row, depth) AS (
      SELECT r.row, r.row, 0 FROM records r WHERE r.id IN (SELECT value FROM json_each(:ids))
      UNION ALL
      SELECT chain.start, ${pastSuccessorSql('r')}, chain.depth + 1
        FROM chain CROSS JOIN records r ON r.row = chain.row WHERE chain.depth < 1000)
    SELECT s.id AS start, r.id FROM chain CROSS JOIN records s ON s.row = chain.start
      CROSS JOIN records r ON r.row = chain.row AND ${existedSql('r')}
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
    for (const row of statements.all(SUPERSEDE_SQL.successors, {
      ids: JSON.stringify(ids),
      atMs,
    })) {
      const start = row.start as RecordId
      const chain = chains.get(start) ?? []
      if (!chain.includes(row.id as RecordId)) chain.push(row.id as RecordId)
      chains.set(start, chain)
    }
    return chains
  }
  const reinstate = (id: RecordId, now: number): boolean => {
    statements.run(SUPERSEDE_SQL.unlink, { id })
    return records.reinstate(id, now).length > 0
  }
  return {
    successors,
    any: (): boolean => statements.value(SUPERSEDE_SQL.any) === 1,
    /** Inside a transaction of the caller's. */
    supersede(id: RecordId, by: RecordId, how: SupersedeOptions, now: number): SupersedeOutcome {
      const [old, newer] = records.read([id, by], false)
      if (id === by || successors([by], END_OF_TIME).get(by)?.includes(id)) return 'circle'
      if (old === undefined || newer === undefined) return 'gone'
      if (old.supersededAt !== null) return 'superseded'
      records.supersede(id, by, now)
      statements.run(SUPERSEDE_SQL.link, { linkId: makeId(), id, by, ...how, now })
      return 'done'
    },
    reinstate,
    /**
     * Before these are purged: what they correct goes over to what corrects them, or is valid again. Gives the latter.
     */
    leaveTo(ids: readonly RecordId[], now: number): RecordId[] {
      const freed: RecordId[] = []
      for (const row of statements.all(SUPERSEDE_SQL.correctedBy, { ids: JSON.stringify(ids) })) {
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
        statements.run(SUPERSEDE_SQL.handOver, { id, by, heir })
        const link = { id, by: heir, linkId: makeId(), author: null, note: null, now }
        statements.run(SUPERSEDE_SQL.link, link)
      }
      return freed
    },
  }
}
