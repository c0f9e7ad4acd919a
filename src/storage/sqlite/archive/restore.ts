/** A batch of lines is put into the file whole or not at all, and of two that differ the later one stays. */

import {
  ARCHIVE_FIELDS,
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveOutcome,
  type ArchiveRestore,
  type ArchiveValue,
  type ArchiveWritten,
  changedAt,
  isOfThePast,
  type RecalledResult,
} from '../../archive.js'
import type { EmbeddedRecords } from '../../vectors.js'
import type { Statements } from '../statements.js'
import type { Turn } from '../tables/context.js'
import type { Unindexed } from '../tables/new-records.js'
import type { CitationsTable } from '../works.js'
import { ROW_OF, toColumns } from './columns.js'
import { PARTS, type Part, type Referred } from './parts.js'
import type { PastVector, RecordLines } from './record-lines.js'
import type { StoredEntries } from './stored.js'

const SQL = {
  anyRecord: 'SELECT EXISTS (SELECT 1 FROM records)',
  addResult: `INSERT INTO recalls (query, record, fact, rank, score) VALUES (
    (SELECT row FROM recalled_queries WHERE id = :query), ${ROW_OF.records('record')}, ${ROW_OF.facts('fact')},
    :rank, :score)`,
  isThere: {
    records: 'SELECT 1 FROM records WHERE id = :id',
    sessions: 'SELECT 1 FROM sessions WHERE id = :id',
    facts: 'SELECT 1 FROM facts WHERE id = :id',
  },
} as const

const NAMES: Readonly<Record<Referred, string>> = {
  records: 'record',
  sessions: 'session',
  facts: 'fact',
}

export type RestoreParts = {
  readonly statements: Statements
  readonly stored: StoredEntries
  readonly recordLines: RecordLines
  readonly unindexed: Unindexed
  readonly citations: CitationsTable
  readonly run: <T>(operation: () => T) => Promise<T>
  readonly write: <T>(operation: () => T) => Promise<T>
}

/** Undoes the transaction; the caller is told which entry and why. */
class Refusal extends Error {
  readonly index: number
  constructor(index: number, reason: string) {
    super(reason)
    this.index = index
  }
}

/** Holds, for one archive, which of its records were not taken over. */
export class Restore implements ArchiveRestore {
  readonly #parts: RestoreParts
  readonly #dryRun: boolean
  /** Records that stayed as they were: the past that the archive tells of them is of another one. */
  readonly #kept = new Set<string>()
  /** What a dry run would have added. */
  readonly #announced = new Set<string>()
  #isMerging: boolean | null = null

  constructor(parts: RestoreParts, dryRun: boolean) {
    this.#parts = parts
    this.#dryRun = dryRun
  }

  async write(
    entries: readonly ArchiveEntry[],
    pastVectors: EmbeddedRecords | null,
  ): Promise<ArchiveWritten> {
    const { run, write } = this.#parts
    const past = pastOf(pastVectors)
    try {
      const outcomes = await (this.#dryRun
        ? run(() => entries.map((entry, i) => this.#keep(entry, i, past)))
        : write(() => this.#keepAll(entries, past)))
      return { kind: 'written', outcomes }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { kind: 'refused', index: error.index, reason: error.message }
    }
  }

  #keepAll(entries: readonly ArchiveEntry[], past: NextPast): ArchiveOutcome[] {
    const { statements, unindexed, recordLines, citations } = this.#parts
    this.#isMerging ??= statements.value(SQL.anyRecord) === 1
    return unindexed.whileAdding(() => {
      const moved: Turn[] = []
      const outcomes = entries.map((entry, i) => this.#keep(entry, i, past, moved))
      const written = entries.filter((_, i) => isWritten(outcomes[i]))
      recordLines.settle(idsOf(written), moved)
      // In an empty file every citation is as it was; beside other works it may lead to one of them.
      if (this.#isMerging) citations.resolve(citationKeysOf(written))
      return outcomes
    })
  }

  #keep(entry: ArchiveEntry, index: number, past: NextPast, moved: Turn[] = []): ArchiveOutcome {
    const outcome = this.#place(entry, index, past, moved)
    if (this.#dryRun && outcome.kind === 'added' && 'id' in entry.value) {
      this.#announced.add(entry.value.id)
    }
    return outcome
  }

  #place(entry: ArchiveEntry, index: number, past: NextPast, moved: Turn[]): ArchiveOutcome {
    const own = isOfThePast(entry) ? past() : null
    if (entry.kind === 'revision' && this.#kept.has(entry.value.record)) return { kind: 'kept' }
    this.#checkReferences(entry, index)
    const stored = this.#parts.stored.find(entry.kind, entry.value as never)
    if (stored === null) return this.#dryRun ? { kind: 'added' } : this.#add(entry, own)
    if (isSame(entry, stored)) return { kind: 'same' }
    const part = PARTS[entry.kind] as Part<ArchiveKind>
    if (!part.isLater(entry.value as never, stored as never)) return this.#leave(entry, stored)
    if (this.#dryRun) return { kind: 'updated' }
    if (entry.kind === 'record') moved.push(...this.#parts.recordLines.replace(entry.value, own))
    else this.#parts.statements.run(part.update ?? '', this.#columnsOf(entry))
    return { kind: 'updated' }
  }

  #add(entry: ArchiveEntry, past: PastVector | null): ArchiveOutcome {
    const { statements, recordLines } = this.#parts
    if (entry.kind === 'record') recordLines.add(entry.value, past)
    else if (entry.kind === 'revision') recordLines.addRevision(entry.value, past)
    else {
      const { changes } = statements.run(PARTS[entry.kind].insert, this.#columnsOf(entry))
      // A link that says the same under another id.
      if (changes === 0) return { kind: 'same' }
      if (entry.kind === 'recall') this.#addResults(entry.value.id, entry.value.results)
    }
    return { kind: 'added' }
  }

  #addResults(query: string, results: readonly RecalledResult[]): void {
    for (const result of results) this.#parts.statements.run(SQL.addResult, { query, ...result })
  }

  #leave(entry: ArchiveEntry, stored: ArchiveValue<ArchiveKind>): ArchiveOutcome {
    if (entry.kind !== 'record') return { kind: 'kept' }
    this.#kept.add(entry.value.id)
    return { kind: 'kept', storedAt: changedAt(stored as ArchiveValue<'record'>) }
  }

  #columnsOf({ kind, value }: ArchiveEntry) {
    const part = PARTS[kind] as Part<ArchiveKind>
    const { results: _, ...columns } = toColumns(ARCHIVE_FIELDS[kind], value)
    return { ...columns, ...part.derived?.(value as never) }
  }

  #checkReferences(entry: ArchiveEntry, index: number): void {
    const fields: Readonly<Record<string, Referred>> = PARTS[entry.kind].refersTo
    const values = new Map(Object.entries(entry.value))
    for (const [field, where] of Object.entries(fields)) {
      this.#checkReference(where, values.get(field), index)
    }
    if (entry.kind !== 'recall') return
    for (const { record, fact } of entry.value.results) {
      this.#checkReference('records', record, index)
      this.#checkReference('facts', fact, index)
    }
  }

  #checkReference(where: Referred, id: unknown, index: number): void {
    if (typeof id !== 'string' || this.#announced.has(id)) return
    if (this.#parts.statements.value(SQL.isThere[where], { id }) === 1) return
    throw new Refusal(
      index,
      `it names the ${NAMES[where]} "${id}", which is not in the lines before it`,
    )
  }
}

/** Gives the vectors of what is of the past in a batch, those of one entry for each call. */
type NextPast = () => PastVector | null

function pastOf(given: EmbeddedRecords | null): NextPast {
  let next = 0
  return () => {
    const vectors = given?.vectors[next++] ?? null
    return given === null || vectors === null ? null : { model: given.model, vectors }
  }
}

/** A model is the same whenever it was first used. */
function isSame({ kind, value }: ArchiveEntry, stored: ArchiveValue<ArchiveKind>): boolean {
  if (kind === 'model') return value.id === (stored as ArchiveValue<'model'>).id
  return JSON.stringify(value) === JSON.stringify(stored)
}

function isWritten(outcome: ArchiveOutcome | undefined): boolean {
  return outcome?.kind === 'added' || outcome?.kind === 'updated'
}

function idsOf(entries: readonly ArchiveEntry[]): string[] {
  return entries.flatMap(({ kind, value }) => (kind === 'record' ? [value.id] : []))
}

function citationKeysOf(entries: readonly ArchiveEntry[]): string[] {
  const keys = entries.flatMap((entry) => {
    if (entry.kind === 'record') return entry.value.identities
    return entry.kind === 'link' && entry.value.targetRef !== null ? [entry.value.targetRef] : []
  })
  return [...new Set(keys)]
}
