/** Works: found by any of their keys, written with their citations in one transaction. */

import { noRecord } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import type { WorkDetails } from '../../core/work.js'
import {
  CITES,
  type Citation,
  groupReferences,
  type IdentifiedWork,
  type WorkBatch,
  type WorksStorage,
} from '../works.js'
import { insertLinks, type StoredLink } from './memory/links.js'
import type { Parts } from './open-postgres.js'
import { supersedeRecord } from './record-states.js'
import { addWithAll, updateRecords } from './record-writes.js'
import type { Runners } from './runner.js'
import {
  convertTimes,
  type Row,
  type Statements,
  toJson,
  toLists,
  withinSql,
} from './statements.js'

/** The surest key of a work, for citations that were given as two ids. */
const SUREST = `SELECT i.identity FROM work_identities i
  WHERE i.record = l.target AND i.identity NOT LIKE 'title:%'
  ORDER BY CASE split_part(i.identity, ':', 1)
    WHEN 'doi' THEN 1 WHEN 'openalex' THEN 2 WHEN 'arxiv' THEN 3 ELSE 4 END, i.identity COLLATE "C" LIMIT 1`

const edges = (here: 'record' | 'target', there: 'record' | 'target') => `
  SELECT s.id AS "from", t.id AS "to" FROM unnest(:ids::text[]) WITH ORDINALITY AS wanted (id, n)
  JOIN records h ON h.id = wanted.id
  JOIN links l ON l.${here} = h.row AND l.type = '${CITES}'
  JOIN records o ON o.row = l.${there} AND o.present
  JOIN records s ON s.row = l.record JOIN records t ON t.row = l.target
  ORDER BY wanted.n, l.row`

const SQL = {
  describe: `INSERT INTO works (namespace, record, details)
    SELECT r.namespace, r.row, w.details::json
    FROM unnest(:ids::text[], :details::text[]) AS w (id, details) JOIN records r ON r.id = w.id
    ON CONFLICT (namespace, record) DO UPDATE SET details = excluded.details`,
  identify: `INSERT INTO work_identities (namespace, identity, record)
    SELECT r.namespace, i.identity, r.row
    FROM unnest(:ids::text[], :identities::text[]) AS i (id, identity) JOIN records r ON r.id = i.id
    ON CONFLICT DO NOTHING`,
  cite: `INSERT INTO links (namespace, id, record, target, target_ref, type, created_at)
    SELECT s.namespace, c.id, s.row, t.row, c.reference, '${CITES}', :now::bigint
    FROM unnest(:id::text[], :source::text[], :target::text[], :reference::text[])
      WITH ORDINALITY AS c (id, source, target, reference, n)
      JOIN records s ON s.id = c.source LEFT JOIN records t ON t.id = c.target
    ORDER BY c.n ON CONFLICT DO NOTHING`,
  /**
   * The target is the oldest live work of the same namespace that has the key. Two names of one work in one list lead there
   * once: the second is left, and still known by its key.
   */
  resolve: `WITH waiting AS (
      SELECT l.namespace, l.row, l.record, l.target_ref FROM links l
      WHERE l.target IS NULL AND l.type = '${CITES}' AND l.target_ref = ANY (:keys::text[])
      UNION ALL
      SELECT l.namespace, l.row, l.record, l.target_ref FROM work_identities i
        JOIN records gone ON gone.namespace = i.namespace AND gone.row = i.record AND gone.deleted_at IS NOT NULL
        JOIN links l ON l.target = gone.row AND l.type = '${CITES}' AND l.target_ref = i.identity
      WHERE i.identity = ANY (:keys::text[])),
    named AS (
      SELECT DISTINCT ON (w.record, t.row) w.namespace, w.row, w.record, t.row AS target
      FROM waiting w CROSS JOIN LATERAL (
        SELECT t.row FROM work_identities i JOIN records t ON t.namespace = i.namespace AND t.row = i.record
        WHERE i.namespace = w.namespace AND i.identity = w.target_ref AND t.deleted_at IS NULL AND t.row <> w.record
        ORDER BY t.present DESC, t.row LIMIT 1) t
      ORDER BY w.record, t.row, w.row)
    UPDATE links l SET target = n.target FROM named n
    WHERE l.namespace = n.namespace AND l.row = n.row AND NOT EXISTS (
      SELECT FROM links o WHERE o.namespace = n.namespace AND o.record = n.record AND o.type = '${CITES}' AND o.target = n.target)`,
  references: edges('record', 'target'),
  citations: edges('target', 'record'),
  ofWorks: `SELECT s.id AS source, coalesce(l.target_ref, CASE WHEN t.row IS NOT NULL THEN (${SUREST}) END) AS reference,
      CASE WHEN t.deleted_at IS NULL THEN t.id END AS target,
      EXISTS (SELECT FROM work_identities i JOIN records o ON o.namespace = i.namespace AND o.row = i.record
        WHERE i.namespace = l.namespace AND i.identity = l.target_ref AND o.deleted_at IS NULL) AS "isKnown"
    FROM unnest(:ids::text[]) WITH ORDINALITY AS wanted (id, n)
    JOIN records s ON s.id = wanted.id
    JOIN links l ON l.namespace = s.namespace AND l.record = s.row AND l.type = '${CITES}'
    LEFT JOIN records t ON t.row = l.target AND ${withinSql('t')}
    ORDER BY wanted.n, l.row`,
  /** The keys of works begin with their titles. */
  titled: `SELECT DISTINCT i.identity FROM unnest(:titles::text[]) AS wanted (title) JOIN work_identities i
    ON i.identity ~>=~ ('title:' || wanted.title || '|') AND i.identity ~<~ ('title:' || wanted.title || '}')`,
  /** A work is not deleted because its PDF is gone. */
  disown: `UPDATE imports i SET made = false FROM records r WHERE r.id = ANY (:ids::text[]) AND i.record = r.row`,
  inherit: `UPDATE imports i SET made = false, record = t.row
    FROM unnest(:from::text[], :to::text[]) AS n (source, target)
      JOIN records f ON f.id = n.source JOIN records t ON t.id = n.target
    WHERE i.record = f.row`,
  /** The links of absorbed records, with what takes the place of their ends. */
  linksOf: `WITH absorbed AS (
      SELECT f.row AS source, t.row AS target, t.namespace FROM unnest(:from::text[], :to::text[]) AS n (source, target)
        JOIN records f ON f.id = n.source JOIN records t ON t.id = n.target)
    SELECT l.namespace, l.record, l.target, l.target_ref AS "targetRef", l.type, l.author, l.note,
      l.created_at AS "createdAtMs", s.target AS "newSource", s.namespace AS "newNamespace", t.target AS "newTarget"
    FROM links l LEFT JOIN absorbed s ON s.source = l.record LEFT JOIN absorbed t ON t.source = l.target
    WHERE (s.source IS NOT NULL OR t.source IS NOT NULL) AND l.type <> 'SUPERSEDES' ORDER BY l.row`,
  find: `SELECT r.id, r.namespace, r.updated_at AS "updatedAt", r.superseded_at IS NOT NULL AS "isSuperseded",
      ARRAY (SELECT own.identity FROM work_identities own
        WHERE own.namespace = r.namespace AND own.record = r.row ORDER BY own.identity COLLATE "C") AS identities
    FROM (SELECT DISTINCT i.namespace, i.record FROM work_identities i
      WHERE i.identity = ANY (:identities::text[]) AND ${withinSql('i')}) found
    JOIN records r ON r.namespace = found.namespace AND r.row = found.record AND (r.deleted_at IS NOT NULL) = :deleted
    ORDER BY r.row`,
} as const

export async function describeWorks(
  statements: Statements,
  works: readonly { readonly id: RecordId; readonly work: WorkDetails }[],
): Promise<void> {
  if (works.length === 0) return
  const details = works.map(({ work }) => toJson(work))
  await statements.run(SQL.describe, { ids: works.map(({ id }) => id), details })
}

/** Adds these keys to those that the records have. */
export async function identify(
  statements: Statements,
  works: readonly { readonly id: RecordId; readonly identities: readonly string[] }[],
): Promise<void> {
  const keys = works.flatMap(({ id, identities }) => identities.map((identity) => [id, identity]))
  if (keys.length === 0) return
  const ids = keys.map(([id]) => id as string)
  await statements.run(SQL.identify, { ids, identities: keys.map(([, key]) => key as string) })
}

/** Points the citations that name one of these keys to the work that has it. */
export async function resolveCitations(
  statements: Statements,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > 0) await statements.run(SQL.resolve, { keys })
}

type NewCitation = {
  readonly id: string
  readonly source: RecordId
  readonly target: RecordId | null
  readonly reference: string | null
}

/** Returns how many are new. */
async function addCitations(
  statements: Statements,
  citations: readonly NewCitation[],
  now: number,
): Promise<number> {
  if (citations.length === 0) return 0
  const named = toLists(citations, ['id', 'source', 'target', 'reference'])
  return statements.run(SQL.cite, { ...named, now })
}

async function find(
  statements: Statements,
  identities: readonly string[],
  { namespace, deleted }: { readonly namespace: string | null; readonly deleted: boolean },
): Promise<IdentifiedWork[]> {
  const rows = await statements.all(SQL.find, { identities, namespace, deleted })
  return rows.map((row) => convertTimes(row, ['updatedAt']))
}

type Absorption = { readonly from: RecordId; readonly to: RecordId }

/** Each work gets the links of the records that it absorbs and what was imported as them, and supersedes them. */
async function absorb(
  statements: Statements,
  parts: Parts,
  absorptions: readonly Absorption[],
): Promise<void> {
  if (absorptions.length === 0) return
  const pairs = toLists(absorptions, ['from', 'to'])
  const links = await statements.all(SQL.linksOf, pairs)
  const copies = links.flatMap(listCopies).map((link) => ({ ...link, id: parts.makeId() }))
  await Promise.all([insertLinks(statements, copies), statements.run(SQL.inherit, pairs)])
  for (const { from, to } of absorptions) {
    const how = { author: null, note: 'merged' }
    const outcome = await supersedeRecord(statements, parts, { id: from, by: to, how })
    if (outcome !== 'done') throw noRecord(from)
  }
}

/** The link again for each end that is new, and for both. */
function listCopies({ newSource, newNamespace, newTarget, ...row }: Row) {
  const link = row as unknown as StoredLink
  const source = { record: Number(newSource), namespace: String(newNamespace) }
  const target = { target: Number(newTarget), targetRef: null }
  const copies: StoredLink[] = []
  if (newSource !== null) copies.push({ ...link, ...source })
  if (newTarget !== null) copies.push({ ...link, ...target })
  if (newSource !== null && newTarget !== null) copies.push({ ...link, ...source, ...target })
  return copies.filter((copy) => copy.record !== copy.target)
}

async function writeBatch(
  statements: Statements,
  parts: Parts,
  { namespace, asked, seen, added, vectors, updated }: WorkBatch,
): Promise<RecordId[] | null> {
  const found = await find(statements, asked, { namespace, deleted: false })
  if (JSON.stringify(found) !== JSON.stringify(seen)) return null
  const records = added.map(({ record, work, identities }) => {
    return { ...record, work, identities, isDistinct: true }
  })
  const outcomes = await addWithAll(statements, parts, { records, vectors: vectors ?? undefined })
  const ids = outcomes.map(({ id }) => id)
  await updateRecords(statements, parts, updated)
  const works = updated.flatMap(({ id, change }) => (change.kind === 'work' ? [id] : []))
  if (works.length > 0) await statements.run(SQL.disown, { ids: works })
  const written = [
    ...added.map((work, i) => ({ ...work, id: ids[i] as RecordId })),
    ...updated.map((work) => ({ ...work, identities: work.change.identities ?? [] })),
  ]
  await absorb(
    statements,
    parts,
    written.flatMap(({ id, absorbed = [] }) => absorbed.map((from) => ({ from, to: id }))),
  )
  const citations = written.flatMap(({ id, references }) =>
    references.map((reference) => ({ source: id, target: null, reference, id: parts.makeId() })),
  )
  await addCitations(statements, citations, parts.now())
  const keys = written.flatMap(({ identities, references }) => [...identities, ...references])
  await resolveCitations(statements, [...new Set(keys)])
  return ids
}

export function createWorks(parts: Parts, { run, write, amend }: Runners): WorksStorage {
  const { now, makeId } = parts
  return {
    find: (namespace, identities, { deleted } = { deleted: false }) =>
      run((statements) => find(statements, identities, { namespace, deleted })),
    titled: (namespace, titles) =>
      run(async (statements) => {
        const keys = (await statements.column(SQL.titled, { titles })) as string[]
        return find(statements, keys, { namespace, deleted: false })
      }),
    write: (batch) => write(batch.namespace, (statements) => writeBatch(statements, parts, batch)),
    citations: (ids, direction) =>
      run(async (statements) => {
        return (await statements.all(SQL[direction], { ids })) as unknown as Citation[]
      }),
    references: (ids, namespace = null) =>
      run(async (statements) =>
        groupReferences(ids, await statements.all(SQL.ofWorks, { ids, namespace })),
      ),
    cite: (pairs) =>
      amend(null, (statements) => {
        const citations = pairs.map(({ from, to }) => {
          return { id: makeId(), source: from, target: to, reference: null }
        })
        return addCitations(statements, citations, now())
      }),
  }
}
