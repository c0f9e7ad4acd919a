/** A record and what it was come back with all that is derived from them, as if they had been added here. */

import type { RecordId } from '../../../core/ids.js'
import type { Kind } from '../../../core/record.js'
import { quantiseVector, viewFineBytes } from '../../../vectors/quantise.js'
import { ARCHIVE_FIELDS, type ArchiveValue } from '../../archive.js'
import type { ModelInfo, RecordVectors } from '../../vectors.js'
import type { Statements } from '../statements.js'
import type { Context, Turn } from '../tables/context.js'
import type { RecordsTable } from '../tables/records.js'
import { hashContent, toIndexedForm } from '../tables/records.js'
import type { SqliteVectors } from '../vectors/vector-storage.js'
import { toColumns } from './columns.js'
import { PARTS } from './parts.js'

const SQL = {
  setIndexed: `UPDATE records SET title_ix = :titleIx, body_ix = :bodyIx, tags_ix = :tagsIx, people_ix = :peopleIx
    WHERE id = :id`,
  forgetPast: 'DELETE FROM revisions WHERE record = (SELECT row FROM records WHERE id = :id)',
  forgetWork: 'DELETE FROM works WHERE record = (SELECT row FROM records WHERE id = :id)',
  forgetKeys: 'DELETE FROM work_identities WHERE record = (SELECT row FROM records WHERE id = :id)',
} as const

export type PastVector = {
  readonly model: ModelInfo
  readonly vectors: RecordVectors
}

export type RecordLines = ReturnType<typeof createRecordLines>

export type RecordLineParts = {
  readonly statements: Statements
  readonly records: RecordsTable
  readonly context: Context
  readonly sqliteVectors: SqliteVectors
}

/** Each is to be run inside a transaction. */
export function createRecordLines({
  statements,
  records,
  context,
  sqliteVectors,
}: RecordLineParts) {
  const describe = (value: ArchiveValue<'record'>, past: PastVector | null): void => {
    const id = value.id as RecordId
    if (value.work !== null) records.describe(id, value.work as never)
    if (value.identities.length > 0) records.identify(id, value.identities)
    if (past !== null) sqliteVectors.keep(past.model, [{ id, vectors: past.vectors }])
  }
  return {
    add(value: ArchiveValue<'record'>, past: PastVector | null): void {
      statements.run(PARTS.record.insert, recordColumns(value))
      describe(value, past)
    },

    /** The past of the one that is replaced goes with it: that of the archive follows. */
    replace(value: ArchiveValue<'record'>, past: PastVector | null): readonly Turn[] {
      const { id } = value
      const before = context.turnsOf([id])
      const columns = recordColumns(value)
      statements.run(PARTS.record.update ?? '', columns)
      // Where a new text has the indexed form of the old one, the trigger has taken it for a stale one.
      const { titleIx, bodyIx, tagsIx, peopleIx } = toIndexedForm(value)
      statements.run(SQL.setIndexed, { id, titleIx, bodyIx, tagsIx, peopleIx })
      context.forget([id])
      for (const sql of [SQL.forgetPast, SQL.forgetWork, SQL.forgetKeys])
        statements.run(sql, { id })
      describe(value, past)
      return before
    },

    addRevision(value: ArchiveValue<'revision'>, past: PastVector | null): void {
      const whole = past?.vectors.whole ?? past?.vectors.chunks[0]?.vector ?? null
      const fine = whole === null ? null : (quantiseVector(whole)?.fine ?? null)
      statements.run(PARTS.revision.insert, {
        ...toColumns(ARCHIVE_FIELDS.revision, value),
        ...toIndexedForm(value),
        model: fine === null ? null : (past?.model.id ?? null),
        scale: fine?.scale ?? null,
        codes: fine === null ? null : viewFineBytes(fine),
      })
    },

    /** Makes the surroundings of these turns, and of where some of them stood before, true again. */
    settle(ids: readonly string[], before: readonly Turn[]): void {
      context.refresh([...before, ...context.turnsOf(ids)])
    },
  }
}

function recordColumns(value: ArchiveValue<'record'>) {
  const { work: _, identities: __, ...columns } = toColumns(ARCHIVE_FIELDS.record, value)
  const occurredAtMs = value.occurredAt === null ? null : Date.parse(value.occurredAt)
  const contentHash = hashContent({ ...value, kind: value.kind as Kind, occurredAtMs })
  return { ...columns, ...toIndexedForm(value), contentHash }
}
