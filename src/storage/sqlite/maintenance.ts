/** Checks, rebuilds, optimizes and backs up a file. */

import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { badInput, CairnError } from '../../core/errors.js'
import type { BackupRequest, Check, OptimizeOutcome, Statistics } from '../storage.js'
import { openSnapshot } from './archive/snapshot.js'
import { type ConnectOptions, FORMAT, openBytes } from './connect.js'
import { explainSqliteError, sqliteCode } from './errors.js'
import type { Statements } from './statements.js'
import type { RecordsTable } from './tables/records.js'

const SQL = {
  kinds: 'SELECT kind, count(*) AS n FROM records WHERE deleted_at IS NULL GROUP BY kind',
  deleted: 'SELECT count(*) FROM records WHERE deleted_at IS NOT NULL',
  namespaces: `SELECT namespace, count(*) AS n FROM records WHERE deleted_at IS NULL
    GROUP BY namespace ORDER BY n DESC, namespace`,
  tags: `SELECT t.tag, count(*) AS n FROM record_tags t JOIN records r ON r.row = t.row
    WHERE r.deleted_at IS NULL GROUP BY t.tag ORDER BY n DESC, t.tag LIMIT 20`,
  newest: 'SELECT max(created_at) FROM records WHERE deleted_at IS NULL',
  superseded: 'SELECT count(*) FROM records WHERE superseded_at IS NOT NULL AND deleted_at IS NULL',
  live: 'SELECT count(*) FROM records WHERE present',
  indexed: 'SELECT count(*) FROM records_ft_docsize',
  tagRows: `SELECT count(*) FROM record_tags`,
  wantedTagRows: `SELECT count(*) FROM (
    SELECT DISTINCT r.row, j.value COLLATE NOCASE FROM records r, json_each(r.tags) j)`,
  /** Makes FTS5 forget what it remembers of the index from before another process wrote. */
  lookAtIndex: `SELECT rowid FROM records_ft WHERE records_ft MATCH '""' LIMIT 1`,
  lookAtPast: `SELECT rowid FROM revisions_ft WHERE revisions_ft MATCH '""' LIMIT 1`,
  checkIndex: `INSERT INTO records_ft (records_ft, rank) VALUES ('integrity-check', 1)`,
  checkPast: `INSERT INTO revisions_ft (revisions_ft, rank) VALUES ('integrity-check', 1)`,
  rebuildIndex: `INSERT INTO records_ft (records_ft) VALUES ('rebuild')`,
  rebuildPast: `INSERT INTO revisions_ft (revisions_ft) VALUES ('rebuild')`,
  /** FTS5's own default; it counts its settings, so that whoever keeps something of the index sees a new one. */
  markIndex: `INSERT INTO records_ft (records_ft, rank) VALUES ('pgsz', 4050)`,
  emptyTags: 'DELETE FROM record_tags',
  fillTags: `INSERT OR IGNORE INTO record_tags (tag, row)
    SELECT j.value, r.row FROM records r, json_each(r.tags) j`,
  chunksRead: 'SELECT coalesce(sum(chunks), 0) FROM embedded',
  chunksKept: `SELECT count(*) FROM chunks c JOIN embedded e ON e.model = c.model AND e.record = c.record
    JOIN vector_blocks b ON b.row = c.block`,
  pages: 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
} as const

export function readStatistics(statements: Statements, terms: number): Statistics {
  const counts = (sql: string, key: string): Record<string, number> =>
    Object.fromEntries(statements.all(sql).map((row) => [String(row[key]), Number(row.n)]))
  const newest = statements.value(SQL.newest)
  return {
    records: { memory: 0, document: 0, work: 0, ...counts(SQL.kinds, 'kind') },
    deleted: Number(statements.value(SQL.deleted)),
    superseded: Number(statements.value(SQL.superseded)),
    namespaces: counts(SQL.namespaces, 'namespace'),
    tags: counts(SQL.tags, 'tag'),
    terms,
    bytes: Number(statements.value(SQL.pages)),
    format: FORMAT,
    newestAt: typeof newest === 'number' ? new Date(newest).toISOString() : null,
  }
}

type NamedCheck = readonly [name: string, run: () => string]

/** Each check runs whatever the others found. */
export function checkFile(db: Database, statements: Statements): Check[] {
  const asItIs: readonly NamedCheck[] = [
    [
      'format',
      () => (db.pragma('user_version', { simple: true }) === FORMAT ? '' : 'another format'),
    ],
    ['pages', () => checkPages(db, statements)],
    [
      'foreignKeys',
      () => described((db.pragma('foreign_key_check') as unknown[]).length, 'broken'),
    ],
    ['counts', () => compare(statements, SQL.live, SQL.indexed, 'records', 'indexed')],
    [
      'vectors',
      () => compare(statements, SQL.chunksRead, SQL.chunksKept, 'vectors made', 'vectors kept'),
    ],
    ['tags', () => compare(statements, SQL.wantedTagRows, SQL.tagRows, 'tags given', 'tags kept')],
  ]
  const byIndex: readonly NamedCheck[] = [
    ['fts', () => checkIndex(db, statements, SQL.checkIndex)],
    ['past', () => checkIndex(db, statements, SQL.checkPast)],
  ]
  const perform = ([name, run]: NamedCheck): Check => {
    const detail = runCheck(run)
    return { name, ok: detail === '', detail }
  }
  // All at one moment: between two questions another process may write.
  const found = db.transaction(() => asItIs.map(perform)).deferred()
  return [...found, ...byIndex.map(perform)]
}

/** FTS5 takes the question as a write: where nothing can be written, a copy in memory is asked. */
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

function checkPages(db: Database, statements: Statements): string {
  for (const sql of [SQL.lookAtIndex, SQL.lookAtPast]) statements.all(sql)
  return firstProblem(db.pragma('integrity_check(5)', { simple: true }))
}

/** In one transaction: the derived forms, the tags and the index agree with the records, or nothing changes. */
export function rebuildDerived(db: Database, statements: Statements, records: RecordsTable): void {
  db.transaction(() => {
    // First the index: the triggers below delete by what they believe it holds.
    statements.run(SQL.rebuildIndex)
    records.segmentAll()
    statements.run(SQL.rebuildPast)
    statements.run(SQL.emptyTags)
    statements.run(SQL.fillTags)
    statements.run(SQL.rebuildIndex)
    statements.run(SQL.markIndex)
  }).immediate()
}

function runCheck(run: () => unknown): string {
  try {
    const found = run()
    return typeof found === 'string' ? found : ''
  } catch (error) {
    if (sqliteCode(error)?.startsWith('SQLITE_CORRUPT')) return 'it disagrees with the records'
    return error instanceof Error ? error.message : String(error)
  }
}

function firstProblem(result: unknown): string {
  return result === 'ok' ? '' : String(result)
}

function described(count: number, problem: string): string {
  return count === 0 ? '' : `${count} ${problem}`
}

function compare(
  statements: Statements,
  left: string,
  right: string,
  leftName: string,
  rightName: string,
): string {
  const [a, b] = [Number(statements.value(left)), Number(statements.value(right))]
  return a === b ? '' : `${a} ${leftName}, ${b} ${rightName}`
}

/** All segments of an index become one: what it holds of removed records goes, and a search reads one list a word. */
export const MERGE_INDEXES = [
  `INSERT INTO records_ft (records_ft) VALUES ('optimize')`,
  `INSERT INTO revisions_ft (revisions_ft) VALUES ('optimize')`,
] as const

const PAGES = 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'
const BYTES_PER_MB = 1_048_576
/** An index is at most the file; a vacuum writes the file twice, beside itself and into the log. */
const ROOM = { merge: 1, vacuum: 2 } as const

export type OptimizeParts = {
  readonly db: Database
  readonly statements: Statements
  readonly file: string
  readonly checkpoint: () => boolean
  readonly freeBytes?: FreeBytes | undefined
}

/** The bytes that may still be written to the folder of a file. */
export type FreeBytes = (file: string) => number

export function optimizeFile(parts: OptimizeParts, vacuum: boolean): OptimizeOutcome {
  const { db, statements, file, checkpoint, freeBytes = readFreeBytes } = parts
  const readBytes = () => Number(statements.value(PAGES))
  const bytesBefore = readBytes()
  if (!db.memory) assertRoom(file, freeBytes(file), bytesBefore * ROOM[vacuum ? 'vacuum' : 'merge'])
  db.transaction(() => {
    for (const sql of MERGE_INDEXES) statements.run(sql)
  }).immediate()
  db.pragma('optimize')
  if (vacuum) db.exec('VACUUM')
  checkpoint()
  return { bytesBefore, bytesAfter: readBytes() }
}

function assertRoom(file: string, free: number, needed: number): void {
  if (free >= needed) return
  const megabytes = (bytes: number) => `${Math.ceil(bytes / BYTES_PER_MB)} MB`
  throw new CairnError('disk_full', {
    message: `To optimize ${file} takes up to ${megabytes(needed)} of free space, and ${megabytes(free)} are left; nothing was changed.`,
    hint: 'Free some space on that disk and try again.',
  })
}

function readFreeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}

/** Between two steps others get their turn: so much takes a few milliseconds. */
const BYTES_AT_ONCE = 4 * 1024 * 1024

export async function backupFile(
  db: Database,
  options: ConnectOptions,
  { target, force, onProgress }: BackupRequest,
): Promise<number> {
  checkTarget(options.file, target, force)
  const draft = `${target}.${randomUUID().slice(0, 8)}.tmp`
  // Copied from a connection that sees one moment: what others write meanwhile makes no step begin again.
  const snapshot = openSnapshot(db, options)
  const pagesAtOnce = BYTES_AT_ONCE / Number(db.pragma('page_size', { simple: true }))
  try {
    await snapshot.backup(draft, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ done: totalPages - remainingPages, total: totalPages })
        return pagesAtOnce
      },
    })
    const bytes = statSync(draft).size
    await rename(draft, target)
    return bytes
  } catch (error) {
    throw explainBackupError(error, target)
  } finally {
    snapshot.close()
    for (const end of ['', '-journal', '-wal', '-shm']) {
      await rm(`${draft}${end}`, { force: true }).catch(() => {})
    }
  }
}

function checkTarget(file: string, target: string, force: boolean): void {
  if (!existsSync(target)) return
  if (statSync(target).isDirectory()) {
    throw badInput(`${target} is a folder.`, 'Name a file in it, such as notes.cairn.')
  }
  if (existsSync(file) && realpathSync(file) === realpathSync(target)) {
    throw badInput(`${target} is the file itself.`, 'Name another file for the copy.')
  }
  if (!force) {
    throw badInput(`The file ${target} is there already.`, 'Name another one, or give --force.')
  }
  // The log of the old file would be taken for that of the new one.
  if (existsSync(`${target}-wal`) && statSync(`${target}-wal`).size > 0) {
    throw new CairnError('locked', {
      message: `${target} is open in another program, or was not closed: there is a ${target}-wal.`,
      hint: 'Close that program, or name another file for the copy.',
    })
  }
}

function explainBackupError(error: unknown, target: string): unknown {
  const explained = explainSqliteError(error, target)
  if (explained !== error || error instanceof CairnError) return explained
  return new CairnError('unreadable_file', {
    message: `The file ${target} cannot be written.`,
    hint: 'Check that its folder is there and may be written to.',
    cause: error,
  })
}
