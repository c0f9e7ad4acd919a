/** Which stored work a new description is of is decided by its surest key, and doubt is told. */

import type { Work } from '../core/work.js'
import { foldText, listIdentities } from './identities.js'

/** How one kind of identifier is told from the others; arXiv's own DOIs say no more than the arXiv id. */
const KINDS = [/^doi:(?!10\.48550\/arxiv\.)/, /^openalex:/, /^arxiv:/] as const

/**
 * All keys of a work. One that has no identifier, year or author is known by its title alone, or by the beginning of
 * its abstract, and never taken for a work that says more; empty where there is nothing at all.
 */
export function listKeys(work: Work): readonly string[] {
  const keys = listIdentities(work)
  if (keys.some((key) => !key.startsWith('key:'))) return keys
  const title = foldText(work.title) || work.title.trim()
  const said = title === '' ? `|||${foldText(work.abstract ?? '').slice(0, 200)}` : `${title}||`
  return said === '|||' ? keys : [`title:${said}`, ...keys]
}

export type Candidate = { readonly identities: Iterable<string>; readonly work: Work }

export type Choice<T> = {
  readonly same: T | null
  /** Other works that have one of the keys as well: perhaps they are all one. */
  readonly others: readonly T[]
  /** True where only the title speaks, for several: none of them is chosen over the others. */
  readonly isUnclear: boolean
}

/**
 * By DOI, OpenAlex id and arXiv id, else by title, year and first author. A title alone does not make two works one
 * where both have an identifier of one kind and these differ (every journal has an "Editorial"), or where both have a
 * citation key and a venue of their own: a talk and the article made of it are cited apart.
 */
export function chooseSame<T extends Candidate>(
  work: Work,
  keys: readonly string[],
  candidates: readonly T[],
): Choice<T> {
  const telling = keys.filter((key) => !key.startsWith('key:'))
  const fitting = candidates.flatMap((candidate) => {
    const own = new Set(candidate.identities)
    const place = telling.findIndex((key) => own.has(key))
    if (place === -1) return []
    const byTitle = telling[place]?.startsWith('title:') ?? false
    const isOther = isContradicted(telling, own) || isPublishedElsewhere(work, candidate.work)
    return byTitle && isOther ? [] : [{ candidate, place, byTitle }]
  })
  const [best, ...rest] = fitting.sort((a, b) => a.place - b.place)
  return {
    same: best?.candidate ?? null,
    others: rest.map(({ candidate }) => candidate),
    isUnclear: (best?.byTitle ?? false) && rest.length > 0,
  }
}

function isPublishedElsewhere(one: Work, other: Work): boolean {
  const differ = (a: string | null, b: string | null): boolean =>
    a !== null && b !== null && foldText(a) !== foldText(b)
  return differ(one.citationKey, other.citationKey) && differ(one.venue, other.venue)
}

function isContradicted(keys: readonly string[], own: ReadonlySet<string>): boolean {
  return KINDS.some((kind) => {
    const mine = keys.filter((key) => kind.test(key))
    return (
      mine.length > 0 && [...own].some((key) => kind.test(key)) && !mine.some((key) => own.has(key))
    )
  })
}
