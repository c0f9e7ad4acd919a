/** Two descriptions of one work share a key, and each work lists its keys, the surest first. */

import type { PersonName, Work } from '../core/work.js'
import { makeArxivDoi, normalizeArxiv, normalizeDoi, normalizeOpenAlex } from './identifiers.js'

export type TitleKeyParts = {
  readonly title: string
  readonly year: number | null
  readonly authors: readonly PersonName[]
}

/** Letters that Unicode does not take apart into a base and a mark. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
)
const LATEX_LETTERS = /\\(aa|ae|oe|ss|[lioj])(?![a-z])/gi
const SUFFIX = /^(?:jr|sr|ii|iii|iv)$/

/** Letters and digits alone, folded: spaces and hyphens go too, since "non-linear" is written in three ways. */
export function foldText(text: string): string {
  return text
    .replace(LATEX_LETTERS, (_, letters: string) => letters.replace(/^aa$/i, 'a'))
    .replace(/\\(?:[a-zA-Z]+\s*|[^a-zA-Z\s])/g, '')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS.get(letter) ?? letter)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
    .normalize('NFC')
}

/**
 * Title, year and first author as one text, or null where that would say too little. Of the author only the last
 * word of the family name counts, because sources disagree on where a family name begins.
 * @example titleKey({ title: 'The Été', year: 1999, authors: [{ family: 'de Vries', given: 'A.' }] }) // 'theete|1999|vries'
 */
export function titleKey({ title, year, authors }: TitleKeyParts): string | null {
  const folded = foldText(title)
  const author = firstAuthor(authors)
  if (folded === '' || (year === null && author === '')) return null
  return `${folded}|${year ?? ''}|${author}`
}

/**
 * All keys by which this work can be found, the strongest first: `doi:…`, `openalex:…`, `arxiv:…`, `title:…`.
 * The last, `key:…`, names an entry of one BibTeX file: good for resolving references, never for telling works apart.
 */
export function listIdentities(work: Work): readonly string[] {
  const doi = work.doi === null ? null : normalizeDoi(work.doi)
  const openAlex = work.openAlexId === null ? null : normalizeOpenAlex(work.openAlexId)
  const arxiv = normalizeArxiv(work.arxivId ?? doi ?? '')
  const title = titleKey(work)
  const key = work.citationKey?.trim() ?? ''
  const keys = [
    doi === null ? null : `doi:${doi}`,
    openAlex === null ? null : `openalex:${openAlex}`,
    ...(arxiv === null ? [] : [`arxiv:${arxiv}`, `doi:${makeArxivDoi(arxiv)}`]),
    title === null ? null : `title:${title}`,
    key === '' ? null : `key:${key}`,
  ]
  return [...new Set(keys.filter((each) => each !== null))]
}

function firstAuthor(authors: readonly PersonName[]): string {
  const words = (authors[0]?.family ?? '')
    .split(/[\s,]+/)
    .map(foldText)
    .filter((word) => word !== '')
  return words.findLast((word) => !SUFFIX.test(word)) ?? words.at(-1) ?? ''
}
