/** What a caller gives becomes a record with every default filled in, sorted, and its facts where asked. */

import type { AddOutcome, NearDuplicate, NewRecord } from '../core/record.js'
import { classifySector } from '../memory/classify-sector.js'
import { extractFacts } from '../memory/extract-facts.js'
import { checkRecord } from '../schemas/check-record.js'
import type { RecordInput } from '../schemas/record-requests.js'
import type { Storage } from '../storage/storage.js'
import type { Scope } from './scope.js'

export type AddAnswer = AddOutcome & {
  /** Live records of the namespace that say nearly the same; nothing is merged. */
  readonly nearDuplicates: readonly NearDuplicate[]
}

/** A memory without a sector gets one by rules; documents and works have none. */
export function toNewRecord(input: RecordInput, scope: Scope): NewRecord {
  const given = checkRecord(input)
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
  }
}

/** Of those that are new and whose caller asked for it. */
export async function keepExtractedFacts(
  storage: Storage,
  inputs: readonly RecordInput[],
  outcomes: readonly AddOutcome[],
): Promise<void> {
  for (const [i, { extractFacts: isAsked, body }] of inputs.entries()) {
    const outcome = outcomes[i]
    if (!isAsked || !outcome?.created) continue
    const facts = extractFacts(body)
    if (facts.length > 0) await storage.memory.addFacts(outcome.id, facts)
  }
}

/** What is new was created in the session that noted it down; what was known is stronger for it. */
export async function noteCreators(
  storage: Storage,
  inputs: readonly RecordInput[],
  outcomes: readonly AddOutcome[],
): Promise<void> {
  for (const [i, { createdIn }] of inputs.entries()) {
    const outcome = outcomes[i]
    if (!createdIn || outcome === undefined) continue
    const usage = outcome.created ? 'created' : 'reinforced'
    await storage.memory.touch(createdIn, [outcome.id], usage)
  }
}

/** What a caller of many records learns: nobody has looked for near-duplicates. */
export function toAnswer({ id, created, duplicateOf }: AddOutcome): AddAnswer {
  return { id, created, duplicateOf, nearDuplicates: [] }
}
