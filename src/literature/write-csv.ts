/** A table that any spreadsheet opens, in which no cell is a formula. */

import type { PersonName, Work } from '../core/work.js'
import { assignKeys } from './citation-keys.js'

type Column = readonly [string, (work: Work, key: string) => string | number | null]

const COLUMNS: readonly Column[] = [
  ['key', (_, key) => key],
  ['type', (work) => work.type],
  ['title', (work) => work.title],
  ['authors', (work) => people(work.authors)],
  ['editors', (work) => people(work.editors)],
  ['year', (work) => work.year],
  ['published', (work) => work.published],
  ['venue', (work) => work.venue],
  ['volume', (work) => work.volume],
  ['issue', (work) => work.issue],
  ['pages', (work) => work.pages],
  ['publisher', (work) => work.publisher],
  ['place', (work) => work.place],
  ['series', (work) => work.series],
  ['edition', (work) => work.edition],
  ['institution', (work) => work.institution],
  ['doi', (work) => work.doi],
  ['arxiv', (work) => work.arxivId],
  ['openalex', (work) => work.openAlexId],
  ['isbn', (work) => work.isbn],
  ['issn', (work) => work.issn],
  ['url', (work) => work.url],
  ['language', (work) => work.language],
  ['tags', (work) => work.tags.join('; ')],
  ['note', (work) => work.note],
  ['abstract', (work) => work.abstract],
]

/** RFC 4180: a header, a line for each work, quotes where they are needed. */
export function writeCsv(works: readonly Work[]): string {
  const keys = assignKeys(works)
  const rows = works.map((work, i) => COLUMNS.map(([, read]) => cell(read(work, keys[i] ?? ''))))
  return [COLUMNS.map(([name]) => name), ...rows].map((row) => `${row.join(',')}\r\n`).join('')
}

function people(names: readonly PersonName[]): string {
  return names
    .map(({ family, given }) => (given === null ? family : `${family}, ${given}`))
    .join('; ')
}

/** An apostrophe keeps a spreadsheet from computing what begins like a formula. */
function cell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
