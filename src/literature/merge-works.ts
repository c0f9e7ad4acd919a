/** What is stored is never lost to what comes in: it is filled, extended, or the difference is reported. */

import type { PersonName, Work, WorkType } from '../core/work.js'
import { foldText } from './identities.js'
import { joinPeople } from './person-names.js'

export type Conflict = {
  readonly field: keyof Work
  readonly stored: Work[keyof Work]
  readonly incoming: Work[keyof Work]
}

export type MergedWork = {
  readonly work: Work
  /** The fields that are other than they were stored. */
  readonly changed: readonly (keyof Work)[]
  readonly conflicts: readonly Conflict[]
}

/** What becomes of one field: the value to keep, or null where the two cannot both be right. */
type Joined<T> = { readonly value: T } | null
type Rule<K extends keyof Work> = (
  stored: Work[K],
  incoming: Work[K],
  both: Both,
) => Joined<Work[K]>
type Both = { readonly stored: Work; readonly incoming: Work }

/**
 * The rules, field by field. The stored value stays wherever there is one. Of `words`, case, accents and punctuation
 * make no difference; of `exact` values only case does not. The others say when what comes in is the same and more.
 */
const RULES: { readonly [K in keyof Work]: Rule<K> } = {
  title: words,
  abstract: longerTelling,
  type: anyButOther,
  authors: people,
  editors: people,
  venue: words,
  year: yearThatFits,
  published: dateThatFits,
  doi: exact,
  openAlexId: exact,
  arxivId: exact,
  isbn: exact,
  issn: exact,
  url: exact,
  citationKey: exact,
  volume: exact,
  issue: exact,
  pages: exact,
  publisher: words,
  place: words,
  series: words,
  edition: words,
  institution: words,
  language: exact,
  note: words,
  tags: (stored, incoming) => ({ value: union(stored, incoming, (tag) => tag.toLowerCase()) }),
  references: (stored, incoming) => ({ value: union(stored, incoming, (reference) => reference) }),
}

/** Merging the same thing twice changes nothing the second time. */
export function mergeWorks(stored: Work, incoming: Work): MergedWork {
  const both = { stored, incoming }
  const changed: (keyof Work)[] = []
  const conflicts: Conflict[] = []
  let work = stored
  for (const field of Object.keys(RULES) as (keyof Work)[]) {
    const joined = join(field, both)
    if (joined === null) {
      conflicts.push({ field, stored: stored[field], incoming: incoming[field] })
    } else if (!isSame(joined.value, stored[field])) {
      changed.push(field)
      work = { ...work, [field]: joined.value }
    }
  }
  return { work, changed, conflicts }
}

function join<K extends keyof Work>(field: K, both: Both): Joined<Work[K]> {
  const rule: Rule<K> = RULES[field]
  return rule(both.stored[field], both.incoming[field], both)
}

function words<T extends string | null>(stored: T, incoming: T): Joined<T> {
  return filled(stored, incoming, foldWords)
}

function exact<T extends string | null>(stored: T, incoming: T): Joined<T> {
  return filled(stored, incoming, (text) => text.trim().toLowerCase())
}

function filled<T extends string | null>(
  stored: T,
  incoming: T,
  fold: (text: string) => string,
): Joined<T> {
  if (isMissing(stored)) return { value: isMissing(incoming) ? stored : incoming }
  const isSaidAlready = isMissing(incoming) || fold(stored ?? '') === fold(incoming ?? '')
  return isSaidAlready ? { value: stored } : null
}

function anyButOther(stored: WorkType, incoming: WorkType): Joined<WorkType> {
  if (stored === 'other') return { value: incoming }
  return incoming === 'other' || incoming === stored ? { value: stored } : null
}

/** An abstract that was cut off is completed by the whole one; two different ones stay a difference. */
function longerTelling(stored: string | null, incoming: string | null): Joined<string | null> {
  const same = words(stored, incoming)
  if (same !== null) return same
  const [mine, theirs] = [foldText(stored ?? ''), foldText(incoming ?? '')]
  if (theirs.startsWith(mine)) return { value: incoming }
  return mine.startsWith(theirs) ? { value: stored } : null
}

function people(
  stored: readonly PersonName[],
  incoming: readonly PersonName[],
): Joined<readonly PersonName[]> {
  const joined = joinPeople(stored, incoming)
  return joined === null ? null : { value: joined }
}

function yearThatFits(
  stored: number | null,
  incoming: number | null,
  both: Both,
): Joined<number | null> {
  const known = stored ?? yearOf(both.stored.published)
  if (incoming === null || known === incoming) return { value: stored ?? incoming }
  return known === null ? { value: incoming } : null
}

/** A more exact date is taken where it lies within the one that is known: 2019-07-28 within 2019-07 or 2019. */
function dateThatFits(
  stored: string | null,
  incoming: string | null,
  both: Both,
): Joined<string | null> {
  if (isMissing(incoming)) return { value: stored }
  const known = isMissing(stored) ? (both.stored.year?.toString() ?? null) : stored
  if (known === null || liesWithin(incoming ?? '', known)) return { value: incoming }
  return stored !== null && liesWithin(stored, incoming ?? '') ? { value: stored } : null
}

function liesWithin(date: string, longer: string): boolean {
  return date === longer || date.startsWith(`${longer}-`)
}

function yearOf(published: string | null): number | null {
  const year = Number.parseInt(published ?? '', 10)
  return Number.isNaN(year) ? null : year
}

function isMissing(value: string | null): boolean {
  return value === null || value.trim() === ''
}

/** Where nothing is left after folding (a title of signs), the signs themselves are compared. */
function foldWords(text: string): string {
  return foldText(text) || text.trim()
}

function union(
  stored: readonly string[],
  incoming: readonly string[],
  keyOf: (value: string) => string,
): readonly string[] {
  const known = new Set(stored.map(keyOf))
  const added = incoming.filter((value) => {
    const isNew = !known.has(keyOf(value))
    known.add(keyOf(value))
    return isNew
  })
  return added.length === 0 ? stored : [...stored, ...added]
}

function isSame(one: Work[keyof Work], other: Work[keyof Work]): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
