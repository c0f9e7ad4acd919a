/** Facts are listed by what they speak of, and what contradicts them is found, in one statement each. */

import { foldText, isSameObject } from '../../../core/fact.js'
import type { FactListing, StoredFact } from '../../memory.js'
import type { Row, Statements } from '../statements.js'
import { FACT_COLUMNS, toFact } from './facts.js'

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

const SQL = {
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
      const rows = statements.all(SQL.contradicting, { ids: JSON.stringify(ids) })
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
  return SQL.list(
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
