/** Finds the stored work that an incoming work describes, and plans what an import does with each work before anything is written. */

import type { Work } from '../core/work.js'
import { foldText, listKeys } from './identities.js'
import { type Conflict, mergeWorks } from './merge-works.js'

/** arXiv's own DOIs count as arXiv ids, not as DOIs. */
const IDENTIFIER_KINDS = [/^doi:(?!10\.48550\/arxiv\.)/, /^openalex:/, /^arxiv:/] as const

export type Candidate = { readonly identities: Iterable<string>; readonly work: Work }

export type Match<T> = {
  readonly same: T | null
  /** Other works with one of the keys: perhaps duplicates. */
  readonly others: readonly T[]
  /** Only the title matches, and it matches several works: none is chosen over the others. */
  readonly isUnclear: boolean
}

/**
 * By DOI, OpenAlex id and arXiv id, else by title, year and first author. A title alone does not match where both works
 * have different identifiers of one kind (every journal has an "Editorial"), or different citation keys and venues (a
 * talk and the article made of it).
 */
export function matchWork<T extends Candidate>(
  work: Work,
  keys: readonly string[],
  candidates: readonly T[],
): Match<T> {
  const decisive = keys.filter((key) => !key.startsWith('key:'))
  const matches = candidates.flatMap((candidate) => {
    const own = new Set(candidate.identities)
    const rank = decisive.findIndex((key) => own.has(key))
    if (rank === -1) return []
    const byTitle = decisive[rank]?.startsWith('title:') ?? false
    const differs = hasOtherIdentifier(decisive, own) || hasOtherVenue(work, candidate.work)
    return byTitle && differs ? [] : [{ candidate, rank, byTitle }]
  })
  const [best, ...rest] = matches.sort((a, b) => a.rank - b.rank)
  return {
    same: best?.candidate ?? null,
    others: rest.map(({ candidate }) => candidate),
    isUnclear: (best?.byTitle ?? false) && rest.length > 0,
  }
}

function hasOtherVenue(one: Work, other: Work): boolean {
  const differ = (a: string | null, b: string | null): boolean =>
    a !== null && b !== null && foldText(a) !== foldText(b)
  return differ(one.citationKey, other.citationKey) && differ(one.venue, other.venue)
}

function hasOtherIdentifier(keys: readonly string[], own: ReadonlySet<string>): boolean {
  return IDENTIFIER_KINDS.some((kind) => {
    const mine = keys.filter((key) => kind.test(key))
    const theirs = [...own].filter((key) => kind.test(key))
    return mine.length > 0 && theirs.length > 0 && !mine.some((key) => own.has(key))
  })
}

export type KnownWork = {
  readonly id: string
  readonly work: Work
  readonly identities: readonly string[]
  /** A superseded work is never changed. */
  readonly isSuperseded: boolean
}

/** A work as it will be once everything is written. */
export type PlannedWork = {
  /** Null for a new work. */
  readonly known: KnownWork | null
  readonly work: Work
  readonly identities: ReadonlySet<string>
}

/** Other works that share keys with the incoming one. They may be duplicates and are not changed. */
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

type Draft = { readonly known: KnownWork | null; work: Work; readonly identities: Set<string> }

/** Takes the works in their order; a work that comes twice is merged. */
export function planImport(known: readonly KnownWork[], incoming: readonly Work[]) {
  const drafts: Draft[] = []
  const byKey = new Map<string, Set<Draft>>()
  const addKeys = (draft: Draft, keys: Iterable<string>): void => {
    for (const key of keys) {
      draft.identities.add(key)
      byKey.set(key, (byKey.get(key) ?? new Set()).add(draft))
    }
  }
  const addDraft = (draft: Draft, keys: Iterable<string>): void => {
    drafts.push(draft)
    addKeys(draft, keys)
  }
  for (const one of known) {
    addDraft({ known: one, work: one.work, identities: new Set() }, one.identities)
  }

  const plan = (work: Work): PlannedOutcome => {
    const keys = listKeys(work)
    const candidates = [...new Set(keys.flatMap((key) => [...(byKey.get(key) ?? [])]))]
    const current = candidates.filter((draft) => !draft.known?.isSuperseded)
    const { same, others, isUnclear } = matchWork(work, keys, current)
    if (same === null) {
      const superseded = matchWork(work, keys, candidates).same
      if (superseded !== null) return leaveUnchanged(superseded, null)
      const draft: Draft = { known: null, work, identities: new Set() }
      addDraft(draft, keys)
      return { planned: draft, state: 'created', changed: [], conflicts: [], shared: null }
    }
    const shared = findSharedKeys(keys, same, others)
    if (isUnclear) return leaveUnchanged(same, shared)
    const foreign = new Set(shared?.keys)
    const own = dropIdentifiers(work, foreign)
    const merged = mergeWorks(same.work, own)
    same.work = merged.work
    const ownKeys = [...listKeys(merged.work), ...listKeys(own)]
    addKeys(
      same,
      ownKeys.filter((key) => !foreign.has(key)),
    )
    const { changed, conflicts } = merged
    const state = changed.length === 0 ? 'unchanged' : 'updated'
    return { planned: same, state, changed, conflicts, shared }
  }
  const outcomes = incoming.map(plan)
  return { works: drafts as readonly PlannedWork[], outcomes }
}

function leaveUnchanged(planned: PlannedWork, shared: SharedKeys | null): PlannedOutcome {
  return { planned, state: 'unchanged', changed: [], conflicts: [], shared }
}

function findSharedKeys(
  keys: readonly string[],
  same: PlannedWork,
  others: readonly PlannedWork[],
): SharedKeys | null {
  if (others.length === 0) return null
  const theirs = keys.filter(
    (key) =>
      !key.startsWith('key:') &&
      !same.identities.has(key) &&
      others.some(({ identities }) => identities.has(key)),
  )
  return { others, keys: theirs }
}

/** Without the identifiers that belong to another work. */
function dropIdentifiers(work: Work, foreign: ReadonlySet<string>): Work {
  const bare = { ...work, doi: null, openAlexId: null, arxivId: null }
  const isForeign = (part: Partial<Work>): boolean =>
    listKeys({ ...bare, ...part }).some((key) => !key.startsWith('title:') && foreign.has(key))
  return {
    ...work,
    doi: isForeign({ doi: work.doi }) ? null : work.doi,
    openAlexId: isForeign({ openAlexId: work.openAlexId }) ? null : work.openAlexId,
    arxivId: isForeign({ arxivId: work.arxivId }) ? null : work.arxivId,
  }
}
