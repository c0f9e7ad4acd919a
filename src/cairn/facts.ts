/** A fact is stated of a record, fades, is reinforced and ends, and what contradicts it is named. */

import type { FactShown } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import { effectiveConfidence, factTopic } from '../core/fact.js'
import { BY_HAND } from '../core/salience.js'
import { type Contradiction, contradictionsAmong } from '../memory/contradictions.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import { showFact } from '../search/show-facts.js'
import type { StoredFact } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'
import { noRecord, type Scope } from './scope.js'

export type FactListAnswer = {
  readonly facts: readonly FactShown[]
  /** Facts of one subject and predicate that say different things. */
  readonly contradictions: readonly Contradiction[]
}

export type Facts = ReturnType<typeof createFacts>

export function createFacts(storage: Storage, scope: Scope, now: () => number) {
  const { memory } = storage

  const shown = async (facts: readonly StoredFact[]): Promise<FactShown[]> => {
    const all = await memory.contradicting(facts.map(({ id }) => id))
    const others = all.filter(({ namespace }) => scope.includes(namespace))
    const at = now()
    return facts.map((fact) => showFact({ ...fact, others: othersOf(fact, others) }, at))
  }
  const showOne = async (fact: StoredFact): Promise<FactShown> => {
    const [only] = await shown([fact])
    if (only === undefined) throw new Error('one fact was given and none came back')
    return only
  }
  const find = async (text: string): Promise<StoredFact> => {
    const fact = await memory.findFact(text)
    if (fact === null || !scope.includes(fact.namespace)) throw noFact(text)
    return fact
  }

  return {
    async add(input: requests.FactInput): Promise<FactShown> {
      const { record, ...fact } = check(requests.factInput, input)
      const [of] = await scope.findAll([record], 'live')
      if (of === undefined) throw noRecord(record)
      const [stored] = await memory.addFacts(of.id, [fact])
      if (stored === undefined) throw new Error('one fact was added and none came back')
      return showOne(stored)
    },

    async list(input: requests.FactListInput = {}): Promise<FactListAnswer> {
      const request = check(requests.factListRequest, input)
      const records = request.records && (await scope.findAll(request.records, 'live'))
      const listed = await memory.listFacts({
        namespaces: scope.narrow(request.namespaces),
        records: records?.map(({ id }) => id) ?? null,
        types: request.types ?? null,
        about: request.about ?? null,
        contradictingOnly: request.contradictions,
        limit: request.limit,
      })
      const at = now()
      const believed = listed.filter(
        (fact) => effectiveConfidence(fact, at) >= request.minConfidence,
      )
      const facts = await shown(believed)
      const contradictions = contradictionsAmong(
        believed.map((fact) => ({ ...fact, confidence: effectiveConfidence(fact, at) })),
      )
      return { facts, contradictions }
    },

    async reinforce(text: string, amount: number = BY_HAND): Promise<FactShown> {
      const { id } = await find(text)
      const checked = check(requests.strengthRequest, { amount })
      const fact = await memory.reinforceFact(id, checked.amount)
      if (fact === null) throw noFact(text)
      return showOne(fact)
    },

    /** It no longer holds from now on; of the past it stays true. */
    async remove(text: string): Promise<FactShown> {
      const { id } = await find(text)
      const fact = await memory.endFact(id)
      if (fact === null) throw noFact(text)
      return showOne(fact)
    },
  }
}

function othersOf(fact: StoredFact, others: readonly StoredFact[]): StoredFact[] {
  return others.filter(
    (other) =>
      other.id !== fact.id &&
      factTopic(other.subject, other.predicate) === factTopic(fact.subject, fact.predicate) &&
      other.object.trim().toLowerCase() !== fact.object.trim().toLowerCase(),
  )
}

function noFact(text: string): CairnError {
  return new CairnError('not_found', {
    message: `There is no fact "${text}".`,
    hint: '`cairn fact list` shows the ids of those there are.',
  })
}
