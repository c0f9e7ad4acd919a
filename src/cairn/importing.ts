/** An import reads a source once, writes only what differs, and tells what it did and what it could not do. */

import { CairnError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { type BatchEmbedder, withBackoff } from '../embedding/backoff.js'
import type { Importer, SkippedEntry, WorkEntry } from '../import/importer.js'
import { chooseImporter, type ImportPath } from '../import/importers.js'
import { check } from '../schemas/check.js'
import { type ImportInput, type ImportRequest, importRequest } from '../schemas/import-request.js'
import type { Storage } from '../storage/storage.js'
import type { Archive } from './archive.js'
import { createBatches, type StoredItem } from './import-batch.js'
import { ImportLinks } from './import-links.js'
import { type ImportProgress, type ImportReport, type ImportWorks, Tally } from './import-report.js'
import { ImportSessions } from './import-sessions.js'
import type { Scope } from './scope.js'

export type TransferOptions = ImportInput & {
  /** Called after every batch. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Ends the import; what was written stays, and another run goes on from there. */
  readonly signal?: AbortSignal
}

export type ImportingParts = {
  readonly storage: Storage
  readonly indexer: BatchEmbedder
  readonly scope: Scope
  readonly log: Log
  readonly now: () => number
  readonly archive: Archive
  /** How works are stored; without it they are skipped. */
  readonly importWorks?: ImportWorks
}

const PAGE = 1000

export type Importing = ReturnType<typeof createImporting>

export function createImporting(parts: ImportingParts) {
  return async (path: string, options: TransferOptions = {}): Promise<ImportReport> => {
    const { onProgress = () => {}, signal, ...input } = options
    const request = check(importRequest, input)
    if (request.namespace !== undefined) parts.scope.assertContains(request.namespace)
    const { importer, ...place } = await chooseImporter(path, { format: request.format })
    if (importer.name === 'archive') {
      const { importArchive } = await import('./import-archive.js')
      const asked = { request, place, reader: importer, onProgress, signal }
      return importArchive(parts.archive, asked)
    }
    const run = new ImportRun({ ...parts, indexer: withBackoff(parts.indexer) }, request, {
      chosen: { ...place, importer },
      onProgress,
      signal,
    })
    return run.all()
  }
}

type RunPlace = {
  readonly chosen: ImportPath & { readonly importer: Importer }
  readonly onProgress: (progress: ImportProgress) => void
  readonly signal: AbortSignal | undefined
}

class ImportRun {
  readonly #parts: ImportingParts
  readonly #request: ImportRequest
  readonly #place: RunPlace
  readonly #source: string
  readonly #tally = new Tally()
  readonly #links: ImportLinks
  readonly #sessions: ImportSessions
  /** The hash of each key that went by. */
  readonly #seen = new Map<string, string>()
  /** Files and folders that are there, and could not be read. */
  readonly #unread = new Set<string>()
  /** Of a dry run: what is one work can only be told of all of them together. */
  readonly #planned: WorkEntry[] = []
  #bytesRead = 0
  #bytesTotal: number | null

  constructor(parts: ImportingParts, request: ImportRequest, place: RunPlace) {
    this.#parts = parts
    this.#request = request
    this.#place = place
    const { importer, path, bytes } = place.chosen
    this.#source = request.source ?? `${importer.name}:${path}`
    this.#sessions = new ImportSessions(request.namespace ?? parts.scope.namespace)
    this.#bytesTotal = bytes
    this.#links = new ImportLinks((key) => this.#seen.has(key))
  }

  async all(): Promise<ImportReport> {
    const { storage, log, indexer } = this.#parts
    const { dryRun } = this.#request
    const source = this.#source
    await this.#read()
    await this.#planWorks()
    this.#tell('deleting')
    if (this.#isPruning()) await this.#prune()
    this.#tell('linking')
    const sessions = this.#sessions.all
    if (!dryRun) await storage.imports.keepSessions(sessions)
    const links = await this.#links.join(storage, source, dryRun)
    if (!dryRun) await indexer.embedPending(0)
    this.#tell('done')
    const tally = this.#tally
    log('info', 'import', { ...tally.counts(), skipped: tally.skippedCount })
    return {
      source,
      format: this.#place.chosen.importer.name,
      ...tally.counts(),
      ...(tally.works === null ? {} : { works: tally.works }),
      conflicts: tally.conflicts,
      conflictCount: tally.conflictCount,
      sessions: sessions.length,
      links: links.added,
      unresolved: links.unresolved,
      skipped: tally.skipped,
      skippedCount: tally.skippedCount,
      dryRun,
    }
  }

  async #read(): Promise<void> {
    const { chosen, signal } = this.#place
    const batches = createBatches(this.#parts, {
      source: this.#source,
      request: this.#request,
      tally: this.#tally,
      keepWorks: (works, hashIn) => this.#keepWorks(works, hashIn),
      onTurn: (item, atMs) => this.#sessions.note(item, atMs),
    })
    const items = chosen.importer.read(chosen.path, {
      signal,
      onSize: (bytes) => {
        this.#bytesTotal = bytes
      },
      onRead: (bytes) => {
        this.#bytesRead += bytes
      },
      isKnown: batches.isKnown,
    })
    let batch: StoredItem[] = []
    /** Writes the batch before the one that is gathered. */
    let writeLast = async (): Promise<void> => {}
    const flush = async (): Promise<void> => {
      const write = await batches.begin(batch)
      batch = []
      await writeLast()
      writeLast = async () => {
        await write()
        this.#tell('reading')
      }
      // Whoever else uses this process gets a turn: everything above may have run without one.
      await new Promise((resolve) => setImmediate(resolve))
    }
    for await (const item of items) {
      signal?.throwIfAborted()
      if (item.kind === 'skipped') this.#skip(item)
      else if (this.#isFirst(item)) {
        if (item.kind === 'record') this.#links.note(item)
        batch.push(item)
        if (batch.length >= this.#request.batch) await flush()
      }
    }
    await flush()
    await writeLast()
  }

  /** The same again, as in a copied history, is passed over; another under the same key is told. */
  #isFirst({ key, hash }: StoredItem): boolean {
    const before = this.#seen.get(key)
    this.#seen.set(key, before ?? hash)
    if (before !== undefined && before !== hash) {
      const reason = 'Its key was there before, with another text; the first one counts.'
      this.#tally.skip({ name: key, line: null, reason })
    }
    return before === undefined
  }

  #skip(item: SkippedEntry): void {
    this.#tally.skip(item)
    this.#unread.add(item.name)
  }

  #isPruning(): boolean {
    const { chosen } = this.#place
    const isAsked = this.#request.prune
    if (isAsked !== undefined) return isAsked
    if (!chosen.isFolder || !chosen.importer.isMirror) return false
    // A disk that is not there looks like an empty folder.
    return this.#seen.size > 0
  }

  /** Deletes what is remembered of the source and was neither read nor skipped this time. */
  async #prune(): Promise<void> {
    const { storage } = this.#parts
    const folders = [...this.#unread].filter((name) => name.endsWith('/'))
    const isThere = (key: string): boolean =>
      this.#seen.has(key) ||
      this.#unread.has(key) ||
      folders.some((folder) => key.startsWith(folder))
    let after: string | null = null
    for (;;) {
      this.#place.signal?.throwIfAborted()
      const page = await storage.imports.page(this.#source, after, PAGE)
      const gone = page.filter(({ key, hash }) => hash !== null && !isThere(key))
      if (this.#request.dryRun) this.#tally.deleted += gone.length
      else if (gone.length > 0) {
        const keys = gone.map(({ key }) => key)
        this.#tally.deleted += await storage.imports.forget(this.#source, keys)
      }
      after = page.at(-1)?.key ?? null
      if (after === null || page.length < PAGE) return
    }
  }

  async #planWorks(): Promise<void> {
    const works = this.#planned.splice(0)
    if (works.length > 0) await this.#importWorks(works, null)
  }

  async #keepWorks(works: readonly WorkEntry[], hashIn: (hash: string) => string): Promise<void> {
    this.#tally.noteWorks({ created: 0, updated: 0, unchanged: 0 })
    if (this.#request.dryRun) this.#planned.push(...works)
    else await this.#importWorks(works, hashIn)
  }

  /** Without a way to make hashes nothing is written. */
  async #importWorks(
    works: readonly WorkEntry[],
    hashIn: ((hash: string) => string) | null,
  ): Promise<void> {
    const { importWorks, storage } = this.#parts
    const { namespace, tags } = this.#request
    const tally = this.#tally
    if (importWorks === undefined) {
      const reason = 'It is a work, and works cannot be stored here.'
      for (const { key } of works) tally.skip({ name: key, line: null, reason })
      return
    }
    try {
      const given = works.map(({ work }) => work)
      const source = this.#source.slice(-500)
      const where = { ...(namespace === undefined ? {} : { namespace }), tags, source }
      const answer = await importWorks(given, { ...where, dryRun: hashIn === null })
      tally.noteWorks(answer)
      for (const [i, outcome] of answer.outcomes.entries()) {
        tally.noteConflicts(works[i]?.key ?? '', outcome)
      }
      if (hashIn === null) return
      const notes = works.map(({ key, hash }, i) => ({
        key,
        hash: hashIn(hash),
        id: answer.outcomes[i]?.id ?? null,
      }))
      await storage.imports.note(this.#source, notes)
    } catch (error) {
      if (!(error instanceof CairnError) || error.code !== 'bad_input') throw error
      const [only] = works
      if (only === undefined) return
      // One of them is refused: each by itself, so that the others are not.
      if (works.length > 1) for (const work of works) await this.#importWorks([work], hashIn)
      else tally.skip({ name: only.key, line: null, reason: error.message })
    }
  }

  #tell(phase: ImportProgress['phase']): void {
    this.#place.onProgress({
      phase,
      ...this.#tally.counts(),
      skipped: this.#tally.skippedCount,
      bytesRead: this.#bytesRead,
      bytesTotal: this.#bytesTotal,
    })
  }
}
