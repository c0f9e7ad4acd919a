/** What is written here is read by BibTeX, biblatex and Cairn as the same work. */

import type { Work } from '../../core/work.js'
import { assignKeys } from '../citation-keys.js'
import { dateParts, joinDate, monthMacro } from '../dates.js'
import { tidyLine, tidyParagraphs } from '../tidy.js'
import { entryTypeOf, typeOfEntry } from './entry-types.js'
import { textToLatex } from './latex-text.js'
import { writeNames } from './names.js'

export function writeBibtex(works: readonly Work[]): string {
  const keys = assignKeys(works)
  return works.map((work, i) => writeEntry(work, keys[i] ?? 'work')).join('\n')
}

function writeEntry(work: Work, key: string): string {
  const entryType = entryTypeOf(work.type)
  const fields = fieldsOf(work)
  // Said only where a reader would take it for something else: a preprint that is not on arXiv.
  const readAs = typeOfEntry(entryType, new Map(fields), work.arxivId)
  if (readAs !== work.type) fields.push(['entrysubtype', work.type])
  const lines = fields.map(([name, value]) =>
    name === 'month' ? `  month = ${value},` : `  ${name} = {${value}},`,
  )
  return `@${entryType}{${key},\n${lines.join('\n')}\n}\n`
}

function fieldsOf(work: Work): [string, string][] {
  const date = dateParts(work)
  const [year, month, day] = date
  const isInBook = work.type === 'conference' || work.type === 'chapter'
  const fields: readonly (readonly [string, string | null])[] = [
    ['title', latex(work.title)],
    ['author', writeNames(work.authors)],
    ['editor', writeNames(work.editors)],
    [isInBook ? 'booktitle' : 'journal', latex(work.venue)],
    ['year', year === undefined ? null : String(year)],
    ['month', month === undefined ? null : monthMacro(month)],
    ['date', day === undefined ? null : joinDate(date, '-')],
    ['volume', latex(work.volume)],
    ['number', latex(work.issue)],
    ['pages', latex(work.pages)?.replace(/-(?:\{\})?/g, '--') ?? null],
    ['publisher', latex(work.publisher)],
    ['address', latex(work.place)],
    ['series', latex(work.series)],
    ['edition', latex(work.edition)],
    [work.type === 'thesis' ? 'school' : 'institution', latex(work.institution)],
    ['doi', link(work.doi)],
    ['eprint', link(work.arxivId)],
    ['archiveprefix', work.arxivId === null ? null : 'arXiv'],
    ['openalex', work.openAlexId],
    ['isbn', latex(work.isbn)],
    ['issn', latex(work.issn)],
    ['url', link(work.url)],
    ['language', latex(work.language)],
    ['keywords', work.tags.map(writeTag).join(', ')],
    ['note', paragraphs(work.note)],
    ['abstract', paragraphs(work.abstract)],
  ]
  return fields.flatMap(([name, value]) => (value ? [[name, value]] : []))
}

function latex(text: string | null): string | null {
  const line = tidyLine(text)
  return line === null ? null : textToLatex(line)
}

/** Indented, so that no line of a text begins like an entry. */
function paragraphs(text: string | null): string | null {
  const tidy = tidyParagraphs(text)
  return tidy === null ? null : textToLatex(tidy).replaceAll('\n\n', '\n\n  ')
}

/** Addresses stand as they are, unless that would confuse the braces. */
function link(text: string | null): string | null {
  return text !== null && /[\\{}]/.test(text) ? textToLatex(text) : text
}

function writeTag(tag: string): string {
  return /[,;]/.test(tag) ? `{${textToLatex(tag)}}` : textToLatex(tag)
}
