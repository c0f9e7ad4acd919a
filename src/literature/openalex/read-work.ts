/** Whatever OpenAlex says of a work is read as far as it can be, and no missing field is an error. */

import type { PersonName, Work, WorkType } from '../../core/work.js'
import { NO_DETAILS } from '../../core/work.js'
import { normalizeArxiv, normalizeDoi, normalizeOpenAlex } from '../identifiers.js'
import { listAt, textAt, valueAt } from './json.js'
import { readName } from './read-name.js'

/** The fields that are read below; nothing else is asked for. */
export const FIELDS = [
  'id',
  'doi',
  'title',
  'display_name',
  'publication_year',
  'publication_date',
  'type',
  'language',
  'authorships',
  'primary_location',
  'locations',
  'biblio',
  'keywords',
  'topics',
  'referenced_works',
  'abstract_inverted_index',
] as const

const MAX_TAGS = 5

const TYPES: ReadonlyMap<string, WorkType> = new Map([
  ['article', 'article'],
  ['review', 'article'],
  ['letter', 'article'],
  ['editorial', 'article'],
  ['erratum', 'article'],
  ['preprint', 'preprint'],
  ['book', 'book'],
  ['book-chapter', 'chapter'],
  ['reference-entry', 'chapter'],
  ['dissertation', 'thesis'],
  ['report', 'report'],
  ['standard', 'report'],
  ['dataset', 'dataset'],
  ['software', 'software'],
])

/** Null where it has no title: there is nothing to show and nothing to search. */
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
    // The host of a repository published nothing.
    publisher: isRepository ? null : plain(textAt(source, 'host_organization_name')),
    language: textAt(answer, 'language'),
  }
}

/** Words with their places become the text again. */
export function readAbstract(index: unknown): string | null {
  if (typeof index !== 'object' || index === null) return null
  const placed = Object.entries(index).flatMap(([word, places]) =>
    (Array.isArray(places) ? places : [])
      .filter((place): place is number => Number.isFinite(place))
      .map((place) => ({ place, word })),
  )
  const text = placed
    .sort((a, b) => a.place - b.place)
    .map(({ word }) => word)
    .join(' ')
    .trim()
  return text === '' ? null : text.toWellFormed()
}

function readType(answer: unknown): WorkType {
  const type = TYPES.get(textAt(answer, 'type') ?? '') ?? 'other'
  // OpenAlex calls a paper of a conference an article; where it appeared tells.
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

function readDate(answer: unknown): {
  readonly year: number | null
  readonly published: string | null
} {
  const [, date = null] =
    /^(\d{4}-\d{2}-\d{2})/.exec(textAt(answer, 'publication_date') ?? '') ?? []
  const given = Number(textAt(answer, 'publication_year') ?? date?.slice(0, 4) ?? Number.NaN)
  const year = Number.isInteger(given) && given > 0 && given < 10_000 ? given : null
  // OpenAlex writes the first of January where it knows the year alone.
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
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&apos;': "'",
    '&nbsp;': ' ',
    '&amp;': '&',
  }),
)

/** Publishers deliver titles with the markup of their pages. */
function plain(text: string | null): string | null {
  const bare = (text ?? '')
    .replace(MARKUP, (tag) => (/^<\/?(?:p|br|title|sec|jats:\w+)\b/i.test(tag) ? ' ' : ''))
    .replace(
      /&(?:lt|gt|quot|#39|apos|nbsp|amp);/gi,
      (entity) => ENTITIES.get(entity.toLowerCase()) ?? entity,
    )
    .replace(/\s+/g, ' ')
    .trim()
  return bare === '' ? null : bare
}
