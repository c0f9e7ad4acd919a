/** The links table: each pair of records is linked once per type, and a citation may name a work that is not stored yet. */

import { noRecord } from '../../../core/errors.js'
import type { RecordId } from '../../../core/ids.js'
import type { Link } from '../../../core/record.js'
import { checkEnds, type MemoryStorage, type NewLink } from '../../memory.js'
import { toLinkView } from '../../memory-rows.js'
import { noteLink } from '../log.js'
import type { Parts } from '../open-postgres.js'
import type { Runners } from '../runner.js'
import { convertTimes, type Row, type Statements, toLists } from '../statements.js'
import { beginningOf } from './sessions.js'

const COLUMNS = `l.id, l.type, a.id AS source, b.id AS target, l.target_ref AS "targetRef", l.author, l.note,
  l.created_at AS "createdAt"`
const ENDS = `JOIN records a ON a.namespace = l.namespace AND a.row = l.record LEFT JOIN records b ON b.row = l.target`
const LINKS = `SELECT ${COLUMNS} FROM links l ${ENDS}`

const SQL = {
  /** In the order of their rows, as everyone locks them, so that two writers do not wait for each other. */
  lockLive: `SELECT r.id, r.namespace, r.row FROM records r WHERE r.id = ANY (:ids::text[]) AND r.deleted_at IS NULL
    ORDER BY r.row FOR NO KEY UPDATE`,
  same: `SELECT DISTINCT l.namespace, l.row, l.record, l.target, l.target_ref AS "targetRef", l.type, l.author, l.note, l.id
    FROM unnest(:record::bigint[], :type::text[], :target::bigint[], :targetRef::text[]) AS n (source, type, target, reference)
      JOIN links l ON l.record = n.source AND l.type = n.type AND (l.target = n.target OR l.target_ref = n.reference)
    ORDER BY l.row`,
  insert: `INSERT INTO links (namespace, id, record, target, target_ref, type, author, note, created_at)
    SELECT n.namespace, n.id, n.record, n.target, n.reference, n.type, n.author, n.note, n.created_at
    FROM unnest(:namespace::text[], :id::text[], :record::bigint[], :target::bigint[], :targetRef::text[],
        :type::text[], :author::text[], :note::text[], :createdAtMs::bigint[])
      WITH ORDINALITY AS n (namespace, id, record, target, reference, type, author, note, created_at, n)
    ORDER BY n.n ON CONFLICT DO NOTHING`,
  update: `UPDATE links l SET target = n.target, target_ref = n.reference, author = n.author, note = n.note
    FROM unnest(:id::text[], :target::bigint[], :targetRef::text[], :author::text[], :note::text[])
      AS n (id, target, reference, author, note) WHERE l.id = n.id`,
  remove: 'DELETE FROM links WHERE id = ANY (:ids::text[])',
  unlink: `WITH l AS (DELETE FROM links WHERE id = :id RETURNING *) ${LINKS.replace('links l', 'l')}`,
  byId: `${LINKS} WHERE l.id = :id`,
  between: `${LINKS} WHERE a.id = :source AND b.id = :target ORDER BY l.row`,
  ofRecord: `SELECT ${COLUMNS}, w.direction, o.id AS other, o.title, o.source AS origin, ${beginningOf('o.body')} AS beginning
    FROM (
      SELECT l.row, 'out' AS direction, l.target AS other FROM links l JOIN records r ON r.row = l.record WHERE r.id = :id
      UNION ALL
      SELECT l.row, 'in', l.record FROM links l JOIN records r ON r.row = l.target WHERE r.id = :id) w
    JOIN links l ON l.row = w.row ${ENDS} LEFT JOIN records o ON o.row = w.other
    WHERE o.deleted_at IS NULL ORDER BY l.created_at, l.row`,
} as const

const COLUMN_FIELDS = [
  ...(['namespace', 'id', 'record', 'target', 'targetRef'] as const),
  ...(['type', 'author', 'note', 'createdAtMs'] as const),
]

/** A link of the table, or one that is to be added. */
export type StoredLink = Pick<NewLink, 'targetRef' | 'type' | 'author' | 'note'> & {
  readonly id: string
  readonly namespace: string
  readonly record: number
  readonly target: number | null
  readonly createdAtMs: number
}

/** The same link again only takes the new note and author. Returns the id of each, old or new. */
export async function addLinks(
  statements: Statements,
  links: readonly NewLink[],
  { makeId, now }: { readonly makeId: () => string; readonly now: number },
): Promise<string[]> {
  if (links.length === 0) return []
  for (const link of links) checkEnds(link)
  const resolved = await resolveEnds(statements, links, now)
  const ends = toLists(resolved, ['record', 'type', 'target', 'targetRef'])
  const stored = (await statements.all(SQL.same, ends)) as unknown as StoredLink[]
  const plan = planLinks(stored, resolved, makeId)
  // What two links had is one from here on: the other goes first, since each pair is linked once.
  await Promise.all([
    removeLinks(statements, plan.removed),
    insertLinks(statements, plan.changed, SQL.update),
    insertLinks(statements, plan.added),
  ])
  return plan.ids
}

/** Keeps these records from being purged until the transaction ends. Throws if one of them is gone. */
export async function lockLive(statements: Statements, ids: readonly RecordId[]) {
  const rows = await statements.all(SQL.lockLive, { ids: [...new Set(ids)] })
  const found = new Map(rows.map((row) => [row.id, row]))
  return (id: RecordId) => {
    const row = found.get(id)
    if (row === undefined) throw noRecord(id)
    return { namespace: String(row.namespace), record: Number(row.row) }
  }
}

type Resolved = Omit<StoredLink, 'id'>

async function resolveEnds(
  statements: Statements,
  links: readonly NewLink[],
  createdAtMs: number,
): Promise<Resolved[]> {
  const find = await lockLive(
    statements,
    links.flatMap(({ source, target }) => [source, ...(target === null ? [] : [target])]),
  )
  return links.map(({ source, target, targetRef, type, author, note }) => ({
    ...{ ...find(source), targetRef, type, author, note, createdAtMs },
    target: target === null ? null : find(target).record,
  }))
}

/** One link may have had the reference and another the record: they become the first of them. */
function planLinks(
  stored: readonly StoredLink[],
  links: readonly Resolved[],
  makeId: () => string,
) {
  const bySource = new Map<number, StoredLink[]>()
  for (const link of stored) bySource.set(link.record, [...(bySource.get(link.record) ?? []), link])
  const touched = new Set<string>()
  const removed = new Set<string>()
  const ids = links.map((link) => {
    const others = bySource.get(link.record) ?? []
    const same = others.filter(
      (one) =>
        one.type === link.type &&
        ((link.target !== null && one.target === link.target) ||
          (link.targetRef !== null && one.targetRef === link.targetRef)),
    )
    const [first, ...rest] = same
    const id = first?.id ?? makeId()
    for (const one of rest) removed.add(one.id)
    const merged: StoredLink = {
      ...link,
      id,
      target: link.target ?? first?.target ?? null,
      targetRef: link.targetRef ?? first?.targetRef ?? null,
      author: link.author ?? first?.author ?? null,
      note: link.note ?? first?.note ?? null,
    }
    const left = others.filter((one) => !rest.includes(one))
    const at = first === undefined ? left.length : left.indexOf(first)
    left.splice(at, 1, merged)
    bySource.set(link.record, left)
    touched.add(id)
    return id
  })
  const isStored = new Set(stored.map(({ id }) => id))
  const written = [...bySource.values()].flat().filter(({ id }) => touched.has(id))
  return {
    ids,
    added: written.filter(({ id }) => !isStored.has(id)),
    changed: written.filter(({ id }) => isStored.has(id)),
    removed: [...removed].filter((id) => isStored.has(id)),
  }
}

/** A pair of records that has a link of the type keeps it. */
export async function insertLinks(
  statements: Statements,
  links: readonly StoredLink[],
  sql: string = SQL.insert,
): Promise<void> {
  if (links.length > 0) await statements.run(sql, toLists(links, COLUMN_FIELDS))
}

export async function removeLinks(statements: Statements, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await statements.run(SQL.remove, { ids })
}

export function createLinks({ now, makeId }: Parts, { run, amend }: Runners) {
  return {
    link: (link) =>
      amend(null, async (statements) => {
        const signed = { ...link, author: statements.author ?? link.author }
        const [id = ''] = await addLinks(statements, [signed], { makeId, now: now() })
        await noteLink(statements, 'link', { ...link, at: now() })
        const [written] = await statements.all(SQL.byId, { id })
        return toLink(written as Row)
      }),
    unlink: (id) =>
      amend(null, async (statements) => {
        const [removed = null] = (await statements.all(SQL.unlink, { id })).map(toLink)
        if (removed !== null) await noteLink(statements, 'unlink', { ...removed, at: now() })
        return removed
      }),
    findLink: (source, target, type) =>
      run(async (statements) => {
        const links = (await statements.all(SQL.between, { source, target })).map(toLink)
        return links.filter((link) => type === null || link.type === type)
      }),
    listLinks: (id) =>
      run(async (statements) => {
        const rows = await statements.all(SQL.ofRecord, { id })
        return rows.map((row) => toLinkView(toLink(row)))
      }),
  } satisfies Partial<MemoryStorage>
}

function toLink(row: Row): Link {
  return convertTimes(row, ['createdAt'])
}
