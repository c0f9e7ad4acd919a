/** The storage interface for the tokens of a server: who may use it, with which role. Only the hash of a token is stored. */

import type { Caller } from '../core/caller.js'

export type NewToken = Caller & {
  readonly name: string
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly createdAtMs: number
  /** Null: never. */
  readonly expiresAtMs: number | null
}

export type StoredToken = NewToken & {
  /** To the minute; null if it was never used. */
  readonly usedAtMs: number | null
}

export interface TokenStorage {
  /** False if the name is taken. */
  add(token: NewToken): Promise<boolean>
  /** By name. */
  list(): Promise<StoredToken[]>
  /** False if no token has this name. */
  remove(name: string): Promise<boolean>
  /** Notes the last use of these tokens. No search depends on it. */
  noteUse(names: readonly string[], atMs: number): Promise<void>
}
