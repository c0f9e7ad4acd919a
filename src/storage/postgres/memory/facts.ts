/** The facts table: add, reinforce, end, find and list facts, and find those that contradict each other. */

import { ambiguousFact, noRecord } from '../../../core/errors.js'
import {
  effectiveConfidence,
  factTopic,
  foldText,
  isSameObject,
  type NewFact,
  reinforceConfidence,
  SAID_AGAIN,
  type StoredConfidence,
} from '../../../core/fact.js'
import { parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../../../core/ids.js'
import type { FactListing, StoredFact } from '../../memory.js'
import {
  bindCondition,
  inNamespaces,
  joinConditions,
  type Row,
  type Statements,
  toLists,
  withinSql,
} from '../statements.js'

const COLUMNS = `f.id, r.id AS "recordId", r.namespace, f.subject, f.predicate, f.object, f.quote,
  f.created_at AS "createdAtMs", f.ended_at AS "endedAtMs", f.type, f.confidence, f.reinforced_at AS "reinforcedAtMs"`
const OF_RECORD = 'JOIN records r ON r.namespace = f.namespace AND r.row = f.record'
const FACTS = `SELECT ${COLUMNS} FROM facts f ${OF_RECORD}`
const HOLDS = 'f.ended_at IS NULL AND r.present'
/** Leaves out what is surely the same; the rest is compared in JavaScript. */
const DIFFERS = 'lower(f.object) <> lower(g.object)'

/** What other facts say on the same topic; twenty of them are enough to tell whether one differs. */
const otherObjects = (condition: string): string => `ARRAY (
    SELECT DISTINCT lower(g.object) FROM facts g JOIN records p ON p.namespace = g.namespace AND p.row = g.record
    WHERE g.topic = f.topic AND ${DIFFERS} AND g.ended_at IS NULL AND p.present AND ${condition} LIMIT 20)`
/** Few topics are disputed: only their facts are compared one by one. */
const MAY_BE_DISPUTED = `f.topic IN (
    SELECT topic FROM facts GROUP BY topic HAVING min(lower(object)) <> max(lower(object)))`
/** Everything that can match; the rest of the comparison is made in JavaScript. */
const WORDS = `(f.subject || ' ' || f.predicate || ' ' || f.object)`
const MAY_SPEAK_OF = `(strpos(lower(${WORDS}), :about) > 0 OR strpos(${WORDS}, '  ') > 0 OR ${WORDS} ~ '[^ -~]')`

const SQL = {
  /** In the order of their rows, as everyone locks them, so that two writers do not wait for each other. */
  lockRecords: `SELECT r.id, r.namespace, r.row FROM records r WHERE r.id = ANY (:ids::text[]) AND r.deleted_at IS NULL
    ORDER BY r.row FOR NO KEY UPDATE`,
  ofRecords: `SELECT f.record, f.topic, f.id, f.type, f.object, f.confidence, f.reinforced_at AS "reinforcedAtMs"
    FROM facts f WHERE f.record = ANY (:records::bigint[]) AND f.ended_at IS NULL ORDER BY f.row`,
  insert: `INSERT INTO facts (
      namespace, id, record, type, subject, predicate, object, topic, confidence, quote, created_at, reinforced_at)
    SELECT n.namespace, n.id, n.record, n.type, n.subject, n.predicate, n.object, n.topic, n.confidence, n.quote,
      :now::bigint, :now::bigint
    FROM unnest(:namespace::text[], :id::text[], :record::bigint[], :type::text[], :subject::text[],
        :predicate::text[], :object::text[], :topic::text[], :confidence::float8[], :quote::text[])
      WITH ORDINALITY AS n (namespace, id, record, type, subject, predicate, object, topic, confidence, quote, n)
    ORDER BY n.n`,
  byIds: `${FACTS} WHERE f.id = ANY (:ids::text[]) AND r.deleted_at IS NULL`,
  lock: `SELECT f.id, f.row, f.record, f.namespace, f.type, f.confidence, f.reinforced_at AS "reinforcedAtMs"
    FROM facts f ${OF_RECORD} WHERE f.id = ANY (:ids::text[]) AND r.deleted_at IS NULL
    ORDER BY f.row FOR NO KEY UPDATE OF f`,
  setConfidence: `UPDATE facts f SET confidence = n.confidence, reinforced_at = :now
    FROM unnest(:ids::text[], :confidences::float8[]) AS n (id, confidence) WHERE f.id = n.id`,
  end: `UPDATE facts f SET ended_at = coalesce(f.ended_at, :now) FROM records r
    WHERE f.id = :id AND r.namespace = f.namespace AND r.row = f.record AND r.deleted_at IS NULL
    RETURNING ${COLUMNS}`,
  onTopics: `${FACTS} WHERE f.topic = ANY (:topics::text[]) AND ${HOLDS} AND r.namespace = :namespace
    ORDER BY f.row DESC LIMIT 100`,
  byBeginning: `${FACTS} WHERE f.id ~>=~ :from AND f.id ~<~ :to AND r.deleted_at IS NULL AND ${withinSql('r')}
    ORDER BY f.id COLLATE "C" LIMIT 6`,
  list: (others: string, condition: string) => `SELECT f.row, ${COLUMNS}, ${others} AS others
    FROM facts f ${OF_RECORD} WHERE ${HOLDS} AND ${condition} ORDER BY f.row DESC LIMIT :pageSize`,
  contradicting: `SELECT ${COLUMNS}, g.object AS against
    FROM facts g JOIN facts f ON f.topic = g.topic ${OF_RECORD}
    WHERE g.id = ANY (:ids::text[]) AND ${DIFFERS} AND ${HOLDS} ORDER BY f.row DESC`,
} as const

export type FactsOfRecord = { readonly id: RecordId; readonly facts: readonly NewFact[] }

type Known = Pick<NewFact, 'type' | 'object'> & StoredConfidence & { readonly id: string }

/** Reinforces what the records say already, and adds the rest. Returns the ids in the order of the facts. */
export async function addFacts(
  statements: Statements,
  given: readonly FactsOfRecord[],
  { makeId, now }: { readonly makeId: () => string; readonly now: number },
): Promise<string[]> {
  if (given.length === 0) return []
  const rows = await statements.all(SQL.lockRecords, { ids: given.map(({ id }) => id) })
  const records = new Map(rows.map((row) => [row.id, row]))
  const missing = given.find(({ id }) => !records.has(id))
  if (missing !== undefined) throw noRecord(missing.id)
  const stored = await statements.all(SQL.ofRecords, {
    records: rows.map(({ row }) => Number(row)),
  })
  const known = new Map<string, Known[]>()
  for (const fact of stored) {
    const key = `${fact.record} ${fact.topic}`
    known.set(key, [...(known.get(key) ?? []), fact as Known])
  }
  /** The confidence of each fact that is new or said again. */
  const written = new Map<string, number>()
  const added: AddedFact[] = []
  const write = (record: Row, fact: NewFact): string => {
    const topic = factTopic(fact.subject, fact.predicate)
    const key = `${record.row} ${topic}`
    const others = known.get(key) ?? []
    const same = others.find(
      (one) => one.type === fact.type && isSameObject(one.object, fact.object),
    )
    if (same !== undefined) {
      const before = written.get(same.id) ?? effectiveConfidence(same, now)
      written.set(same.id, reinforceConfidence(before, SAID_AGAIN))
      return same.id
    }
    const id = makeId()
    written.set(id, fact.confidence)
    const { namespace, row } = record
    added.push({ ...fact, id, topic, namespace: String(namespace), record: Number(row) })
    known.set(key, [...others, { ...fact, id, reinforcedAtMs: now }])
    return id
  }
  const ids = given.flatMap(({ id, facts }) =>
    facts.map((fact) => write(records.get(id) as Row, fact)),
  )
  const isNew = new Set(added.map(({ id }) => id))
  await Promise.all([
    insertFacts(
      statements,
      added.map((fact) => ({ ...fact, confidence: written.get(fact.id) ?? fact.confidence })),
      now,
    ),
    setConfidences(statements, new Map([...written].filter(([id]) => !isNew.has(id))), now),
  ])
  return ids
}

type AddedFact = NewFact &
  Readonly<Record<'id' | 'topic' | 'namespace', string>> & { readonly record: number }

async function insertFacts(
  statements: Statements,
  added: readonly AddedFact[],
  now: number,
): Promise<void> {
  if (added.length === 0) return
  const about = ['namespace', 'id', 'record', 'type', 'topic'] as const
  const fields = [...about, 'subject', 'predicate', 'object', 'confidence', 'quote'] as const
  await statements.run(SQL.insert, { ...toLists(added, fields), now })
}

async function setConfidences(
  statements: Statements,
  confidences: ReadonlyMap<string, number>,
  now: number,
): Promise<void> {
  if (confidences.size === 0) return
  const values = { ids: [...confidences.keys()], confidences: [...confidences.values()], now }
  await statements.run(SQL.setConfidence, values)
}

export type LockedFact = StoredConfidence & {
  readonly id: string
  readonly row: number
  readonly record: number
  readonly namespace: string
}

/** Facts of live records, until the end of the transaction. */
export async function lockFacts(statements: Statements, ids: readonly string[]) {
  if (ids.length === 0) return []
  return (await statements.all(SQL.lock, { ids })) as unknown as LockedFact[]
}

/** `facts` are locked. */
export async function reinforceFacts(
  statements: Statements,
  facts: readonly LockedFact[],
  { amount, now }: { readonly amount: number; readonly now: number },
): Promise<void> {
  const reinforced = facts.map((fact): [string, number] => [
    fact.id,
    reinforceConfidence(effectiveConfidence(fact, now), amount),
  ])
  await setConfidences(statements, new Map(reinforced), now)
}

/** In the order asked. */
export async function readFacts(
  statements: Statements,
  ids: readonly string[],
): Promise<StoredFact[]> {
  const rows = await statements.all(SQL.byIds, { ids })
  const found = new Map(rows.map((row) => [row.id, row as StoredFact]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

export async function findFact(
  statements: Statements,
  text: string,
  namespace: string | null,
): Promise<StoredFact | null> {
  const from = parseIdPrefix(text)
  if (from === null || from.length < SHORTEST_PREFIX) return null
  const rows = await statements.all(SQL.byBeginning, { from, to: `${from}~`, namespace })
  if (rows.length > 1) {
    throw ambiguousFact(
      text,
      rows.map(({ id }) => id),
    )
  }
  return (rows[0] as StoredFact | undefined) ?? null
}

export async function endFact(
  statements: Statements,
  id: string,
  now: number,
): Promise<StoredFact | null> {
  return ((await statements.all(SQL.end, { id, now })) as unknown as StoredFact[])[0] ?? null
}

/** How many rows are read at once where only JavaScript can tell which of them are meant. */
const PAGE = 1000

export async function listFacts(
  statements: Statements,
  listing: FactListing,
): Promise<StoredFact[]> {
  const { limit, contradictingOnly } = listing
  const about = listing.about === null ? null : foldText(listing.about)
  const isMeant = (fact: StoredFact, others: readonly string[]): boolean => {
    if (contradictingOnly && others.every((other) => isSameObject(other, fact.object))) return false
    const texts = [fact.subject, fact.predicate, fact.object].map(foldText)
    return about === null || texts.some((text) => text.includes(about))
  }
  const found: StoredFact[] = []
  const isExact = about === null && !contradictingOnly
  const pageSize = isExact ? limit : Math.max(limit, PAGE)
  for (let before: number | null = null; found.length < limit; ) {
    const { sql, values } = compileListing({ ...listing, about }, before)
    const rows = await statements.all(sql, { ...values, pageSize })
    for (const { row, others, ...fact } of rows) {
      if (isMeant(fact as StoredFact, (others ?? []) as string[])) found.push(fact as StoredFact)
      before = Number(row)
    }
    if (rows.length < pageSize) break
  }
  return found.slice(0, limit)
}

function compileListing(listing: FactListing, before: number | null) {
  const { namespaces, records, types, about, contradictingOnly, sinceMs = null } = listing
  const { sql, values } = joinConditions([
    inNamespaces('r', namespaces),
    bindCondition('r.id = ANY (:records::text[])', { records }),
    bindCondition('f.type = ANY (:types::text[])', { types }),
    bindCondition(MAY_SPEAK_OF, { about }),
    bindCondition('f.created_at >= :sinceMs', { sinceMs }),
    bindCondition('f.row < :before', { before }),
    contradictingOnly ? { sql: MAY_BE_DISPUTED, values: {} } : null,
  ])
  // A caller that sees these namespaces only does not learn what others say.
  const others = otherObjects(inNamespaces('p', namespaces)?.sql ?? 'true')
  return { sql: SQL.list(contradictingOnly ? others : 'NULL', sql), values }
}

/** The newest facts of a namespace on these topics. */
export async function listFactsOn(
  statements: Statements,
  topics: readonly string[],
  namespace: string,
): Promise<StoredFact[]> {
  return (await statements.all(SQL.onTopics, { topics, namespace })) as unknown as StoredFact[]
}

export async function listContradicting(
  statements: Statements,
  ids: readonly string[],
): Promise<StoredFact[]> {
  const found = new Map<unknown, StoredFact>()
  for (const { against, ...fact } of await statements.all(SQL.contradicting, { ids })) {
    if (isSameObject(String(fact.object), String(against))) continue
    found.set(fact.id, fact as StoredFact)
  }
  return [...found.values()]
}
