/** What a caller wants is checked and put into OpenAlex's own words before anything is sent. */

import { badInput } from '../../core/errors.js'
import type { Work } from '../../core/work.js'
import { type Identifier, makeArxivDoi, readIdentifier } from '../identifiers.js'

export function readId(text: string): Identifier {
  const id = readIdentifier(text)
  if (id !== null) return id
  throw badInput(
    `"${text.slice(0, 100)}" is no DOI, OpenAlex id or arXiv id.`,
    'Give it like 10.1000/182, W2741809807 or arXiv:1706.03762.',
  )
}

/** The identifier by which OpenAlex is most likely to know a work. */
export function identifierOf({ openAlexId, doi, arxivId, title }: Work): Identifier {
  if (openAlexId !== null) return { kind: 'openalex', value: openAlexId }
  if (doi !== null) return { kind: 'doi', value: doi }
  if (arxivId !== null) return { kind: 'arxiv', value: arxivId }
  throw badInput(
    `"${title.slice(0, 100)}" has no DOI, OpenAlex id or arXiv id.`,
    'OpenAlex can only be asked about works that have one: add it, or search by the title.',
  )
}

/** Null for a DOI that would lead out of its folder; no such DOI was ever given away. */
export function pathOf(id: Identifier): string | null {
  if (id.kind === 'openalex') return `/works/${id.value}`
  const parts = (id.kind === 'arxiv' ? makeArxivDoi(id.value) : id.value).split('/')
  if (parts.some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return null
  return `/works/doi:${parts.map(encodeURIComponent).join('/')}`
}

export function readLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit
  throw badInput(`The limit ${limit} is not a whole number of works.`)
}

export function searchParams(
  query: string,
  {
    filter = '',
    fromDate,
  }: { readonly filter?: string | undefined; readonly fromDate?: string | undefined },
): Readonly<Record<string, string>> {
  const search = query.replace(/\s+/g, ' ').trim().toWellFormed()
  const filters = [filter.trim(), fromDate === undefined ? '' : fromFilter(fromDate)]
  const joined = filters.filter((each) => each !== '').join(',')
  if (search === '' && filter.trim() === '') {
    throw badInput('The search for works is empty.', 'Give some words, or a filter.')
  }
  return {
    ...(search === '' ? {} : { search }),
    ...(joined === '' ? {} : { filter: joined }),
  }
}

function fromFilter(date: string): string {
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(date) ?? []
  if (year === undefined) {
    throw badInput(
      `"${date.slice(0, 100)}" is not a date.`,
      'Give it like 2019, 2019-07 or 2019-07-28.',
    )
  }
  return `from_publication_date:${year}-${month}-${day}`
}
