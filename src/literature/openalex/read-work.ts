/** Reads a work and the names of its authors from OpenAlex's JSON; a missing or malformed field is never an error. */

import { textAt as findText, listAt, valueAt } from '../../core/json-fields.js'
import { NO_DETAILS, type PersonName, type Work, type WorkType } from '../../core/work.js'
import { normalizeArxiv, normalizeDoi, normalizeOpenAlex } from '../identifiers.js'
import { createTypeTable } from '../works-file.js'

/** The fields that are read below; no others are requested. */
export const FIELDS: readonly string[] =
  `id doi title display_name publication_year publication_date type language authorships primary_location locations
  biblio keywords topics referenced_works abstract_inverted_index`.split(/\s+/)

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

/** Null where it has no title. */
export function readWork(answer: unknown): Work | null {
  const title = plain(textAt(answer, 'title') ?? textAt(answer, 'display_name'))
  if (title === null) return null
  const source = valueAt(answer, 'primary_location', 'source')
  const isRepository = textAt(source, 'type') === 'repository'
  const { year, published } = readDate(answer)
  return {
    ...NO_DETAILS,
    title,
    abstract: plain(readAbstract(valueAt(answer, 'abstract_inverted_index'))),
    tags: readTags(answer),
    references: readReferences(answer),
    type: readType(answer),
    authors: readAuthors(answer),
    venue: plain(textAt(source, 'display_name')),
    year,
    published,
    doi: normalizeDoi(textAt(answer, 'doi') ?? ''),
    openAlexId: normalizeOpenAlex(textAt(answer, 'id') ?? ''),
    arxivId: readArxiv(answer),
    issn: textAt(source, 'issn_l'),
    url: readUrl(answer),
    volume: textAt(answer, 'biblio', 'volume'),
    issue: textAt(answer, 'biblio', 'issue'),
    pages: readPages(answer),
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
  const text = words
    .sort((a, b) => a.position - b.position)
    .map(({ word }) => word)
    .join(' ')
    .trim()
  return text === '' ? null : text.toWellFormed()
}

function readType(answer: unknown): WorkType {
  const type = TYPES.read(textAt(answer, 'type') ?? '')
  // OpenAlex calls a conference paper an article.
  const isConference =
    textAt(answer, 'primary_location', 'source', 'type') === 'conference' ||
    /proceedings|conference/i.test(textAt(answer, 'primary_location', 'raw_type') ?? '')
  return type === 'article' && isConference ? 'conference' : type
}

function readAuthors(answer: unknown): readonly PersonName[] {
  return listAt(answer, 'authorships').flatMap((authorship) => {
    const name =
      textAt(authorship, 'author', 'display_name') ?? textAt(authorship, 'raw_author_name')
    return (name === null ? null : readName(name)) ?? []
  })
}

function readDate(answer: unknown): Pick<Work, 'year' | 'published'> {
  const [, date = null] =
    /^(\d{4}-\d{2}-\d{2})/.exec(textAt(answer, 'publication_date') ?? '') ?? []
  const given = Number(textAt(answer, 'publication_year') ?? date?.slice(0, 4) ?? Number.NaN)
  const year = Number.isInteger(given) && given > 0 && given < 10_000 ? given : null
  // OpenAlex writes the first of January where it knows only the year.
  const isExact = date?.slice(0, 4) === String(year) && !date.endsWith('-01-01')
  return { year, published: isExact ? date : (year?.toString() ?? null) }
}

function readPages(answer: unknown): string | null {
  const first = textAt(answer, 'biblio', 'first_page')
  const last = textAt(answer, 'biblio', 'last_page')
  if (first === null || last === null || first === last) return first ?? last
  return `${first}-${last}`
}

function readArxiv(answer: unknown): string | null {
  const locations = [valueAt(answer, 'primary_location'), ...listAt(answer, 'locations')]
  const written = [
    textAt(answer, 'doi'),
    ...locations.flatMap((at) => [textAt(at, 'landing_page_url'), textAt(at, 'pdf_url')]),
  ]
  return written.map((text) => normalizeArxiv(text ?? '')).find((id) => id !== null) ?? null
}

function readUrl(answer: unknown): string | null {
  const url = textAt(answer, 'primary_location', 'landing_page_url')
  return url !== null && /^https?:\/\//i.test(url) ? url : null
}

function readTags(answer: unknown): readonly string[] {
  const names = (field: string) =>
    listAt(answer, field).flatMap(
      (each) => textAt(each, 'display_name') ?? textAt(each, 'keyword') ?? [],
    )
  const keywords = names('keywords')
  const tags = (keywords.length > 0 ? keywords : names('topics')).map((name) =>
    (plain(name) ?? '').toLowerCase(),
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
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  apos: "'",
  nbsp: ' ',
  amp: '&',
}

/** Publishers deliver titles with HTML markup. */
function plain(text: string | null): string | null {
  const bare = (text ?? '')
    .replace(MARKUP, (tag) => (/^<\/?(?:p|br|title|sec|jats:\w+)\b/i.test(tag) ? ' ' : ''))
    .replace(/&(lt|gt|quot|#39|apos|nbsp|amp);/gi, (_, name) => ENTITIES[name.toLowerCase()] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return bare === '' ? null : bare
}

/** Begin a family name wherever they stand before its last word, in any case. */
const PARTICLES = new Set(
  'van von vom zu zum zur der den het de del della dei degli di du des ter ten la las los ó ní nic uí'.split(
    ' ',
  ),
)
/** Also given or family names, so only in lower case: "Bin Li", "Da Silva". */
const PARTICLES_IN_LOWER_CASE = new Set('da das do dos le al el bin ibn ben af av y e'.split(' '))
const SUFFIX = /^(?:jr|sr|ii|iii|iv)\.?$/i
const GROUP =
  /\b(?:collaboration|consortium|group|team|network|committee|society|association|university|institute|initiative|project|organi[sz]ation|working party)\b/i

/** @example readName('Ludwig van Beethoven') // { family: 'van Beethoven', given: 'Ludwig' } */
export function readName(name: string): PersonName | null {
  const written = name.replace(/\s+/g, ' ').trim()
  if (written === '') return null
  if (GROUP.test(written)) return { family: written, given: null }
  const comma = /^([^,]+), *([^,]+)$/.exec(written)
  if (comma !== null && !SUFFIX.test(comma[2] ?? '')) {
    return { family: comma[1]?.trim() ?? '', given: comma[2]?.trim() ?? null }
  }
  const words = written.split(' ')
  const first = familyStart(words)
  const given = words.slice(0, first).join(' ')
  return { family: words.slice(first).join(' '), given: given === '' ? null : given }
}

/** Where the family name begins. The first word is never taken for a particle: "Van Nguyen", "De Wang". */
function familyStart(words: readonly string[]): number {
  let start = words.length - 1
  while (start > 0 && SUFFIX.test(words[start] ?? '')) start--
  while (start > 1 && isParticle(words[start - 1] ?? '')) start--
  return start
}

function isParticle(word: string): boolean {
  return PARTICLES.has(word.toLowerCase()) || PARTICLES_IN_LOWER_CASE.has(word)
}
