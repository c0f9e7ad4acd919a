/** Merges an incoming description into a stored work: fills and extends fields, and reports conflicts. */

import { mergeTexts } from '../core/full-text.js'
import type { PersonName, Work, WorkType } from '../core/work.js'
import { foldText } from './identities.js'
import { printName, readYear } from './work-fields.js'

export type Conflict = {
  readonly field: keyof Work
  readonly stored: Work[keyof Work]
  readonly incoming: Work[keyof Work]
}

/** The value to store, or null for a conflict. */
type Merged<T> = { readonly value: T } | null
type Rule<T> = (stored: T, incoming: T, storedWork: Work) => Merged<T>

type Described = Exclude<keyof Work, 'texts'>

/**
 * A stored value is never replaced by a different one. `mergeText` ignores case, accents and punctuation,
 * `mergeExact` only case; the other rules also accept an incoming value that says the same with more detail.
 */
const RULES: { readonly [K in Described]: Rule<Work[K]> } = {
  title: mergeText,
  abstract: mergeAbstract,
  type: mergeType,
  authors: mergePeople,
  editors: mergePeople,
  venue: mergeText,
  year: mergeYear,
  published: mergeDate,
  doi: mergeExact,
  openAlexId: mergeExact,
  arxivId: mergeExact,
  isbn: mergeExact,
  issn: mergeExact,
  url: mergeExact,
  citationKey: mergeExact,
  volume: mergeExact,
  issue: mergeExact,
  pages: mergeExact,
  publisher: mergeText,
  place: mergeText,
  series: mergeText,
  edition: mergeText,
  institution: mergeText,
  language: mergeExact,
  note: mergeText,
  bibtexTitle: (stored, incoming) => ({ value: stored ?? incoming }),
  tags: (stored, incoming) => ({ value: union(stored, incoming, (tag) => tag.toLowerCase()) }),
  references: (stored, incoming) => ({ value: union(stored, incoming, (reference) => reference) }),
}

/** Merging the same description twice changes nothing the second time. */
export function mergeWorks(stored: Work, incoming: Work) {
  const changed: (keyof Work)[] = []
  const conflicts: Conflict[] = []
  let work = stored
  for (const field of Object.keys(RULES) as Described[]) {
    const merged = mergeField(field, stored, incoming)
    if (merged === null) {
      conflicts.push({ field, stored: stored[field], incoming: incoming[field] })
    } else if (JSON.stringify(merged.value) !== JSON.stringify(stored[field])) {
      changed.push(field)
      work = { ...work, [field]: merged.value }
    }
  }
  const texts = mergeTexts(stored.texts ?? [], incoming.texts ?? [])
  if (JSON.stringify(texts) !== JSON.stringify(stored.texts ?? [])) {
    changed.push('texts')
    work = { ...work, texts }
  }
  return { work, changed, conflicts }
}

function mergeField<K extends Described>(field: K, stored: Work, incoming: Work): Merged<Work[K]> {
  const rule: Rule<Work[K]> = RULES[field]
  return rule(stored[field], incoming[field], stored)
}

/** A text without letters and digits is compared as it is. */
function mergeText<T extends string | null>(stored: T, incoming: T): Merged<T> {
  return mergeFolded(stored, incoming, (text) => foldText(text) || text.trim())
}

function mergeExact<T extends string | null>(stored: T, incoming: T): Merged<T> {
  return mergeFolded(stored, incoming, (text) => text.trim().toLowerCase())
}

function mergeFolded<T extends string | null>(
  stored: T,
  incoming: T,
  fold: (text: string) => string,
): Merged<T> {
  if (isMissing(stored)) return { value: isMissing(incoming) ? stored : incoming }
  const isSame = isMissing(incoming) || fold(stored ?? '') === fold(incoming ?? '')
  return isSame ? { value: stored } : null
}

function isMissing(value: string | null): boolean {
  return value === null || value.trim() === ''
}

function mergeType(stored: WorkType, incoming: WorkType): Merged<WorkType> {
  if (stored === 'other') return { value: incoming }
  return incoming === 'other' || incoming === stored ? { value: stored } : null
}

/** The complete abstract replaces one that was cut off. */
function mergeAbstract(stored: string | null, incoming: string | null): Merged<string | null> {
  const same = mergeText(stored, incoming)
  if (same !== null) return same
  const [mine, theirs] = [foldText(stored ?? ''), foldText(incoming ?? '')]
  if (theirs.startsWith(mine)) return { value: incoming }
  return mine.startsWith(theirs) ? { value: stored } : null
}

function mergeYear(
  stored: number | null,
  incoming: number | null,
  { published }: Work,
): Merged<number | null> {
  const known = stored ?? readYear(published)
  if (incoming === null || known === incoming) return { value: stored ?? incoming }
  return known === null ? { value: incoming } : null
}

/** Takes a more precise date that lies within the known one: 2019-07-28 within 2019-07 or 2019. */
function mergeDate(
  stored: string | null,
  incoming: string | null,
  { year }: Work,
): Merged<string | null> {
  if (incoming === null || isMissing(incoming)) return { value: stored }
  const known = isMissing(stored) ? (year?.toString() ?? null) : stored
  if (known === null || liesWithin(incoming, known)) return { value: incoming }
  return stored !== null && liesWithin(stored, incoming) ? { value: stored } : null
}

function liesWithin(date: string, longer: string): boolean {
  return date === longer || date.startsWith(`${longer}-`)
}

function union(
  stored: readonly string[],
  incoming: readonly string[],
  fold: (value: string) => string,
): readonly string[] {
  const known = new Set(stored.map(fold))
  const added = incoming.filter((value) => !known.has(fold(value)) && known.add(fold(value)))
  return [...stored, ...added]
}

/** Keeps given names rather than initials and the longer of two lists; a conflict if they disagree about a person. */
function mergePeople(
  stored: readonly PersonName[],
  incoming: readonly PersonName[],
): Merged<readonly PersonName[]> {
  const value: PersonName[] = []
  for (let i = 0; i < Math.max(stored.length, incoming.length); i++) {
    const [mine, theirs] = [stored[i], incoming[i]]
    const person = mine && theirs ? mergePerson(mine, theirs) : (mine ?? theirs)
    if (person === undefined) return null
    value.push(person)
  }
  return { value }
}

function mergePerson(stored: PersonName, incoming: PersonName): PersonName | undefined {
  // Sources disagree on where a family name begins; the whole name is then still the same.
  if (foldText(printName(stored)) === foldText(printName(incoming))) return stored
  if (foldText(stored.family) !== foldText(incoming.family)) return undefined
  const given = mergeGiven(stored.given, incoming.given)
  return given === undefined ? undefined : { family: stored.family, given }
}

function mergeGiven(stored: string | null, incoming: string | null): string | null | undefined {
  const [mine, theirs] = [splitGiven(stored), splitGiven(incoming)]
  if (mine.length === 0 || theirs.length === 0) return mine.length === 0 ? incoming : stored
  let gain = theirs.length - mine.length
  for (let i = 0; i < Math.min(mine.length, theirs.length); i++) {
    const [one = '', other = ''] = [mine[i], theirs[i]]
    if (!one.startsWith(other) && !other.startsWith(one)) return undefined
    // A name may only be shortened to its initial: "Jo" is not "John".
    if (one !== other && [...one].length > 1 && [...other].length > 1) return undefined
    gain += other.length - one.length
  }
  return gain > 0 ? incoming : stored
}

/** "A. M." and "AM" are the same two initials. */
function splitGiven(given: string | null): string[] {
  return (given ?? '')
    .split(/[\s.\-‐–]+/)
    .flatMap((word) => (/^\p{Lu}{2,3}$/u.test(word) ? [...word] : [word]))
    .map(foldText)
    .filter((word) => word !== '')
}
