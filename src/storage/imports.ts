/** The storage interface for imports: which item of which source each record came from. */

import type { RecordId } from '../core/ids.js'
import type { Link } from '../core/record.js'
import type { NewLink, NewSession } from './memory.js'
import type { Addition } from './storage.js'
import type { EmbeddedRecords } from './vectors.js'

export const IMPORT_AUTHOR = 'import'

/** A caller that sees one namespace only has items of its own; null: one that sees all. */
export type ImportSource = {
  readonly source: string
  readonly pinnedNamespace: string | null
}

export type Imported = {
  readonly key: string
  /** Of what was stored; null: it was gone from the source. */
  readonly hash: string | null
  /** Null for what was stored elsewhere under no id. */
  readonly id: RecordId | null
  readonly isDeleted: boolean
  readonly isSuperseded: boolean
}

export type ImportWrite = {
  readonly key: string
  readonly hash: string
  readonly record: Addition
  /** False: when the record is changed, its time stays as it was. */
  readonly hasOwnTime: boolean
}

/** `known`: the same content was there already. `superseded`: it stays as it was. */
export type ImportOutcome = {
  readonly id: RecordId
  readonly kind: 'created' | 'updated' | 'restored' | 'known' | 'superseded'
  /** Fields that were edited here and have changed in the source too; what is stored stays. */
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
  /** Adds what is new, changes what is known, restores what was gone; vectors in the order of the writes. */
  write(
    source: ImportSource,
    writes: readonly ImportWrite[],
    vectors?: EmbeddedRecords,
  ): Promise<ImportOutcome[]>
  /** Remembers what was stored elsewhere; it is never changed or deleted from here. */
  note(
    source: ImportSource,
    notes: readonly (Pick<ImportWrite, 'key' | 'hash'> & { id: RecordId | null })[],
  ): Promise<void>
  /** The sources that hold a record now. */
  sources(id: RecordId): Promise<string[]>
  page(source: ImportSource, after: string | null, limit: number): Promise<Imported[]>
  /** For items that are gone from the source: deletes the records that no other item has; returns how many. */
  forget(source: ImportSource, keys: readonly string[]): Promise<number>

  /** Starts new sessions and updates title, start and end of others; returns how many changed. */
  writeSessions(sessions: readonly ImportedSession[]): Promise<number>

  /** Links that start at records of the source, by any author. */
  links(source: ImportSource): Promise<ImportedLink[]>
  relink(added: readonly NewLink[], removed: readonly string[]): Promise<void>
}
