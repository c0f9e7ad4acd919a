/** Finds works that are probably one: a preprint and its published version, and titles that nearly agree. */

import type { Work } from '../core/work.js'
import { editDistance } from '../text/edit-distance.js'
import { foldText, makeTitleKey } from './identities.js'
import { type Conflict, mergeWorks } from './merge-works.js'

export type DuplicatePair = {
  readonly reason: 'preprint' | 'title'
  /** The one to keep, which is the published one, and its double. */
  readonly keep: Work
  readonly other: Work
  /** The fields that both have and that disagree. */
  readonly differs: readonly Conflict[]
}

/** Of a title, this share of the characters may differ. */
const MISTAKES = 0.1
/** A title that is the beginning of another counts from this length on: it lacks the subtitle. */
const MIN_BEGINNING = 20

/** Compares works of the same first author, and works of which one has no author. */
export function findDuplicates(works: readonly Work[]): DuplicatePair[] {
  const groups = new Map<string, Described[]>()
  for (const work of works) {
    const described = describe(work)
    if (described.title === '') continue
    groups.set(described.author, [...(groups.get(described.author) ?? []), described])
  }
  const nameless = groups.get('') ?? []
  const pairs: DuplicatePair[] = []
  for (const [author, group] of groups) {
    const others = author === '' ? [] : nameless
    for (const [i, one] of group.entries()) {
      for (const other of [...group.slice(i + 1), ...others]) {
        if (areAlike(one, other)) pairs.push(describePair(one.work, other.work))
      }
    }
  }
  return pairs
}

type Described = {
  readonly work: Work
  readonly title: string
  readonly digits: string
  readonly author: string
}

function describe(work: Work): Described {
  const [title = '', , author = ''] = makeTitleKey(work)?.split('|') ?? [foldText(work.title)]
  return { work, title, digits: title.replace(/\D/g, ''), author }
}

/** Other numbers are another part or another year: "Overview of the track 2018" and "… 2019". */
function areAlike(a: Described, b: Described): boolean {
  if (a.title === b.title) return true
  const [short, long] = a.title.length < b.title.length ? [a, b] : [b, a]
  if (short.digits !== long.digits) return false
  if (short.title.length >= MIN_BEGINNING && long.title.startsWith(short.title)) return true
  const limit = Math.floor(short.title.length * MISTAKES)
  return limit > 0 && editDistance(short.title, long.title, limit) <= limit
}

function describePair(one: Work, other: Work): DuplicatePair {
  const isPreprint = (work: Work): boolean => work.type === 'preprint'
  const reason = isPreprint(one) === isPreprint(other) ? 'title' : 'preprint'
  const [keep, double] = isPreprint(one) && !isPreprint(other) ? [other, one] : [one, other]
  return { reason, keep, other: double, differs: mergeWorks(keep, double).conflicts }
}
