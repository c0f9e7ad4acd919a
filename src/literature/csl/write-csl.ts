/** What is written here is CSL-JSON to citation processors, and to Cairn the same works again. */

import type { PersonName, Work } from '../../core/work.js'
import { assignKeys } from '../citation-keys.js'
import { dateParts } from '../dates.js'
import { cslTypeOf } from './csl-types.js'

export function writeCsl(works: readonly Work[]): string {
  const keys = assignKeys(works)
  const items = works.map((work, i) => itemOf(work, keys[i] ?? ''))
  return `${JSON.stringify(items, null, 2)}\n`
}

function itemOf(work: Work, key: string): Record<string, unknown> {
  const isInstitution = work.type === 'thesis' || work.type === 'report'
  const parts = dateParts(work)
  return withoutEmpty({
    id: key,
    'citation-key': key,
    type: cslTypeOf(work.type),
    title: work.title,
    author: work.authors.map(nameOf),
    editor: work.editors.map(nameOf),
    'container-title': work.venue,
    issued: parts.length === 0 ? null : { 'date-parts': [parts] },
    volume: work.volume,
    issue: work.issue,
    page: work.pages,
    publisher: isInstitution ? work.institution : work.publisher,
    'publisher-place': work.place,
    'collection-title': work.series,
    edition: work.edition,
    DOI: work.doi,
    archive: work.arxivId === null ? null : 'arXiv',
    archive_location: work.arxivId,
    ISBN: work.isbn,
    ISSN: work.issn,
    URL: work.url,
    language: work.language,
    keyword: work.tags.join(', '),
    note: work.note,
    abstract: work.abstract,
    custom: customOf(work, isInstitution),
  })
}

/** CSL's place for what it has no variable for; a tag with a comma would not survive `keyword`. */
function customOf(work: Work, isInstitution: boolean): Record<string, unknown> | null {
  const custom = withoutEmpty({
    openalex: work.openAlexId,
    tags: work.tags,
    references: work.references,
    ...(isInstitution ? { publisher: work.publisher } : { institution: work.institution }),
  })
  return Object.keys(custom).length === 0 ? null : custom
}

function withoutEmpty(item: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown): boolean =>
    value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(item).filter(([, value]) => !isEmpty(value)))
}

/** A group, or a name that cannot be taken apart, is a `literal`. */
function nameOf({ family, given }: PersonName): Record<string, string> {
  if (given === null) return { literal: family }
  const cut = given.lastIndexOf(', ')
  // A suffix stands directly behind its comma, and the comma behind the name: else they are not put together again.
  if (cut <= 0 || given[cut - 1] === ' ') return { family, given }
  return { family, given: given.slice(0, cut), suffix: given.slice(cut + 2) }
}
