/** Works with their keys, texts, vectors and citations in one transaction; the door of this folder. */

import type { RecordId } from '../../../core/ids.js'
import type { IdentifiedWork, WorkBatch, WorksStorage } from '../../works.js'
import type { RecordWrites } from '../record-writes.js'
import type { Runner } from '../runner.js'
import type { Statements } from '../statements.js'
import type { RecordsTable } from '../tables/records.js'
import { createCitationsTable, type NewCitation } from './citations.js'

const FOUND = `SELECT r.id, r.namespace, r.updated_at, r.superseded_at IS NOT NULL AS superseded, own.identity
  FROM (SELECT DISTINCT i.record FROM json_each(:identities) wanted
    CROSS JOIN work_identities i ON i.identity = wanted.value) found
  CROSS JOIN records r ON r.row = found.record AND r.deleted_at IS NULL
  CROSS JOIN work_identities own ON own.record = r.row`

const SQL = {
  find: `${FOUND} WHERE r.namespace = :namespace ORDER BY r.row, own.identity`,
  findAnywhere: `${FOUND} ORDER BY r.row, own.identity`,
} as const

export type WorksParts = {
  readonly statements: Statements
  readonly records: RecordsTable
  readonly writes: RecordWrites
  readonly now: () => number
  readonly makeId: () => RecordId
}

export function createWorks({ statements, records, writes, now, makeId }: WorksParts) {
  const citations = createCitationsTable(statements, makeId)

  const find = (namespace: string | null, identities: readonly string[]): IdentifiedWork[] => {
    const wanted = { identities: JSON.stringify(identities) }
    const rows =
      namespace === null
        ? statements.all(SQL.findAnywhere, wanted)
        : statements.all(SQL.find, { ...wanted, namespace })
    const found = new Map<string, IdentifiedWork & { readonly identities: string[] }>()
    for (const row of rows) {
      const id = row.id as RecordId
      const known = found.get(id) ?? {
        id,
        namespace: row.namespace as string,
        updatedAt: new Date(Number(row.updated_at)).toISOString(),
        isSuperseded: row.superseded === 1,
        identities: [],
      }
      known.identities.push(row.identity as string)
      found.set(id, known)
    }
    return [...found.values()]
  }

  const write = (batch: WorkBatch): RecordId[] | null => {
    const { added, updated } = batch
    if (JSON.stringify(find(batch.namespace, batch.asked)) !== JSON.stringify(batch.seen)) {
      return null
    }
    const outcomes = writes.add(
      added.map(({ record }) => ({ ...record, isDistinct: true })),
      batch.vectors ?? undefined,
    )
    const ids = outcomes.map(({ id }) => id)
    const made: NewCitation[] = []
    const keys = new Set<string>()
    const cite = (source: RecordId, references: readonly string[]): void => {
      for (const reference of references) {
        made.push({ source, target: null, reference })
        keys.add(reference)
      }
    }
    for (const [i, { work, identities, references }] of added.entries()) {
      const id = ids[i] as RecordId
      records.describe(id, work)
      records.identify(id, identities)
      for (const identity of identities) keys.add(identity)
      cite(id, references)
    }
    for (const { id, change, vectors, references } of updated) {
      writes.update(id, change, vectors ?? undefined)
      for (const identity of change.identities ?? []) keys.add(identity)
      cite(id, references)
    }
    citations.add(made, now())
    citations.resolve([...keys])
    return ids
  }

  return {
    storage: (run: Runner, transact: Runner): WorksStorage => ({
      find: (namespace, identities) => run(() => find(namespace, identities)),
      write: (batch) => transact(() => write(batch)),
      citations: (ids, direction) => run(() => citations.between(ids, direction)),
      references: (ids) => run(() => citations.ofWorks(ids)),
      cite: (pairs) =>
        transact(() =>
          citations.add(
            pairs.map(({ from, to }) => ({ source: from, target: to, reference: null })),
            now(),
          ),
        ),
    }),
  }
}
