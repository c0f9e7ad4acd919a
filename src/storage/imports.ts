/** The storage interface for imports: which item of which source each record came from. Edits made here are kept. */

import type { RecordId } from '../core/ids.js'
import type { Link, NewRecord } from '../core/record.js'
import type { NewLink, NewSession } from './memory.js'
import type { Addition } from './storage.js'
import type { EmbeddedRecords } from './vectors.js'

export const IMPORT_AUTHOR = 'import'

/** A caller pinned to a namespace has items of its own; null for a caller that sees all. */
export type ImportSource = {
  readonly source: string
  readonly pinnedNamespace: string | null
}

export type Imported = {
  readonly key: string
  /** The hash of the stored item; null if it was gone from the source. */
  readonly hash: string | null
  /** Null for an item without a record. */
  readonly id: RecordId | null
  readonly isDeleted: boolean
  readonly isSuperseded: boolean
}

export type ImportWrite = {
  readonly key: string
  readonly hash: string
  readonly record: Addition
  /** False keeps the time of the record when it is changed. */
  readonly hasOwnTime: boolean
}

/** `known`: the same content exists already. `superseded`: the record was superseded and stays unchanged. */
export type ImportOutcome = {
  readonly id: RecordId
  readonly kind: 'created' | 'updated' | 'restored' | 'known' | 'superseded'
  /** Fields that were edited here and changed in the source too; the stored value stays. */
  readonly conflicts?: readonly ImportFieldConflict[]
}

export type ImportFieldConflict = {
  readonly field: string
  readonly stored: unknown
  readonly incoming: unknown
}

export type ImportedSession = NewSession & { readonly id: string }

export type ImportedLink = Pick<Link, 'id' | 'type' | 'source' | 'author'> & {
  readonly target: RecordId
  readonly key: string
}

export interface ImportStorage {
  known(source: ImportSource, keys: readonly string[]): Promise<ReadonlyMap<string, Imported>>
  /** Adds new items, changes known ones and restores deleted ones; vectors are in the order of the writes. */
  write(
    source: ImportSource,
    writes: readonly ImportWrite[],
    vectors?: EmbeddedRecords,
  ): Promise<ImportOutcome[]>
  /** Remembers items that another operation stored; an import never changes or deletes those. */
  note(
    source: ImportSource,
    notes: readonly (Pick<ImportWrite, 'key' | 'hash'> & { id: RecordId | null })[],
  ): Promise<void>
  /** The sources that hold this record now. */
  sources(id: RecordId): Promise<string[]>
  page(source: ImportSource, after: string | null, limit: number): Promise<Imported[]>
  /** For items that are gone from the source: deletes the records that belong to no other item; returns their number. */
  forget(source: ImportSource, keys: readonly string[]): Promise<number>

  /** Starts new sessions and updates the title, start and end of others; returns the number of changes. */
  writeSessions(sessions: readonly ImportedSession[]): Promise<number>

  /** Links that start at records of the source, by any author. */
  links(source: ImportSource): Promise<ImportedLink[]>
  relink(added: readonly NewLink[], removed: readonly string[]): Promise<void>
}

/** A caller that sees all has no namespace. */
export function bindSource({ source, pinnedNamespace }: ImportSource) {
  return { source, namespace: pinnedNamespace ?? '' }
}

/** An item with the row of its record, and whether an import created that. */
export type StoredItem = Imported & {
  readonly row: number | null
  readonly made: boolean
  /** Whether the record was edited after the import that wrote it. */
  readonly isEdited: boolean
  readonly seenAt: number
}

/** A turn without a time of its own keeps the time of its first import. */
export function toChange({ record, hasOwnTime }: ImportWrite): Partial<NewRecord> {
  const { sessionId, salience: _, facts: __, createdIn: ___, occurredAtMs, ...rest } = record
  return hasOwnTime || sessionId === null ? { ...rest, occurredAtMs } : rest
}

/** The fields that people edit. */
type Editable = Readonly<Record<string, unknown>>

/** Keeps every edited field. A field that the source has changed too is a conflict. */
export function mergeEdits(
  change: Partial<NewRecord>,
  { stored, imported }: { readonly stored: Editable; readonly imported: Editable | null },
) {
  const kept: Record<string, unknown> = {}
  const conflicts: ImportFieldConflict[] = []
  for (const [field, incoming] of Object.entries(change)) {
    const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
    if (!(field in stored)) continue
    const now = stored[field]
    const isEdited = imported === null || !isEqual(now, imported[field])
    if (!isEdited || isEqual(now, incoming)) continue
    kept[field] = now
    const isChanged = imported === null || !isEqual(incoming, imported[field])
    if (isChanged) conflicts.push({ field, stored: now, incoming })
  }
  return { kept: kept as Partial<NewRecord>, conflicts }
}

export function pickVectors(all: EmbeddedRecords | undefined, positions: readonly number[]) {
  return all && { ...all, vectors: positions.map((position) => all.vectors[position] ?? null) }
}
