/** One short text that is another one after every commit, whichever connection or process made it. */

import type { Statements } from './statements.js'

const SQL = {
  /** Moves with the commits of all others, and not with our own. */
  others: 'PRAGMA data_version',
  /** Moves with every row that we write ourselves. */
  own: 'SELECT total_changes()',
} as const

/** Costs microseconds, so it may be asked before every use of what was kept in memory. */
export function readVersion(statements: Statements): string {
  return `${statements.value(SQL.others)}.${statements.value(SQL.own)}`
}
