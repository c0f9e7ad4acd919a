import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fullLibrary, linesOf } from '../../test/support/full-library.js'
import { temporaryFile } from '../../test/support/library.js'
import { openCairn } from '../index.js'
import { ARCHIVE_FIELDS, ARCHIVE_KINDS, type ArchiveKind } from '../storage/archive.js'

/** The lines that hold a table, and those of its columns that no line has, each with the reason. */
type ArchivedTable = {
  readonly kind: ArchiveKind
  readonly leftOut: Readonly<Record<string, string>>
}

const OWN_NUMBER = 'the number of a row in this file; lines name each other by ids'
const INDEXED_FORM = 'computed from the text'
const PAST_VECTOR = 'made anew by the model of the file'

const ARCHIVED_TABLES: Readonly<Record<string, ArchivedTable>> = {
  models: {
    kind: 'model',
    leftOut: { row: OWN_NUMBER, state: 'only the active model is in an archive' },
  },
  sessions: {
    kind: 'session',
    leftOut: { row: OWN_NUMBER, owner: 'the process that holds a session open holds no copy' },
  },
  records: {
    kind: 'record',
    leftOut: {
      row: OWN_NUMBER,
      context: 'computed from the neighbours in the session',
      content_hash: 'computed from the text',
      title_ix: INDEXED_FORM,
      body_ix: INDEXED_FORM,
      tags_ix: INDEXED_FORM,
      people_ix: INDEXED_FORM,
      citation_ix: INDEXED_FORM,
      context_ix: INDEXED_FORM,
    },
  },
  works: { kind: 'record', leftOut: { record: OWN_NUMBER, details: 'the field `work`' } },
  work_identities: {
    kind: 'record',
    leftOut: { record: OWN_NUMBER, identity: 'the field `identities`' },
  },
  revisions: {
    kind: 'revision',
    leftOut: {
      row: OWN_NUMBER,
      title_ix: INDEXED_FORM,
      body_ix: INDEXED_FORM,
      tags_ix: INDEXED_FORM,
      people_ix: INDEXED_FORM,
      citation_ix: INDEXED_FORM,
      model: PAST_VECTOR,
      scale: PAST_VECTOR,
      checksum: PAST_VECTOR,
      codes: PAST_VECTOR,
    },
  },
  links: { kind: 'link', leftOut: { row: OWN_NUMBER } },
  facts: { kind: 'fact', leftOut: { row: OWN_NUMBER, topic: 'computed from its parts' } },
  session_records: { kind: 'usage', leftOut: {} },
  recalled_queries: { kind: 'recall', leftOut: { row: OWN_NUMBER } },
  recalls: {
    kind: 'recall',
    leftOut: {
      row: OWN_NUMBER,
      query: OWN_NUMBER,
      record: 'in the field `results`',
      fact: 'in the field `results`',
      rank: 'in the field `results`',
      score: 'in the field `results`',
    },
  },
  imports: { kind: 'import', leftOut: {} },
  lenses: { kind: 'lens', leftOut: {} },
}

const DERIVED_TABLES: Readonly<Record<string, string>> = {
  meta: 'says which version of Cairn made the format of this file',
  record_tags: 'filled from the tags of the records by triggers',
  records_ft: 'the index, filled from the records by triggers',
  records_vocabulary: 'a view into the index',
  records_instances: 'a view into the index',
  revisions_ft: 'the index of the past, filled from the revisions by triggers',
  waiting: 'records that the active model has not embedded; all of a restored file, until it has',
  embedded: 'which model has embedded which record',
  chunks: 'the passages that a model made of the texts',
  vector_blocks: 'vectors, made anew from the texts',
  vectors: 'vectors, made anew from the texts',
  embedding_cache: 'vectors of texts that were embedded before',
  unindexed: 'empty outside of a transaction',
  tokens: 'who may use a server; another server has its own',
  events: 'what was done to this file, such as an export of it; a copy begins a log of its own',
}

type Row = Record<string, unknown>

function openRaw(file: string): Database.Database {
  const db = new Database(file, { readonly: true })
  onTestFinished(() => void db.close())
  return db
}

function rowsOf(db: Database.Database, sql: string): Row[] {
  return db.prepare<[], Row>(sql).all()
}

/** Every row with ids in the place of numbers, in an order that does not depend on them. */
const COMPARED: Readonly<Record<string, string>> = {
  records: `SELECT *, '' AS row FROM records ORDER BY records.row`,
  record_tags: `SELECT t.tag, r.id FROM record_tags t JOIN records r USING (row) ORDER BY 1, 2`,
  works: `SELECT w.*, r.id AS record FROM works w JOIN records r ON r.row = w.record ORDER BY r.id`,
  work_identities: `SELECT i.identity, r.id FROM work_identities i JOIN records r ON r.row = i.record ORDER BY 1, 2`,
  revisions: `SELECT v.*, '' AS row, r.id AS record, (SELECT id FROM records WHERE row = v.successor) AS successor
    FROM revisions v JOIN records r ON r.row = v.record ORDER BY r.id, v.number`,
  sessions: `SELECT *, '' AS row, '' AS owner FROM sessions ORDER BY id`,
  session_records: `SELECT u.*, s.id AS session, r.id AS record FROM session_records u
    JOIN sessions s ON s.row = u.session JOIN records r ON r.row = u.record ORDER BY s.id, r.id, u.usage`,
  links: `SELECT l.*, '' AS row, (SELECT id FROM records WHERE row = l.source) AS source,
    (SELECT id FROM records WHERE row = l.target) AS target FROM links l ORDER BY l.id`,
  facts: `SELECT f.*, '' AS row, r.id AS record FROM facts f JOIN records r ON r.row = f.record ORDER BY f.id`,
  recalled_queries: `SELECT q.*, '' AS row, s.id AS session FROM recalled_queries q
    JOIN sessions s ON s.row = q.session ORDER BY q.id`,
  recalls: `SELECT q.id AS query, r.id AS record, (SELECT id FROM facts WHERE row = c.fact) AS fact, c.rank, c.score
    FROM recalls c JOIN recalled_queries q ON q.row = c.query JOIN records r ON r.row = c.record ORDER BY q.id, c.row`,
  lenses: 'SELECT * FROM lenses ORDER BY name',
  imports: `SELECT i.*, r.id AS record FROM imports i LEFT JOIN records r ON r.row = i.record ORDER BY i.source, i.key`,
  models: `SELECT *, '' AS row FROM models WHERE state = 'active'`,
}

describe('tables of an archive', () => {
  test('every table of the schema is in an archive or has a reason for its absence', async () => {
    const file = temporaryFile()
    await (await openCairn({ file })).close()
    const tables = rowsOf(openRaw(file), 'PRAGMA table_list')
      .filter(({ name, type }) => type === 'virtual' || (type === 'table' && isOwn(String(name))))
      .map(({ name }) => String(name))
    expect(tables.length).toBeGreaterThan(15)
    const named = [...Object.keys(ARCHIVED_TABLES), ...Object.keys(DERIVED_TABLES)]
    expect(tables.sort()).toEqual(named.sort())
    expect(ARCHIVE_KINDS.filter((kind) => !kindsOfTables().has(kind))).toEqual([])
  })

  test('every column of those tables is a field of a line or has a reason for its absence', async () => {
    const file = temporaryFile()
    await (await openCairn({ file })).close()
    const db = openRaw(file)
    for (const [table, { kind, leftOut }] of Object.entries(ARCHIVED_TABLES)) {
      const fields = Object.keys(ARCHIVE_FIELDS[kind]).map(snakeCase)
      const columns = rowsOf(db, `PRAGMA table_info(${table})`).map(({ name }) => String(name))
      const forgotten = columns.filter((name) => !fields.includes(name) && !(name in leftOut))
      expect({ table, forgotten }).toEqual({ table, forgotten: [] })
      const invented = Object.keys(leftOut).filter((name) => !columns.includes(name))
      expect({ table, invented }).toEqual({ table, invented: [] })
    }
  })

  test('docs/backup.md lists every kind of line with its fields', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/backup.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)` \| (`.*`) \|$/gm)]
    const listed = rows.map(([, kind, fields = '']) => [
      kind,
      fields.replaceAll('`', '').split(', '),
    ])
    const known = ARCHIVE_KINDS.map((kind) => [kind, Object.keys(ARCHIVE_FIELDS[kind])])
    expect(listed).toEqual(known)
  })

  test('a restored file has the rows of every table, whatever their numbers', async () => {
    const { cairn, file, now } = await fullLibrary()
    const copy = temporaryFile()
    const restored = await openCairn({ file: copy, now })
    await restored.importAll(await linesOf(cairn))
    await restored.close()
    await cairn.close()
    const [before, after] = [openRaw(file), openRaw(copy)]
    for (const [table, sql] of Object.entries(COMPARED)) {
      const rows = rowsOf(before, sql)
      expect(rows.length, table).toBeGreaterThan(0)
      expect({ table, rows: rowsOf(after, sql) }).toEqual({ table, rows })
    }
    expect(Object.keys(ARCHIVED_TABLES).filter((table) => !(table in COMPARED))).toEqual([])
  })
})

function isOwn(table: string): boolean {
  return !table.startsWith('sqlite_')
}

function kindsOfTables(): Set<string> {
  return new Set(Object.values(ARCHIVED_TABLES).map(({ kind }) => kind))
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
