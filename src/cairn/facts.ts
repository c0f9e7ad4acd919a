/** Adds, lists, reinforces and ends facts, and names the facts that contradict each other. */

import type { FactShown } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import { effectiveConfidence, isContrary } from '../core/fact.js'
import type { RecordId } from '../core/ids.js'
import type { AddOutcome } from '../core/record.js'
import { DAY_MS } from '../core/time.js'
import { type Contradiction, findContradictions } from '../memory/contradictions.js'
import { MOST_FACTS } from '../memory/extract-facts.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import { showFact } from '../search/page.js'
import type { StoredFact } from '../storage/memory.js'
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
    return facts.map((fact) =>
      showFact({ ...fact, others: others.filter((other) => isContrary(fact, other)) }, nowMs),
    )
  }

  const showOne = async (fact: StoredFact | null | undefined, text: string): Promise<FactShown> => {
    const [shown] = fact ? await showAll([fact]) : []
    if (shown === undefined) throw noFact(text)
    return shown
  }

  const find = async (text: string): Promise<StoredFact> => {
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
      const records = request.records && (await scope.findAll(request.records, 'live'))
      const listed = await memory.listFacts({
        namespaces: scope.narrow(request.namespaces),
        records: records?.map(({ id }) => id) ?? null,
        types: request.types ?? null,
        about: request.about ?? null,
        contradictingOnly: request.contradictions,
        sinceMs: request.recent ? now() - RECENT_DAYS * DAY_MS : null,
        limit: request.limit,
      })
      const nowMs = now()
      const believed = listed.filter(
        (fact) => effectiveConfidence(fact, nowMs) >= request.minConfidence,
      )
      const contradictions = findContradictions(
        believed.map((fact) => ({ ...fact, confidence: effectiveConfidence(fact, nowMs) })),
      )
      return { facts: await showAll(believed), contradictions }
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
