/** What takes how much room in a file is measured page by page, or not told at all. */

import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { FileSizes, SizePart } from '../storage.js'
import type { Statements } from './statements.js'

const SQL = {
  page: 'SELECT page_size FROM pragma_page_size',
  free: 'SELECT freelist_count FROM pragma_freelist_count',
  /** An index belongs to its table. */
  parts: `SELECT coalesce(s.tbl_name, d.name) AS "table", sum(d.pgsize) AS bytes
    FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`,
} as const

/** Which part a table belongs to, by the beginning of its name; the first that fits counts. */
const PARTS: readonly (readonly [beginning: string, part: SizePart])[] = [
  ['records_ft', 'fullText'],
  ['revisions_ft', 'fullText'],
  ['revisions', 'past'],
  ['record', 'texts'],
  ['vector', 'vectors'],
  ['chunks', 'vectors'],
  ['embed', 'vectors'],
  ['models', 'vectors'],
  ['waiting', 'vectors'],
  ['work', 'works'],
  ['links', 'links'],
  ['facts', 'facts'],
  ['session', 'sessions'],
  ['recall', 'recalls'],
  ['imports', 'imports'],
]

/** Reads every page of the file: a second for each gigabyte or so. */
export function readSizes(db: Database, statements: Statements, file: string): FileSizes {
  const pageBytes = Number(statements.value(SQL.page))
  return {
    file: db.memory ? 0 : bytesOf(file),
    wal: db.memory ? 0 : bytesOf(`${file}-wal`),
    free: Number(statements.value(SQL.free)) * pageBytes,
    parts: hasPageTable(db) ? readParts(statements) : null,
  }
}

/** `dbstat` counts the pages of every table; a SQLite that was built without it cannot tell. */
function hasPageTable(db: Database): boolean {
  const options = db.pragma('compile_options') as { readonly compile_options: string }[]
  return options.some(({ compile_options: option }) => option === 'ENABLE_DBSTAT_VTAB')
}

function readParts(statements: Statements): Record<SizePart, number> {
  const sizes: Record<SizePart, number> = {
    texts: 0,
    fullText: 0,
    vectors: 0,
    past: 0,
    works: 0,
    links: 0,
    facts: 0,
    sessions: 0,
    recalls: 0,
    imports: 0,
    other: 0,
  }
  for (const { table, bytes } of statements.all(SQL.parts)) {
    sizes[partOf(String(table))] += Number(bytes)
  }
  return sizes
}

function partOf(table: string): SizePart {
  const found = PARTS.find(([beginning]) => table.startsWith(beginning))
  return found?.[1] ?? 'other'
}

/** 0 for a log that is not there. */
function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
