/** Writes a batch of an import: the records, and which item of which source each one came from. */

import { joinTexts, splitTexts } from '../../core/full-text.js'
import type { RecordId } from '../../core/ids.js'
import {
  bindSource,
  type ImportedLink,
  type ImportOutcome,
  type ImportSource,
  type ImportStorage,
  type ImportWrite,
  mergeEdits,
  pickVectors,
  type StoredItem,
  toChange,
} from '../imports.js'
import type { EmbeddedRecords } from '../vectors.js'
import { addLinks, removeLinks } from './memory/links.js'
import { importSessions } from './memory/sessions.js'
import type { Parts } from './open-postgres.js'
import { restoreRecords, softDeleteRecords } from './record-states.js'
import { addWithAll, updateRecords } from './record-writes.js'
import { readRecords } from './records.js'
import type { Runners } from './runner.js'
import { type Row, type Statements, toLists } from './statements.js'

/** The fields that people edit. */
const MERGED =
  'title, body, tags, people, source, metadata, importance, sector, tier, kind, occurred_at AS "occurredAtMs"'

/** `isOwn`: no other item has the record, and an import created it, so that a change of the item may change it. */
const ITEMS = `SELECT i.key, i.hash, r.id, r.deleted_at IS NOT NULL AS "isDeleted",
    r.superseded_at IS NOT NULL AS "isSuperseded", r.row, i.made, i.seen_at AS "seenAt",
    r.updated_at > i.seen_at AS "isEdited",
    r.row IS NOT NULL AND EXISTS (SELECT FROM imports o WHERE o.record = i.record AND o.made)
      AND NOT EXISTS (SELECT FROM imports o WHERE o.record = i.record AND o.hash IS NOT NULL
        AND (o.namespace, o.source, o.key) <> (i.namespace, i.source, i.key)) AS "isOwn"
  FROM imports i LEFT JOIN records r ON r.row = i.record AND i.namespace IN ('', r.namespace)
  WHERE i.namespace = :namespace AND i.source = :source`

const SQL = {
  known: `${ITEMS} AND i.key = ANY (:keys::text[])`,
  sources: `SELECT i.source FROM records r JOIN imports i ON i.record = r.row
    WHERE r.id = :id AND i.hash IS NOT NULL ORDER BY i.seen_at DESC`,
  page: `${ITEMS} AND i.key COLLATE "C" > :after ORDER BY i.key COLLATE "C" LIMIT :limit`,
  write: `INSERT INTO imports (namespace, source, key, hash, record, made, seen_at)
    SELECT :namespace, :source, n.key, n.hash, r.row, coalesce(n.made, false), :now::bigint
    FROM unnest(:key::text[], :hash::text[], :id::text[], :made::boolean[]) AS n (key, hash, id, made)
      LEFT JOIN records r ON r.id = n.id
    ON CONFLICT (namespace, source, key) DO UPDATE SET
      hash = excluded.hash, record = excluded.record, made = excluded.made, seen_at = excluded.seen_at`,
  gone: `UPDATE imports SET hash = NULL, seen_at = :now
    WHERE namespace = :namespace AND source = :source AND key = ANY (:keys::text[])`,
  /** The state that the last import wrote, where the record was edited since. */
  imported: `SELECT DISTINCT ON (n.row) n.row, ${MERGED}
    FROM unnest(:rows::bigint[], :seen::bigint[]) AS n (row, seen_at)
      JOIN revisions v ON v.record = n.row AND v.valid_from <= n.seen_at AND v.valid_until > n.seen_at
    ORDER BY n.row, v.number DESC`,
  current: `SELECT row, ${MERGED} FROM records WHERE row = ANY (:rows::bigint[])`,
  /** So that the next import reads the other files of the record again: one of them may hold the same text. */
  readAgain: `UPDATE imports i SET hash = '' FROM unnest(:row::bigint[], :key::text[]) AS n (row, key)
    WHERE i.record = n.row AND i.key <> n.key AND i.hash IS NOT NULL`,
  inherit: 'UPDATE imports SET made = true WHERE record = ANY (:rows::bigint[])',
  links: `SELECT DISTINCT l.id, l.type, a.id AS source, b.id AS target, l.author, i.key
    FROM imports i JOIN links l ON l.record = i.record
      JOIN records a ON a.namespace = l.namespace AND a.row = l.record JOIN records b ON b.row = l.target
    WHERE i.namespace = :namespace AND i.source = :source`,
} as const

type Known = StoredItem & { readonly isOwn: boolean }

type Item = { readonly write: ImportWrite; readonly old: Known | undefined; readonly at: number }
type Changed = Item & { readonly old: Known & { readonly id: RecordId; readonly row: number } }

export function createImports(parts: Parts, { run, write, amend }: Runners): ImportStorage {
  const { now, makeId } = parts
  return {
    known: (from, keys) => run((statements) => findKnown(statements, from, keys)),
    write: (from, batch, vectors) =>
      write(findOnlyNamespace(batch), (statements) =>
        writeBatch(statements, parts, { from, batch, vectors }),
      ),
    note: (from, notes) =>
      amend(null, (statements) => remember(statements, { from, now: now() }, notes)),
    sources: (id) =>
      run(async (statements) => (await statements.column(SQL.sources, { id })) as string[]),
    page: (from, after, limit) =>
      run(async (statements) => {
        const page = { ...bindSource(from), after: after ?? '', limit }
        return (await statements.all(SQL.page, page)) as unknown as Known[]
      }),
    async forget(from, keys) {
      const known = await run((statements) => findKnown(statements, from, keys))
      const ids = [...known.values()].flatMap(({ id }) => id ?? [])
      const scope = { ids, namespace: from.pinnedNamespace ?? undefined }
      return write(scope, (statements) => forget(statements, parts, { from, keys }))
    },
    writeSessions: async (sessions) =>
      sessions.length === 0
        ? 0
        : amend(null, (statements) => importSessions(statements, sessions, now())),
    links: (from) =>
      run(async (statements) => {
        return (await statements.all(SQL.links, bindSource(from))) as unknown as ImportedLink[]
      }),
    relink: (added, removed) =>
      amend(null, async (statements) => {
        await removeLinks(statements, removed)
        await addLinks(statements, added, { makeId, now: now() })
      }),
  }
}

type Batch = {
  readonly from: ImportSource
  readonly batch: readonly ImportWrite[]
  readonly vectors: EmbeddedRecords | undefined
}

/** Changes the records that belong to their items, then adds the others at once. */
async function writeBatch(
  statements: Statements,
  parts: Parts,
  { from, batch, vectors }: Batch,
): Promise<ImportOutcome[]> {
  const keys = batch.map(({ key }) => key)
  const before = await findKnown(statements, from, keys)
  const changed: Changed[] = []
  const added: Item[] = []
  const rows = new Set<number | null>()
  for (const [at, write] of batch.entries()) {
    const old = before.get(write.key)
    // Of two items that were gone with one record, the first gets it back.
    if (old?.isOwn && !rows.has(old.row)) changed.push({ write, old, at } as Changed)
    else added.push({ write, old, at })
    if (old?.isOwn) rows.add(old.row)
  }
  const outcomes = await changeRecords(statements, parts, { from, changed, vectors })
  const answers = await addWithAll(statements, parts, {
    records: added.map(({ write }) => write.record),
    vectors: pickVectors(
      vectors,
      added.map(({ at }) => at),
    ),
  })
  const made = answers.map(({ id, created }, i) => ({ ...(added[i] as Item), id, created }))
  await remember(
    statements,
    { from, now: parts.now() },
    made.map(({ write, id, created }) => ({ ...write, id, made: created })),
  )
  // These records belong to other items from now on.
  const left = added.flatMap(({ old }) => (old?.made && old.row !== null ? [old.row] : []))
  if (left.length > 0) await statements.run(SQL.inherit, { rows: left })
  for (const { at, id, created } of made) {
    outcomes.set(at, { id, kind: created ? 'created' : 'known' })
  }
  return batch.map((_, at) => outcomes.get(at) as ImportOutcome)
}

/** Changes the records of these items; what was edited here since the last import stays. Returns outcomes by position. */
async function changeRecords(
  statements: Statements,
  parts: Parts,
  { from, changed, vectors }: Pick<Batch, 'from' | 'vectors'> & { changed: readonly Changed[] },
): Promise<Map<number, ImportOutcome>> {
  const edited = await readEdits(statements, changed)
  const open = changed.filter(({ old }) => !old.isSuperseded)
  const deleted = open.flatMap(({ old }) => (old.isDeleted ? [old.id] : []))
  if (deleted.length > 0) await restoreRecords(statements, parts, deleted)
  const updates = open.map(({ write, old, at }) => {
    return { id: old.id, change: toChange(write), vectors: pickVectors(vectors, [at]) }
  })
  const now = parts.now()
  await updateRecords(statements, parts, updates, now)
  const written = changed.map(({ write, old }) => ({ ...write, id: old.id, made: old.made }))
  await remember(statements, { from, now }, written)
  // Edited again after the import, so that the next one finds both states: what it wrote, and the edit.
  const kept = open.flatMap(({ old: { id, row } }) => {
    const merged = edited.get(row)
    return merged === undefined ? [] : [{ id, change: merged.kept }]
  })
  await updateRecords(statements, parts, kept, now + 1)
  return new Map(
    changed.map(({ old: { id, row, isDeleted, isSuperseded }, at }): [number, ImportOutcome] => {
      if (isSuperseded) return [at, { id, kind: 'superseded' }]
      const conflicts = edited.get(row)?.conflicts
      const kind = isDeleted ? 'restored' : 'updated'
      return [at, { id, kind, ...(conflicts !== undefined && { conflicts }) }]
    }),
  )
}

/** Returns how many records were deleted or lost a text. */
async function forget(
  statements: Statements,
  parts: Parts,
  { from, keys }: { readonly from: ImportSource; readonly keys: readonly string[] },
): Promise<number> {
  const known = [...(await findKnown(statements, from, keys)).values()]
  const gone = known.filter(({ hash }) => hash !== null)
  if (gone.length === 0) return 0
  const own = gone.filter(({ isDeleted, isOwn }) => isOwn && !isDeleted)
  const detached = await detach(statements, parts, gone)
  const marked = { ...bindSource(from), keys: gone.map(({ key }) => key), now: parts.now() }
  await statements.run(SQL.gone, marked)
  const deleted = own.map(({ id }) => id as RecordId)
  return detached + (await softDeleteRecords(statements, parts, deleted)).length
}

/** Removes the texts of files that are gone from their works; returns how many there were. */
async function detach(
  statements: Statements,
  parts: Parts,
  gone: readonly Known[],
): Promise<number> {
  const ids = [...new Set(gone.flatMap(({ id }) => id ?? []))]
  const records = await readRecords(statements, parts, { ids, deleted: false })
  const detached: Known[] = []
  const changes = records.flatMap((record) => {
    if (record.kind !== 'work') return []
    const { abstract, texts, metadata } = splitTexts(record)
    const paths = new Set(texts.map(({ path }) => path))
    const own = gone.filter(({ id, key }) => id === record.id && paths.has(key))
    if (own.length === 0) return []
    detached.push(...own)
    const left = texts.filter(({ path }) => !own.some(({ key }) => key === path))
    return [{ id: record.id, change: joinTexts(abstract, left, metadata) }]
  })
  if (changes.length === 0) return 0
  await updateRecords(statements, parts, changes)
  await statements.run(SQL.readAgain, toLists(detached, ['row', 'key']))
  return detached.length
}

async function findKnown(
  statements: Statements,
  from: ImportSource,
  keys: readonly string[],
): Promise<Map<string, Known>> {
  const rows = await statements.all(SQL.known, { ...bindSource(from), keys })
  return new Map(rows.map((row) => [String(row.key), row as Known]))
}

async function remember(
  statements: Statements,
  { from, now }: { readonly from: ImportSource; readonly now: number },
  items: readonly (Pick<Known, 'key' | 'hash' | 'id'> & { readonly made?: boolean })[],
): Promise<void> {
  // Of two notes on one item the last counts.
  const last = [...new Map(items.map((item) => [item.key, item])).values()]
  if (last.length === 0) return
  const values = toLists(last, ['key', 'hash', 'id', 'made'])
  await statements.run(SQL.write, { ...bindSource(from), ...values, now })
}

/** By the row of each record that was edited after the import that wrote it. */
async function readEdits(statements: Statements, changed: readonly Changed[]) {
  const edited = changed.filter(({ old }) => old.isEdited)
  if (edited.length === 0) return new Map<number, ReturnType<typeof mergeEdits>>()
  const rows = edited.map(({ old }) => old.row)
  const seen = edited.map(({ old }) => old.seenAt)
  const [current, imported] = await Promise.all([
    statements.all(SQL.current, { rows }),
    statements.all(SQL.imported, { rows, seen }),
  ])
  const find = (states: readonly Row[], row: number) => states.find((state) => state.row === row)
  return new Map(
    edited.map(({ write, old: { row } }) => {
      const stored = find(current, row) ?? {}
      return [row, mergeEdits(toChange(write), { stored, imported: find(imported, row) ?? null })]
    }),
  )
}

/** Null where the records are of several. */
function findOnlyNamespace(batch: readonly ImportWrite[]): string | null {
  const [only = null, ...others] = new Set(batch.map(({ record }) => record.namespace))
  return others.length === 0 ? only : null
}
