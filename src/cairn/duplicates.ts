/** Lists works that are probably one, and merges two works. */

import { badInput } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { Work } from '../core/work.js'
import { type DuplicatePair, findDuplicates } from '../literature/find-duplicates.js'
import { listKeys } from '../literature/identities.js'
import { type Conflict, mergeWorks } from '../literature/merge-works.js'
import { type RewriteParts, rewriteWork } from './full-texts.js'
import { assertNotSuperseded } from './history.js'
import { type CitedWork, type StoredWork, toCited } from './works.js'

export type DuplicatesAnswer = {
  readonly duplicates: readonly (Pick<DuplicatePair, 'reason' | 'differs'> & {
    readonly keep: CitedWork
    readonly other: CitedWork
  })[]
}

export type MergeAnswer = {
  readonly id: RecordId
  /** It is superseded now: out of searches, and still there as it was. */
  readonly merged: RecordId
  readonly changed: readonly (keyof Work)[]
  /** Where the two disagree, `stored` stays; `incoming` is kept with the merged work. */
  readonly conflicts: readonly Conflict[]
}

export function listDuplicates(stored: readonly StoredWork[]): DuplicatesAnswer {
  const recordOf = new Map(stored.map(({ record, work }) => [work, record]))
  const pairs = groupByNamespace(stored).flatMap((some) =>
    findDuplicates(some.map(({ work }) => work)),
  )
  const show = (work: Work): CitedWork => toCited(recordOf.get(work) as CairnRecord)
  return {
    duplicates: pairs.map(({ reason, keep, other, differs }) => ({
      reason,
      keep: show(keep),
      other: show(other),
      differs,
    })),
  }
}

function groupByNamespace(stored: readonly StoredWork[]): StoredWork[][] {
  const groups = new Map<string, StoredWork[]>()
  for (const one of stored) {
    const { namespace } = one.record
    groups.set(namespace, [...(groups.get(namespace) ?? []), one])
  }
  return [...groups.values()]
}

/** Fills the first work from the second: fields, tags, names, texts, references, citations and links. */
export async function mergeStored(
  context: RewriteParts,
  kept: StoredWork,
  other: StoredWork,
): Promise<MergeAnswer> {
  const { id, namespace } = kept.record
  if (id === other.record.id) throw badInput(`"${id}" cannot be merged with itself.`)
  if (namespace !== other.record.namespace) {
    throw badInput(
      `The works are in two namespaces, "${namespace}" and "${other.record.namespace}".`,
      'Move one of them: `cairn edit ID --namespace NAME`.',
    )
  }
  for (const { record } of [kept, other]) assertNotSuperseded(record, record.id)
  const { work, changed, conflicts } = mergeWorks(kept.work, other.work)
  const identities = [...new Set([...listKeys(work), ...listKeys(other.work)])]
  const known = new Set(kept.work.references)
  const references = work.references.filter((one) => !known.has(one) && !identities.includes(one))
  await rewriteWork(context, kept, { work, identities, references, absorbed: [other.record.id] })
  return { id, merged: other.record.id, changed, conflicts }
}
