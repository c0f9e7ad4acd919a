/** Exports everything that cannot be derived as lines of text, imports such lines again, and copies the file. */

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { badInput } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { Indexer } from '../embedding/indexer.js'
import { assertNames, check } from '../schemas/check.js'
import { backupRequest } from '../schemas/record-requests.js'
import * as format from '../storage/archive.js'
import type { Storage } from '../storage/storage.js'
import { noteTaken } from './history.js'
import type { Context } from './scope.js'

export type { ArchiveCounts, LostEntries } from '../storage/archive.js'

/** A record that differs from the archive's and is not older: it stayed as it was. */
export type ArchiveConflict = {
  readonly id: RecordId
  /** When each of the two last changed. */
  readonly stored: string
  readonly incoming: string
}

export type ArchiveReport = Readonly<Record<format.ArchiveOutcomeKind, format.ArchiveCounts>> & {
  /** The version of Cairn that wrote the archive. */
  readonly writtenBy: string
  readonly lines: number
  /** The first ten thousand of them. */
  readonly conflicts: readonly ArchiveConflict[]
  readonly conflictCount: number
  readonly dryRun: boolean
}

export type ArchiveOptions = {
  /** Reports what would be done and writes nothing. Default: false. */
  readonly dryRun?: boolean
  /** Called after every batch. */
  readonly onProgress?: (progress: { readonly lines: number; readonly records: number }) => void
  /** Ends the import. Written batches stay, and another run continues from there. */
  readonly signal?: AbortSignal
}

export type ExportAllOptions = {
  /** Called with the entries that cannot be read from a file that was opened with `salvage`. */
  readonly onLost?: (lost: format.LostEntries) => void
}

export type BackupOptions = {
  /** Replaces an existing file. Default: false. */
  readonly force?: boolean
  /** The path is a folder: writes a dated copy there and keeps only this many of the newest copies. */
  readonly keep?: number
  /** Pages of the file that are copied, and how many there are. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

export type BackupAnswer = {
  readonly file: string
  readonly bytes: number
  /** Older dated copies. */
  readonly removed: readonly string[]
}

type Lines = AsyncIterable<string> | Iterable<string>

export type Archive = ReturnType<typeof createArchive>

export function createArchive(
  context: Pick<Context, 'storage' | 'indexer' | 'scope' | 'log' | 'now' | 'recalls'>,
) {
  const { storage, indexer, scope, now, recalls } = context
  const embedHidden = (batch: readonly format.ArchiveLine[]) =>
    embedSuperseded(storage, indexer, batch)
  const embedRest = async (records: number): Promise<void> => {
    // Past states are found by their vectors too.
    if (await indexer.embedPending(records)) await indexer.embedPast()
  }

  return {
    async *exportAll(options: ExportAllOptions = {}): AsyncGenerator<string, void> {
      assertNames(options, ['onLost'])
      const { onLost = () => {} } = options
      scope.assertUnpinned('An archive holds')
      await recalls.written()
      await noteTaken(storage, { action: 'export', namespace: null, subject: null })
      yield* writeLines(storage, onLost)
    },

    async importAll(lines: Lines, options: ArchiveOptions = {}): Promise<ArchiveReport> {
      assertNames(options, ['dryRun', 'onProgress', 'signal'])
      scope.assertUnpinned('An archive holds')
      await recalls.written()
      const steps = { afterBatch: embedHidden, atEnd: embedRest }
      const report = await importLines(context, lines, { ...options, ...steps })
      // The records keep the authors of the archive.
      if (!report.dryRun) {
        await storage.log.note({ action: 'import', namespace: null, subject: null })
      }
      return report
    },

    /** Copies the file as it is in one snapshot. */
    async backup(file: string, options: BackupOptions = {}): Promise<BackupAnswer> {
      const { onProgress = () => {}, ...given } = options
      const { force, keep } = check(backupRequest, { ...given, file })
      scope.assertUnpinned('A copy holds')
      if (storage.file === null) {
        throw badInput(
          'A backup copies a file, and this Cairn is in a database.',
          'Copy it with `cairn copy`, write an archive with `cairn export`, or use pg_dump.',
        )
      }
      await recalls.written()
      const target = keep === undefined ? file : join(file, nameDated(now()))
      const bytes = await storage.file.backup({ target, force, onProgress })
      const removed = keep === undefined ? [] : await removeOld(file, keep)
      await noteTaken(storage, { action: 'backup', namespace: null, subject: target })
      return { file: target, bytes, removed }
    },
  }
}

const DATED = /^cairn-\d{8}T\d{9}Z\.cairn$/

/** Dated names sort by time. */
function nameDated(nowMs: number): string {
  return `cairn-${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')}.cairn`
}

/** Removes all dated backups but the newest `keep`; files with other names stay. */
async function removeOld(folder: string, keep: number): Promise<string[]> {
  const dated = (await readdir(folder)).filter((name) => DATED.test(name)).sort()
  const old = dated.slice(0, Math.max(0, dated.length - keep)).map((name) => join(folder, name))
  for (const path of old) await rm(path)
  return old
}

/** All lines of an archive. */
export async function* writeLines(
  storage: Storage,
  onLost: (lost: format.LostEntries) => void = () => {},
): AsyncGenerator<string, void> {
  const counts = format.createCounts()
  yield format.formatHeader()
  for await (const { kind, value } of storage.archive.read(onLost)) {
    counts[kind]++
    yield JSON.stringify({ [kind]: value })
  }
  yield JSON.stringify({ end: counts })
}

/** One transaction each; more texts at a time would take more memory and not less time. */
const BATCH_LINES = 1000
const BATCH_CHARACTERS = 4_000_000
const MAX_CONFLICTS = 10_000

type ImportSteps = ArchiveOptions & {
  /** These two make or copy the vectors of imported records. A dry run needs none. */
  readonly afterBatch: (batch: readonly format.ArchiveLine[]) => Promise<void>
  readonly atEnd: (records: number) => Promise<void>
}

export async function importLines(
  { storage, log }: Pick<Context, 'storage' | 'log'>,
  lines: Lines,
  options: ImportSteps,
): Promise<ArchiveReport> {
  const { dryRun = false, onProgress = () => {}, signal, afterBatch, atEnd } = options
  const restore = storage.archive.restore({ dryRun })
  const counts: Record<format.ArchiveOutcomeKind, Record<format.ArchiveKind, number>> = {
    added: format.createCounts(),
    updated: format.createCounts(),
    same: format.createCounts(),
    kept: format.createCounts(),
  }
  const seen = format.createCounts()
  const conflicts: ArchiveConflict[] = []
  let batch: format.ArchiveLine[] = []
  let characters = 0
  let line = 0

  const flush = async (): Promise<void> => {
    const outcomes = await restore(batch)
    if (!dryRun) await afterBatch(batch)
    for (const [i, { entry }] of batch.entries()) {
      const { kind, storedAt } = outcomes[i] as format.ArchiveOutcome
      counts[kind][entry.kind]++
      if (entry.kind !== 'record' || storedAt === undefined) continue
      if (conflicts.length >= MAX_CONFLICTS) continue
      const id = entry.value.id as RecordId
      conflicts.push({ id, stored: storedAt, incoming: format.findChangeTime(entry.value) })
    }
    batch = []
    characters = 0
    onProgress({ lines: line, records: seen.record })
  }

  /** True for the last line. */
  const take = async (text: string): Promise<boolean> => {
    const parsed = format.parseArchiveLine(text, line)
    if (parsed.kind === 'end') {
      const lost = format.ARCHIVE_KINDS.find((kind) => parsed.counts[kind] !== seen[kind])
      if (lost === undefined) return true
      const [wanted, found] = [parsed.counts[lost], seen[lost]]
      throw format.damagedLine(line, `it counts ${wanted} lines with a ${lost}, and ${found} came`)
    }
    seen[parsed.entry.kind]++
    batch.push({ line, entry: parsed.entry })
    characters += text.length
    const isFull = batch.length >= BATCH_LINES || characters >= BATCH_CHARACTERS
    // The model has to be active before it embeds anything.
    if (isFull || parsed.entry.kind === 'model') await flush()
    return false
  }

  let writtenBy: string | null = null
  let isEnded = false
  for await (const text of lines) {
    signal?.throwIfAborted()
    line++
    if (text.trim() === '') continue
    if (isEnded) throw format.damagedLine(line, 'it comes after the end')
    if (writtenBy === null) writtenBy = format.parseHeader(text.replace(/^\uFEFF/, ''))
    else isEnded = await take(text)
  }
  if (writtenBy === null) throw format.damagedLine(1, 'the archive is empty')
  if (!isEnded) throw format.damagedLine(line + 1, 'the archive ends before it')
  if (batch.length > 0) await flush()
  if (!dryRun) await atEnd(seen.record)
  log('info', 'archive.import', { lines: line, records: seen.record })
  const conflictCount = counts.kept.record
  return { writtenBy, lines: line, ...counts, conflicts, conflictCount, dryRun }
}

/** Nothing embeds superseded records later. Current records are embedded at the end, in their context. */
async function embedSuperseded(
  storage: Storage,
  indexer: Indexer,
  batch: readonly format.ArchiveLine[],
) {
  const hidden = batch.flatMap(({ entry }) =>
    entry.kind === 'record' && entry.value.supersededAt !== null ? [entry.value] : [],
  )
  const texts = hidden.map(({ title, body }) => ({ title, body, sessionId: null }))
  const embedded = await indexer.embedTexts(texts)
  if (embedded === null) return
  const made = hidden.flatMap(({ id }, i) => {
    const vectors = embedded.vectors[i] ?? null
    return vectors === null ? [] : [{ id: id as RecordId, vectors }]
  })
  await storage.vectors.storeVectors(embedded.model, made)
}
