/** The facts table: add, reinforce, end, find and list facts, and find those that contradict each other. */

import {
  effectiveConfidence,
  foldText,
  type NewFact,
  reinforceConfidence,
} from '../../../core/fact.js'
import type { RecordId } from '../../../core/ids.js'
import type { NotedAction } from '../../log.js'
import type { FactListing, StoredFact } from '../../memory.js'
import {
  chooseFact,
  createFactTest,
  type KnownFact,
  listContrary,
  planFacts,
  toFactRange,
} from '../../memory-rows.js'
import { noteRecords } from '../log.js'
import {
  bindCondition,
  inNamespaces,
  joinConditions,
  type Parts,
  type Statements,
  withinSql,
} from '../statements.js'
import { getRow } from '../tables/records.js'

const COLUMNS = `f.id, r.id AS recordId, r.namespace, f.subject, f.predicate, f.object, f.quote,
  f.created_at AS createdAtMs, f.ended_at AS endedAtMs, f.type, f.confidence, f.reinforced_at AS reinforcedAtMs`
const FACTS = `SELECT ${COLUMNS} FROM facts f JOIN records r ON r.row = f.record`
const HOLDS = 'f.ended_at IS NULL AND r.present'
/** SQLite folds only ASCII: this leaves out objects that are surely equal; JavaScript compares the rest. */
const DIFFERS = 'lower(f.object) <> lower(g.object)'
const ALL = 'facts f CROSS JOIN records r ON r.row = f.record'
const OF_RECORDS = `(SELECT DISTINCT value FROM json_each(:records)) wanted
    CROSS JOIN records r ON r.id = wanted.value CROSS JOIN facts f ON f.record = r.row`

/** The objects of other facts on the same topic; twenty are enough to tell whether one differs. */
const otherObjects = (condition: string): string => `(SELECT json_group_array(object) FROM (
    SELECT DISTINCT lower(g.object) AS object FROM facts g JOIN records p ON p.row = g.record
    WHERE g.topic = f.topic AND ${DIFFERS} AND g.ended_at IS NULL AND p.present AND ${condition} LIMIT 20))`

/** Few topics are disputed; only their facts are compared one by one. */
const MAY_BE_DISPUTED = `f.topic IN (
    SELECT topic FROM facts GROUP BY topic HAVING min(lower(object)) <> max(lower(object)))`
/** Passes every fact that may match; JavaScript completes the comparison. */
const WORDS = `(f.subject || ' ' || f.predicate || ' ' || f.object)`
const MAY_SPEAK_OF = `(instr(lower(${WORDS}), :about) > 0 OR instr(${WORDS}, '  ') > 0 OR ${WORDS} GLOB '*[^ -~]*')`
const ADDED_SINCE = 'f.created_at >= :sinceMs'
const OF_TYPES = 'f.type IN (SELECT value FROM json_each(:types))'

const SQL = {
  ofRecord: `SELECT f.record, f.topic, f.id, f.type, f.object, f.confidence, f.reinforced_at AS reinforcedAtMs
    FROM facts f WHERE f.record = :record AND f.ended_at IS NULL ORDER BY f.row`,
  insert: `INSERT INTO facts (
      id, record, type, subject, predicate, object, topic, confidence, quote, created_at, reinforced_at
    ) VALUES (:id, :record, :type, :subject, :predicate, :object, :topic, :confidence, :quote, :now, :now)`,
  byIds: `${FACTS} WHERE f.id IN (SELECT value FROM json_each(:ids)) AND r.deleted_at IS NULL`,
  onTopics: `${FACTS} WHERE f.topic IN (SELECT value FROM json_each(:topics)) AND ${HOLDS} AND r.namespace = :namespace
    ORDER BY f.row DESC LIMIT 100`,
  byBeginning: `${FACTS} WHERE f.id >= :from AND f.id < :to AND r.deleted_at IS NULL AND ${withinSql('r')}
    ORDER BY f.id LIMIT 6`,
  /** Each is [id, confidence]. */
  setConfidence: `UPDATE facts SET confidence = j.value ->> 1, reinforced_at = :now
    FROM json_each(:values) j WHERE facts.id = j.value ->> 0`,
  end: 'UPDATE facts SET ended_at = coalesce(ended_at, :now) WHERE id = :id',
  list: (others: string, source: string, condition: string) =>
    `SELECT ${COLUMNS}, ${others} AS others FROM ${source} WHERE ${HOLDS} AND ${condition} ORDER BY f.row DESC`,
  contradicting: `SELECT ${COLUMNS}, g.object AS against
    FROM (SELECT DISTINCT value FROM json_each(:ids)) wanted
      CROSS JOIN facts g ON g.id = wanted.value
      CROSS JOIN facts f ON f.topic = g.topic
      CROSS JOIN records r ON r.row = f.record
    WHERE ${DIFFERS} AND ${HOLDS} ORDER BY f.row DESC`,
} as const

export function createFactReads(statements: Statements) {
  return {
    findFact(text: string, namespace: string | null = null): StoredFact | null {
      const range = toFactRange(text)
      if (range === null) return null
      return chooseFact(text, statements.all(SQL.byBeginning, { ...range, namespace }))
    },

    listFacts(listing: FactListing): StoredFact[] {
      const { sql, values } = compileListing(listing)
      const isWanted = createFactTest(listing)
      const found: StoredFact[] = []
      if (listing.limit < 1) return found
      for (const { others, ...fact } of statements.each(sql, values)) {
        const objects = others === null ? [] : (JSON.parse(String(others)) as string[])
        if (!isWanted(fact as StoredFact, objects)) continue
        found.push(fact as StoredFact)
        if (found.length === listing.limit) break
      }
      return found
    },

    contradicting: (ids: readonly string[]) =>
      listContrary(statements.all(SQL.contradicting, { ids })),

    listFactsOn: (topics: readonly string[], namespace: string) =>
      statements.all<StoredFact>(SQL.onTopics, { topics, namespace }),
  }
}

export type FactsTable = ReturnType<typeof createFactsTable>

export function createFactsTable(parts: Parts) {
  const { statements, now, makeId } = parts
  const byIds = (ids: readonly string[]): StoredFact[] => {
    const rows = statements.all<StoredFact>(SQL.byIds, { ids })
    const found = new Map(rows.map((fact) => [fact.id, fact]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }
  const readAndNote = (action: NotedAction, id: string): StoredFact | null => {
    const [fact = null] = byIds([id])
    if (fact !== null) noteRecords(parts, action, [fact.recordId])
    return fact
  }

  const setConfidences = (values: readonly (readonly [string, number])[], atMs: number): void => {
    if (values.length > 0) statements.run(SQL.setConfidence, { values, now: atMs })
  }
  const reinforce = (ids: readonly string[], amount: number, atMs = now()): void => {
    const facts = byIds([...new Set(ids)])
    const raise = (fact: StoredFact) => reinforceConfidence(effectiveConfidence(fact, atMs), amount)
    setConfidences(
      facts.map((fact) => [fact.id, raise(fact)]),
      atMs,
    )
  }

  const add = (id: RecordId, facts: readonly NewFact[]): StoredFact[] => {
    const record = getRow(statements, id)
    const known = statements.all<KnownFact>(SQL.ofRecord, { record })
    const plan = planFacts(known, [{ record, facts }], { makeId, now: now() })
    for (const fact of plan.added) statements.run(SQL.insert, { ...fact, now: now() })
    setConfidences([...plan.reinforced], now())
    return byIds(plan.ids)
  }

  return {
    add,
    reinforce,
    writes: {
      addFacts(record: RecordId, facts: readonly NewFact[]): StoredFact[] {
        noteRecords(parts, 'fact.add', [record])
        return add(record, facts)
      },
      reinforceFact(id: string, amount: number): StoredFact | null {
        reinforce([id], amount)
        return readAndNote('fact.reinforce', id)
      },
      endFact(id: string): StoredFact | null {
        if (byIds([id]).length === 0) return null
        statements.run(SQL.end, { id, now: now() })
        return readAndNote('fact.remove', id)
      },
    },
  }
}

function compileListing(listing: FactListing) {
  const { namespaces, records, types, contradictingOnly, sinceMs = null } = listing
  const about = listing.about === null ? null : foldText(listing.about)
  const { sql, values } = joinConditions([
    inNamespaces('r', namespaces),
    bindCondition(OF_TYPES, { types }),
    bindCondition(MAY_SPEAK_OF, { about }),
    bindCondition(ADDED_SINCE, { sinceMs }),
    contradictingOnly ? { sql: MAY_BE_DISPUTED, values: {} } : null,
  ])
  // A caller that sees these namespaces only does not learn what others say.
  const others = otherObjects(inNamespaces('p', namespaces)?.sql ?? 'true')
  return {
    sql: SQL.list(contradictingOnly ? others : 'NULL', records === null ? ALL : OF_RECORDS, sql),
    values: { ...values, ...(records !== null && { records }) },
  }
}
