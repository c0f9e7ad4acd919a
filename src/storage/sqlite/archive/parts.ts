/** For each kind of line, how it is read, found again, written, and which of two different ones stays. */

import { factTopic } from '../../../core/fact.js'
import { ARCHIVE_FIELDS, type ArchiveKind, type ArchiveValue, changedAt } from '../../archive.js'
import type { Value } from '../statements.js'
import { assigned, inserted, ROW_OF, selected } from './columns.js'

export type Referred = keyof typeof ROW_OF

export type Part<K extends ArchiveKind> = {
  /** All of them, in an order that a restored file has too. */
  readonly all: string
  /** The stored one with the same key. */
  readonly one: string
  readonly insert: string
  /** Null: one that is stored is never changed. */
  readonly update: string | null
  /** Fields that name something else, which has to be there. */
  readonly refersTo: Readonly<Partial<Record<keyof ArchiveValue<K>, Referred>>>
  /** Whether the one of the archive takes the place of a stored one that is different. */
  isLater(incoming: ArchiveValue<K>, stored: ArchiveValue<K>): boolean
  /** Columns that follow from the fields. */
  derived?(value: ArchiveValue<K>): Readonly<Record<string, Value>>
}

const { model, session, record, revision, link, fact, usage, recall, lens } = ARCHIVE_FIELDS
const imported = ARCHIVE_FIELDS.import

const RECORD_COLUMNS = without(record, 'id', 'work', 'identities')
const RECORD_DERIVED = ['contentHash', 'titleIx', 'bodyIx', 'tagsIx', 'peopleIx']
const REVISION_DERIVED = [...RECORD_DERIVED.slice(1), 'model', 'scale', 'codes']
const RECALL_COLUMNS = without(recall, 'results')

const RECORDS = `SELECT r.row, ${selected(record, 'r', {
  work: '(SELECT w.details FROM works w WHERE w.record = r.row)',
  identities: `(SELECT json_group_array(i.identity) FROM
    (SELECT identity FROM work_identities WHERE record = r.row ORDER BY identity) i)`,
})} FROM records r`
const REVISIONS = `SELECT ${selected(revision, 'v', {
  record: 'r.id',
  successor: '(SELECT n.id FROM records n WHERE n.row = v.successor)',
})} FROM records r CROSS JOIN revisions v ON v.record = r.row`
const LINKS = `SELECT ${selected(link, 'l', {
  source: 's.id',
  target: '(SELECT t.id FROM records t WHERE t.row = l.target)',
})} FROM links l CROSS JOIN records s ON s.row = l.source`
const FACTS = `SELECT ${selected(fact, 'f', { record: 'r.id' })}
  FROM facts f CROSS JOIN records r ON r.row = f.record`
const USAGES = `SELECT ${selected(usage, 'u', { session: 's.id', record: 'r.id' })}
  FROM session_records u CROSS JOIN sessions s ON s.row = u.session CROSS JOIN records r ON r.row = u.record`
const RECALLS = `SELECT q.row, ${selected(recall, 'q', { session: 's.id', results: 'NULL' })}
  FROM recalled_queries q CROSS JOIN sessions s ON s.row = q.session`
const IMPORTS = `SELECT ${selected(imported, 'i', {
  record: '(SELECT r.id FROM records r WHERE r.row = i.record)',
})} FROM imports i`

export const PARTS: { readonly [K in ArchiveKind]: Part<K> } = {
  /** Of the models only the one in charge: the others are nothing but their vectors. */
  model: {
    all: `SELECT ${selected(model, 'm')} FROM models m WHERE m.state = 'active'`,
    one: `SELECT ${selected(model, 'm')} FROM models m WHERE m.state = 'active'`,
    insert: `INSERT INTO models ${inserted([...Object.keys(model), 'state'], { state: `'active'` })}`,
    update: null,
    refersTo: {},
    isLater: never,
  },
  /** Without `owner`: the process that holds a session open does not hold a copy of it. */
  session: {
    all: `SELECT ${selected(session, 's')} FROM sessions s ORDER BY s.row`,
    one: `SELECT ${selected(session, 's')} FROM sessions s WHERE s.id = :id`,
    insert: `INSERT INTO sessions ${inserted(Object.keys(session))}`,
    update: `UPDATE sessions SET ${assigned(without(session, 'id'))} WHERE id = :id`,
    refersTo: {},
    isLater: laterBy(({ endedAt }) => [endedAt]),
  },
  record: {
    all: `${RECORDS} ORDER BY r.row`,
    one: `${RECORDS} WHERE r.id = :id`,
    insert: `INSERT INTO records ${inserted(['id', ...RECORD_COLUMNS, ...RECORD_DERIVED])}`,
    update: `UPDATE records SET ${assigned([...RECORD_COLUMNS, ...RECORD_DERIVED])} WHERE id = :id`,
    refersTo: {},
    isLater: laterBy((value) => [changedAt(value), value.accessedAt ?? value.createdAt]),
  },
  revision: {
    all: `${REVISIONS} ORDER BY r.row, v.number`,
    one: `${REVISIONS} WHERE r.id = :record AND v.number = :number`,
    insert: `INSERT INTO revisions ${inserted([...Object.keys(revision), ...REVISION_DERIVED], {
      record: ROW_OF.records('record'),
      successor: ROW_OF.records('successor'),
      model: '(SELECT row FROM models WHERE id = :model)',
    })}`,
    update: null,
    refersTo: { record: 'records', successor: 'records' },
    isLater: never,
  },
  /** What a link says never changes; where it leads to is known sooner or later. */
  link: {
    all: `${LINKS} ORDER BY l.row`,
    one: `${LINKS} WHERE l.id = :id`,
    insert: `INSERT INTO links ${inserted(Object.keys(link), {
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
    insert: `INSERT INTO facts ${inserted([...Object.keys(fact), 'topic'], {
      record: ROW_OF.records('record'),
    })}`,
    update: `UPDATE facts SET ${assigned([...without(fact, 'id', 'record'), 'topic'])} WHERE id = :id`,
    refersTo: { record: 'records' },
    isLater: laterBy(({ endedAt, reinforcedAt }) => [endedAt, reinforcedAt]),
    derived: ({ subject, predicate }) => ({ topic: factTopic(subject, predicate) }),
  },
  usage: {
    all: `${USAGES} ORDER BY u.session, u.record, u.usage`,
    one: `${USAGES} WHERE u.session = ${ROW_OF.sessions('session')} AND u.record = ${ROW_OF.records('record')}
      AND u.usage = :usage`,
    insert: `INSERT INTO session_records ${inserted(Object.keys(usage), {
      session: ROW_OF.sessions('session'),
      record: ROW_OF.records('record'),
    })}`,
    update: `UPDATE session_records SET first_at = min(first_at, :firstAt), last_at = max(last_at, :lastAt),
        times = max(times, :times)
      WHERE session = ${ROW_OF.sessions('session')} AND record = ${ROW_OF.records('record')} AND usage = :usage`,
    refersTo: { session: 'sessions', record: 'records' },
    isLater: (incoming, stored) =>
      Date.parse(incoming.firstAt) < Date.parse(stored.firstAt) ||
      Date.parse(incoming.lastAt) > Date.parse(stored.lastAt) ||
      incoming.times > stored.times,
  },
  recall: {
    all: `${RECALLS} ORDER BY q.row`,
    one: `${RECALLS} WHERE q.id = :id`,
    insert: `INSERT INTO recalled_queries ${inserted(RECALL_COLUMNS, {
      session: ROW_OF.sessions('session'),
    })}`,
    update: null,
    refersTo: { session: 'sessions' },
    isLater: never,
  },
  import: {
    all: `${IMPORTS} ORDER BY i.source, i.key`,
    one: `${IMPORTS} WHERE i.source = :source AND i.key = :key`,
    insert: `INSERT INTO imports ${inserted(Object.keys(imported), {
      record: ROW_OF.records('record'),
    })}`,
    update: `UPDATE imports SET ${assigned(without(imported, 'source', 'key'), {
      record: ROW_OF.records('record'),
    })} WHERE source = :source AND key = :key`,
    refersTo: { record: 'records' },
    isLater: laterBy(({ seenAt }) => [seenAt]),
  },
  lens: {
    all: `SELECT ${selected(lens, 'n')} FROM lenses n ORDER BY n.name`,
    one: `SELECT ${selected(lens, 'n')} FROM lenses n WHERE n.name = :name`,
    insert: `INSERT INTO lenses ${inserted(Object.keys(lens))}`,
    update: `UPDATE lenses SET ${assigned(without(lens, 'name'))} WHERE name = :name`,
    refersTo: {},
    isLater: laterBy(({ updatedAt }) => [updatedAt]),
  },
}

/** By the first of the moments that differ; none at all is before every other. */
function laterBy<V>(momentsOf: (value: V) => readonly (string | null)[]) {
  return (incoming: V, stored: V): boolean => {
    const known = momentsOf(stored).map(toMs)
    const found = momentsOf(incoming).map(toMs)
    const at = found.findIndex((ms, i) => ms !== known[i])
    return at >= 0 && Number(found[at]) > Number(known[at])
  }
}

function toMs(at: string | null): number {
  return at === null ? Number.NEGATIVE_INFINITY : Date.parse(at)
}

function never(): boolean {
  return false
}

function without(fields: object, ...left: readonly string[]): string[] {
  return Object.keys(fields).filter((field) => !left.includes(field))
}
