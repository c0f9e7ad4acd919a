/** The facts table: add, reinforce, end, find and list facts, and find those that contradict each other. */

import { ambiguousFact } from '../../../core/errors.js'
import {
  effectiveConfidence,
  factTopic,
  foldText,
  isSameObject,
  type NewFact,
  reinforceConfidence,
  SAID_AGAIN,
} from '../../../core/fact.js'
import { parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../../../core/ids.js'
import type { FactListing, StoredFact } from '../../memory.js'
import {
  bindCondition,
  inNamespaces,
  joinConditions,
  type Statements,
  withinSql,
} from '../statements.js'
import { getRow } from '../tables/records.js'

const COLUMNS = `f.id, r.id AS recordId, r.namespace, f.subject, f.predicate, f.object, f.quote,
  f.created_at AS createdAtMs, f.ended_at AS endedAtMs, f.type, f.confidence, f.reinforced_at AS reinforcedAtMs`
const FACTS = `SELECT ${COLUMNS} FROM facts f JOIN records r ON r.row = f.record`
const HOLDS = 'f.ended_at IS NULL AND r.present'
/** SQLite folds ASCII only: this leaves out what is surely the same, and the rest is compared in JavaScript. */
const DIFFERS = 'lower(f.object) <> lower(g.object)'
const ALL = 'facts f CROSS JOIN records r ON r.row = f.record'
const OF_RECORDS = `(SELECT DISTINCT value FROM json_each(:records)) wanted
    CROSS JOIN records r ON r.id = wanted.value CROSS JOIN facts f ON f.record = r.row`

/** What other facts say on the same topic; twenty of them are enough to tell whether one differs. */
const otherObjects = (condition: string): string => `(SELECT json_group_array(object) FROM (
    SELECT DISTINCT lower(g.object) AS object FROM facts g JOIN records p ON p.row = g.record
    WHERE g.topic = f.topic AND ${DIFFERS} AND g.ended_at IS NULL AND p.present AND ${condition} LIMIT 20))`

/** Few topics are disputed: only their facts are compared one by one. */
const MAY_BE_DISPUTED = `f.topic IN (
    SELECT topic FROM facts GROUP BY topic HAVING min(lower(object)) <> max(lower(object)))`
/** Everything that can match; the rest of the comparison is made in JavaScript. */
const WORDS = `(f.subject || ' ' || f.predicate || ' ' || f.object)`
const MAY_SPEAK_OF = `(instr(lower(${WORDS}), :about) > 0 OR instr(${WORDS}, '  ') > 0 OR ${WORDS} GLOB '*[^ -~]*')`
const ADDED_SINCE = 'f.created_at >= :sinceMs'
const OF_TYPES = 'f.type IN (SELECT value FROM json_each(:types))'

const SQL = {
  ofRecord: `SELECT f.topic, f.id, f.type, f.object FROM facts f WHERE f.record = :record AND f.ended_at IS NULL
    ORDER BY f.row`,
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

export type FactsTable = ReturnType<typeof createFactsTable>

export function createFactsTable(statements: Statements) {
  const byIds = (ids: readonly string[]): StoredFact[] => {
    const rows = statements.all(SQL.byIds, { ids: JSON.stringify(ids) }) as unknown as StoredFact[]
    const found = new Map(rows.map((fact) => [fact.id, fact]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }
  const one = (id: string): StoredFact | null => byIds([id])[0] ?? null
  const reinforce = (ids: readonly string[], amount: number, now: number): void => {
    const values = byIds([...new Set(ids)]).map((fact) => [
      fact.id,
      reinforceConfidence(effectiveConfidence(fact, now), amount),
    ])
    if (values.length > 0) {
      statements.run(SQL.setConfidence, { values: JSON.stringify(values), now })
    }
  }

  return {
    one,
    reinforce,

    /** Reinforces what the record says already, and adds the rest. */
    add(id: RecordId, facts: readonly NewFact[], makeId: () => string, now: number): StoredFact[] {
      const record = getRow(statements, id)
      const known = statements.all(SQL.ofRecord, { record })
      const ids = facts.map(({ type, subject, predicate, object, confidence, quote }) => {
        const topic = factTopic(subject, predicate)
        const same = known.find(
          (one) =>
            one.type === type && one.topic === topic && isSameObject(String(one.object), object),
        )
        if (same !== undefined) {
          reinforce([String(same.id)], SAID_AGAIN, now)
          return String(same.id)
        }
        const added = { id: makeId(), type, object, topic }
        statements.run(SQL.insert, { ...added, record, subject, predicate, confidence, quote, now })
        known.push(added)
        return added.id
      })
      return byIds(ids)
    },

    find(text: string, namespace: string | null): StoredFact | null {
      const from = parseIdPrefix(text)
      if (from === null || from.length < SHORTEST_PREFIX) return null
      const rows = statements.all(SQL.byBeginning, { from, to: `${from}~`, namespace })
      if (rows.length > 1) {
        throw ambiguousFact(
          text,
          rows.map(({ id }) => id),
        )
      }
      return (rows[0] as StoredFact | undefined) ?? null
    },

    end(id: string, now: number): StoredFact | null {
      if (one(id) === null) return null
      statements.run(SQL.end, { id, now })
      return one(id)
    },

    list(listing: FactListing): StoredFact[] {
      const about = listing.about === null ? null : foldText(listing.about)
      const { sql, values } = compileListing({ ...listing, about })
      const found: StoredFact[] = []
      if (listing.limit < 1) return found
      for (const { others, ...row } of statements.each(sql, values)) {
        const fact = row as StoredFact
        const { subject, predicate, object } = fact
        const said = listing.contradictingOnly ? (JSON.parse(String(others)) as string[]) : null
        if (said?.every((other) => isSameObject(other, object))) continue
        const texts = [subject, predicate, object].map(foldText)
        if (about !== null && !texts.some((text) => text.includes(about))) continue
        found.push(fact)
        if (found.length === listing.limit) break
      }
      return found
    },

    listOn: (topics: readonly string[], namespace: string): StoredFact[] =>
      statements.all(SQL.onTopics, {
        topics: JSON.stringify(topics),
        namespace,
      }) as unknown as StoredFact[],

    contradicting(ids: readonly string[]): StoredFact[] {
      const rows = statements.all(SQL.contradicting, { ids: JSON.stringify(ids) })
      const found = new Map<unknown, StoredFact>()
      for (const { against, ...fact } of rows) {
        if (isSameObject(String(fact.object), String(against))) continue
        found.set(fact.id, fact as StoredFact)
      }
      return [...found.values()]
    },
  }
}

function compileListing(listing: FactListing) {
  const { namespaces, records, types, about, contradictingOnly, sinceMs = null } = listing
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
    values: { ...values, ...(records !== null && { records: JSON.stringify(records) }) },
  }
}
