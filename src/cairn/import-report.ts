/** The report of an import, its progress, and the tally that both are made of. */

import type { RecordId } from '../core/ids.js'
import type { ImportFormat, SkippedEntry } from '../import/importer.js'
import type { ImportOutcome } from '../storage/imports.js'
import type { ArchiveReport } from './archive.js'
import type { ImportOutcome as WorkOutcome } from './import-works.js'

export type ImportSkipped = Omit<SkippedEntry, 'kind'>

export type ImportCounts = {
  /** Items of the source, without those that were skipped. */
  readonly read: number
  readonly created: number
  readonly updated: number
  /** Back again after they were gone. */
  readonly restored: number
  readonly unchanged: number
  /** The same content was there already, from elsewhere. */
  readonly duplicates: number
  readonly deleted: number
}

/** A field that the source tells otherwise than it is stored; what is stored was kept. */
export type ImportedConflict = {
  /** The work in its source. */
  readonly name: string
  readonly id: RecordId
  readonly field: string
  readonly stored: unknown
  readonly incoming: unknown
}

export type WorkCounts = {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

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
  readonly skipped: ImportSkipped[] = []
  skippedCount = 0
  readonly conflicts: ImportedConflict[] = []
  conflictCount = 0
  /** Null until the source shows a work. */
  works: WorkCounts | null = null
  read = 0
  unchanged = 0
  deleted = 0
  #created = 0
  #updated = 0
  #restored = 0
  #duplicates = 0

  skip({ name, line, reason }: ImportSkipped): void {
    this.skippedCount++
    if (this.skipped.length < MAX_LISTED) this.skipped.push({ name, line, reason })
  }

  noteConflicts(name: string, { id, conflicts }: Pick<WorkOutcome, 'id' | 'conflicts'>): void {
    this.conflictCount += conflicts.length
    const room = MAX_LISTED - this.conflicts.length
    for (const { field, stored, incoming } of conflicts.slice(0, room)) {
      this.conflicts.push({ name, id, field, stored, incoming })
    }
  }

  noteWorks({ created, updated, unchanged }: WorkCounts): void {
    const before = this.works ?? { created: 0, updated: 0, unchanged: 0 }
    this.works = {
      created: before.created + created,
      updated: before.updated + updated,
      unchanged: before.unchanged + unchanged,
    }
  }

  note(kind: ImportOutcome['kind'], key: string): void {
    if (kind === 'created') this.#created++
    else if (kind === 'updated') this.#updated++
    else if (kind === 'restored') this.#restored++
    else if (kind === 'known') this.#duplicates++
    else {
      const reason = 'Its record was superseded, and stays as it was.'
      this.skip({ name: key, line: null, reason })
    }
  }

  counts(): ImportCounts {
    return {
      read: this.read,
      created: this.#created,
      updated: this.#updated,
      restored: this.#restored,
      unchanged: this.unchanged,
      duplicates: this.#duplicates,
      deleted: this.deleted,
    }
  }
}
