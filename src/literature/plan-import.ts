/** What an import will make of each work is decided before anything is written. */

import type { Work } from '../core/work.js'
import { type Conflict, mergeWorks } from './merge-works.js'
import { chooseSame, listKeys } from './same-work.js'

export type KnownWork = {
  readonly id: string
  readonly work: Work
  readonly identities: readonly string[]
  /** Another has taken its place: it stays as it is. */
  readonly isSuperseded: boolean
}

/** A work as it will be once everything is written. */
export type PlannedWork = {
  /** Null: it is new. */
  readonly known: KnownWork | null
  readonly work: Work
  readonly identities: ReadonlySet<string>
}

/** Several works have the keys of the one that came in: they may be one, and are left as they are. */
export type SharedKeys = {
  readonly others: readonly PlannedWork[]
  readonly keys: readonly string[]
}

export type PlannedOutcome = {
  readonly planned: PlannedWork
  readonly state: 'created' | 'updated' | 'unchanged'
  readonly changed: readonly (keyof Work)[]
  readonly conflicts: readonly Conflict[]
  readonly shared: SharedKeys | null
}

type Entry = { -readonly [K in keyof PlannedWork]: PlannedWork[K] } & {
  readonly identities: Set<string>
}

/** The works in their order: one that comes twice is merged into itself. */
export function planImport(known: readonly KnownWork[], incoming: readonly Work[]) {
  const entries: Entry[] = known.map((one) => ({
    known: one,
    work: one.work,
    identities: new Set(one.identities),
  }))
  const byKey = new Map<string, Entry[]>()
  const note = (entry: Entry, keys: Iterable<string>): void => {
    for (const key of keys) {
      entry.identities.add(key)
      const having = byKey.get(key) ?? []
      if (!having.includes(entry)) byKey.set(key, [...having, entry])
    }
  }
  for (const entry of entries) note(entry, entry.identities)

  const take = (work: Work): PlannedOutcome => {
    const keys = listKeys(work)
    const having = [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))]
    const valid = having.filter((entry) => !entry.known?.isSuperseded)
    const { same, others, isUnclear } = chooseSame(work, keys, valid)
    const shared = sharedKeys(keys, same, others)
    if (same === null) return startWith(work, keys, having)
    if (isUnclear) return untouched(same, shared)
    const foreign = new Set(shared?.keys)
    const own = withoutKeys(work, foreign)
    const merged = mergeWorks(same.work, own)
    same.work = merged.work
    note(
      same,
      [...listKeys(merged.work), ...listKeys(own)].filter((key) => !foreign.has(key)),
    )
    const { changed, conflicts } = merged
    const state = changed.length === 0 ? 'unchanged' : 'updated'
    return { planned: same, state, changed, conflicts, shared }
  }
  /** Also where only what another has taken the place of is known by these keys. */
  const startWith = (work: Work, keys: readonly string[], having: readonly Entry[]) => {
    const replaced = chooseSame(work, keys, having).same
    if (replaced !== null) return untouched(replaced, null)
    const entry: Entry = { known: null, work, identities: new Set() }
    entries.push(entry)
    note(entry, keys)
    return { planned: entry, state: 'created', changed: [], conflicts: [], shared: null } as const
  }
  const outcomes = incoming.map(take)
  return { works: entries as readonly PlannedWork[], outcomes }
}

function untouched(planned: PlannedWork, shared: SharedKeys | null): PlannedOutcome {
  return { planned, state: 'unchanged', changed: [], conflicts: [], shared }
}

function sharedKeys(
  keys: readonly string[],
  same: PlannedWork | null,
  others: readonly PlannedWork[],
): SharedKeys | null {
  if (others.length === 0) return null
  const theirs = keys.filter(
    (key) =>
      !key.startsWith('key:') &&
      !same?.identities.has(key) &&
      others.some(({ identities }) => identities.has(key)),
  )
  return { others, keys: theirs }
}

/** What names another work is not taken over into this one. */
function withoutKeys(work: Work, foreign: ReadonlySet<string>): Work {
  const names = (parts: Partial<Work>): boolean =>
    listKeys({ ...work, doi: null, openAlexId: null, arxivId: null, ...parts }).some(
      (key) => !key.startsWith('title:') && foreign.has(key),
    )
  return {
    ...work,
    doi: names({ doi: work.doi }) ? null : work.doi,
    openAlexId: names({ openAlexId: work.openAlexId }) ? null : work.openAlexId,
    arxivId: names({ arxivId: work.arxivId }) ? null : work.arxivId,
  }
}
