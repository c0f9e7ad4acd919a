/** Counts the outcomes of an import by kind and by format, and lists the first of them. */

import type { ImportEntry, ImportFormat } from '../import/importer.js'
import type { ImportOutcome } from '../storage/imports.js'
import type { ImportedConflict, ImportReport, ImportSkipped, WorkCounts } from './import.js'
import type { ImportOutcome as WorkOutcome } from './import-works.js'

const MAX_LISTED = 10_000
const MAX_NAME_SHOWN = 300

export const NO_COUNTS = {
  /** Entries of the source, without those that were skipped. */
  read: 0,
  created: 0,
  updated: 0,
  /** Entries that had disappeared from the source and are back. */
  restored: 0,
  unchanged: 0,
  /** Entries whose content was already stored from another source. */
  duplicates: 0,
  deleted: 0,
}

export class ImportTally {
  readonly counts = { ...NO_COUNTS }
  readonly works = { created: 0, updated: 0, unchanged: 0 }
  hasWorks = false
  /** PDFs that became the text of a work. */
  attached = 0
  readonly skipped: ImportSkipped[] = []
  skippedCount = 0
  readonly conflicts: ImportedConflict[] = []
  conflictCount = 0
  readonly formats = new Map<ImportFormat, { read: number; skipped: number }>()
  readonly ignored = new Map<string, number>()

  report(): Omit<ImportReport, 'source' | 'format' | 'durationMs' | 'dryRun'> {
    const { conflicts, conflictCount, skipped, skippedCount, attached } = this
    return {
      ...this.counts,
      ...(this.hasWorks && { works: this.works }),
      ...(attached > 0 && { attached }),
      conflicts,
      conflictCount,
      sessions: 0,
      links: 0,
      unresolved: [],
      skipped,
      skippedCount,
      formats: [...this.formats].map(([format, one]) => ({ format, ...one })),
      ignored: Object.fromEntries(this.ignored),
    }
  }

  noteFormat(entry: ImportEntry, importer: ImportFormat): void {
    if (entry.kind === 'ignored') {
      this.ignored.set(entry.rule, (this.ignored.get(entry.rule) ?? 0) + 1)
      return
    }
    // A file that no format fits counts for none.
    const format = entry.format ?? (importer === 'folder' || importer === 'zip' ? null : importer)
    if (format === null) return
    const counts = this.formats.get(format) ?? { read: 0, skipped: 0 }
    counts[entry.kind === 'skipped' ? 'skipped' : 'read']++
    this.formats.set(format, counts)
  }

  skip(name: string, reason: string, line: number | null = null): void {
    this.skippedCount++
    const shown = name.length > MAX_NAME_SHOWN ? `${name.slice(0, MAX_NAME_SHOWN)}…` : name
    if (this.skipped.length < MAX_LISTED) this.skipped.push({ name: shown, line, reason })
  }

  note(kind: ImportOutcome['kind'], key: string): void {
    if (kind === 'superseded') this.skip(key, 'Its record was superseded, and stays as it was.')
    else this.counts[kind === 'known' ? 'duplicates' : kind]++
  }

  noteWorks(added: WorkCounts): void {
    for (const state of ['created', 'updated', 'unchanged'] as const) {
      this.works[state] += added[state]
    }
  }

  noteConflicts(
    name: string,
    { id, conflicts }: Pick<WorkOutcome, 'id'> & Required<Pick<ImportOutcome, 'conflicts'>>,
  ): void {
    this.conflictCount += conflicts.length
    const listed = conflicts.slice(0, MAX_LISTED - this.conflicts.length)
    this.conflicts.push(...listed.map((conflict) => ({ name, id, ...conflict })))
  }
}
