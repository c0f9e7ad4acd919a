/** Finds works by any of their keys, and writes them with their citations in one transaction. */

import { noRecord } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import {
  CITES,
  type Citation,
  groupReferences,
  type IdentifiedWork,
  type WorkBatch,
  type WorksStorage,
} from '../works.js'
import type { RecordWrites, WriteParts } from './record-writes.js'
import { type Runners, runEach } from './runner.js'
import { convertRow, type Statements, withinSql } from './statements.js'

/** The oldest live work in the namespace of the source that has the key named by this link. */
const NAMED = `SELECT t.row FROM work_identities i CROSS JOIN records t ON t.row = i.record
    CROSS JOIN records s ON s.row = links.source
  WHERE i.identity = links.target_ref AND t.deleted_at IS NULL AND t.namespace = s.namespace AND t.row <> s.row
  ORDER BY t.present DESC, t.row LIMIT 1`

/** The most reliable key of a work, for citations that were given as two ids. */
const SUREST = `SELECT i.identity FROM work_identities i
  WHERE i.record = l.target AND i.identity NOT LIKE 'title:%'
  ORDER BY CASE substr(i.identity, 1, instr(i.identity, ':'))
    WHEN 'doi:' THEN 1 WHEN 'openalex:' THEN 2 WHEN 'arxiv:' THEN 3 ELSE 4 END, i.identity LIMIT 1`

const edges = (here: 'source' | 'target', there: 'source' | 'target') => `
  SELECT s.id AS "from", t.id AS "to" FROM json_each(:ids) wanted
  CROSS JOIN records h ON h.id = wanted.value
  CROSS JOIN links l ON l.${here} = h.row AND l.type = '${CITES}'
  CROSS JOIN records o ON o.row = l.${there} AND o.present
  JOIN records s ON s.row = l.source JOIN records t ON t.row = l.target
  ORDER BY wanted.key, l.row`

const SQL = {
  add: `INSERT INTO links (id, source, target, target_ref, type, created_at)
    SELECT c.value ->> 0, s.row, t.row, c.value ->> 3, '${CITES}', :now
    FROM json_each(:citations) c CROSS JOIN records s ON s.id = c.value ->> 1
    LEFT JOIN records t ON t.id = c.value ->> 2
    WHERE true ON CONFLICT DO NOTHING`,
  /** If one list names a work twice, only the first citation is resolved; the second keeps its key. */
  resolve: `UPDATE OR IGNORE links SET target = (${NAMED})
    WHERE type = '${CITES}' AND row IN (
      SELECT l.row FROM json_each(:keys) k
        CROSS JOIN links l ON l.target IS NULL AND l.target_ref = k.value
      UNION
      SELECT l.row FROM json_each(:keys) k
        CROSS JOIN work_identities i ON i.identity = k.value
        CROSS JOIN records gone ON gone.row = i.record AND gone.deleted_at IS NOT NULL
        CROSS JOIN links l ON l.target = gone.row AND l.type = '${CITES}' AND l.target_ref = k.value)
    AND EXISTS (${NAMED})`,
  references: edges('source', 'target'),
  citations: edges('target', 'source'),
  ofWorks: `SELECT s.id AS source, coalesce(l.target_ref, CASE WHEN t.row IS NOT NULL THEN (${SUREST}) END) AS reference,
      CASE WHEN t.deleted_at IS NULL THEN t.id END AS target,
      EXISTS (SELECT 1 FROM work_identities i CROSS JOIN records o ON o.row = i.record
        WHERE i.identity = l.target_ref AND o.deleted_at IS NULL AND o.namespace = s.namespace) AS isKnown
    FROM json_each(:ids) wanted
    CROSS JOIN records s ON s.id = wanted.value
    CROSS JOIN links l ON l.source = s.row AND l.type = '${CITES}'
    LEFT JOIN records t ON t.row = l.target AND ${withinSql('t')}
    ORDER BY wanted.key, l.row`,
  /** The keys of works begin with their titles. */
  titled: `SELECT DISTINCT i.identity FROM json_each(:titles) wanted CROSS JOIN work_identities i
    ON i.identity >= 'title:' || wanted.value || '|' AND i.identity < 'title:' || wanted.value || '}'`,
  /** An import must not delete a work when its PDF is gone. */
  disown: 'UPDATE imports SET made = 0 WHERE record = (SELECT row FROM records WHERE id = :id)',
  inherit: `UPDATE imports SET made = 0, record = (SELECT row FROM records WHERE id = :to)
    WHERE record = (SELECT row FROM records WHERE id = :from)`,
  copyLinks: `INSERT INTO links (id, source, target, target_ref, type, author, note, created_at)
    SELECT :id, iif(l.source = f.row, t.row, l.source), iif(l.target = f.row, t.row, l.target),
      iif(l.target = f.row, NULL, l.target_ref), l.type, l.author, l.note, l.created_at
    FROM links l, (SELECT row FROM records WHERE id = :from) f, (SELECT row FROM records WHERE id = :to) t
    WHERE l.row = :link AND l.source <> t.row AND l.target IS NOT t.row
    ON CONFLICT DO NOTHING`,
  linksOf: `SELECT l.row FROM links l, (SELECT row FROM records WHERE id = :from) f
    WHERE (l.source = f.row OR l.target = f.row) AND l.type <> 'SUPERSEDES'`,
  find: `SELECT r.id, r.namespace, r.updated_at AS updatedAt, r.superseded_at IS NOT NULL AS isSuperseded,
      (SELECT json_group_array(identity) FROM (
        SELECT own.identity FROM work_identities own WHERE own.record = r.row ORDER BY own.identity)) AS identities
    FROM (SELECT DISTINCT i.record FROM json_each(:identities) wanted
      CROSS JOIN work_identities i ON i.identity = wanted.value) found
    CROSS JOIN records r ON r.row = found.record AND (r.deleted_at IS NOT NULL) = :deleted
    WHERE :namespace IS NULL OR r.namespace = :namespace ORDER BY r.row`,
} as const

/** Resolves the citations that name one of these keys. */
export function resolveCitations(statements: Statements, keys: readonly string[]): void {
  if (keys.length > 0) statements.run(SQL.resolve, { keys })
}

type NewCitation = readonly [source: RecordId, target: RecordId | null, reference: string | null]

export function createWorks(
  parts: Pick<WriteParts, 'statements' | 'records' | 'now' | 'makeId'>,
  writes: RecordWrites,
  { run, write: transact }: Runners,
): WorksStorage {
  const { statements, records, now, makeId } = parts
  const addCitations = (citations: readonly NewCitation[]): number => {
    if (citations.length === 0) return 0
    const rows = citations.map((citation) => [makeId(), ...citation])
    return statements.run(SQL.add, { citations: rows, now: now() }).changes
  }

  const find = (
    namespace: string | null,
    identities: readonly string[],
    { deleted } = { deleted: false },
  ): IdentifiedWork[] => {
    const types = { times: ['updatedAt'], texts: ['identities'], flags: ['isSuperseded'] }
    const wanted = { namespace, identities, deleted: Number(deleted) }
    return statements.all(SQL.find, wanted).map((row) => convertRow(row, types))
  }

  const absorb = (to: RecordId, absorbed: readonly RecordId[] = []): void => {
    for (const from of absorbed) {
      for (const link of statements.column<number>(SQL.linksOf, { from })) {
        statements.run(SQL.copyLinks, { id: makeId(), link, from, to })
      }
      statements.run(SQL.inherit, { from, to })
      const outcome = writes.supersede(from, to, { author: null, note: 'merged' })
      if (outcome !== 'done') throw noRecord(from)
    }
  }

  const write = ({ namespace, asked, seen, added, vectors, updated }: WorkBatch) => {
    if (JSON.stringify(find(namespace, asked)) !== JSON.stringify(seen)) return null
    const distinct = added.map(({ record, work }) => ({ ...record, work, isDistinct: true }))
    const ids = writes.add(distinct, vectors ?? undefined).map(({ id }) => id)
    const made: NewCitation[] = []
    const keys = new Set<string>()
    const cite = (
      source: RecordId,
      identities: readonly string[],
      references: readonly string[],
    ): void => {
      for (const key of [...identities, ...references]) keys.add(key)
      for (const reference of references) made.push([source, null, reference])
    }
    for (const [i, { work, identities, references, absorbed }] of added.entries()) {
      const id = ids[i] as RecordId
      records.describe(id, work)
      records.identify(id, identities)
      cite(id, identities, references)
      absorb(id, absorbed)
    }
    for (const { id, change, vectors: own, references, absorbed } of updated) {
      writes.update(id, change, { vectors: own ?? undefined })
      if (change.kind === 'work') statements.run(SQL.disown, { id })
      absorb(id, absorbed)
      cite(id, change.identities ?? [], references)
    }
    addCitations(made)
    resolveCitations(statements, [...keys])
    return ids
  }

  return {
    ...runEach(run, {
      find,
      references: (ids: readonly RecordId[], namespace: string | null = null) =>
        groupReferences(ids, statements.all(SQL.ofWorks, { ids, namespace })),
      titled: (namespace: string, titles: readonly string[]) =>
        find(namespace, statements.column(SQL.titled, { titles })),
      citations: (ids: readonly RecordId[], direction: 'references' | 'citations') =>
        statements.all<Citation>(SQL[direction], { ids }),
    }),
    ...runEach(transact, {
      write,
      cite: (pairs: readonly Citation[]) =>
        addCitations(pairs.map(({ from, to }) => [from, to, null])),
    }),
  }
}
