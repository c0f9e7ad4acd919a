/** Turns the input of a caller into a record to add: defaults, sector, and facts where asked for. */

import type { AddOutcome, NearDuplicate } from '../core/record.js'
import { classifySector } from '../memory/classify-sector.js'
import { extractFacts } from '../memory/extract-facts.js'
import { check } from '../schemas/check.js'
import { type RecordInput, recordInput } from '../schemas/record-requests.js'
import type { Addition } from '../storage/storage.js'
import type { Scope } from './scope.js'

export type AddAnswer = AddOutcome & {
  /** Live records of the namespace that say nearly the same; nothing is merged. */
  readonly nearDuplicates: readonly NearDuplicate[]
}

/** A memory without a sector gets one by rules; documents and works have none. */
export function toAddition(input: RecordInput, scope: Scope, nowMs: number): Addition {
  const given = check(recordInput, input, nowMs)
  const namespace = given.namespace ?? scope.namespace
  scope.assertContains(namespace)
  const isUnsorted = given.kind === 'memory' && given.sector === null
  // Written out: to spread what is left of an object takes longer than all the rest of this.
  return {
    kind: given.kind,
    namespace,
    title: given.title,
    body: given.body,
    tags: given.tags,
    people: given.people,
    source: given.source,
    metadata: given.metadata,
    importance: given.importance,
    sector: isUnsorted ? classifySector(given.body).sector : given.sector,
    tier: given.tier,
    salience: given.salience,
    sessionId: given.session,
    occurredAtMs: given.occurredAt,
    facts: given.extractFacts ? extractFacts(given.body) : [],
    createdIn: given.createdIn,
  }
}

/** What a caller of many records learns: nobody has looked for near-duplicates. */
export function toAnswer({ id, created, duplicateOf }: AddOutcome): AddAnswer {
  return { id, created, duplicateOf, nearDuplicates: [] }
}
