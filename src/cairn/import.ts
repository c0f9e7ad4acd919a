/** Imports a file or a folder once, or again whenever the folder changes. */

import { stat } from 'node:fs/promises'
import { basename, isAbsolute, join, sep } from 'node:path'
import type { SearchAnswer } from '../core/answer.js'
import { assertRole } from '../core/caller.js'
import { badInput } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import { omitUndefined } from '../core/json-fields.js'
import { withBackoff } from '../embedding/backoff.js'
import type { ArchiveReader, ImportFormat, SkippedEntry } from '../import/importer.js'
import { chooseImporter } from '../import/importers.js'
import { assertPath, check } from '../schemas/check.js'
import { type ImportInput, type ImportRequest, importRequest } from '../schemas/record-requests.js'
import type { Archive, ArchiveReport } from './archive.js'
import { type ChosenSource, ImportRun } from './import-run.js'
import { ImportTally, NO_COUNTS } from './import-tally.js'
import type { Context } from './scope.js'
import { type Watch, type WatchCallbacks, watchRuns } from './watch.js'
import type { Works } from './works.js'

export type ImportSkipped = Omit<SkippedEntry, 'kind'>

export type ImportCounts = Readonly<typeof NO_COUNTS>

/** A field whose value in the source differs from the stored one, which stays. */
export type ImportedConflict = {
  readonly name: string
  readonly id: RecordId
  readonly field: string
  readonly stored: unknown
  readonly incoming: unknown
}

export type FormatCounts = {
  readonly format: ImportFormat
  readonly read: number
  readonly skipped: number
}

export type WorkCounts = Readonly<Record<'created' | 'updated' | 'unchanged', number>>

export type ImportReport = ImportCounts & {
  readonly source: string
  readonly format: ImportFormat
  /** Archives only: the outcomes of its lines by kind, as `importAll` reports them. */
  readonly archive?: Pick<ArchiveReport, 'writtenBy' | 'added' | 'updated' | 'same' | 'kept'>
  /** Present if the source holds works. */
  readonly works?: WorkCounts
  /** Present if it is not 0: how many files became the full text of a work. */
  readonly attached?: number
  /** The first ten thousand of them, one for each field. */
  readonly conflicts: readonly ImportedConflict[]
  readonly conflictCount: number
  readonly sessions: number
  readonly links: number
  /** Links whose target is not in the source. */
  readonly unresolved: readonly { readonly from: string; readonly to: string }[]
  /** The first ten thousand of them. */
  readonly skipped: readonly ImportSkipped[]
  readonly skippedCount: number
  /** How many entries of each format were read and skipped; several in a folder. */
  readonly formats: readonly FormatCounts[]
  /** How many files and folders each rule left out, such as `.gitignore` or `--exclude`. */
  readonly ignored: Readonly<Record<string, number>>
  readonly durationMs: number
  readonly dryRun: boolean
  /** Present if reading took too long: entries that were read before are stored. */
  readonly degraded?: SearchAnswer['degraded']
  readonly hint?: string
}

export type RunReport = Omit<ImportReport, 'durationMs'>

export type ImportProgress = ImportCounts & {
  readonly phase: 'reading' | 'deleting' | 'linking' | 'done'
  readonly skipped: number
  readonly bytesRead: number
  /** Null if it is not known. */
  readonly bytesTotal: number | null
}

export type TransferOptions = ImportInput & {
  /** Called at the start, after every batch, and several times a second while files are read. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Ends the import. Written batches stay, and another run continues from there. */
  readonly signal?: AbortSignal
  /** The source was uploaded: reading may take only as long as a search (`timeLimitMs`). */
  readonly isUpload?: boolean
}

export type WatchOptions = TransferOptions & WatchCallbacks<ImportReport>

export type ImportParts = Pick<
  Context,
  'storage' | 'indexer' | 'scope' | 'log' | 'now' | 'caller' | 'timeLimitMs'
> & { readonly archive: Archive; readonly importWorks: Works['import'] }

export type Imports = ReturnType<typeof createImport>

export function createImport(parts: ImportParts) {
  const importPath = async (
    path: string,
    { onProgress = () => {}, signal, isUpload = false, ...input }: TransferOptions = {},
  ): Promise<ImportReport> => {
    const startMs = parts.now()
    assertPath('path', path)
    const request = check(importRequest, input)
    if (request.namespace !== undefined) parts.scope.assertContains(request.namespace)
    const { importer, ...place } = await chooseImporter(path, { format: request.format })
    const chosen = { ...place, onProgress, signal }
    let report: RunReport
    if (importer.name === 'archive') {
      // An archive names the authors and the origins of its records.
      if (isUpload) assertRole(parts.caller, 'admin')
      report = await importArchive(parts.archive, request, { ...chosen, importer })
    } else {
      const indexer = withBackoff(parts.indexer)
      const limitMs = isUpload ? parts.timeLimitMs : null
      const source = { ...chosen, importer, limitMs }
      report = await new ImportRun({ ...parts, indexer }, request, source).run()
    }
    return { ...report, durationMs: parts.now() - startMs }
  }

  /** Returns after the first import. */
  const watch = async (
    folder: string,
    options: WatchOptions = {},
  ): Promise<Watch<ImportReport>> => {
    const { debounceMs, pollMs, onReport, onError, ...rest } = options
    const { onProgress: _, signal, ...input } = rest
    assertPath('folder', folder)
    check(importRequest, input)
    const { importer, path, isFolder } = await chooseImporter(folder, { format: rest.format })
    if (!isFolder) throw badInput(`${folder} is not a folder, and only folders can be watched.`)
    return watchRuns(path, {
      ...omitUndefined({ debounceMs, pollMs, onReport, onError, signal }),
      // The format is fixed: files that appear later must not make the folder another source.
      run: () => importPath(path, { ...rest, format: importer.name }),
    })
  }

  /** The file that a record was imported from, if it is still there, and the line where its text begins. */
  const findFile = async (id: string): Promise<FoundSource | null> => {
    const { id: whole, metadata } = await parts.scope.findOne(id)
    const line = typeof metadata.bodyLine === 'number' ? metadata.bodyLine : 1
    const sources = await parts.storage.imports.sources(whole)
    // The source of an upload is a name and not a path.
    const roots = sources.map((source) => source.replace(/^[a-z-]+:/, '')).filter(isAbsolute)
    const own = typeof metadata.path === 'string' ? metadata.path : ''
    // Metadata can be edited: a path that leads out of the folder is not followed.
    const isInside = (path: string, i: number) => path.startsWith(join(roots[i] ?? '', sep))
    const inside = roots.map((root) => join(root, own)).filter(isInside)
    // The PDF of a work comes before the bibliography that lists it.
    const byName = roots.toSorted(
      (a, b) => Number(basename(b) === own) - Number(basename(a) === own),
    )
    for (const path of [...inside, ...byName]) {
      const found = await stat(path).catch(() => null)
      if (found?.isFile()) return { path, line }
    }
    return null
  }

  return { import: importPath, watch, findFile }
}

type FoundSource = { readonly path: string; readonly line: number }

type ChosenArchive = Omit<ChosenSource, 'importer' | 'limitMs'> & {
  readonly importer: ArchiveReader
}

async function importArchive(
  archive: Archive,
  { namespace, tags, dryRun, source: given }: ImportRequest,
  { path, bytes, importer, signal, onProgress }: ChosenArchive,
): Promise<RunReport> {
  if (namespace !== undefined || tags.length > 0) {
    throw badInput(
      'An archive is imported with its own namespaces and tags.',
      'Leave out --namespace and --tag.',
    )
  }
  let bytesRead = 0
  const onRead = (read: number): void => {
    bytesRead += read
  }
  const rest = { skipped: 0, bytesTotal: bytes, phase: 'reading' } as const
  const report = await archive.importAll(importer.readLines(path, { signal, onRead }), {
    dryRun,
    ...(signal !== undefined && { signal }),
    onProgress: ({ records: read }) => onProgress({ ...NO_COUNTS, ...rest, read, bytesRead }),
  })
  const { added, updated, same, kept, conflicts, conflictCount, writtenBy } = report
  return {
    source: given ?? `archive:${path}`,
    format: 'archive',
    ...new ImportTally().report(),
    read: added.record + updated.record + same.record + kept.record,
    created: added.record,
    updated: updated.record,
    unchanged: same.record,
    conflicts: conflicts.map((conflict) => ({ name: conflict.id, field: 'changed', ...conflict })),
    conflictCount,
    sessions: added.session + updated.session,
    links: added.link + updated.link,
    archive: { writtenBy, added, updated, same, kept },
    dryRun,
  }
}
