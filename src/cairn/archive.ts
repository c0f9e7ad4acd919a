/** Everything that cannot be derived leaves the file as lines of text, and comes back from them as it was. */

import { CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { Log } from '../core/log.js'
import type { Indexer } from '../embedding/indexer.js'
import {
  ARCHIVE_KINDS,
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveOutcomeKind,
  type ArchiveRestore,
  changedAt,
  isOfThePast,
} from '../storage/archive.js'
import type { Storage } from '../storage/storage.js'
import type { EmbeddedRecords } from '../storage/vectors.js'
import * as lines from './archive-lines.js'
import type { Scope } from './scope.js'

/** How many lines of each kind had this outcome. */
export type ArchiveCounts = lines.ArchiveCounts

/** A record that differs from the archive's, and is not older: it stayed as it was. */
export type ArchiveConflict = {
  readonly id: RecordId
  /** When each of the two last became what it is. */
  readonly stored: string
  readonly incoming: string
}

export type ArchiveReport = {
  /** The version of Cairn that wrote the archive. */
  readonly writtenBy: string
  readonly lines: number
  readonly added: ArchiveCounts
  readonly updated: ArchiveCounts
  readonly same: ArchiveCounts
  readonly kept: ArchiveCounts
  /** The first ten thousand of them. */
  readonly conflicts: readonly ArchiveConflict[]
  readonly conflictCount: number
  readonly dryRun: boolean
}

export type ArchiveOptions = {
  /** Says what would be done, and writes nothing. Default: false. */
  readonly dryRun?: boolean
  /** Called after every batch. */
  readonly onProgress?: (progress: { readonly lines: number; readonly records: number }) => void
  /** Ends it; what was written stays, and another run goes on from there. */
  readonly signal?: AbortSignal
}

export type ArchiveParts = {
  readonly storage: Storage
  readonly indexer: Indexer
  readonly scope: Scope
  readonly log: Log
  /** Waits until every recall is written. */
  readonly settled: () => Promise<void>
}

export type Archive = ReturnType<typeof createArchive>

export function createArchive(parts: ArchiveParts) {
  return {
    async *exportAll(): AsyncGenerator<string, void> {
      assertWhole(parts.scope, 'An archive')
      await parts.settled()
      const counts = lines.noCounts()
      yield lines.writeHeader()
      for await (const entry of parts.storage.archive.read()) {
        counts[entry.kind]++
        yield lines.writeEntry(entry)
      }
      yield lines.writeEnd(counts)
    },

    async importAll(
      given: AsyncIterable<string> | Iterable<string>,
      options: ArchiveOptions = {},
    ): Promise<ArchiveReport> {
      assertWhole(parts.scope, 'An archive')
      await parts.settled()
      return new ArchiveImport(parts, options).read(given)
    },
  }
}

/** A pinned session has no business with what the other namespaces hold. */
export function assertWhole(scope: Scope, thing: string): void {
  if (scope.pinnedNamespace === null) return
  throw new CairnError('outside_namespace', {
    message: `${thing} holds every namespace, and this session is kept to "${scope.pinnedNamespace}".`,
    hint: 'Open the file without the pin.',
  })
}

/** One transaction each; more texts at a time would take more memory and not less time. */
const BATCH_LINES = 1000
const BATCH_CHARACTERS = 4_000_000
const LISTED = 10_000

class ArchiveImport {
  readonly #parts: ArchiveParts
  readonly #options: ArchiveOptions
  readonly #restore: ArchiveRestore
  readonly #counts: Record<ArchiveOutcomeKind, Record<ArchiveKind, number>> = {
    added: lines.noCounts(),
    updated: lines.noCounts(),
    same: lines.noCounts(),
    kept: lines.noCounts(),
  }
  readonly #seen = lines.noCounts()
  readonly #conflicts: ArchiveConflict[] = []
  #batch: { readonly line: number; readonly entry: ArchiveEntry }[] = []
  #characters = 0
  #line = 0

  constructor(parts: ArchiveParts, options: ArchiveOptions) {
    this.#parts = parts
    this.#options = options
    this.#restore = parts.storage.archive.restore({ dryRun: options.dryRun ?? false })
  }

  async read(given: AsyncIterable<string> | Iterable<string>): Promise<ArchiveReport> {
    const { dryRun = false, signal } = this.#options
    let header: lines.ArchiveHeader | null = null
    let isEnded = false
    for await (const text of given) {
      signal?.throwIfAborted()
      this.#line++
      if (text.trim() === '') continue
      if (isEnded) throw lines.damaged(this.#line, 'it stands behind the end')
      if (header === null) header = lines.readHeader(text.replace(/^\uFEFF/, ''))
      else isEnded = await this.#take(text)
    }
    if (header === null) throw lines.damaged(1, 'there is no line at all')
    if (!isEnded) throw lines.damaged(this.#line + 1, 'the archive ends before it')
    await this.#flush()
    const { indexer, log } = this.#parts
    if (!dryRun) await indexer.embedPending(this.#seen.record)
    log('info', 'archive.import', { lines: this.#line, records: this.#seen.record })
    return {
      writtenBy: header.writtenBy,
      lines: this.#line,
      ...this.#counts,
      conflicts: this.#conflicts,
      conflictCount: this.#counts.kept.record,
      dryRun,
    }
  }

  /** True for the last line. */
  async #take(text: string): Promise<boolean> {
    const read = lines.readArchiveLine(text, this.#line)
    if (read.kind === 'end') {
      const lost = ARCHIVE_KINDS.find((kind) => read.counts[kind] !== this.#seen[kind])
      if (lost === undefined) return true
      const [wanted, found] = [read.counts[lost], this.#seen[lost]]
      throw lines.damaged(this.#line, `it counts ${wanted} lines with a ${lost}, and ${found} came`)
    }
    this.#seen[read.entry.kind]++
    this.#batch.push({ line: this.#line, entry: read.entry })
    this.#characters += text.length
    const isFull = this.#batch.length >= BATCH_LINES || this.#characters >= BATCH_CHARACTERS
    // The model is put in charge before it has to read anything.
    if (isFull || read.entry.kind === 'model') await this.#flush()
    return false
  }

  async #flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#characters = 0
    if (batch.length === 0) return
    const entries = batch.map(({ entry }) => entry)
    const written = await this.#restore.write(entries, await this.#readPast(entries))
    if (written.kind === 'refused') {
      throw lines.damaged(batch[written.index]?.line ?? 0, written.reason)
    }
    for (const [i, { kind, storedAt }] of written.outcomes.entries()) {
      const entry = entries[i]
      if (entry === undefined) continue
      this.#counts[kind][entry.kind]++
      if (entry.kind === 'record' && storedAt !== undefined && this.#conflicts.length < LISTED) {
        const { value } = entry
        const id = value.id as RecordId
        this.#conflicts.push({ id, stored: storedAt, incoming: changedAt(value) })
      }
    }
    this.#options.onProgress?.({ lines: this.#line, records: this.#seen.record })
  }

  /** What is of the past is read now; the present texts are read at the end, in their surroundings. */
  async #readPast(entries: readonly ArchiveEntry[]): Promise<EmbeddedRecords | null> {
    if (this.#options.dryRun === true) return null
    const texts = entries.flatMap((entry) =>
      isOfThePast(entry) && 'body' in entry.value
        ? [{ title: entry.value.title, body: entry.value.body, sessionId: null }]
        : [],
    )
    return texts.length === 0 ? null : this.#parts.indexer.embedTexts(texts)
  }
}
