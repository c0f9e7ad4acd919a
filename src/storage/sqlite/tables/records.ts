/** The records table: columns, indexed forms and hashes; read, update, hide and remove records. */

import type { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { RecordId } from '../../../core/ids.js'
import type { CairnRecord, NewRecord, RecordChange } from '../../../core/record.js'
import { effectiveSalience } from '../../../core/salience.js'
import { toIso } from '../../../core/time.js'
import type { WorkDetails } from '../../../core/work.js'
import { segment } from '../../../text/segment.js'
import { tagToken } from '../match.js'
import type { Row, Statements } from '../statements.js'
import type { RevisionEnding, RevisionsTable } from './revisions.js'

export function toColumns(record: NewRecord) {
  return {
    kind: record.kind,
    namespace: record.namespace,
    title: record.title,
    body: record.body,
    tags: JSON.stringify(record.tags),
    people: JSON.stringify(record.people),
    source: record.source,
    metadata: JSON.stringify(record.metadata),
    importance: record.importance,
    sector: record.sector,
    tier: record.tier,
    occurredAt: record.occurredAtMs,
  }
}

type Texts = Pick<CairnRecord, 'title' | 'body' | 'tags' | 'people'>

/** Null where what is shown can be indexed as it is. */
export function toIndexedForm({ title, body, tags, people }: Texts) {
  return {
    titleIx: title === null ? null : (segment(title)?.text ?? null),
    bodyIx: segment(body)?.text ?? null,
    tagsIx:
      tags.length === 0
        ? null
        : tags.map((tag) => `${segment(tag)?.text ?? tag} ${tagToken(tag)}`).join(' ; '),
    peopleIx: people.length === 0 ? null : (segment(people.join(' ; '))?.text ?? null),
  }
}

type Content = Pick<NewRecord, 'kind' | 'title' | 'body' | 'sessionId' | 'occurredAtMs'>

/** Kind and text make two records the same, not their namespace or time. In a session the position counts as well: "ok" said twice is two turns. */
export function hashContent({ kind, title, body, sessionId, occurredAtMs }: Content): Buffer {
  const position = sessionId === null ? [] : [sessionId, occurredAtMs]
  return hash('sha256', JSON.stringify([kind, title, body, ...position]), 'buffer')
}

const SHOWN = `r.id, r.kind, r.namespace, r.title, r.body, r.tags, r.people, r.source, r.metadata, r.importance,
  r.sector, r.tier, r.salience, r.session_id, r.created_at, r.updated_at, r.accessed_at, r.occurred_at,
  r.superseded_at, r.deleted_at, (SELECT w.details FROM works w WHERE w.record = r.row) AS work`

const SQL = {
  update: `UPDATE records SET
      kind = :kind, namespace = :namespace, title = :title, body = :body, tags = :tags, people = :people,
      source = :source, metadata = :metadata, importance = :importance, sector = :sector, tier = :tier,
      updated_at = :now, occurred_at = :occurredAt, content_hash = :hash,
      title_ix = :titleIx, body_ix = :bodyIx, tags_ix = :tagsIx, people_ix = :peopleIx
    WHERE id = :id`,
  setSalience: 'UPDATE records SET salience = :salience, accessed_at = :now WHERE id = :id',
  setIndexed: `UPDATE records SET title_ix = :titleIx, body_ix = :bodyIx, tags_ix = :tagsIx, people_ix = :peopleIx
    WHERE id = :id AND (title_ix IS NOT :titleIx OR body_ix IS NOT :bodyIx
      OR tags_ix IS NOT :tagsIx OR people_ix IS NOT :peopleIx)`,
  live: `SELECT ${SHOWN} FROM records r
    WHERE r.id IN (SELECT value FROM json_each(:ids)) AND r.deleted_at IS NULL`,
  any: `SELECT ${SHOWN} FROM records r WHERE r.id IN (SELECT value FROM json_each(:ids))`,
  each: `SELECT ${SHOWN} FROM records r WHERE r.row > :after ORDER BY r.row LIMIT 1`,
  batch: `SELECT r.row, ${SHOWN} FROM records r WHERE r.row > :after ORDER BY r.row LIMIT 1000`,
  softDelete: `UPDATE records SET deleted_at = :now
    WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL RETURNING id`,
  restore: `UPDATE records SET deleted_at = NULL
    WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NOT NULL RETURNING id`,
  supersede: `UPDATE records SET superseded_at = :now
    WHERE id IN (SELECT value FROM json_each(:ids)) AND present RETURNING id`,
  reinstate: `UPDATE records SET superseded_at = NULL
    WHERE id IN (SELECT value FROM json_each(:ids)) AND superseded_at IS NOT NULL RETURNING id`,
  describe: `INSERT INTO works (record, details) SELECT row, :details FROM records WHERE id = :id
    ON CONFLICT (record) DO UPDATE SET details = excluded.details`,
  identify: `INSERT INTO work_identities (identity, record)
    SELECT i.value, r.row FROM json_each(:identities) i CROSS JOIN records r ON r.id = :id
    WHERE true ON CONFLICT DO NOTHING`,
  purge: 'DELETE FROM records WHERE id IN (SELECT value FROM json_each(:ids)) RETURNING id',
} as const

export type RecordsTable = ReturnType<typeof createRecordsTable>

export function createRecordsTable(
  statements: Statements,
  toRecord: RowReader,
  revisions: RevisionsTable,
) {
  const read = (ids: readonly RecordId[], deleted: boolean): CairnRecord[] => {
    const rows = statements.all(deleted ? SQL.any : SQL.live, { ids: JSON.stringify(ids) })
    const found = new Map(rows.map((row) => [String(row.id), toRecord(row)]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }
  /** Gives the ids it changed; what they were is kept. */
  const hide = (sql: string, ids: readonly RecordId[], end: RevisionEnding, now: number) => {
    if (end.endedBy === 'delete') revisions.mark(ids, 'delete', now)
    revisions.keep(ids, end, now)
    return statements.column(sql, { ids: JSON.stringify(ids), now }) as RecordId[]
  }
  const show = (sql: string, ids: readonly RecordId[], now: number): RecordId[] => {
    const shown = statements.column(sql, { ids: JSON.stringify(ids) }) as RecordId[]
    revisions.begin(shown, now)
    return shown
  }
  const describe = (id: RecordId, work: WorkDetails): void =>
    void statements.run(SQL.describe, { id, details: JSON.stringify(work) })
  const identify = (id: RecordId, identities: readonly string[]): void =>
    void statements.run(SQL.identify, { id, identities: JSON.stringify(identities) })
  return {
    read,
    /** What makes a record a work. */
    describe,
    /** Keys by which a work can be found, beside those it has. */
    identify,
    /** As they were then, in the order asked, whatever became of them. */
    readAsOf(ids: readonly RecordId[], asOfMs: number): CairnRecord[] {
      const changed = revisions.asOf(ids, asOfMs)
      return read(ids, true).map((record) => changed.get(record.id) ?? record)
    },
    update(id: RecordId, change: RecordChange, now: number): CairnRecord | null {
      const [before] = read([id], false)
      if (before === undefined) return null
      const { salience, work, identities, ...rest } = change
      if (salience !== undefined) statements.run(SQL.setSalience, { id, salience, now })
      const occurredAtMs = before.occurredAt === null ? null : Date.parse(before.occurredAt)
      const known: NewRecord = { ...before, occurredAtMs }
      const after: NewRecord = { ...known, ...rest }
      const isDescribedAnew =
        work !== undefined && JSON.stringify(work) !== JSON.stringify(before.work)
      if (isDescribedAnew || !isSame(toColumns(known), toColumns(after))) {
        revisions.keep([id], { endedBy: 'edit' }, now)
        const indexed = toIndexedForm(after)
        statements.run(SQL.update, {
          ...toColumns(after),
          ...indexed,
          id,
          hash: hashContent(after),
          now,
        })
        // Where a new text has the indexed form of the old one, the trigger has taken it for a stale one.
        statements.run(SQL.setIndexed, { ...indexed, id })
        if (isDescribedAnew) describe(id, work)
        revisions.begin([id], now)
      }
      if (identities !== undefined) identify(id, identities)
      return read([id], false)[0] ?? null
    },
    softDelete: (ids: readonly RecordId[], now: number) =>
      hide(SQL.softDelete, ids, { endedBy: 'delete' }, now),
    restore(ids: readonly RecordId[], now: number): RecordId[] {
      const shown = show(SQL.restore, ids, now)
      revisions.mark(shown, 'supersede', now)
      return shown
    },
    supersede: (id: RecordId, successor: RecordId, now: number) =>
      hide(SQL.supersede, [id], { endedBy: 'supersede', successor }, now),
    reinstate: (id: RecordId, now: number) => show(SQL.reinstate, [id], now),
    purge: (ids: readonly RecordId[]) =>
      statements.column(SQL.purge, { ids: JSON.stringify(ids) }) as RecordId[],
    /** Writes the indexed form of every record anew, where it is not what it ought to be. */
    segmentAll(): void {
      let after = -1
      for (;;) {
        const rows = statements.all(SQL.batch, { after })
        for (const row of rows) {
          const record = toRecord(row)
          statements.run(SQL.setIndexed, { ...toIndexedForm(record), id: record.id })
          after = Number(row.row)
        }
        if (rows.length === 0) return
      }
    },
  }
}

export const SHOWN_COLUMNS = SHOWN

function isSame(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) {
  return Object.keys(a).every((column) => a[column] === b[column])
}

export type RowReader = (row: Row) => CairnRecord

/** Reads rows as they are seen now, when some of their salience has faded. */
export function createRowReader(now: () => number, decay: number): RowReader {
  return (row) => {
    const accessedAtMs = Number(row.accessed_at ?? row.created_at)
    const salience = row.salience as number
    const importance = row.importance as number
    const sector = row.sector as CairnRecord['sector']
    return {
      id: row.id as RecordId,
      kind: row.kind as CairnRecord['kind'],
      namespace: row.namespace as string,
      title: row.title as string | null,
      body: row.body as string,
      tags: JSON.parse(row.tags as string) as string[],
      people: JSON.parse(row.people as string) as string[],
      source: row.source as string | null,
      metadata: JSON.parse(row.metadata as string) as CairnRecord['metadata'],
      work: typeof row.work === 'string' ? (JSON.parse(row.work) as WorkDetails) : null,
      importance,
      sector,
      tier: row.tier as CairnRecord['tier'],
      salience,
      effectiveSalience: effectiveSalience(
        { salience, importance, sector, accessedAtMs },
        now(),
        decay,
      ),
      sessionId: row.session_id as string | null,
      createdAt: toIso(Number(row.created_at)),
      updatedAt: toIso(Number(row.updated_at)),
      accessedAt: toIso(accessedAtMs),
      occurredAt: orNull(row.occurred_at),
      supersededAt: orNull(row.superseded_at),
      deletedAt: orNull(row.deleted_at),
    }
  }
}

function orNull(ms: unknown): string | null {
  return ms === null ? null : toIso(Number(ms))
}
