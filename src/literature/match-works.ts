/** Finds the stored work that an incoming work describes, and plans an import before anything is written. */

import { mergeTexts } from '../core/full-text.js'
import type { Work } from '../core/work.js'
import { foldText, listKeys } from './identities.js'
import { choosePaperWork, listKeysOfPdf, type Paper } from './match-pdf.js'
import { type Conflict, mergeWorks } from './merge-works.js'

/** arXiv's own DOIs count as arXiv ids, not as DOIs. */
const IDENTIFIER_KINDS = [/^doi:(?!10\.48550\/arxiv\.)/, /^openalex:/, /^arxiv:/] as const

/**
 * By DOI, OpenAlex id and arXiv id, else by title, year and first author. A title alone does not match where both works
 * have different identifiers of one kind (every journal has an "Editorial"), or different citation keys and venues (a
 * talk and the article made of it).
 */
export function matchWork<T extends { identities: Iterable<string>; work: Work }>(
  work: Work,
  keys: readonly string[],
  candidates: readonly T[],
) {
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
    /** Other works with one of the keys: perhaps duplicates. */
    others: rest.map(({ candidate }) => candidate),
    /** Only the title matches, and it matches several works: none is chosen over the others. */
    isUnclear: (best?.byTitle ?? false) && rest.length > 0,
  }
}

function hasOtherVenue(one: Work, other: Work): boolean {
  const differ = (a: string | null, b: string | null): boolean =>
    a !== null && b !== null && foldText(a) !== foldText(b)
  return differ(one.citationKey, other.citationKey) && differ(one.venue, other.venue)
}

export function hasOtherIdentifier(keys: readonly string[], own: ReadonlySet<string>): boolean {
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
  readonly isSuperseded: boolean
  /** For a PDF that belongs to no work yet: the details that identify its work. */
  readonly paper?: Paper | null
}

/** A work as it will be once everything is written; `known` is null for a new one. */
export type PlannedWork = Readonly<Omit<Draft, 'identities'>> & {
  readonly identities: ReadonlySet<string>
}

export type PlannedOutcome = {
  readonly planned: PlannedWork
  readonly state: 'created' | 'updated' | 'unchanged'
  readonly changed: readonly (keyof Work)[]
  readonly conflicts: readonly Conflict[]
  /** Other works that share keys with the incoming one. They may be duplicates and are not changed. */
  readonly shared: { others: readonly PlannedWork[]; keys: readonly string[] } | null
}

type Draft = {
  readonly known: KnownWork | null
  work: Work
  readonly identities: Set<string>
  /** A PDF that belongs to no work yet. */
  isPdf: boolean
  /** PDFs whose text the work has taken over. */
  readonly absorbed: PlannedWork[]
}

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
  const addDraft = (stored: KnownWork | null, work: Work, keys: Iterable<string>): Draft => {
    const isPdf = (stored?.paper ?? null) !== null
    const draft: Draft = { known: stored, work, identities: new Set(), isPdf, absorbed: [] }
    drafts.push(draft)
    addKeys(draft, keys)
    return draft
  }
  for (const one of known) addDraft(one, one.work, one.identities)
  const findDrafts = (keys: readonly string[]): Draft[] => [
    ...new Set(keys.flatMap((key) => [...(byKey.get(key) ?? [])])),
  ]

  const takePdfs = (work: Work): Draft[] => {
    const candidate = { work, identities: listKeys(work) }
    const pdfs = findDrafts(listKeysOfPdf(work)).filter(({ isPdf, known: pdf }) => {
      const paper = isPdf ? (pdf?.paper ?? null) : null
      return paper !== null && choosePaperWork(paper, [candidate]) !== null
    })
    for (const pdf of pdfs) pdf.isPdf = false
    return pdfs
  }
  const absorb = (draft: Draft, pdfs: readonly Draft[]): void => {
    for (const pdf of pdfs) {
      const texts = mergeTexts(draft.work.texts ?? [], pdf.work.texts ?? [])
      draft.work = { ...draft.work, texts }
      draft.absorbed.push(pdf)
    }
  }
  /** Of a work that is not stored. The first of its PDFs becomes the work, so that its id stays. */
  const addWork = (work: Work, keys: readonly string[]): Draft => {
    const [first, ...others] = takePdfs(work)
    if (first === undefined) return addDraft(null, work, keys)
    first.work = mergeWorks(first.work, work).work
    addKeys(first, keys)
    absorb(first, others)
    return first
  }

  const plan = (work: Work): PlannedOutcome => {
    const keys = listKeys(work)
    const candidates = findDrafts(keys)
    const current = candidates.filter((draft) => !draft.known?.isSuperseded)
    const { same, others, isUnclear } = matchWork(work, keys, current)
    const unchanged = { state: 'unchanged', changed: [], conflicts: [], shared: null } as const
    if (same === null) {
      const superseded = matchWork(work, keys, candidates).same
      if (superseded !== null) return { planned: superseded, ...unchanged }
      return { planned: addWork(work, keys), ...unchanged, state: 'created' }
    }
    const theirs = keys
      .filter((key) => !key.startsWith('key:') && !same.identities.has(key))
      .filter((key) => others.some(({ identities }) => identities.has(key)))
    const shared = others.length === 0 ? null : { others, keys: theirs }
    if (isUnclear) return { planned: same, ...unchanged, shared }
    const foreign = new Set(theirs)
    const own = dropIdentifiers(work, foreign)
    const { changed, conflicts, work: merged } = mergeWorks(same.work, own)
    same.work = merged
    const pdfs = takePdfs(merged)
    absorb(same, pdfs)
    if (pdfs.length > 0) changed.push('texts')
    const ownKeys = [...listKeys(merged), ...listKeys(own)].filter((key) => !foreign.has(key))
    addKeys(same, ownKeys)
    const state = changed.length === 0 ? 'unchanged' : 'updated'
    return { planned: same, state, changed, conflicts, shared }
  }
  const outcomes = incoming.map(plan)
  return { works: drafts as readonly PlannedWork[], outcomes }
}

function dropIdentifiers(work: Work, foreign: ReadonlySet<string>): Work {
  const bare = { ...work, doi: null, openAlexId: null, arxivId: null }
  const dropForeign = (field: 'doi' | 'openAlexId' | 'arxivId'): string | null => {
    const keys = listKeys({ ...bare, [field]: work[field] })
    return keys.some((key) => !key.startsWith('title:') && foreign.has(key)) ? null : work[field]
  }
  const [doi, openAlexId] = [dropForeign('doi'), dropForeign('openAlexId')]
  return { ...work, doi, openAlexId, arxivId: dropForeign('arxivId') }
}
