/** Reads a work and the names of its authors from OpenAlex's JSON; a missing or malformed field is never an error. */

import { textAt as findText, listAt, valueAt } from '../../core/json-fields.js'
import { NO_DETAILS, type PersonName, type Work, type WorkType } from '../../core/work.js'
import { normalizeArxiv, normalizeDoi, normalizeOpenAlex } from '../identifiers.js'
import { createTypeTable } from '../works-file.js'

/** The fields that are read below; no others are requested. */
export const FIELDS =
  'id,doi,title,display_name,publication_year,publication_date,type,language,authorships,primary_location,' +
  'locations,biblio,keywords,topics,referenced_works,abstract_inverted_index'

const MAX_TAGS = 5

const TYPES = createTypeTable({
  article: 'article review letter editorial erratum',
  conference: 'proceedings-article',
  book: 'book',
  chapter: 'book-chapter reference-entry',
  thesis: 'dissertation',
  report: 'report standard',
  preprint: 'preprint',
  dataset: 'dataset',
  software: 'software',
  webpage: 'webpage',
  other: 'other',
})

function textAt(value: unknown, ...path: readonly string[]): string | null {
  return findText(value, ...path)?.trim() ?? null
}

/** Null if it has no title. */
export function readWork(answer: unknown): Work | null {
  const title = plain(textAt(answer, 'title') ?? textAt(answer, 'display_name'))
  if (title === null) return null
  const location = valueAt(answer, 'primary_location')
  const source = valueAt(location, 'source')
  const url = textAt(location, 'landing_page_url') ?? ''
  const isRepository = textAt(source, 'type') === 'repository'
  const firstPage = textAt(answer, 'biblio', 'first_page')
  const lastPage = textAt(answer, 'biblio', 'last_page')
  const pages = [...new Set([firstPage, lastPage])].filter((page) => page !== null)
  return {
    ...NO_DETAILS,
    title,
    abstract: plain(readAbstract(valueAt(answer, 'abstract_inverted_index'))),
    tags: readTags(answer),
    references: readReferences(answer),
    type: readType(answer),
    authors: listAt(answer, 'authorships').flatMap((authorship) => {
      const name = textAt(authorship, 'author', 'display_name')
      return readName(name ?? textAt(authorship, 'raw_author_name') ?? '') ?? []
    }),
    venue: plain(textAt(source, 'display_name')),
    ...readDate(answer),
    doi: normalizeDoi(textAt(answer, 'doi') ?? ''),
    openAlexId: normalizeOpenAlex(textAt(answer, 'id') ?? ''),
    arxivId: readArxiv(answer),
    issn: textAt(source, 'issn_l'),
    url: /^https?:\/\//i.test(url) ? url : null,
    volume: textAt(answer, 'biblio', 'volume'),
    issue: textAt(answer, 'biblio', 'issue'),
    pages: pages.join('-') || null,
    // The host of a repository is not a publisher.
    publisher: isRepository ? null : plain(textAt(source, 'host_organization_name')),
    language: textAt(answer, 'language'),
  }
}

/** OpenAlex stores an abstract as its words, each with its positions. */
export function readAbstract(index: unknown): string | null {
  if (typeof index !== 'object' || index === null) return null
  const words = Object.entries(index).flatMap(([word, positions]) =>
    (Array.isArray(positions) ? positions : [])
      .filter((position): position is number => Number.isFinite(position))
      .map((position) => ({ position, word })),
  )
  const sorted = words.sort((a, b) => a.position - b.position).map(({ word }) => word)
  return sorted.join(' ').trim().toWellFormed() || null
}

function readType(answer: unknown): WorkType {
  const type = TYPES.read(textAt(answer, 'type') ?? '')
  // OpenAlex calls a conference paper an article.
  const isConference =
    textAt(answer, 'primary_location', 'source', 'type') === 'conference' ||
    /proceedings|conference/i.test(textAt(answer, 'primary_location', 'raw_type') ?? '')
  return type === 'article' && isConference ? 'conference' : type
}

function readDate(answer: unknown): Pick<Work, 'year' | 'published'> {
  const [, date = null] =
    /^(\d{4}-\d{2}-\d{2})/.exec(textAt(answer, 'publication_date') ?? '') ?? []
  const given = Number(textAt(answer, 'publication_year') ?? date?.slice(0, 4) ?? Number.NaN)
  const year = Number.isInteger(given) && given > 0 && given < 10_000 ? given : null
  // OpenAlex writes the first of January if it knows only the year.
  const isExact = date?.slice(0, 4) === String(year) && !date.endsWith('-01-01')
  return { year, published: isExact ? date : (year?.toString() ?? null) }
}

function readArxiv(answer: unknown): string | null {
  const locations = [valueAt(answer, 'primary_location'), ...listAt(answer, 'locations')]
  const written = [
    textAt(answer, 'doi'),
    ...locations.flatMap((at) => [textAt(at, 'landing_page_url'), textAt(at, 'pdf_url')]),
  ]
  return written.map((text) => normalizeArxiv(text ?? '')).find((id) => id !== null) ?? null
}

function readTags(answer: unknown): readonly string[] {
  const keywords = listAt(answer, 'keywords')
  const tags = (keywords.length > 0 ? keywords : listAt(answer, 'topics')).map(
    (each) => plain(textAt(each, 'display_name') ?? textAt(each, 'keyword'))?.toLowerCase() ?? '',
  )
  return [...new Set(tags)].filter((tag) => tag !== '').slice(0, MAX_TAGS)
}

function readReferences(answer: unknown): readonly string[] {
  const ids = listAt(answer, 'referenced_works').flatMap((id) =>
    typeof id === 'string' ? (normalizeOpenAlex(id) ?? []) : [],
  )
  return [...new Set(ids)].map((id) => `openalex:${id}`)
}

const MARKUP =
  /<\/?(?:i|b|em|strong|u|sub|sup|scp|sc|tt|p|br|span|title|sec|\w+:\w+)(?:\s[^<>]*)?\/?>/gi
const ENTITIES = new Map(
  Object.entries({ lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'", nbsp: ' ', amp: '&' }),
)

/** Publishers deliver titles with HTML markup. */
function plain(text: string | null): string | null {
  const bare = (text ?? '')
    .replace(MARKUP, (tag) => (/^<\/?(?:p|br|title|sec|jats:\w+)\b/i.test(tag) ? ' ' : ''))
    .replace(/&(#39|[a-z]+);/gi, (whole, name) => ENTITIES.get(name.toLowerCase()) ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
  return bare === '' ? null : bare
}

/** Begin a family name wherever they stand before its last word, in any case. */
const PARTICLES =
  /^(?:van|von|vom|zu|zum|zur|der|den|het|de|del|della|dei|degli|di|du|des|ter|ten|la|las|los|ó|ní|nic|uí)$/iu
/** Also given or family names, so only in lower case: "Bin Li", "Da Silva". */
const PARTICLES_IN_LOWER_CASE = /^(?:da|das|do|dos|le|al|el|bin|ibn|ben|af|av|y|e)$/
const SUFFIX = /^(?:jr|sr|ii|iii|iv)\.?$/i
const GROUP =
  /\b(?:collaboration|consortium|group|team|network|committee|society|association|university|institute|initiative|project|organi[sz]ation|working party)\b/i

/** @example readName('Ludwig van Beethoven') // { family: 'van Beethoven', given: 'Ludwig' } */
export function readName(name: string): PersonName | null {
  const written = name.replace(/\s+/g, ' ').trim()
  if (written === '') return null
  if (GROUP.test(written)) return { family: written, given: null }
  const [, beforeComma, afterComma = ''] = /^([^,]+), *([^,]+)$/.exec(written) ?? []
  if (beforeComma !== undefined && !SUFFIX.test(afterComma)) {
    return { family: beforeComma.trim(), given: afterComma.trim() }
  }
  const words = written.split(' ')
  let start = words.length - 1
  while (start > 0 && SUFFIX.test(words[start] ?? '')) start--
  // The first word is never taken for a particle: "Van Nguyen", "De Wang".
  while (start > 1 && isParticle(words[start - 1] ?? '')) start--
  return { family: words.slice(start).join(' '), given: words.slice(0, start).join(' ') || null }
}

function isParticle(word: string): boolean {
  return PARTICLES.test(word) || PARTICLES_IN_LOWER_CASE.test(word)
}
