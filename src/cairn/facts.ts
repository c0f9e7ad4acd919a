/** Adds, lists, reinforces and ends facts, and finds the facts that contradict each other or a new record. */

import type { FactShown } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import { effectiveConfidence, factTopic, isContrary, type NewFact } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import type { AddOutcome, CairnRecord } from '../core/record.js'
import { DAY_MS } from '../core/time.js'
import { type Contradiction, findContradictions } from '../memory/contradictions.js'
import { extractFacts, MOST_FACTS } from '../memory/extract-facts.js'
import { hasOneObject } from '../memory/fact-patterns.js'
import { assertText, check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import { showFact } from '../search/page.js'
import type { StoredFact } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'
import type { SimilarRecord } from '../storage/vectors.js'
import type { Context } from './scope.js'

/** The period of `recent`. */
const RECENT_DAYS = 7

export type FactListAnswer = {
  readonly facts: readonly FactShown[]
  /** Facts of one subject and predicate that say different things. */
  readonly contradictions: readonly Contradiction[]
}

export type Facts = ReturnType<typeof createFacts>

export function createFacts({ storage: { memory }, scope, now }: Context) {
  const showAll = async (facts: readonly StoredFact[]): Promise<FactShown[]> => {
    const all = await memory.contradicting(facts.map(({ id }) => id))
    const others = all.filter(({ namespace }) => scope.includes(namespace))
    const nowMs = now()
    return facts.map(({ endedAtMs: _, ...fact }) =>
      showFact({ ...fact, others: others.filter((other) => isContrary(fact, other)) }, nowMs),
    )
  }

  const showOne = async (fact: StoredFact | null | undefined, text: string): Promise<FactShown> => {
    const [shown] = fact ? await showAll([fact]) : []
    if (shown === undefined) throw noFact(text)
    return shown
  }

  const find = async (text: string): Promise<StoredFact> => {
    assertText('id', text)
    const fact = await memory.findFact(text, scope.pinnedNamespace)
    if (fact === null) throw noFact(text)
    return fact
  }

  return {
    async add(input: requests.FactInput): Promise<FactShown> {
      const { record, ...fact } = check(requests.factInput, input)
      const { id } = await scope.findOne(record)
      const [stored] = await memory.addFacts(id, [fact])
      return showOne(stored, record)
    },

    async list(input: requests.FactListInput = {}): Promise<FactListAnswer> {
      const request = check(requests.factListRequest, input)
      const nowMs = now()
      const records = request.records && (await scope.findAll(request.records, 'live'))
      const listed = await memory.listFacts({
        namespaces: scope.narrow(request.namespaces),
        records: records?.map(({ id }) => id) ?? null,
        types: request.types ?? null,
        about: request.about ?? null,
        contradictingOnly: request.contradictions,
        sinceMs: request.recent ? nowMs - RECENT_DAYS * DAY_MS : null,
        believed: request.minConfidence > 0 ? { min: request.minConfidence, atMs: nowMs } : null,
        limit: request.limit,
      })
      const contradictions = findContradictions(
        listed.map((fact) => ({ ...fact, confidence: effectiveConfidence(fact, nowMs) })),
      )
      return { facts: await showAll(listed), contradictions }
    },

    /** The facts of records that were just added, the first one first. */
    async ofNew(outcomes: readonly AddOutcome[]): Promise<ReadonlyMap<RecordId, FactShown[]>> {
      const ids = outcomes.filter(({ created }) => created).map(({ id }) => id)
      const all = { namespaces: null, types: null, about: null, contradictingOnly: false }
      const limit = ids.length * MOST_FACTS
      const listed = limit === 0 ? [] : await memory.listFacts({ ...all, records: ids, limit })
      const shown = await showAll(listed.toReversed())
      return new Map(ids.map((id) => [id, shown.filter(({ recordId }) => recordId === id)]))
    },

    async reinforce(text: string, amount?: number): Promise<FactShown> {
      const { id } = await find(text)
      const checked = check(requests.strengthRequest, { amount })
      return showOne(await memory.reinforceFact(id, checked.amount), text)
    },

    /** Ends a fact: it no longer holds from now on, and stays true of the past. */
    async remove(text: string): Promise<FactShown> {
      const { id } = await find(text)
      return showOne(await memory.endFact(id), text)
    },
  }
}

function noFact(text: string): CairnError {
  return new CairnError('not_found', {
    message: `There is no fact "${text}".`,
    hint: '`cairn fact list` shows the ids of those there are.',
  })
}

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
  const others = [...stored, ...read].filter((fact) => hasOneObject(fact))
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
