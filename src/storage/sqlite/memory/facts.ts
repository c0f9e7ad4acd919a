/** A fact stands once on its record, keeps what it was taken from, and is believed by one formula. */

import { CairnError } from '../../../core/errors.js'
import {
  effectiveConfidence,
  type FactType,
  factTopic,
  isSameObject,
  type NewFact,
  reinforceConfidence,
  SAID_AGAIN,
} from '../../../core/fact.js'
import { parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../../../core/ids.js'
import type { StoredFact } from '../../memory.js'
import type { Row, Statements } from '../statements.js'
import { noRecord } from './missing.js'

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
