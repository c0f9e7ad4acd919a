/** Finds the stored work that a PDF belongs to: by the identifiers it names, or by a title that its first page carries. */

import { NO_DETAILS, type Work } from '../core/work.js'
import { foldText, listIdentities } from './identities.js'
import { hasOtherIdentifier } from './match-works.js'

/** The details of a PDF, from its first page and its metadata. */
export type Paper = {
  readonly doi: string | null
  readonly arxivId: string | null
  /** Folded (`foldText`): its own title first, then whatever on its first page may be one, in whole lines. */
  readonly titles: readonly string[]
  readonly firstPage: string
}

/** Stored with a PDF that belongs to no work yet, so that a work which comes later finds it. */
const PREFIX = 'pdf:'

export function listPaperKeys({ titles, ...paper }: Paper): string[] {
  return [...listIdentifiers(paper), ...titles.map((title) => `title:${title}`)].map(
    (key) => PREFIX + key,
  )
}

/** The keys under which the PDF of a work may be stored. */
export function listKeysOfPdf(work: Work): string[] {
  const title = foldText(work.title)
  const keys = [...listIdentifiers(work), ...(title === '' ? [] : [`title:${title}`])]
  return keys.map((key) => PREFIX + key)
}

export function listIdentifiers({ doi, arxivId }: Pick<Work, 'doi' | 'arxivId'>): string[] {
  const bare: Work = { ...NO_DETAILS, title: '', abstract: null, tags: [], references: [] }
  return [...listIdentities({ ...bare, doi, arxivId })]
}

/** The titles among the keys of a PDF that is stored. */
export function readTitleKeys(keys: readonly string[]): string[] {
  const start = `${PREFIX}title:`
  return keys.flatMap((key) => (key.startsWith(start) ? key.slice(start.length) : []))
}

type Candidate = { readonly work: Work; readonly identities: readonly string[] }

/**
 * The work that a PDF is, or null. An identifier decides. A title of fewer than three words ("Editorial") must be that of
 * the PDF itself, and the first author must be named on the first page.
 */
export function choosePaperWork<T extends Candidate>(
  paper: Paper,
  candidates: readonly T[],
): T | null {
  const identifiers = listIdentifiers(paper)
  const byIdentifier = candidates.find(({ identities }) =>
    identifiers.some((key) => identities.includes(key)),
  )
  if (byIdentifier !== undefined) return byIdentifier
  const page = foldText(paper.firstPage)
  const isNamed = ({ work }: T): boolean => {
    const author = foldText(work.authors[0]?.family ?? '')
    // "Stone" in the title "Walls of stone" is no author.
    return author !== '' && page.replaceAll(foldText(work.title), ' ').includes(author)
  }
  const titled = candidates.filter((one) => {
    const title = foldText(one.work.title)
    if (!paper.titles.includes(title) || hasOtherIdentifier(identifiers, new Set(one.identities))) {
      return false
    }
    return countWords(one.work.title) >= MIN_WORDS || (title === paper.titles[0] && isNamed(one))
  })
  const title = chooseTitle(
    titled.map(({ work }) => foldText(work.title)),
    paper.titles[0] ?? '',
  )
  const best = titled.filter(({ work }) => foldText(work.title) === title)
  const named = best.filter(isNamed)
  const [first, second] = named.length > 0 ? named : best
  return second === undefined ? (first ?? null) : null
}

/** Its own title, else the longest if it contains all others. A page that lists several works has none. */
function chooseTitle(titles: readonly string[], own: string): string | null {
  if (titles.includes(own)) return own
  const [longest = ''] = titles.toSorted((a, b) => b.length - a.length)
  return titles.every((title) => longest.includes(title)) ? longest : null
}

const MIN_WORDS = 3

function countWords(title: string): number {
  return title.split(/[\s\-–—/]+/).filter((word) => foldText(word) !== '').length
}
