/** For each kind of archive line: the table that it is stored in; the SQL that reads and writes many lines is derived from that. */

import { factTopic } from '../../core/fact.js'
import type { Kind } from '../../core/record.js'
import { toIso } from '../../core/time.js'
import {
  ARCHIVE_FIELDS,
  ARCHIVE_KINDS,
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveValue,
  type FieldType,
} from '../archive.js'
import { getRules } from '../archive-rules.js'
import { toColumnName } from '../column-name.js'
import { hashContent } from '../content-hash.js'
import { type Row, toStorableText } from './statements.js'

type Expressions = Readonly<Record<string, string | null>>

type ArchiveTable = {
  readonly table: string
  /** How a line `l` leads to the rows that it names. */
  readonly joins?: string
  /** Over `t`, `l` and the joins: whether this row is the one of the line. Default: the fields of the key are equal. */
  readonly isOne?: string
  /** SQL over `t` for the fields that are not columns of the table, besides those that name a row of another one. */
  readonly read?: Expressions
  /** SQL over `l` and the joins for columns that are not fields; null for fields that are not columns. */
  readonly write?: Expressions
  /** What an update sets. Default: every column but those of the key. */
  readonly update?: Expressions
  /** What else an update asks for. */
  readonly mayUpdate?: string
  /** Which rows are archived. Default: all. */
  readonly where?: string
  /** An order that a restored archive has too. Default: by row. */
  readonly order?: string
}

const idOf = (table: string, column: string): string =>
  `(SELECT o.id FROM ${table} o WHERE o.row = t.${column})`
const RECORD = 'JOIN records r ON r.id = l.record'
const SESSION = 'JOIN sessions s ON s.id = l.session AND s.namespace = l.namespace'
const OF_RECORD = { namespace: 'r.namespace', record: 'r.row' } as const

const TABLES: Readonly<Record<ArchiveKind, ArchiveTable>> = {
  model: {
    table: 'models',
    isOne: `t.state = 'active'`,
    where: `t.state = 'active'`,
    write: { state: `'active'` },
  },
  /** Without `owner`: the process that holds a session open does not hold a copy of it. */
  session: { table: 'sessions' },
  record: {
    table: 'records',
    read: {
      work: '(SELECT w.details FROM works w WHERE w.namespace = t.namespace AND w.record = t.row)',
      identities: `ARRAY(SELECT i.identity FROM work_identities i WHERE i.record = t.row
        ORDER BY i.identity COLLATE "C")`,
    },
    write: {
      work: null,
      identities: null,
      content_hash: `decode(l."contentHash", 'hex')`,
    },
  },
  revision: {
    table: 'revisions',
    joins: `${RECORD} LEFT JOIN records o ON o.id = l.successor`,
    isOne: 't.namespace = r.namespace AND t.record = r.row AND t.number = l.number',
    read: { namespace: 't.own_namespace' },
    write: { ...OF_RECORD, own_namespace: 'l.namespace', successor: 'o.row' },
    order: 't.record, t.number',
  },
  link: {
    table: 'links',
    joins: 'JOIN records r ON r.id = l.source LEFT JOIN records o ON o.id = l.target',
    read: { source: idOf('records', 'record') },
    write: { ...OF_RECORD, source: null, target: 'o.row' },
    update: { target: 'o.row' },
    mayUpdate: `NOT EXISTS (SELECT 1 FROM links e WHERE e.record = t.record AND e.type = t.type AND e.target = o.row)`,
  },
  fact: {
    table: 'facts',
    joins: RECORD,
    write: { ...OF_RECORD, topic: 'l.topic' },
  },
  usage: {
    table: 'session_records',
    joins: `${RECORD} ${SESSION}`,
    isOne:
      't.namespace = r.namespace AND t.record = r.row AND t.session = s.row AND t.usage = l.usage',
    read: { namespace: '(SELECT o.namespace FROM sessions o WHERE o.row = t.session)' },
    write: { ...OF_RECORD, session: 's.row' },
    update: {
      first_at: 'least(t.first_at, l."firstAt")',
      last_at: 'greatest(t.last_at, l."lastAt")',
      times: 'greatest(t.times, l.times)',
    },
    order: 't.session, t.record, t.usage COLLATE "C"',
  },
  recall: {
    table: 'recalled_queries',
    joins: SESSION,
    read: {
      results: `(SELECT coalesce(json_agg(json_build_object('record', r.id,
          'fact', (SELECT f.id FROM facts f WHERE f.namespace = c.namespace AND f.row = c.fact),
          'rank', c.rank, 'score', c.score) ORDER BY c.row), '[]')
        FROM recalls c JOIN records r ON r.namespace = c.namespace AND r.row = c.record WHERE c.query = t.row)`,
    },
    write: { session: 's.row', results: null },
  },
  import: {
    table: 'imports',
    joins: 'LEFT JOIN records r ON r.id = l.record',
    write: { record: 'r.row' },
    order: 't.namespace COLLATE "C", t.source COLLATE "C", t.key COLLATE "C"',
  },
  lens: {
    table: 'lenses',
    order: 't.namespace COLLATE "C", t.name COLLATE "C"',
  },
}

const COLUMN_TYPES: Readonly<Record<string, string>> = {
  number: 'float8',
  share: 'float8',
  whole: 'bigint',
  flag: 'boolean',
  time: 'bigint',
  texts: 'text[]',
  object: 'json',
  results: 'json',
}

function toColumnType(type: FieldType): string {
  return (typeof type === 'string' && COLUMN_TYPES[type.replace('?', '')]) || 'text'
}

function deriveSql(kind: ArchiveKind) {
  const { key, refersTo } = getRules(kind)
  const { table, joins = '', read = {}, write = {}, order = 't.row', ...rest } = TABLES[kind]
  const types: Readonly<Record<string, FieldType>> = ARCHIVE_FIELDS[kind]
  const fields = Object.keys(types)
  const readField = (field: string): string => {
    const [column, referred] = [toColumnName(field), refersTo[field]]
    return read[field] ?? (referred === undefined ? `t.${column}` : idOf(referred, column))
  }
  const select = `SELECT ${fields.map((field) => `${readField(field)} AS "${field}"`).join(', ')}`
  const isSame = key.map((field: string) => `t.${toColumnName(field)} = l."${field}"`).join(' AND ')
  const { isOne = isSame } = rest
  const typed = fields.map((field) => `"${field}" ${toColumnType(types[field] as FieldType)}`)
  const lines = `json_to_recordset(:lines::json)
    AS l (${typed.join(', ')}, n integer, topic text, "contentHash" text) ${joins}`
  const given = fields.map((field) => [toColumnName(field), `l."${field}"`])
  const columns = Object.entries({ ...Object.fromEntries(given), ...write } as Expressions)
  const stored = columns.filter(([, sql]) => sql !== null)
  const isKey = (name: string): boolean => key.some((field) => toColumnName(field) === name)
  const changes = rest.update ?? Object.fromEntries(stored.filter(([name]) => !isKey(name)))
  const assigned = Object.entries(changes).map(([name, sql]) => `${name} = ${sql}`)
  return {
    all: `${select} FROM ${table} t WHERE ${rest.where ?? 'true'} ORDER BY ${order}`,
    /** With the number of the line. */
    find: `${select}, l.n AS n FROM ${lines} JOIN ${table} t ON ${isOne}`,
    insert: `INSERT INTO ${table} (${stored.map(([name]) => name).join(', ')})
      SELECT ${stored.map(([, sql]) => sql).join(', ')} FROM ${lines} ORDER BY l.n`,
    update: `UPDATE ${table} t SET ${assigned.join(', ')} FROM ${lines}
      WHERE ${isOne} AND ${rest.mayUpdate ?? 'true'}`,
  }
}

export const ARCHIVE_TABLES = Object.fromEntries(
  ARCHIVE_KINDS.map((kind) => [kind, deriveSql(kind)]),
) as Readonly<Record<ArchiveKind, ReturnType<typeof deriveSql>>>

function isTime(type: FieldType): boolean {
  return type === 'time' || type === 'time?'
}

export function toEntry<K extends ArchiveKind>(kind: K, row: Row): ArchiveEntry {
  const value = Object.entries(ARCHIVE_FIELDS[kind]).map(([field, type]) => {
    const stored = row[field]
    return [field, isTime(type) && stored !== null ? toIso(Number(stored)) : stored]
  })
  return { kind, value: Object.fromEntries(value) } as unknown as ArchiveEntry
}

/** What `json_to_recordset` turns into the columns of the line. */
export function toLine({ kind, value }: ArchiveEntry, n: number): Row {
  const given = new Map<string, unknown>(Object.entries(value))
  const line: Record<string, unknown> = { n }
  for (const [field, type] of Object.entries(ARCHIVE_FIELDS[kind])) {
    const own = given.get(field)
    line[field] = isTime(type) && typeof own === 'string' ? Date.parse(own) : own
  }
  if (kind === 'fact') line.topic = factTopic(value.subject, value.predicate)
  if (kind === 'record') line.contentHash = hashRecord(value).toString('hex')
  return line
}

function hashRecord(value: ArchiveValue<'record'>) {
  const { title, body, sessionId, occurredAt } = value
  return hashContent({
    kind: value.kind as Kind,
    title: title && toStorableText(title),
    body: toStorableText(body),
    sessionId,
    occurredAtMs: occurredAt === null ? null : Date.parse(occurredAt),
  })
}
