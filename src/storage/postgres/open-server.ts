/** Opens the storage on the PostgreSQL server that an address names. */

import type { Storage } from '../storage.js'
import type { PostgresOptions } from './open-postgres.js'

export type ServerOptions = Omit<PostgresOptions, 'driver' | 'schema'> & {
  /** False refuses a schema without a Cairn in it. */
  readonly create: boolean
  readonly readOnly: boolean
  /** How long a write waits for others. */
  readonly busyTimeoutMs: number
  /** Sees every statement. */
  readonly trace: ((sql: string) => void) | null
}

export async function openServer(_url: string, _options: ServerOptions): Promise<Storage> {
  throw new Error('Not wired yet.')
}
