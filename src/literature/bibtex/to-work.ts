/** Each field of BibTeX and biblatex finds its place in a work. */

import type { Work } from '../../core/work.js'
import { mostExact, type Published, publishedOn, readDate, readMonth } from '../dates.js'
import {
  arxivIdWithin,
  tidyArxivId,
  tidyDoi,
  tidyLine,
  tidyOpenAlexId,
  tidyPages,
  tidyParagraphs,
  tidyTags,
} from '../tidy.js'
import { splitOutsideBraces } from './braces.js'
import type { BibtexEntry } from './crossref.js'
import { typeOfEntry } from './entry-types.js'
import { latexToText } from './latex-text.js'
import { readNames } from './names.js'
import type { Fields } from './parse-entry.js'

export function toWork({ type: entryType, key, fields }: BibtexEntry): Work {
  const line = (...names: string[]): string | null => tidyLine(latexToText(first(fields, names)))
  const url = readUrl(fields)
  const arxivId = readArxivId(fields, url)
  return {
    type: typeOfEntry(entryType, fields, arxivId),
    ...readTitles(fields),
    authors: readNames(fields.get('author')),
    editors: readNames(fields.get('editor')),
    ...readPublished(fields),
    doi: tidyDoi(verbatim(fields, 'doi')) ?? doiWithin(url),
    openAlexId: tidyOpenAlexId(line('openalex')),
    arxivId,
    isbn: line('isbn'),
    issn: line('issn'),
    url,
    citationKey: key,
    volume: line('volume'),
    issue: line('number', 'issue'),
    pages: tidyPages(line('pages', 'eid', 'articleno')),
    publisher: line('publisher'),
    place: line('address', 'location'),
    series: line('series'),
    edition: line('edition'),
    institution: line('institution', 'school', 'organization'),
    language: line('language', 'langid'),
    note: readNote(fields),
    abstract: tidyParagraphs(latexToText(fields.get('abstract') ?? '')),
    tags: readTags(fields),
    references: [],
  }
}

function first(fields: Fields, names: readonly string[]): string {
  for (const name of names) {
    const value = fields.get(name)
    if (value !== undefined) return value
  }
  return ''
}

function verbatim(fields: Fields, name: string): string | null {
  return tidyLine(latexToText(fields.get(name)?.trim() ?? '', 'verbatim'))
}

function doiWithin(url: string | null): string | null {
  return /^https?:\/\/(?:dx\.|www\.)?doi\.org\//i.test(url ?? '') ? tidyDoi(url) : null
}

/** An entry without a title of its own, as some proceedings are, is called after its book. */
function readTitles(fields: Fields): { readonly title: string; readonly venue: string | null } {
  const title = titled(fields, 'title', 'subtitle')
  const book = titled(fields, 'booktitle', 'booksubtitle')
  const journal = titled(fields, 'journaltitle', 'journalsubtitle') ?? titled(fields, 'journal', '')
  const event = titled(fields, 'eventtitle', '')
  if (title === null) return { title: book ?? '', venue: journal ?? event }
  return { title, venue: journal ?? book ?? event }
}

function titled(fields: Fields, name: string, subName: string): string | null {
  const title = tidyLine(latexToText(fields.get(name) ?? ''))
  const subtitle = tidyLine(latexToText(fields.get(subName) ?? ''))
  if (title === null || subtitle === null) return title
  return /[.:?!]$/.test(title) ? `${title} ${subtitle}` : `${title}: ${subtitle}`
}

function readPublished(fields: Fields): Published {
  const text = (name: string): string => latexToText(fields.get(name) ?? '')
  const byYear = readDate(text('year'))
  const { month, day } = readMonth(text('month'))
  const byMonth = publishedOn(byYear.year ?? 0, month, day ?? Number(text('day')))
  return mostExact([readDate(text('date')), byMonth, byYear])
}

/** `howpublished = {\url{…}}` is how BibTeX wrote addresses before it had a field for them. */
function readUrl(fields: Fields): string | null {
  const url = verbatim(fields, 'url')
  if (url !== null) return url
  return /\bhttps?:\/\/[^\s{}]+/.exec(verbatim(fields, 'howpublished') ?? '')?.[0] ?? null
}

function readArxivId(fields: Fields, url: string | null): string | null {
  const archive = first(fields, ['eprinttype', 'archiveprefix']).trim().toLowerCase()
  const eprint =
    archive === '' || archive === 'arxiv' ? tidyArxivId(verbatim(fields, 'eprint')) : null
  // DBLP writes `journal = {CoRR}, volume = {abs/1706.03762}`.
  const volume = /^\W*corr\W*$/i.test(fields.get('journal') ?? '') ? fields.get('volume') : null
  return (
    eprint ??
    tidyArxivId(fields.get('arxivid')) ??
    arxivIdWithin(verbatim(fields, 'doi')) ??
    arxivIdWithin(url) ??
    tidyArxivId(volume) ??
    arxivIdWithin(first(fields, ['journal', 'journaltitle', 'howpublished']))
  )
}

function readNote(fields: Fields): string | null {
  const note = tidyParagraphs(
    latexToText(first(fields, ['note', 'annote', 'annotation', 'addendum'])),
  )
  const how = tidyLine(latexToText(fields.get('howpublished') ?? ''))
  if (how === null || /^https?:\/\/\S+$/.test(how)) return note
  return note === null ? how : `${note}\n\n${how}`
}

function readTags(fields: Fields): string[] {
  const lists = ['keywords', 'keyword', 'tags', 'mendeley-tags'].flatMap((name) =>
    splitOutsideBraces(fields.get(name) ?? '', /[,;]/y),
  )
  return tidyTags(lists.map((tag) => latexToText(tag)))
}
