/** For each kind of archive line: how it is read, found again and written, and which of two different ones stays. */

import { factTopic } from '../../../core/fact.js'
import { toIso } from '../../../core/time.js'
import {
  ARCHIVE_FIELDS,
  ARCHIVE_KINDS,
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveValue,
  type Fields,
  type FieldType,
  findChangeTime,
  type RecalledResult,
} from '../../archive.js'
import type { Row, Statements, Value } from '../statements.js'

/** Finds the row number of a record, a session or a fact that a line names by its id. */
export const ROW_OF = {
  records: (field: string) => `(SELECT row FROM records WHERE id = :${field})`,
  sessions: (field: string) => `(SELECT row FROM sessions WHERE id = :${field})`,
  facts: (field: string) => `(SELECT row FROM facts WHERE id = :${field})`,
} as const

export type Referred = keyof typeof ROW_OF

export type ArchiveTable<K extends ArchiveKind> = {
  /** All of them, in an order that a restored file has too. */
  readonly all: string
  /** The stored one with the same key. */
  readonly one: string
  readonly insert: string
  /** Null: a stored one is never changed. */
  readonly update: string | null
  /** Fields that name something else, which has to be there. */
  readonly refersTo: Readonly<Partial<Record<keyof ArchiveValue<K>, Referred>>>
  /** Whether the archive's one replaces a stored one that is different. */
  isLater(incoming: ArchiveValue<K>, stored: ArchiveValue<K>): boolean
}

type Expressions = Readonly<Record<string, string>>

/** `createdAt` → `created_at`. */
function toColumnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The columns of a SELECT; `elsewhere` has SQL for fields that are not columns of the table itself. */
function select(fields: Fields, alias: string, elsewhere: Expressions = {}): string {
  return Object.keys(fields)
    .map((field) => `${elsewhere[field] ?? `${alias}.${toColumnName(field)}`} AS ${field}`)
    .join(', ')
}

/** The columns of an INSERT; `computed` has SQL for columns that are not the value of their field. */
function insert(table: string, fields: readonly string[], computed: Expressions = {}): string {
  const values = fields.map((field) => computed[field] ?? `:${field}`)
  return `INSERT INTO ${table} (${fields.map(toColumnName).join(', ')}) VALUES (${values.join(', ')})`
}

function assign(fields: readonly string[], computed: Expressions = {}): string {
  return fields
    .map((field) => `${toColumnName(field)} = ${computed[field] ?? `:${field}`}`)
    .join(', ')
}

function omit(fields: object, ...left: readonly string[]): string[] {
  return Object.keys(fields).filter((field) => !left.includes(field))
}

const { model, session, record, revision, link, fact, usage, recall, lens } = ARCHIVE_FIELDS
const imported = ARCHIVE_FIELDS.import

const INDEXED = ['titleIx', 'bodyIx', 'tagsIx', 'peopleIx']
const RECORD_COLUMNS = [...omit(record, 'id', 'work', 'identities'), 'contentHash', ...INDEXED]

const MODELS = `SELECT ${select(model, 'm')} FROM models m WHERE m.state = 'active'`
const SESSIONS = `SELECT ${select(session, 's')} FROM sessions s`
const RECORDS = `SELECT r.row, ${select(record, 'r', {
  work: '(SELECT w.details FROM works w WHERE w.record = r.row)',
  identities: `(SELECT json_group_array(i.identity) FROM
    (SELECT identity FROM work_identities WHERE record = r.row ORDER BY identity) i)`,
})} FROM records r`
const REVISIONS = `SELECT ${select(revision, 'v', {
  record: 'r.id',
  successor: '(SELECT n.id FROM records n WHERE n.row = v.successor)',
})} FROM records r CROSS JOIN revisions v ON v.record = r.row`
const LINKS = `SELECT ${select(link, 'l', {
  source: 's.id',
  target: '(SELECT t.id FROM records t WHERE t.row = l.target)',
})} FROM links l CROSS JOIN records s ON s.row = l.source`
const FACTS = `SELECT ${select(fact, 'f', { record: 'r.id' })}
  FROM facts f CROSS JOIN records r ON r.row = f.record`
const USAGES = `SELECT ${select(usage, 'u', { session: 's.id', record: 'r.id' })}
  FROM session_records u CROSS JOIN sessions s ON s.row = u.session CROSS JOIN records r ON r.row = u.record`
const ONE_USAGE = `session = ${ROW_OF.sessions('session')} AND record = ${ROW_OF.records('record')}
  AND usage = :usage`
const RECALLS = `SELECT q.row, ${select(recall, 'q', { session: 's.id', results: 'NULL' })}
  FROM recalled_queries q CROSS JOIN sessions s ON s.row = q.session`
const RESULTS = `SELECT r.id AS record, (SELECT f.id FROM facts f WHERE f.row = c.fact) AS fact, c.rank, c.score
  FROM recalls c CROSS JOIN records r ON r.row = c.record WHERE c.query = :query ORDER BY c.row`
const IMPORTS = `SELECT ${select(imported, 'i', {
  record: '(SELECT r.id FROM records r WHERE r.row = i.record)',
})} FROM imports i`
const LENSES = `SELECT ${select(lens, 'n')} FROM lenses n`

const OF_RECORD = { record: ROW_OF.records('record') }

export const ARCHIVE_TABLES: { readonly [K in ArchiveKind]: ArchiveTable<K> } = {
  /** Only the active model: the others are nothing but their vectors. */
  model: {
    all: MODELS,
    one: MODELS,
    insert: insert('models', [...Object.keys(model), 'state'], { state: `'active'` }),
    update: null,
    refersTo: {},
    isLater: never,
  },
  /** Without `owner`: the process that holds a session open does not hold a copy of it. */
  session: {
    all: `${SESSIONS} ORDER BY s.row`,
    one: `${SESSIONS} WHERE s.id = :id`,
    insert: insert('sessions', Object.keys(session)),
    update: `UPDATE sessions SET ${assign(omit(session, 'id'))} WHERE id = :id`,
    refersTo: {},
    isLater: laterBy(({ endedAt }) => [endedAt]),
  },
  record: {
    all: `${RECORDS} ORDER BY r.row`,
    one: `${RECORDS} WHERE r.id = :id`,
    insert: insert('records', ['id', ...RECORD_COLUMNS]),
    update: `UPDATE records SET ${assign(RECORD_COLUMNS)} WHERE id = :id`,
    refersTo: {},
    isLater: laterBy((value) => [findChangeTime(value), value.accessedAt ?? value.createdAt]),
  },
  revision: {
    all: `${REVISIONS} ORDER BY r.row, v.number`,
    one: `${REVISIONS} WHERE r.id = :record AND v.number = :number`,
    insert: insert('revisions', [...Object.keys(revision), ...INDEXED, 'model', 'scale', 'codes'], {
      ...OF_RECORD,
      successor: ROW_OF.records('successor'),
      model: '(SELECT row FROM models WHERE id = :model)',
    }),
    update: null,
    refersTo: { record: 'records', successor: 'records' },
    isLater: never,
  },
  /** The content of a link never changes; its target may become known later. */
  link: {
    all: `${LINKS} ORDER BY l.row`,
    one: `${LINKS} WHERE l.id = :id`,
    insert: `${insert('links', Object.keys(link), {
      source: ROW_OF.records('source'),
      target: ROW_OF.records('target'),
    })} ON CONFLICT DO NOTHING`,
    update: `UPDATE OR IGNORE links SET target = ${ROW_OF.records('target')} WHERE id = :id`,
    refersTo: { source: 'records', target: 'records' },
    isLater: (incoming, stored) => stored.target === null && incoming.target !== null,
  },
  fact: {
    all: `${FACTS} ORDER BY f.row`,
    one: `${FACTS} WHERE f.id = :id`,
    insert: insert('facts', [...Object.keys(fact), 'topic'], OF_RECORD),
    update: `UPDATE facts SET ${assign([...omit(fact, 'id', 'record'), 'topic'])} WHERE id = :id`,
    refersTo: { record: 'records' },
    isLater: laterBy(({ endedAt, reinforcedAt }) => [endedAt, reinforcedAt]),
  },
  usage: {
    all: `${USAGES} ORDER BY u.session, u.record, u.usage`,
    one: `${USAGES} WHERE ${ONE_USAGE}`,
    insert: insert('session_records', Object.keys(usage), {
      session: ROW_OF.sessions('session'),
      ...OF_RECORD,
    }),
    update: `UPDATE session_records SET first_at = min(first_at, :firstAt), last_at = max(last_at, :lastAt),
        times = max(times, :times) WHERE ${ONE_USAGE}`,
    refersTo: { session: 'sessions', record: 'records' },
    isLater: (incoming, stored) =>
      Date.parse(incoming.firstAt) < Date.parse(stored.firstAt) ||
      Date.parse(incoming.lastAt) > Date.parse(stored.lastAt) ||
      incoming.times > stored.times,
  },
  recall: {
    all: `${RECALLS} ORDER BY q.row`,
    one: `${RECALLS} WHERE q.id = :id`,
    insert: insert('recalled_queries', omit(recall, 'results'), {
      session: ROW_OF.sessions('session'),
    }),
    update: null,
    refersTo: { session: 'sessions' },
    isLater: never,
  },
  import: {
    all: `${IMPORTS} ORDER BY i.source, i.key`,
    one: `${IMPORTS} WHERE i.source = :source AND i.key = :key`,
    insert: insert('imports', Object.keys(imported), OF_RECORD),
    update: `UPDATE imports SET ${assign(omit(imported, 'source', 'key'), OF_RECORD)}
      WHERE source = :source AND key = :key`,
    refersTo: { record: 'records' },
    isLater: laterBy(({ seenAt }) => [seenAt]),
  },
  lens: {
    all: `${LENSES} ORDER BY n.name`,
    one: `${LENSES} WHERE n.name = :name`,
    insert: insert('lenses', Object.keys(lens)),
    update: `UPDATE lenses SET ${assign(omit(lens, 'name'))} WHERE name = :name`,
    refersTo: {},
    isLater: laterBy(({ updatedAt }) => [updatedAt]),
  },
}

/** By the first of the times that differ; null is before every other. */
function laterBy<V>(listTimes: (value: V) => readonly (string | null)[]) {
  const toMs = (at: string | null): number =>
    at === null ? Number.NEGATIVE_INFINITY : Date.parse(at)
  return (incoming: V, stored: V): boolean => {
    const known = listTimes(stored).map(toMs)
    const found = listTimes(incoming).map(toMs)
    const at = found.findIndex((ms, i) => ms !== known[i])
    return at >= 0 && Number(found[at]) > Number(known[at])
  }
}

function never(): boolean {
  return false
}

/** Reads what a file holds as entries of an archive. */
export function createEntryReader(statements: Statements) {
  const read = <K extends ArchiveKind>(kind: K, row: Row): ArchiveValue<K> => {
    const value = Object.fromEntries(
      Object.entries(ARCHIVE_FIELDS[kind]).map(([field, type]) => [
        field,
        fromColumn(type, row[field]),
      ]),
    )
    if (kind !== 'recall') return value as ArchiveValue<K>
    const results = statements.all(RESULTS, { query: Number(row.row) }) as RecalledResult[]
    return { ...value, results } as ArchiveValue<K>
  }
  return {
    /** In the order of an archive. */
    *all(): Generator<ArchiveEntry, void> {
      for (const kind of ARCHIVE_KINDS) {
        for (const row of statements.each(ARCHIVE_TABLES[kind].all)) {
          yield { kind, value: read(kind, row) } as ArchiveEntry
        }
      }
    },
    /** The stored one with the key of this entry. */
    find({ kind, value }: ArchiveEntry): ArchiveValue<ArchiveKind> | null {
      const [row] = statements.all(ARCHIVE_TABLES[kind].one, toColumns(kind, value))
      return row === undefined ? null : read(kind, row)
    },
  }
}

/** The values of the columns, with those that follow from the fields. */
export function toColumns(kind: ArchiveKind, value: object): Record<string, Value> {
  const given = new Map(Object.entries(value))
  const columns = Object.entries(ARCHIVE_FIELDS[kind])
    .filter(([, type]) => type !== 'results')
    .map(([field, type]) => [field, toColumn(type, given.get(field))] as const)
  if (kind !== 'fact') return Object.fromEntries(columns)
  const { subject, predicate } = value as ArchiveValue<'fact'>
  return { ...Object.fromEntries(columns), topic: factTopic(subject, predicate) }
}

const IS_JSON: ReadonlySet<unknown> = new Set<FieldType>(['object', 'object?', 'texts'])
const IS_TIME: ReadonlySet<unknown> = new Set<FieldType>(['time', 'time?'])

function fromColumn(type: FieldType, stored: unknown): unknown {
  if (stored === null) return null
  if (IS_TIME.has(type)) return toIso(Number(stored))
  if (IS_JSON.has(type)) return JSON.parse(String(stored))
  return type === 'flag' ? stored === 1 : stored
}

function toColumn(type: FieldType, value: unknown): Value {
  if (value === null || value === undefined) return null
  if (IS_TIME.has(type)) return Date.parse(String(value))
  if (IS_JSON.has(type)) return JSON.stringify(value)
  return type === 'flag' ? Number(value === true) : (value as Value)
}
