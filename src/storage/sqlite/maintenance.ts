/** What is wrong with a file is found and named, and what can be derived again is. */

import type { Database } from 'better-sqlite3'
import type { Check, Statistics } from '../storage.js'
import { sqliteCode } from './errors.js'
import { FORMAT } from './migrate.js'
import { openBytes } from './read-whole.js'
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
