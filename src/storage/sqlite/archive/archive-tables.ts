/** Describes the table of each kind of archive line, and derives the SQL from that. */

import { factTopic } from '../../../core/fact.js'
import { clamp } from '../../../core/salience.js'
import {
  ARCHIVE_FIELDS,
  ARCHIVE_KINDS,
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveValue,
  type FieldType,
  type RecalledResult,
} from '../../archive.js'
import { getRules, type Referred } from '../../archive-rules.js'
import { toColumnName } from '../../column-name.js'
import type { Row, Statements, Value } from '../statements.js'
import { readObject, readTexts, readTime } from '../stored-values.js'

/** The row that the field names; a session is identified by its id and namespace. */
export function rowOf(table: Referred, field: string): string {
  const within = table === 'sessions' ? ' AND namespace = :namespace' : ''
  return `(SELECT row FROM ${table} WHERE id = :${field}${within})`
}

const NAMESPACE_OF_SESSION = '(SELECT s.namespace FROM sessions s WHERE s.row = t.session)'

type Expressions = Readonly<Record<string, string>>

type ArchiveTable = {
  readonly table: string
  /** The fields that identify a row, if they are fewer than those that identify a line. */
  readonly key?: readonly string[]
  /** The order of rows, which is the same in a restored file. Default: the row number. */
  readonly order?: string
  /** A table without row numbers is stored by its key, and archived in that order. */
  readonly hasNoRows?: true
  /** SQL for the fields that are not columns of the table, which is `t`. */
  readonly elsewhere?: Expressions
  /** Columns that are computed from the fields. */
  readonly computed?: readonly string[]
  /** Which rows are archived. Default: all. */
  readonly where?: string
  /** The columns that an update sets. Default: all but the key. */
  readonly update?: Expressions
  /** Whether an equal row may be stored under another key. */
  readonly mayCollide?: true
}

const INDEXED = ['titleIx', 'bodyIx', 'tagsIx', 'peopleIx', 'citationIx']

const TABLES: Readonly<Record<ArchiveKind, ArchiveTable>> = {
  model: { table: 'models', computed: ['state'], where: `t.state = 'active'` },
  /** Without `owner`: no process holds the copy of a session open. */
  session: { table: 'sessions' },
  record: {
    table: 'records',
    elsewhere: {
      work: '(SELECT w.details FROM works w WHERE w.record = t.row)',
      identities: `(SELECT json_group_array(i.identity) FROM
        (SELECT identity FROM work_identities WHERE record = t.row ORDER BY identity) i)`,
    },
    computed: ['contentHash', ...INDEXED],
  },
  revision: { table: 'revisions', order: 'record, number', computed: INDEXED },
  link: { table: 'links', update: { target: rowOf('records', 'target') }, mayCollide: true },
  fact: { table: 'facts', computed: ['topic'] },
  usage: {
    table: 'session_records',
    key: ['session', 'record', 'usage'],
    hasNoRows: true,
    elsewhere: { namespace: NAMESPACE_OF_SESSION },
    update: {
      firstAt: 'min(first_at, :firstAt)',
      lastAt: 'max(last_at, :lastAt)',
      times: 'max(times, :times)',
    },
  },
  recall: {
    table: 'recalled_queries',
    elsewhere: { namespace: NAMESPACE_OF_SESSION, results: 'NULL' },
  },
  import: { table: 'imports', hasNoRows: true },
  lens: { table: 'lenses', hasNoRows: true },
}

const RESULTS = `SELECT r.id AS record, (SELECT f.id FROM facts f WHERE f.row = c.fact) AS fact, c.rank, c.score
  FROM recalls c CROSS JOIN records r ON r.row = c.record
  WHERE c.query = (SELECT row FROM recalled_queries WHERE id = :id) ORDER BY c.row`

/** Stands for a field of another table that cannot be read. Default: NULL. */
const NOTHING: Expressions = { identities: `'[]'` }

function deriveSql(kind: ArchiveKind) {
  const description = TABLES[kind]
  const rules = getRules(kind)
  const { refersTo } = rules
  const { table, key = rules.key as readonly string[] } = description
  const { elsewhere = {}, computed = [] } = description
  const fields = Object.keys(ARCHIVE_FIELDS[kind])
  const columns = [...fields.filter((field) => !(field in elsewhere)), ...computed]
  const read = (field: string): string => {
    const column = `t.${toColumnName(field)}`
    const referred = refersTo[field]
    if (referred === undefined) return elsewhere[field] ?? column
    return `(SELECT o.id FROM ${referred} o WHERE o.row = ${column})`
  }
  const bind = (field: string): string => {
    const referred = refersTo[field]
    return referred === undefined ? `:${field}` : rowOf(referred, field)
  }
  const selectWith = (readField: (field: string) => string): string =>
    `SELECT ${fields.map((field) => `${readField(field)} AS ${field}`).join(', ')} FROM ${table} t`
  const select = selectWith(read)
  const storedBy = description.hasNoRows ? key : ['row']
  const { order = storedBy.join(', ') } = description
  const isStored = storedBy.map((column) => `t.${column} = :${column}`).join(' AND ')
  const where = description.where ?? '1'
  const isOne = [where, ...key.map((field) => `t.${toColumnName(field)} = ${bind(field)}`)]
  const open = columns.filter((field) => !key.some((own) => own === field))
  const changes =
    description.update ?? Object.fromEntries(open.map((field) => [field, bind(field)]))
  const assigned = Object.entries(changes).map(([field, sql]) => `${toColumnName(field)} = ${sql}`)
  return {
    table,
    key,
    refersTo,
    /** For a damaged file: lists the rows, and reads one, with the fields of other tables or without them. */
    salvage: {
      keys: (by: string) => `SELECT ${storedBy.join(', ')} FROM ${table} t ${by} WHERE ${where}`,
      backwards: `ORDER BY ${storedBy.map((column) => `t.${column} DESC`).join(', ')}`,
      /** From the index of the ids, which may be intact where the rows are not. */
      ids: fields.includes('id')
        ? `SELECT row, id FROM ${table} INDEXED BY sqlite_autoindex_${table}_1`
        : null,
      one: `${select} WHERE ${isStored}`,
      alone: `${selectWith((field) => (field in elsewhere ? (NOTHING[field] ?? 'NULL') : read(field)))} WHERE ${isStored}`,
    },
    isLater: rules.isLater,
    all: `${select} WHERE ${where} ORDER BY ${order.replace(/\w+/g, 't.$&')}`,
    one: `${select} WHERE ${isOne.join(' AND ')}`,
    insert: `INSERT INTO ${table} (${columns.map(toColumnName).join(', ')})
      VALUES (${columns.map(bind).join(', ')})
      ${description.mayCollide === true ? 'ON CONFLICT DO NOTHING' : ''}`,
    update: `UPDATE ${description.mayCollide === true ? 'OR IGNORE' : ''} ${table} AS t
      SET ${assigned.join(', ')} WHERE ${isOne.join(' AND ')}`,
    set: (field: string): string =>
      field === 'work' && field in elsewhere
        ? `UPDATE works SET details = :work WHERE record = ${rowOf('records', 'id')}`
        : `UPDATE ${table} AS t SET ${toColumnName(field)} = ${bind(field)} WHERE ${isOne.join(' AND ')}`,
  }
}

const derived = new Map<ArchiveKind, ReturnType<typeof deriveSql>>()

/** Derived on first use: most processes never read an archive. */
export function getArchiveTable(kind: ArchiveKind): ReturnType<typeof deriveSql> {
  const table = derived.get(kind) ?? deriveSql(kind)
  derived.set(kind, table)
  return table
}

export function createEntryReader(statements: Statements) {
  const read = <K extends ArchiveKind>(kind: K, row: Row): ArchiveValue<K> => {
    const value = Object.fromEntries(
      Object.entries(ARCHIVE_FIELDS[kind]).map(([field, type]) => [
        field,
        fromColumn(type, row[field]),
      ]),
    )
    if (kind !== 'recall') return value as ArchiveValue<K>
    const results = statements.all(RESULTS, { id: row.id as string }) as RecalledResult[]
    return { ...value, results } as ArchiveValue<K>
  }
  return {
    read,
    *all(): Generator<ArchiveEntry, void> {
      for (const kind of ARCHIVE_KINDS) {
        for (const row of statements.each(getArchiveTable(kind).all)) {
          yield { kind, value: read(kind, row) } as ArchiveEntry
        }
      }
    },
    /** The stored entry with the same key. */
    find({ kind, value }: ArchiveEntry): ArchiveValue<ArchiveKind> | null {
      const [row] = statements.all(getArchiveTable(kind).one, toColumns(kind, value))
      return row === undefined ? null : read(kind, row)
    },
  }
}

/** The values of the columns, with some that are computed from the fields. */
export function toColumns(kind: ArchiveKind, value: object): Record<string, Value> {
  const given = new Map(Object.entries(value))
  const columns: Record<string, Value> = {}
  for (const [field, type] of Object.entries(ARCHIVE_FIELDS[kind])) {
    if (type !== 'results') columns[field] = toColumn(type, given.get(field))
  }
  if (kind === 'model') columns.state = 'active'
  if (kind === 'fact') columns.topic = factTopic(given.get('subject'), given.get('predicate'))
  return columns
}

export const IS_JSON: ReadonlySet<unknown> = new Set<FieldType>(['object', 'object?', 'texts'])
const IS_TIME: ReadonlySet<unknown> = new Set<FieldType>(['time', 'time?'])

/** A value of another type, which another program may have written, becomes a value of this type. */
export function fromColumn(type: FieldType, stored: unknown): unknown {
  if (stored === null) return null
  if (IS_TIME.has(type)) return readTime(stored)
  if (type === 'texts') return readTexts(stored)
  if (IS_JSON.has(type)) return readObject(stored)
  if (type === 'flag') return stored === 1
  if (type === 'share') return clamp(Number(stored), 0, 1)
  if (typeof type === 'string') return stored
  if (type.oneOf.some((word) => word === stored)) return stored
  return type.orNull === true ? null : type.oneOf[0]
}

export function toColumn(type: FieldType, value: unknown): Value {
  if (value === null || value === undefined) return null
  if (IS_TIME.has(type)) return Date.parse(String(value))
  if (IS_JSON.has(type)) return JSON.stringify(value)
  return type === 'flag' ? Number(value === true) : (value as Value)
}
