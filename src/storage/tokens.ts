/** The storage interface for the tokens of a server: who may use it, and as what. A token is stored as its hash. */

import type { Caller } from '../core/caller.js'

export type NewToken = Caller & {
  readonly name: string
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string
  readonly createdAtMs: number
  /** Null: never. */
  readonly expiresAtMs: number | null
}

export type StoredToken = NewToken & {
  /** To the minute; null: not yet. */
  readonly usedAtMs: number | null
}

export interface TokenStorage {
  /** False where the name is taken. */
  add(token: NewToken): Promise<boolean>
  /** By name. */
  list(): Promise<StoredToken[]>
  /** False where there is none of this name. */
  remove(name: string): Promise<boolean>
  /** Notes when these were last used. No search depends on it. */
  noteUse(names: readonly string[], atMs: number): Promise<void>
}
