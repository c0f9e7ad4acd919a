/** Lists the keys by which two descriptions of one work are recognised, and brings a work into its stored form. */

import type { Work } from '../core/work.js'
import { normalizeText } from '../text/normalize.js'
import {
  makeArxivDoi,
  normalizeArxiv,
  normalizeDoi,
  normalizeOpenAlex,
  printIdentifier,
  readIdentifier,
} from './identifiers.js'
import { readYear } from './work-fields.js'

/** Letters that Unicode does not decompose into a base and a mark. */
const LETTERS = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
)
const LATEX_LETTERS = /\\(aa|ae|oe|ss|[lioj])(?![a-z])/gi
const SUFFIX = /^(?:jr|sr|ii|iii|iv)$/

/** Keeps only letters and digits, in lower case without accents: "non-linear" is also written "non linear" and "nonlinear". */
export function foldText(text: string): string {
  const plain = text
    .replace(LATEX_LETTERS, (_, letters: string) => letters.replace(/^aa$/i, 'a'))
    .replace(/\\(?:[a-zA-Z]+\s*|[^a-zA-Z\s])/g, '')
  return normalizeText(plain, 'NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS.get(letter) ?? letter)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
    .normalize('NFC')
}

/**
 * Title, year and first author as one text; null if both year and author, or the title, are missing. Only the last
 * word of the family name counts, because sources disagree on where a family name begins.
 * @example makeTitleKey({ title: 'The Été', year: 1999, authors: [{ family: 'de Vries', given: 'A.' }] }) // 'theete|1999|vries'
 */
export function makeTitleKey(work: Pick<Work, 'title' | 'year' | 'authors'>): string | null {
  const title = foldText(work.title)
  const names = (work.authors[0]?.family ?? '').split(/[\s,]+/).map(foldText)
  const words = names.filter((word) => word !== '')
  const author = words.findLast((word) => !SUFFIX.test(word)) ?? words.at(-1) ?? ''
  if (title === '' || (work.year === null && author === '')) return null
  return `${title}|${work.year ?? ''}|${author}`
}

/**
 * The keys of a work, the strongest first: `doi:…`, `openalex:…`, `arxiv:…`, `title:…`. The last, `key:…`, names an
 * entry of one BibTeX file: it resolves references and never tells works apart.
 */
export function listIdentities(work: Work): readonly string[] {
  const doi = normalizeDoi(work.doi ?? '')
  const arxiv = normalizeArxiv(work.arxivId ?? doi ?? '')
  const keys: readonly (readonly [kind: string, value: string | null | undefined])[] = [
    ['doi', doi],
    ['openalex', normalizeOpenAlex(work.openAlexId ?? '')],
    ['arxiv', arxiv],
    ['doi', arxiv === null ? null : makeArxivDoi(arxiv)],
    ['title', makeTitleKey(work)],
    ['key', work.citationKey?.trim()],
  ]
  return [...new Set(keys.flatMap(([kind, value]) => (value ? `${kind}:${value}` : [])))]
}

/**
 * The identities, and for a work without any a key of its title alone, or of the beginning of its abstract; such a key
 * never matches a work with year or author. Empty if the work has no text at all.
 */
export function listKeys(work: Work): readonly string[] {
  const keys = listIdentities(work)
  if (keys.some((key) => !key.startsWith('key:'))) return keys
  const title = foldText(work.title) || work.title.trim()
  const text =
    title === ''
      ? `|||${foldText(work.abstract?.slice(0, 2000) ?? '').slice(0, 200)}`
      : `${title}||`
  return text === '|||' ? keys : [`title:${text}`, ...keys]
}

/** Normalises the identifiers and the references. A text that is not an identifier stays as it is. */
export function tidyWork(work: Work): Work {
  const tidy: Work = {
    ...work,
    doi: normalizeOr(work.doi, normalizeDoi),
    openAlexId: normalizeOr(work.openAlexId, normalizeOpenAlex),
    arxivId: normalizeOr(work.arxivId, normalizeArxiv),
    citationKey: work.citationKey?.trim() || null,
    year: work.year ?? readYear(work.published),
  }
  const own = new Set(listKeys(tidy))
  const cited = work.references.map(tidyReference).filter((name) => name !== '' && !own.has(name))
  return { ...tidy, references: [...new Set(cited)] }
}

/** @example tidyReference('doi:10.1000/ABC') // 'doi:10.1000/abc' */
export function tidyReference(reference: string): string {
  const written = reference.trim()
  const [, key] = /^key:\s*(.*)$/i.exec(written) ?? []
  if (key !== undefined) return key === '' ? '' : `key:${key}`
  const identifier = readIdentifier(written)
  return identifier === null ? written : printIdentifier(identifier)
}

function normalizeOr(text: string | null, normalize: (text: string) => string | null) {
  return normalize(text ?? '') ?? (text?.trim() || null)
}
