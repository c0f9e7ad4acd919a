/** One moment of a file can be read for as long as it takes, and nobody has to wait for it. */

import Database from 'better-sqlite3'
import { type ConnectOptions, connect } from '../connect.js'

/**
 * A connection of its own inside one read transaction: other connections go on writing, and this one does not see it.
 * What is only in memory is copied.
 */
export function openSnapshot(db: Database.Database, options: ConnectOptions): Database.Database {
  if (db.memory) return new Database(db.serialize())
  const snapshot = connect({ ...options, create: false, readOnly: true })
  // A transaction begins with the first thing that is read.
  snapshot.exec('BEGIN')
  snapshot.pragma('user_version')
  return snapshot
}
