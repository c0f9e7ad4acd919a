/** Lists works that are probably one, and merges two works. */

import { badInput, noRecord } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { Work } from '../core/work.js'
import { type DuplicatePair, findDuplicates } from '../literature/find-duplicates.js'
import { listKeys } from '../literature/identities.js'
import { type Conflict, mergeWorks } from '../literature/merge-works.js'
import { assertNotSuperseded } from './history.js'
import type { Context } from './scope.js'
import { toChange } from './work-records.js'
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

/**
 * Fills the first work from the second: fields, tags, names, references, citations and links. The second is superseded
 * last, so that a merge that was interrupted can be run again.
 */
export async function mergeStored(
  { storage, indexer }: Pick<Context, 'storage' | 'indexer'>,
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
  const { title, abstract } = work
  const isNewText = title !== kept.work.title || abstract !== kept.work.abstract
  const text = { title, body: abstract ?? '', sessionId: null }
  const vectors = isNewText ? await indexer.embedTexts([text]) : null
  const known = new Set(kept.work.references)
  const update = {
    id,
    change: { ...toChange(kept.work, work), identities },
    vectors,
    references: work.references.filter((one) => !known.has(one) && !identities.includes(one)),
  }
  const asked: string[] = []
  const batch = { namespace, asked, seen: [], added: [], vectors: null, updated: [update] }
  await storage.works.write(batch)
  await moveLinks(storage, other.record.id, id)
  const outcome = await storage.supersede(other.record.id, id, { author: null, note: 'merged' })
  if (outcome !== 'done') throw noRecord(other.record.id)
  await indexer.embedPending(1)
  return { id, merged: other.record.id, changed, conflicts }
}

/** Citations and links of the one work lead to, and from, the other too. */
async function moveLinks(
  { works, memory }: Context['storage'],
  from: RecordId,
  to: RecordId,
): Promise<void> {
  const citing = await works.citations([from], 'citations')
  const cited = await works.citations([from], 'references')
  const pairs = [
    ...citing.map((one) => ({ from: one.from, to })),
    ...cited.map((one) => ({ from: to, to: one.to })),
  ]
  await works.cite(pairs.filter((pair) => pair.from !== pair.to))
  for (const { type, direction, other, targetRef, author, note } of await memory.listLinks(from)) {
    if (other === null || other.id === to || type === 'CITES' || type === 'SUPERSEDES') continue
    const [source, target] = direction === 'out' ? [to, other.id] : [other.id, to]
    await memory.link({ source, target, type, targetRef, author, note })
  }
}
