/** The facts table: add, reinforce, end, find and list facts, and find those that contradict each other. */

import {
  effectiveConfidence,
  foldText,
  type NewFact,
  reinforceConfidence,
  type StoredConfidence,
} from '../../../core/fact.js'
import type { RecordId } from '../../../core/ids.js'
import type { NotedAction } from '../../log.js'
import type { FactListing, MemoryStorage, StoredFact } from '../../memory.js'
import {
  chooseFact,
  createFactTest,
  type KnownFact,
  listContrary,
  planFacts,
  toFactRange,
} from '../../memory-rows.js'
import { noteRecords } from '../log.js'
import type { Parts } from '../open-postgres.js'
import type { Runners } from '../runner.js'
import {
  bindCondition,
  inNamespaces,
  joinConditions,
  type Statements,
  toLists,
  type Values,
  withinSql,
} from '../statements.js'
import { lockLive } from './links.js'

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

const FIELDS = [
  ...(['namespace', 'id', 'record', 'type', 'topic'] as const),
  ...(['subject', 'predicate', 'object', 'confidence', 'quote'] as const),
]

/** Reinforces what the records say already, and adds the rest. Returns the ids in the order of the facts. */
export async function addFacts(
  statements: Statements,
  given: readonly { readonly id: RecordId; readonly facts: readonly NewFact[] }[],
  { makeId, now }: { readonly makeId: () => string; readonly now: number },
): Promise<string[]> {
  if (given.length === 0) return []
  const find = await lockLive(
    statements,
    given.map(({ id }) => id),
  )
  const stated = given.map(({ id, facts }) => ({ ...find(id), facts }))
  const records = stated.map(({ record }) => record)
  const known = (await statements.all(SQL.ofRecords, { records })) as unknown as KnownFact[]
  const { ids, added, reinforced } = planFacts(known, stated, { makeId, now })
  const insert = () => statements.run(SQL.insert, { ...toLists(added, FIELDS), now })
  await Promise.all([added.length > 0 && insert(), setConfidences(statements, reinforced, now)])
  return ids
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

type LockedFact = StoredConfidence & {
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

/** How many rows are read at once where only JavaScript can tell which of them are meant. */
const PAGE = 1000

async function readFacts(
  statements: Statements,
  sql: string,
  values: Values,
): Promise<StoredFact[]> {
  return (await statements.all(sql, values)) as unknown as StoredFact[]
}

export function createFacts({ now, makeId }: Parts, { run, amend }: Runners) {
  const note = async (statements: Statements, action: NotedAction, fact: StoredFact | null) => {
    if (fact !== null) await noteRecords(statements, action, { ids: [fact.recordId], at: now() })
    return fact
  }
  return {
    addFacts: (id, facts) =>
      amend(null, async (statements) => {
        const ids = await addFacts(statements, [{ id, facts }], { makeId, now: now() })
        await noteRecords(statements, 'fact.add', { ids: [id], at: now() })
        const stored = await readFacts(statements, SQL.byIds, { ids })
        return ids.flatMap((one) => stored.find((fact) => fact.id === one) ?? [])
      }),
    findFact: (text, namespace = null) =>
      run(async (statements) => {
        const range = toFactRange(text)
        if (range === null) return null
        const begun = await readFacts(statements, SQL.byBeginning, { ...range, namespace })
        return chooseFact(text, begun)
      }),
    listFacts: (listing) =>
      run(async (statements) => {
        const { limit, about, contradictingOnly, believed = null } = listing
        const isMeant = createFactTest(listing)
        const found: StoredFact[] = []
        const isExact = about === null && !contradictingOnly && believed === null
        const pageSize = isExact ? limit : Math.max(limit, PAGE)
        for (let before: number | null = null; found.length < limit; ) {
          const { sql, values } = compileListing(listing, before)
          const rows = await statements.all(sql, { ...values, pageSize })
          for (const { row, others, ...fact } of rows) {
            const objects = (others ?? []) as string[]
            if (isMeant(fact as StoredFact, objects)) found.push(fact as StoredFact)
            before = Number(row)
          }
          if (rows.length < pageSize) break
        }
        return found.slice(0, limit)
      }),
    contradicting: (ids) =>
      run(async (statements) => listContrary(await statements.all(SQL.contradicting, { ids }))),
    listFactsOn: (topics, namespace) =>
      run((statements) => readFacts(statements, SQL.onTopics, { topics, namespace })),
    reinforceFact: (id, amount) =>
      amend(null, async (statements) => {
        const locked = await lockFacts(statements, [id])
        await reinforceFacts(statements, locked, { amount, now: now() })
        const [fact = null] = await readFacts(statements, SQL.byIds, { ids: [id] })
        return note(statements, 'fact.reinforce', fact)
      }),
    endFact: (id) =>
      amend(null, async (statements) => {
        const [fact = null] = await readFacts(statements, SQL.end, { id, now: now() })
        return note(statements, 'fact.remove', fact)
      }),
  } satisfies Partial<MemoryStorage>
}

function compileListing(listing: FactListing, before: number | null) {
  const { namespaces, records, types, contradictingOnly, sinceMs = null } = listing
  const about = listing.about === null ? null : foldText(listing.about)
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
