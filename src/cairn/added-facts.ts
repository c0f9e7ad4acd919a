/** Finds earlier records that contradict a new record. */

import type { FactShown } from '../core/answer.js'
import { factTopic, isContrary, type NewFact } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import { extractFacts } from '../memory/extract-facts.js'
import { hasOneObject } from '../memory/fact-patterns.js'
import type { Storage } from '../storage/storage.js'
import type { SimilarRecord } from '../storage/vectors.js'

/** The number of similar records whose texts are searched for facts that nobody extracted. */
const MAX_READ = 5
const MAX_CONTRADICTIONS = 5

/** A statement of a new record; `instead` is the object that an earlier record states. */
export type ContradictedRecord = Pick<
  FactShown,
  'subject' | 'predicate' | 'object' | 'recordId'
> & {
  readonly instead: string
  /** Who extracted the statement from the new record. */
  readonly by: 'rules' | 'model'
  /** The input of a supersede, if the new record corrects the earlier one. Nothing is superseded without it. */
  readonly supersede: { readonly older: RecordId; readonly newer: RecordId }
}

type Stated = Pick<NewFact, 'subject' | 'predicate' | 'object'> & { readonly recordId: RecordId }

type Added = Pick<CairnRecord, 'id' | 'kind' | 'namespace' | 'body'> & {
  /** Facts that a language model found in it. */
  readonly single: readonly NewFact[]
}

/** Same subject and predicate, other object: among the stored facts, and in the texts of similar records. */
export async function findContradicted(
  storage: Storage,
  added: Added,
  similar: readonly SimilarRecord[],
): Promise<ContradictedRecord[]> {
  if (added.kind !== 'memory') return []
  const byRules = extractFacts(added.body).filter(hasOneObject)
  const own = [...byRules, ...added.single]
  if (own.length === 0) return []
  const topics = own.map(({ subject, predicate }) => factTopic(subject, predicate))
  const stored = await storage.memory.listFactsOn(topics, added.namespace)
  const records = await storage.get(similar.slice(0, MAX_READ).map(({ id }) => id))
  const read = records
    .filter(({ supersededAt }) => supersededAt === null)
    .flatMap(({ id, body }) => extractFacts(body).map((fact) => ({ ...fact, recordId: id })))
  const others: readonly Stated[] = [...stored, ...read].filter((fact) => hasOneObject(fact))
  const found = new Map<string, ContradictedRecord>()
  for (const [i, { subject, predicate, object }] of own.entries()) {
    const by = i < byRules.length ? 'rules' : 'model'

    for (const other of others) {
      const { recordId } = other
      if (recordId === added.id || !isContrary({ subject, predicate, object }, other)) continue
      const key = JSON.stringify([recordId, factTopic(subject, predicate)])
      if (found.has(key)) continue
      const supersede = { older: recordId, newer: added.id }
      const stated = { subject, predicate, object, recordId, instead: other.object }
      found.set(key, { ...stated, by, supersede })
    }
  }
  return [...found.values()].slice(0, MAX_CONTRADICTIONS)
}
