/** An archive that is imported by its path is told in the shape of every import. */

import { badInput } from '../core/errors.js'
import type { ArchiveReader } from '../import/importer.js'
import type { ImportPath } from '../import/importers.js'
import type { ImportRequest } from '../schemas/record-requests.js'
import type { Archive, ArchiveReport } from './archive.js'
import type { ImportCounts, ImportProgress, ImportReport } from './import-report.js'

export type ArchiveImportRequest = {
  readonly request: ImportRequest
  readonly place: ImportPath
  readonly reader: ArchiveReader
  readonly onProgress: (progress: ImportProgress) => void
  readonly signal: AbortSignal | undefined
}

export async function importArchive(
  archive: Archive,
  { request, place, reader, onProgress, signal }: ArchiveImportRequest,
): Promise<ImportReport> {
  const { namespace, tags, dryRun } = request
  if (namespace !== undefined || tags.length > 0) {
    throw badInput(
      'An archive comes back as it was, with its own namespaces and tags.',
      'Leave --namespace and --tag out.',
    )
  }
  let bytesRead = 0
  const given = reader.readLines(place.path, {
    signal,
    onRead: (bytes) => {
      bytesRead += bytes
    },
  })
  const report = await archive.importAll(given, {
    dryRun,
    ...(signal === undefined ? {} : { signal }),
    onProgress: ({ records }) =>
      onProgress({
        ...NOTHING,
        phase: 'reading',
        read: records,
        skipped: 0,
        bytesRead,
        bytesTotal: place.bytes,
      }),
  })
  return toImportReport(report, request.source ?? `archive:${place.path}`)
}

const NOTHING: ImportCounts = {
  read: 0,
  created: 0,
  updated: 0,
  restored: 0,
  unchanged: 0,
  duplicates: 0,
  deleted: 0,
}

function toImportReport(report: ArchiveReport, source: string): ImportReport {
  const { added, updated, same, kept, conflicts, conflictCount, dryRun, writtenBy } = report
  const read = added.record + updated.record + same.record + kept.record
  return {
    ...NOTHING,
    source,
    format: 'archive',
    read,
    created: added.record,
    updated: updated.record,
    unchanged: same.record,
    conflicts: conflicts.map(({ id, stored, incoming }) => ({
      name: id,
      id,
      field: 'changed',
      stored,
      incoming,
    })),
    conflictCount,
    sessions: added.session + updated.session,
    links: added.link + updated.link,
    unresolved: [],
    skipped: [],
    skippedCount: 0,
    archive: { writtenBy, added, updated, same, kept },
    dryRun,
  }
}
