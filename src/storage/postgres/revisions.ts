/** The past of a record: its revisions, and the records that superseded it. */

import type { RecordId } from '../../core/ids.js'
import type { CairnRecord, Revision, RevisionEnd } from '../../core/record.js'
import { END_OF_TIME } from '../../core/time.js'
import { groupChains } from '../past-states.js'
import type { SupersedeOptions } from '../storage.js'
import type { Parts } from './open-postgres.js'
import { existedSql, pastSuccessorSql } from './past-sql.js'
import { readOnce } from './read-ahead.js'
import { createRowReader, readRecords, selectRecord } from './records.js'
import { convertTimes, type Statements, toLists } from './statements.js'

const COPIED = [
  ...['kind', 'title', 'body', 'tags', 'people', 'source', 'metadata', 'importance', 'sector'],
  ...['tier', 'updated_at', 'occurred_at', 'author'],
]
const JOINED = ['work', 'model', 'vector']
const INSERT = `INSERT INTO revisions (namespace, record, number, valid_from, valid_until, ended_by, successor,
    ended_author, own_namespace, ${[...COPIED, ...JOINED].join(', ')})`
const qualify = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${alias}.${column}`).join(', ')
const OF_RECORD = 'v.namespace = r.namespace AND v.record = r.row'
const BEGAN = 'coalesce(r.valid_from, r.created_at)'
const SUPERSEDES = 'SUPERSEDES'

const SQL = {
  /** With the vector that the active model made of the whole text. */
  keep: `${INSERT}
    SELECT r.namespace, r.row, 1 + coalesce((SELECT max(v.number) FROM revisions v WHERE ${OF_RECORD}), 0),
      ${BEGAN}, greatest(:now::bigint, ${BEGAN}), :endedBy, (SELECT n.row FROM records n WHERE n.id = :successor),
      :author, r.namespace, ${qualify('r', COPIED)},
      (SELECT w.details FROM works w WHERE w.namespace = r.namespace AND w.record = r.row), e.model,
      coalesce(e.whole, c.vector)
    FROM records r
    LEFT JOIN models m ON m.state = 'active'
    LEFT JOIN embedded e ON e.namespace = r.namespace AND e.record = r.row AND e.model = m.row
    LEFT JOIN chunks c ON c.namespace = e.namespace AND c.record = e.record AND c.model = e.model AND c.ordinal = 0
    WHERE r.id = ANY (:ids::text[]) AND r.present
    RETURNING row`,
  /** The last state of a superseded record once more, with zero length. */
  mark: `${INSERT}
    SELECT v.namespace, v.record, v.number + 1, greatest(:now::bigint, v.valid_until),
      greatest(:now::bigint, v.valid_until), :endedBy, v.successor, :author, v.own_namespace,
      ${qualify('v', [...COPIED, ...JOINED])}
    FROM records r
    JOIN revisions v ON ${OF_RECORD} AND v.number = (SELECT max(x.number) FROM revisions x
      WHERE x.namespace = r.namespace AND x.record = r.row)
    WHERE r.id = ANY (:ids::text[]) AND r.superseded_at IS NOT NULL AND r.deleted_at IS NULL
    RETURNING row`,
  /** The current state began now or, where the clock was set back, when the state before it ended. */
  begin: `UPDATE records r SET author = :author, valid_from = greatest(:now::bigint,
      coalesce((SELECT max(v.valid_until) FROM revisions v WHERE ${OF_RECORD}), r.created_at))
    WHERE r.id = ANY (:ids::text[])`,
  history: `SELECT v.number, v.valid_from AS "validFrom", v.valid_until AS "validUntil", v.ended_by AS "endedBy", v.kind,
      v.own_namespace AS namespace, v.title, v.body, v.tags, v.people, v.source, v.metadata, v.work, v.importance,
      v.sector, v.tier, v.occurred_at AS "occurredAt", v.author, v.ended_author AS "endedAuthor"
    FROM revisions v JOIN records r ON ${OF_RECORD} WHERE r.id = :id ORDER BY v.number`,
  /** Each record in the state it had then; none for a record that is still in that state. */
  asOf: `SELECT ${selectRecord('p', {
    supersededAt: `CASE WHEN p.ended_by = 'supersede' AND p.valid_until <= :asOfMs THEN
        CASE WHEN p.superseded_at <= :asOfMs THEN p.superseded_at ELSE p.valid_until END END`,
    deletedAt: `CASE WHEN p.ended_by = 'delete' AND p.valid_until <= :asOfMs THEN p.valid_until END`,
    work: 'p.work',
    revision: 'p.number',
  })}
    FROM records r JOIN past p ON p.revision = (SELECT v.row FROM revisions v
        WHERE ${OF_RECORD} AND v.valid_from <= :asOfMs ORDER BY v.number DESC LIMIT 1)
    WHERE r.id = ANY (:ids::text[]) AND (NOT r.present OR ${BEGAN} > :asOfMs)`,
  link: `INSERT INTO links (namespace, id, record, target, type, author, note, created_at)
    SELECT n.namespace, one.link, n.row, o.row, '${SUPERSEDES}', :author, :note, :now
    FROM unnest(:links::text[], :id::text[], :heir::text[]) AS one (link, id, heir)
      JOIN records n ON n.id = one.heir JOIN records o ON o.id = one.id
    ON CONFLICT DO NOTHING`,
  unlink: `DELETE FROM links l USING records r
    WHERE l.type = '${SUPERSEDES}' AND l.target = r.row AND r.id = ANY (:ids::text[])`,
  /** Each step of each chain. The depth ends a cycle, which only another program can have made. */
  successors: `WITH RECURSIVE chain (start, row, depth) AS (
      SELECT r.row, r.row, 0 FROM records r WHERE r.id = ANY (:ids::text[])
      UNION ALL
      SELECT chain.start, ${pastSuccessorSql('r')}, chain.depth + 1
        FROM chain JOIN records r ON r.row = chain.row WHERE chain.depth < 1000)
    SELECT s.id AS start, r.id FROM chain JOIN records s ON s.row = chain.start
      JOIN records r ON r.row = chain.row AND ${existedSql('r')}
    WHERE chain.depth > 0 ORDER BY chain.start, chain.depth`,
  any: `SELECT EXISTS (SELECT 1 FROM revisions WHERE ended_by = 'supersede')`,
  /** The records that these supersede, each by its last revision. */
  supersededBy: `SELECT r.id, n.id AS by FROM records n
      JOIN revisions v ON v.successor = n.row
      JOIN records r ON ${OF_RECORD} AND r.superseded_at IS NOT NULL
        AND v.number = (SELECT max(x.number) FROM revisions x WHERE x.namespace = r.namespace AND x.record = r.row)
    WHERE n.id = ANY (:ids::text[]) AND r.id <> ALL (:ids::text[]) ORDER BY r.row`,
  /** All revisions since the record was last valid: it may have been deleted and restored in between. */
  handOver: `UPDATE revisions v SET successor = heir.row
    FROM unnest(:id::text[], :by::text[], :heir::text[]) AS one (id, successor, heir)
      JOIN records r ON r.id = one.id JOIN records n ON n.id = one.successor JOIN records heir ON heir.id = one.heir
    WHERE ${OF_RECORD} AND v.successor = n.row AND v.valid_until >= r.superseded_at`,
} as const

type RevisionTime = { readonly endedBy: RevisionEnd; readonly now: number }

/** Stores the current state of these records; hidden ones have nothing to store. Returns the rows of the revisions. */
export async function keepRevisions(
  statements: Statements,
  ids: readonly RecordId[],
  { endedBy, successor = null, now }: { successor?: RecordId | null } & RevisionTime,
): Promise<number[]> {
  const { author } = statements
  return (await statements.column(SQL.keep, { ids, endedBy, successor, now, author })) as number[]
}

/** Notes when superseded records are deleted or restored. Returns the rows of the revisions. */
export async function markRevisions(
  statements: Statements,
  ids: readonly RecordId[],
  { endedBy, now }: RevisionTime,
): Promise<number[]> {
  const { author } = statements
  return (await statements.column(SQL.mark, { ids, endedBy, now, author })) as number[]
}

/** To be called after a change, or when records are shown again. */
export async function beginState(
  statements: Statements,
  ids: readonly RecordId[],
  now: number,
): Promise<void> {
  await statements.run(SQL.begin, { ids, now, author: statements.author })
}

export async function readHistory(statements: Statements, id: RecordId): Promise<Revision[]> {
  const rows = await statements.all(SQL.history, { id })
  return rows.map((row) => convertTimes(row, ['validFrom', 'validUntil', 'occurredAt']))
}

/** In the state of that time, also those that were deleted since. */
export async function readRecordsAsOf(
  statements: Statements,
  parts: Parts,
  { ids, asOfMs }: { readonly ids: readonly RecordId[]; readonly asOfMs: number },
): Promise<CairnRecord[]> {
  const [rows, records] = await Promise.all([
    statements.all(SQL.asOf, { ids, asOfMs }),
    readRecords(statements, parts, { ids, deleted: true }),
  ])
  const changed = new Map(rows.map((row) => [row.id as RecordId, createRowReader(parts)(row)]))
  return records.map((record) => changed.get(record.id) ?? record)
}

export async function readSuccessors(
  statements: Statements,
  ids: readonly RecordId[],
  atMs: number = END_OF_TIME,
): Promise<Map<RecordId, RecordId[]>> {
  return groupChains(await statements.all(SQL.successors, { ids, atMs }))
}

type Chains = {
  readonly ids: ReadonlySet<RecordId>
  readonly chains: ReadonlyMap<RecordId, RecordId[]>
}
const readAhead = (statements: Statements, atMs: number, read: () => Promise<Chains | null>) =>
  readOnce(statements, `successors ${atMs}`, read)

/** Reads the successors of what a search has found, as it will ask for some of them. */
export function expectSuccessors(
  statements: Statements,
  ids: readonly RecordId[],
  atMs: number,
): void {
  if (ids.length === 0) return
  void readAhead(statements, atMs, async () => {
    return { ids: new Set(ids), chains: await readSuccessors(statements, ids, atMs) }
  })
}

export async function findSuccessors(
  statements: Statements,
  ids: readonly RecordId[],
  atMs: number,
): Promise<ReadonlyMap<RecordId, RecordId[]>> {
  const ahead = await readAhead(statements, atMs, async () => null)
  if (!ids.every((id) => ahead?.ids.has(id))) return readSuccessors(statements, ids, atMs)
  return new Map(
    ids.flatMap((id) => {
      const chain = ahead?.chains.get(id)
      return chain === undefined ? [] : [[id, chain] as const]
    }),
  )
}

export async function anySuperseded(statements: Statements): Promise<boolean> {
  return (await statements.value(SQL.any)) === true
}

type Succession = { readonly id: RecordId; readonly heir: RecordId }

export async function linkSuccessors(
  statements: Statements,
  successions: readonly Succession[],
  { makeId, now, author, note }: SupersedeOptions & Pick<Parts, 'makeId'> & { now: number },
): Promise<void> {
  await statements.run(SQL.link, {
    ...toLists(successions, ['id', 'heir']),
    links: successions.map(makeId),
    ...{ author: statements.author ?? author, note, now },
  })
}

export async function unlinkSuccessors(
  statements: Statements,
  ids: readonly RecordId[],
): Promise<void> {
  await statements.run(SQL.unlink, { ids })
}

/**
 * Before these records are purged: hands the records that they supersede over to their own successor. Returns those that
 * are left without one.
 */
export async function handOverSuccession(
  statements: Statements,
  ids: readonly RecordId[],
  parts: Pick<Parts, 'makeId'> & { readonly now: number },
): Promise<RecordId[]> {
  const superseded = await statements.all(SQL.supersededBy, { ids })
  if (superseded.length === 0) return []
  const chains = await readSuccessors(statements, ids)
  const left = superseded.map((row) => {
    const by = row.by as RecordId
    const heir = chains.get(by)?.find((one) => !ids.includes(one)) ?? null
    return { id: row.id as RecordId, by, heir }
  })
  const handed = left.flatMap(({ heir, ...one }) => (heir === null ? [] : [{ ...one, heir }]))
  if (handed.length > 0) {
    await statements.run(SQL.handOver, toLists(handed, ['id', 'by', 'heir']))
    await linkSuccessors(statements, handed, { ...parts, author: null, note: null })
  }
  return left.flatMap(({ id, heir }) => (heir === null ? [id] : []))
}
