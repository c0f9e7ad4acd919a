/** Checks, rebuilds and optimizes a file. */

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { CairnError } from '../../core/errors.js'
import type { Check, OptimizeOutcome } from '../storage.js'
import { describeOddRows, mendOddRows } from './archive/odd-rows.js'
import { type ConnectOptions, FORMAT, openBytes } from './connect.js'
import { sqliteCode } from './errors.js'
import { eachOf, type Statements } from './statements.js'
import { findStaleHashes, type RecordsTable, renewHashes } from './tables/records.js'
import { describeDamagedVectors } from './vectors/rebuild-vectors.js'

const INDEXES = ['records_ft', 'revisions_ft'] as const
const command = (name: 'optimize' | 'rebuild') =>
  INDEXES.map((index) => `INSERT INTO ${index} (${index}) VALUES ('${name}')`)

/** Merges all segments into one: removes the words of removed records, and a search reads one list per word. */
export const MERGE_INDEXES = command('optimize')

const SQL = {
  live: 'SELECT count(*) FROM records WHERE present',
  indexed: 'SELECT count(*) FROM records_ft_docsize',
  tagRows: `SELECT count(*) FROM record_tags`,
  wantedTagRows: `SELECT count(*) FROM (
    SELECT DISTINCT r.row, j.value COLLATE NOCASE FROM records r, ${eachOf('r.tags')} j)`,
  /** Makes FTS5 drop its cache if another process has written since. */
  read: INDEXES.map((index) => `SELECT rowid FROM ${index} WHERE ${index} MATCH '""' LIMIT 1`),
  check: (index: (typeof INDEXES)[number]) =>
    `INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`,
  rebuild: command('rebuild'),
  /** Sets FTS5's own default. FTS5 counts changes of its settings, so readers that cached the index notice the new one. */
  markIndex: `INSERT INTO records_ft (records_ft, rank) VALUES ('pgsz', 4050)`,
  emptyTags: 'DELETE FROM record_tags',
  fillTags: `INSERT OR IGNORE INTO record_tags (tag, row)
    SELECT j.value, r.row FROM records r, ${eachOf('r.tags')} j`,
  pages: 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
} as const

const BYTES_PER_MB = 1_048_576
/** Merging needs at most the size of the file; a vacuum writes the file twice, to a copy and to the log. */
const NEEDED_COPIES = { merge: 1, vacuum: 2 } as const
/** SQLite blocks writers while a checkpoint waits for readers, so it waits only briefly. */
const CHECKPOINT_MS = 250

/** `run` returns the problem, or an empty text. */
type NamedCheck = readonly [name: string, run: () => string]

/** Every check runs, whatever the others found. */
export function checkFile(db: Database, statements: Statements): Check[] {
  const compare = (left: string, right: string, names: readonly [string, string]): string => {
    const [a, b] = [Number(statements.value(left)), Number(statements.value(right))]
    return a === b ? '' : `${a} ${names[0]}, ${b} ${names[1]}`
  }
  const checkFormat = () =>
    db.pragma('user_version', { simple: true }) === FORMAT ? '' : 'another format'
  const checkForeignKeys = () => {
    const broken = (db.pragma('foreign_key_check') as unknown[]).length
    return broken === 0 ? '' : `${broken} broken`
  }
  const inSnapshot: readonly NamedCheck[] = [
    ['format', checkFormat],
    ['pages', () => checkPages(db, statements)],
    ['foreignKeys', checkForeignKeys],
    ['counts', () => compare(SQL.live, SQL.indexed, ['records', 'indexed'])],
    ['vectors', () => describeDamagedVectors(statements)],
    ['tags', () => compare(SQL.wantedTagRows, SQL.tagRows, ['tags given', 'tags kept'])],
    ['hashes', () => checkHashes(statements)],
    ['rows', () => describeOddRows(statements)],
  ]
  const byIndex: readonly NamedCheck[] = [
    ['fts', () => checkIndex(db, statements, SQL.check('records_ft'))],
    ['past', () => checkIndex(db, statements, SQL.check('revisions_ft'))],
  ]
  // In one snapshot: another process may write between two checks.
  const found = db.transaction(() => inSnapshot.map(runCheck)).deferred()
  return [...found, ...byIndex.map(runCheck)]
}

function runCheck([name, run]: NamedCheck): Check {
  try {
    const detail = run()
    return { name, ok: detail === '', detail }
  } catch (error) {
    const isCorrupt = sqliteCode(error)?.startsWith('SQLITE_CORRUPT')
    const detail = isCorrupt ? 'it disagrees with the records' : (error as Error).message
    return { name, ok: false, detail }
  }
}

function checkPages(db: Database, statements: Statements): string {
  for (const sql of SQL.read) statements.all(sql)
  // A value that breaks a constraint is no damage of a page; the check `rows` reports it.
  db.pragma('ignore_check_constraints = ON')
  try {
    const result = db.pragma('integrity_check(5)', { simple: true })
    return result === 'ok' ? '' : String(result)
  } finally {
    db.pragma('ignore_check_constraints = OFF')
  }
}

/** A missing hash is no damage: programs that do not know of hashes write none. */
function checkHashes(statements: Statements): string {
  const stale = findStaleHashes(statements).filter(({ hadHash }) => hadHash).length
  return stale === 0 ? '' : `${stale} records have the hash of another text`
}

/** FTS5's check counts as a write: a read-only file is checked as a copy in memory. */
function checkIndex(db: Database, statements: Statements, sql: string): string {
  try {
    statements.run(sql)
    return ''
  } catch (error) {
    if (!sqliteCode(error)?.startsWith('SQLITE_READONLY')) throw error
  }
  const copy = openBytes(db.serialize())
  try {
    copy.exec(sql)
    return ''
  } finally {
    copy.close()
  }
}

/** Derives the indexed forms, the tags and both indexes from the records again, inside a transaction of the caller. */
export function rebuildDerived(statements: Statements, records: RecordsTable): void {
  // The indexes come first: the triggers delete from them what they expect them to hold.
  for (const sql of SQL.rebuild) statements.run(sql)
  mendOddRows(statements)
  records.segmentAll()
  renewHashes(statements)
  for (const sql of [SQL.emptyTags, SQL.fillTags, ...SQL.rebuild, SQL.markIndex]) {
    statements.run(sql)
  }
}

type OptimizeParts = Pick<ConnectOptions, 'file' | 'busyTimeoutMs'> & {
  readonly db: Database
  readonly statements: Statements
  readonly freeBytes?: (file: string) => number
}

export function optimizeFile(parts: OptimizeParts, vacuum: boolean): OptimizeOutcome {
  const { db, statements, file, freeBytes = readFreeBytes } = parts
  const readBytes = () => Number(statements.value(SQL.pages))
  const bytesBefore = readBytes()
  const needed = bytesBefore * NEEDED_COPIES[vacuum ? 'vacuum' : 'merge']
  if (!db.memory) assertSpace(file, freeBytes(file), needed)
  db.transaction(() => {
    for (const sql of MERGE_INDEXES) statements.run(sql)
  }).immediate()
  db.pragma('optimize')
  if (vacuum) db.exec('VACUUM')
  checkpoint(db, parts.busyTimeoutMs)
  return { bytesBefore, bytesAfter: readBytes() }
}

function assertSpace(file: string, free: number, needed: number): void {
  if (free >= needed) return
  const megabytes = (bytes: number) => `${Math.ceil(bytes / BYTES_PER_MB)} MB`
  throw new CairnError('disk_full', {
    message: `Optimizing ${file} needs up to ${megabytes(needed)} of free space, and ${megabytes(free)} are left; nothing was changed.`,
    hint: 'Free some space on that disk and try again.',
  })
}

function readFreeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}

/** Moves the log into the file and empties it; false if another connection still reads from the log. */
export function checkpoint(db: Database, busyTimeoutMs: number): boolean {
  db.pragma(`busy_timeout = ${Math.min(CHECKPOINT_MS, busyTimeoutMs)}`)
  try {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return result?.busy === 0
  } finally {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`)
  }
}
