/** The facts table: add, reinforce, end, find and list facts, and find those that contradict each other. */

import { CairnError, noRecord } from '../../../core/errors.js'
import {
  effectiveConfidence,
  type FactType,
  factTopic,
  foldText,
  isSameObject,
  type NewFact,
  reinforceConfidence,
  SAID_AGAIN,
} from '../../../core/fact.js'
import { parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../../../core/ids.js'
import type { FactListing, StoredFact } from '../../memory.js'
import type { Row, Statements } from '../statements.js'

export const FACT_COLUMNS = `f.id, r.id AS record, r.namespace, f.type, f.subject, f.predicate, f.object,
  f.confidence, f.quote, f.created_at, f.reinforced_at, f.ended_at`
const FACTS = `SELECT ${FACT_COLUMNS} FROM facts f JOIN records r ON r.row = f.record`

const SQL = {
  record: 'SELECT row FROM records WHERE id = :id AND deleted_at IS NULL',
  ofRecord: `SELECT f.topic, f.id, f.type, f.object FROM facts f WHERE f.record = :record AND f.ended_at IS NULL
    ORDER BY f.row`,
  insert: `INSERT INTO facts (
      id, record, type, subject, predicate, object, topic, confidence, quote, created_at, reinforced_at
    ) VALUES (:id, :record, :type, :subject, :predicate, :object, :topic, :confidence, :quote, :now, :now)`,
  byIds: `${FACTS} WHERE f.id IN (SELECT value FROM json_each(:ids)) AND r.deleted_at IS NULL`,
  byBeginning: `${FACTS} WHERE f.id >= :from AND f.id < :to AND r.deleted_at IS NULL ORDER BY f.id LIMIT 6`,
  stored: `SELECT f.row, f.type, f.confidence, f.reinforced_at FROM facts f JOIN records r ON r.row = f.record
    WHERE f.id IN (SELECT value FROM json_each(:ids)) AND r.deleted_at IS NULL`,
  /** Each is [row, confidence]. */
  believe: `UPDATE facts SET confidence = j.value ->> 1, reinforced_at = :now
    FROM json_each(:values) j WHERE facts.row = j.value ->> 0`,
  end: 'UPDATE facts SET ended_at = coalesce(ended_at, :now) WHERE id = :id',
} as const

export type FactsTable = ReturnType<typeof createFactsTable>

export function createFactsTable(statements: Statements) {
  const byIds = (ids: readonly string[]): StoredFact[] => {
    const rows = statements.all(SQL.byIds, { ids: JSON.stringify(ids) })
    const found = new Map(rows.map((row) => [String(row.id), toFact(row)]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }
  const one = (id: string): StoredFact | null => byIds([id])[0] ?? null
  const reinforce = (ids: readonly string[], amount: number, now: number): void => {
    const rows = statements.all(SQL.stored, { ids: JSON.stringify(ids) })
    if (rows.length === 0) return
    const values = rows.map((row) => {
      const effective = effectiveConfidence(toConfidence(row), now)
      return [Number(row.row), reinforceConfidence(effective, amount)]
    })
    statements.run(SQL.believe, { values: JSON.stringify(values), now })
  }

  return {
    one,
    reinforce,

    /** What the record says already is believed more instead of being written twice. */
    add(id: RecordId, facts: readonly NewFact[], makeId: () => string, now: number): StoredFact[] {
      const record = statements.value(SQL.record, { id })
      if (typeof record !== 'number') throw noRecord(id)
      const known = statements.all(SQL.ofRecord, { record }).map(toKnown)
      const ids = facts.map((fact) => {
        const topic = factTopic(fact.subject, fact.predicate)
        const same = known.find((other) => isSameFact(other, { ...fact, topic }))
        if (same !== undefined) {
          reinforce([same.id], SAID_AGAIN, now)
          return same.id
        }
        const added = { id: makeId(), topic, type: fact.type, object: fact.object }
        const { subject, predicate, confidence, quote } = fact
        statements.run(SQL.insert, { ...added, record, subject, predicate, confidence, quote, now })
        known.push(added)
        return added.id
      })
      return byIds(ids)
    },

    find(text: string): StoredFact | null {
      const from = parseIdPrefix(text)
      if (from === null || from.length < SHORTEST_PREFIX) return null
      const rows = statements.all(SQL.byBeginning, { from, to: `${from}~` })
      if (rows.length > 1) {
        throw new CairnError('ambiguous_id', {
          message: `Several facts have ids that begin with "${text}": ${rows.map(({ id }) => id).join(', ')}.`,
          hint: 'Give more characters of the id.',
        })
      }
      return rows.map(toFact)[0] ?? null
    },

    end(id: string, now: number): StoredFact | null {
      if (one(id) === null) return null
      statements.run(SQL.end, { id, now })
      return one(id)
    },
  }
}

type KnownFact = {
  readonly id: string
  readonly topic: string
  readonly type: FactType
  readonly object: string
}

function isSameFact(known: KnownFact, fact: Omit<KnownFact, 'id'>): boolean {
  const isAbout = known.type === fact.type && known.topic === fact.topic
  return isAbout && isSameObject(known.object, fact.object)
}

function toKnown(row: Row): KnownFact {
  const { id, topic, object } = row
  return {
    id: String(id),
    topic: String(topic),
    type: row.type as FactType,
    object: String(object),
  }
}

function toConfidence(row: Row) {
  return {
    type: row.type as FactType,
    confidence: row.confidence as number,
    reinforcedAtMs: row.reinforced_at as number,
  }
}

export function toFact(row: Row): StoredFact {
  return {
    id: String(row.id),
    recordId: row.record as RecordId,
    namespace: String(row.namespace),
    subject: String(row.subject),
    predicate: String(row.predicate),
    object: String(row.object),
    quote: row.quote as string | null,
    createdAtMs: row.created_at as number,
    endedAtMs: row.ended_at as number | null,
    ...toConfidence(row),
  }
}

const HOLDS = 'f.ended_at IS NULL AND r.present'
/** SQLite knows the case of ASCII alone: it leaves out what is surely the same, the rest is compared here. */
const DIFFERS = 'lower(f.object) <> lower(g.object)'

const SOURCES = {
  all: 'facts f CROSS JOIN records r ON r.row = f.record',
  ofRecords: `(SELECT DISTINCT value FROM json_each(:records)) wanted
    CROSS JOIN records r ON r.id = wanted.value CROSS JOIN facts f ON f.record = r.row`,
} as const

/** What other facts say on the same topic; twenty of them tell as well as all whether one differs. */
const otherObjects = (condition: string): string => `(SELECT json_group_array(object) FROM (
    SELECT DISTINCT lower(g.object) AS object FROM facts g JOIN records p ON p.row = g.record
    WHERE g.topic = f.topic AND ${DIFFERS} AND g.ended_at IS NULL AND p.present AND ${condition} LIMIT 20))`

/** Few topics are disputed: only their facts are compared one by one. */
const MAY_BE_DISPUTED = `f.topic IN (
    SELECT topic FROM facts GROUP BY topic HAVING min(lower(object)) <> max(lower(object)))`

const inNamespaces = (alias: string): string =>
  `${alias}.namespace IN (SELECT value FROM json_each(:namespaces))`
/** All that can speak of it: SQLite folds plain ASCII alone, the rest is looked at here. */
const WORDS = `(f.subject || ' ' || f.predicate || ' ' || f.object)`
const MAY_SPEAK_OF = `(instr(lower(${WORDS}), :about) > 0 OR instr(${WORDS}, '  ') > 0 OR ${WORDS} GLOB '*[^ -~]*')`
const OF_TYPES = 'f.type IN (SELECT value FROM json_each(:types))'

const LIST_SQL = {
  list: (
    others: string,
    source: string,
    condition: string,
  ) => `SELECT ${FACT_COLUMNS}, ${others} AS others
    FROM ${source} WHERE ${HOLDS} AND ${condition} ORDER BY f.row DESC`,
  contradicting: `SELECT ${FACT_COLUMNS}, g.object AS against
    FROM (SELECT DISTINCT value FROM json_each(:ids)) wanted
      CROSS JOIN facts g ON g.id = wanted.value
      CROSS JOIN facts f ON f.topic = g.topic
      CROSS JOIN records r ON r.row = f.record
    WHERE ${DIFFERS} AND ${HOLDS} ORDER BY f.row DESC`,
} as const

export type FactLists = ReturnType<typeof createFactLists>

export function createFactLists(statements: Statements) {
  return {
    list(listing: FactListing): StoredFact[] {
      const about = listing.about === null ? null : foldText(listing.about)
      const found: StoredFact[] = []
      if (listing.limit < 1) return found
      for (const row of statements.each(textOf(listing), valuesOf(listing))) {
        if (listing.contradictingOnly && !isContradicted(row)) continue
        const fact = toFact(row)
        if (about !== null && !speaksOf(fact, about)) continue
        found.push(fact)
        if (found.length === listing.limit) break
      }
      return found
    },

    contradicting(ids: readonly string[]): StoredFact[] {
      const rows = statements.all(LIST_SQL.contradicting, { ids: JSON.stringify(ids) })
      const differing = rows.filter((row) => !isSameObject(String(row.object), String(row.against)))
      return [...new Map(differing.map((row) => [row.id, toFact(row)])).values()]
    },
  }
}

function textOf({ namespaces, records, types, about, contradictingOnly }: FactListing): string {
  const conditions = [
    ...(namespaces === null ? [] : [inNamespaces('r')]),
    ...(types === null ? [] : [OF_TYPES]),
    ...(about === null ? [] : [MAY_SPEAK_OF]),
    ...(contradictingOnly ? [MAY_BE_DISPUTED] : []),
  ]
  // Whoever may see these namespaces alone is not told what others say.
  const others = otherObjects(namespaces === null ? 'true' : inNamespaces('p'))
  return LIST_SQL.list(
    contradictingOnly ? others : 'NULL',
    records === null ? SOURCES.all : SOURCES.ofRecords,
    conditions.join(' AND ') || 'true',
  )
}

function valuesOf({ namespaces, records, types, about }: FactListing) {
  return {
    ...(namespaces !== null && { namespaces: JSON.stringify(namespaces) }),
    ...(records !== null && { records: JSON.stringify(records) }),
    ...(types !== null && { types: JSON.stringify(types) }),
    ...(about !== null && { about: foldText(about) }),
  }
}

function isContradicted(row: Row): boolean {
  const others = JSON.parse(String(row.others)) as string[]
  return others.some((other) => !isSameObject(other, String(row.object)))
}

function speaksOf({ subject, predicate, object }: StoredFact, folded: string): boolean {
  return [subject, predicate, object].some((part) => foldText(part).includes(folded))
}
