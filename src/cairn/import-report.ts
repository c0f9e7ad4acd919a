/** The report of an import, its progress, and the tally that both are made of. */

import type { RecordId } from '../core/ids.js'
import type { ImportFormat, SkippedEntry } from '../import/importer.js'
import type { ImportOutcome } from '../storage/imports.js'
import type { ArchiveReport } from './archive.js'
import type { ImportOutcome as WorkOutcome } from './import-works.js'

export type ImportSkipped = Omit<SkippedEntry, 'kind'>

export type ImportCounts = {
  /** Entries of the source, without those that were skipped. */
  readonly read: number
  readonly created: number
  readonly updated: number
  /** Gone from the source earlier, and back again. */
  readonly restored: number
  readonly unchanged: number
  /** The same content was stored already, from elsewhere. */
  readonly duplicates: number
  readonly deleted: number
}

/** A field whose value in the source differs from the stored one, which stays. */
export type ImportedConflict = {
  /** The work in its source. */
  readonly name: string
  readonly id: RecordId
  readonly field: string
  readonly stored: unknown
  readonly incoming: unknown
}

type WorkCounts = Readonly<Record<'created' | 'updated' | 'unchanged', number>>

export type ImportReport = ImportCounts & {
  readonly source: string
  readonly format: ImportFormat
  /** Only of an archive: what became of the lines of each kind, as `importAll` tells it. */
  readonly archive?: Pick<ArchiveReport, 'writtenBy' | 'added' | 'updated' | 'same' | 'kept'>
  /** Only where the source holds works. */
  readonly works?: WorkCounts
  /** The first ten thousand of them, one for each field. */
  readonly conflicts: readonly ImportedConflict[]
  readonly conflictCount: number
  /** Conversations that were seen. */
  readonly sessions: number
  /** Links that were added. */
  readonly links: number
  /** Links that lead to nothing in the source. */
  readonly unresolved: readonly { readonly from: string; readonly to: string }[]
  /** The first ten thousand of them. */
  readonly skipped: readonly ImportSkipped[]
  readonly skippedCount: number
  readonly dryRun: boolean
}

export type ImportProgress = ImportCounts & {
  readonly phase: 'reading' | 'deleting' | 'linking' | 'done'
  readonly skipped: number
  readonly bytesRead: number
  /** Null where it is not known. */
  readonly bytesTotal: number | null
}

const MAX_LISTED = 10_000

export class ImportTally {
  readonly counts = {
    read: 0,
    created: 0,
    updated: 0,
    restored: 0,
    unchanged: 0,
    duplicates: 0,
    deleted: 0,
  }
  /** Null until the source shows a work. */
  works: WorkCounts | null = null
  readonly skipped: ImportSkipped[] = []
  skippedCount = 0
  readonly conflicts: ImportedConflict[] = []
  conflictCount = 0

  skip(name: string, reason: string, line: number | null = null): void {
    this.skippedCount++
    if (this.skipped.length < MAX_LISTED) this.skipped.push({ name, line, reason })
  }

  note(kind: ImportOutcome['kind'], key: string): void {
    if (kind === 'superseded') this.skip(key, 'Its record was superseded, and stays as it was.')
    else this.counts[kind === 'known' ? 'duplicates' : kind]++
  }

  noteWorks({ created, updated, unchanged }: WorkCounts): void {
    const before = this.works ?? { created: 0, updated: 0, unchanged: 0 }
    this.works = {
      created: before.created + created,
      updated: before.updated + updated,
      unchanged: before.unchanged + unchanged,
    }
  }

  noteConflicts(name: string, { id, conflicts }: Pick<WorkOutcome, 'id' | 'conflicts'>): void {
    this.conflictCount += conflicts.length
    for (const { field, stored, incoming } of conflicts) {
      if (this.conflicts.length === MAX_LISTED) return
      this.conflicts.push({ name, id, field, stored, incoming })
    }
  }
}
