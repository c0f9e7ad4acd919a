/** One run of an import: reads a source, writes changed entries in batches, deletes missing ones, and reports. */

import { CairnError } from '../core/errors.js'
import type { BatchEmbedder } from '../embedding/backoff.js'
import { findFileOfKey } from '../import/folder.js'
import type { Importer, RecordEntry, UnchangedEntry, WorkEntry } from '../import/importer.js'
import type { ImportPath } from '../import/importers.js'
import { createPdfWorker, type PdfWorker } from '../import/pdf/worker.js'
import { hashValue } from '../import/values.js'
import { listPaperKeys } from '../literature/match-pdf.js'
import { MAX_NAME_CHARS } from '../schemas/limits.js'
import type { ImportRequest } from '../schemas/record-requests.js'
import type { Imported, ImportSource, ImportWrite } from '../storage/imports.js'
import type { Addition } from '../storage/storage.js'
import type { EmbeddedRecords } from '../storage/vectors.js'
import { createAttacher } from './full-texts.js'
import type { ImportParts, ImportProgress, RunReport } from './import.js'
import { createImportLinks, createImportSessions } from './import-links.js'
import { ImportTally } from './import-tally.js'
import { ReadLimit, TOO_SLOW } from './read-limit.js'
import { toAddition } from './records.js'

export type RunParts = Omit<ImportParts, 'indexer' | 'archive'> & {
  readonly indexer: BatchEmbedder
}

export type ChosenSource = ImportPath & {
  readonly importer: Importer
  readonly onProgress: (progress: ImportProgress) => void
  readonly signal: AbortSignal | undefined
  /** How long reading may take; null: no limit. */
  readonly limitMs: number | null
}

type StoredEntry = RecordEntry | WorkEntry | UnchangedEntry

/** `hash` is the one that is stored with the entry. */
type Ready = { readonly entry: RecordEntry; readonly record: Addition; readonly hash: string }
/** The changed entries of a batch, by how they are stored. */
type Sorted = { readonly records: Ready[]; readonly works: WorkEntry[]; readonly texts: Ready[] }

const PAGE = 1000
/** Long texts are written in smaller batches, so that they take less memory and progress is seen. */
const BATCH_CHARACTERS = 1_000_000
const REPORT_EVERY_MS = 200

export class ImportRun {
  readonly #parts: RunParts
  readonly #request: ImportRequest
  readonly #chosen: ChosenSource
  readonly #source: ImportSource
  readonly #startMs: number
  readonly #tally = new ImportTally()
  readonly #limit: ReadLimit
  readonly #links = createImportLinks((key) => this.#seen.has(key))
  readonly #sessions: ReturnType<typeof createImportSessions>
  readonly #seen = new Map<string, string>()
  /** Files and folders that exist and could not be read. */
  readonly #unread = new Set<string>()
  /** In a dry run, duplicates among works are found only when all works are planned together. */
  readonly #plannedWorks: WorkEntry[] = []
  #untimedTurns = 0
  #bytesRead = 0
  #reportedMs = 0
  #bytesTotal: number | null

  constructor(parts: RunParts, request: ImportRequest, chosen: ChosenSource) {
    this.#parts = parts
    this.#request = request
    this.#chosen = chosen
    const { namespace, pinnedNamespace } = parts.scope
    const source = request.source ?? `${chosen.importer.name}:${chosen.path}`
    this.#source = { source, pinnedNamespace }
    this.#startMs = parts.now()
    this.#limit = new ReadLimit(chosen.limitMs, chosen.signal)
    this.#sessions = createImportSessions(request.namespace ?? namespace)
    this.#bytesTotal = chosen.bytes
  }

  async run(): Promise<RunReport> {
    const { storage, log, indexer } = this.#parts
    const { dryRun } = this.#request
    this.#report('reading')
    const pdfWorker = createPdfWorker()
    await this.#readAll(pdfWorker).finally(() => pdfWorker.close())
    if (this.#plannedWorks.length > 0) await this.#storeWorks(this.#plannedWorks)
    this.#report('deleting')
    if (this.#isPruning()) await this.#prune()
    this.#report('linking')
    const sessions = this.#sessions.all()
    if (!dryRun) await storage.imports.writeSessions(sessions)
    const links = await this.#links.write(storage, this.#source, dryRun)
    if (!dryRun) await indexer.embedPending(0)
    this.#report('done')
    log('info', 'import', { ...this.#tally.counts, skipped: this.#tally.skippedCount })
    return {
      source: this.#source.source,
      format: this.#chosen.importer.name,
      ...this.#tally.report(),
      sessions: sessions.length,
      links: links.added,
      unresolved: links.unresolved,
      dryRun,
      ...(this.#limit.isSpent && TOO_SLOW),
    }
  }

  /** A batch is embedded while the one before it is written. */
  async #readAll(pdfWorker: PdfWorker): Promise<void> {
    const { importer, path, signal } = this.#chosen
    const { storage } = this.#parts
    const entries = importer.read(path, {
      pdfWorker,
      signal: this.#limit.signal,
      followLinks: this.#request.followLinks,
      include: this.#request.include,
      exclude: this.#request.exclude,
      onSize: (bytes) => {
        this.#bytesTotal = bytes
        this.#report('reading')
      },
      onRead: (bytes) => {
        this.#bytesRead += bytes
        if (this.#parts.now() - this.#reportedMs >= REPORT_EVERY_MS) this.#report('reading')
      },
      isKnown: async (key, hash) =>
        this.#isStored((await storage.imports.known(this.#source, [key])).get(key), hash),
    })
    let batch: StoredEntry[] = []
    let characters = 0
    let writePrevious = async (): Promise<void> => {}
    const flush = async (): Promise<void> => {
      const write = await this.#prepare(batch)
      batch = []
      characters = 0
      await writePrevious()
      writePrevious = write
      // Everything above may have run synchronously: let other work of this process run.
      await new Promise((resolve) => setImmediate(resolve))
    }
    for await (const entry of this.#limit.within(entries)) {
      signal?.throwIfAborted()
      this.#tally.noteFormat(entry, importer.name)
      if (entry.kind === 'skipped' || entry.kind === 'ignored') {
        if (entry.kind === 'skipped') this.#tally.skip(entry.name, entry.reason, entry.line)
        this.#unread.add(entry.name)
      } else if (entry.key.length > MAX_NAME_CHARS) {
        this.#tally.skip(entry.key, `Its key is longer than ${MAX_NAME_CHARS} characters.`)
      } else if (this.#isFirst(entry)) {
        if (entry.kind !== 'work') this.#links.note(entry)
        batch.push(entry)
        if (entry.kind === 'record') characters += entry.record.body.length
        const isFull = batch.length >= this.#request.batch || characters >= BATCH_CHARACTERS
        if (isFull) await flush()
      }
    }
    await flush()
    await writePrevious()
  }

  /** Ignores an entry that comes twice, as in a copied history. Reports a different entry with the same key. */
  #isFirst({ key, hash }: StoredEntry): boolean {
    const before = this.#seen.get(key)
    this.#seen.set(key, before ?? hash)
    if (before !== undefined && before !== hash) {
      this.#tally.skip(key, 'Its key was there before, with another text; the first one counts.')
    }
    return before === undefined
  }

  /** Includes namespace and tags: with other ones, the same file is another record. */
  #hash(hash: string): string {
    return hashValue([hash, this.#request.namespace ?? null, this.#request.tags])
  }

  /** Whether an entry needs no write. A record that was deleted here stays deleted unless `again` is set. */
  #isStored(known: Imported | undefined, hash: string): boolean {
    const isWanted = this.#request.again && known?.isDeleted === true
    return known?.hash === this.#hash(hash) && !isWanted
  }

  /** Compares and checks entries and starts to embed them; returns the function that writes them. */
  async #prepare(entries: readonly StoredEntry[]): Promise<() => Promise<void>> {
    const { storage, indexer } = this.#parts
    const keys = entries.map(({ key }) => key)
    const known = await storage.imports.known(this.#source, keys)
    const { records, works, texts }: Sorted = { records: [], works: [], texts: [] }
    let unchanged = 0
    for (const entry of entries) {
      const hash = this.#hash(entry.hash)
      if (entry.kind === 'unchanged' || this.#isStored(known.get(entry.key), entry.hash)) {
        unchanged++
        if (entry.kind === 'record') this.#sessions.note(entry, readTime(entry))
      } else if (entry.kind === 'work') works.push(entry)
      else {
        const record = this.#toRecord(entry)
        if (record === null) continue
        const isText = entry.paper !== undefined || entry.textOf !== undefined
        const some = isText ? texts : records
        some.push({ entry, record, hash })
        this.#sessions.note(entry, record.occurredAtMs)
      }
    }
    if (works.length > 0) this.#tally.hasWorks = true
    const count = (): void => {
      this.#tally.counts.read += entries.length
      this.#tally.counts.unchanged += unchanged
    }
    if (this.#request.dryRun) {
      return async () => {
        count()
        this.#countRecords([...records, ...texts], known)
        this.#plannedWorks.push(...works)
        this.#report('reading')
      }
    }
    // Never fails: if the model cannot be reached, the records wait for their vectors.
    const embedding = indexer.embedTexts(records.map(({ record }) => record))
    return async () => {
      count()
      await this.#storeRecords(records, await embedding)
      if (works.length > 0) await this.#storeWorks(works)
      // PDFs are stored after the works that were read with them: a PDF may be the text of one.
      if (texts.length > 0) await this.#storeTexts(texts)
      this.#report('reading')
    }
  }

  #toRecord(entry: RecordEntry): Addition | null {
    try {
      const given = toAddition(withOptions(entry, this.#request), this.#parts.scope, this.#startMs)
      // A file that names sessions of another machine would be refused as a whole.
      const record = { ...given, createdIn: null }
      // Turns of a conversation without times keep the order of the file.
      const isTimeless = record.sessionId !== null && record.occurredAtMs === null
      return isTimeless ? { ...record, occurredAtMs: this.#startMs + this.#untimedTurns++ } : record
    } catch (error) {
      if (!(error instanceof CairnError)) throw error
      this.#tally.skip(entry.key, error.message)
      return null
    }
  }

  async #storeRecords(ready: readonly Ready[], vectors: EmbeddedRecords | null): Promise<void> {
    if (ready.length === 0) return
    const { storage, indexer } = this.#parts
    const writes = ready.map(({ entry, record, hash }): ImportWrite => {
      const { occurredAt } = entry.record
      return { key: entry.key, hash, record, hasOwnTime: (occurredAt ?? null) !== null }
    })
    const outcomes = await storage.imports.write(this.#source, writes, vectors ?? undefined)
    for (const [i, { id, kind, conflicts = [] }] of outcomes.entries()) {
      const key = ready[i]?.entry.key ?? ''
      this.#tally.note(kind, key)
      this.#tally.noteConflicts(key, { id, conflicts })
    }
    // A model that has just failed is not asked again at once.
    if (vectors !== null) await indexer.embedPending(ready.length)
  }

  /** Attaches each text to its work; those without one become documents, which works that come later find. */
  async #storeTexts(texts: readonly Ready[]): Promise<void> {
    const { storage, indexer } = this.#parts
    const attach = createAttacher(this.#parts, this.#source, this.#request.again)
    const alone: Ready[] = []
    for (const one of texts) {
      const { entry, record, hash } = one
      const outcome = await attach(entry, record)
      if (outcome === null) {
        const keys = entry.paper === undefined ? [] : listPaperKeys(entry.paper)
        alone.push({ ...one, record: { ...record, identities: keys } })
        continue
      }
      const { id, kind } = outcome
      await storage.imports.note(this.#source, [{ key: entry.key, hash, id }])
      if (kind === 'unchanged') this.#tally.counts.unchanged++
      else this.#tally.note(kind, entry.key)
      if (kind === 'created') this.#tally.attached++
    }
    const embedded = await indexer.embedTexts(alone.map(({ record }) => record))
    await this.#storeRecords(alone, embedded)
  }

  /** Counts the writes that a dry run omits. Does not look for equal content from other sources. */
  #countRecords(ready: readonly Ready[], known: ReadonlyMap<string, Imported>): void {
    for (const { entry } of ready) {
      const before = known.get(entry.key)
      const isBack = before?.isDeleted === true
      const kind = isBack ? 'restored' : 'updated'
      this.#tally.note(before === undefined ? 'created' : kind, entry.key)
    }
  }

  async #storeWorks(works: readonly WorkEntry[]): Promise<void> {
    const { importWorks, storage } = this.#parts
    const { namespace, tags, dryRun } = this.#request
    try {
      const source = this.#source.source.slice(-500)
      const given = works.map(({ work }) => work)
      const answer = await importWorks(given, { namespace, tags, source, dryRun })
      this.#tally.noteWorks(answer)
      const notes = works.map(({ key, hash }, i) => {
        const outcome = answer.outcomes[i]
        if (outcome !== undefined) this.#tally.noteConflicts(key, outcome)
        return { key, hash: this.#hash(hash), id: outcome?.id ?? null }
      })
      if (!dryRun) await storage.imports.note(this.#source, notes)
    } catch (error) {
      if (!(error instanceof CairnError) || error.code !== 'bad_input') throw error
      // One work is refused: each is imported alone, so that the others are stored.
      if (works.length > 1) for (const work of works) await this.#storeWorks([work])
      else this.#tally.skip(works[0]?.key ?? '', error.message)
    }
  }

  #isPruning(): boolean {
    // Entries that were not read may still exist.
    if (this.#limit.isSpent) return false
    const { isFolder, importer } = this.#chosen
    // A disk that is not mounted looks like an empty folder.
    return this.#request.prune ?? (isFolder && importer.isMirror === true && this.#seen.size > 0)
  }

  /** Deletes records of the source whose entries were neither read nor skipped in this run. */
  async #prune(): Promise<void> {
    const { imports } = this.#parts.storage
    const folders = [...this.#unread].filter((name) => name.endsWith('/'))
    // A mailbox or an export may be removed once it is imported: only `prune: true` deletes entries from inside a file.
    const isPruningFiles = this.#request.prune === true
    const isThere = (key: string): boolean => {
      const file = findFileOfKey(key)
      return (
        this.#seen.has(key) ||
        (file !== null && !isPruningFiles) ||
        this.#unread.has(file ?? key) ||
        folders.some((folder) => key.startsWith(folder))
      )
    }
    let after: string | null = null
    for (;;) {
      this.#chosen.signal?.throwIfAborted()
      const page = await imports.page(this.#source, after, PAGE)
      const gone = page.filter(({ key, hash }) => hash !== null && !isThere(key))
      const keys = gone.map(({ key }) => key)
      const isWriting = !this.#request.dryRun && keys.length > 0
      const deleted = isWriting ? await imports.forget(this.#source, keys) : keys.length
      this.#tally.counts.deleted += deleted
      after = page.at(-1)?.key ?? null
      if (after === null || page.length < PAGE) return
    }
  }

  #report(phase: ImportProgress['phase']): void {
    this.#reportedMs = this.#parts.now()
    this.#chosen.onProgress({
      phase,
      ...this.#tally.counts,
      skipped: this.#tally.skippedCount,
      bytesRead: this.#bytesRead,
      bytesTotal: this.#bytesTotal,
    })
  }
}

/** The time of a turn that is stored already, if it has one of its own. */
function readTime({ record }: RecordEntry): number | null {
  const ms = typeof record.occurredAt === 'string' ? Date.parse(record.occurredAt) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

function withOptions({ record }: RecordEntry, { namespace, tags }: ImportRequest) {
  const own = record.tags === undefined ? [] : [record.tags].flat()
  const all = [...new Set([...own, ...tags])]
  return { ...record, tags: all, ...(namespace !== undefined && { namespace }) }
}
