/** What the storage needs of a driver of PostgreSQL. The package `pg` gives it for a server; tests also use PGlite. */

import type { Connection } from './statements.js'

export interface Driver {
  /** The address for messages, without its password. */
  readonly name: string
  /** One connection for as long as `work` takes; nobody else uses it meanwhile. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Absent where there is only one. */
  countConnections?(): { readonly open: number; readonly idle: number; readonly waiting: number }
  close(): Promise<void>
}
