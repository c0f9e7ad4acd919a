/** Writes works as BibTeX that BibTeX, biblatex and Cairn read as the same works. */

import type { PersonName, Work } from '../../core/work.js'
import { joinDate, printMonth, splitDate, tidyLine, tidyParagraphs } from '../work-fields.js'
import { assignKeys } from '../works-file.js'
import { textToLatex } from './latex.js'
import { ENTRY_TYPES, readEntryType } from './read-bibtex.js'

export function writeBibtex(works: readonly Work[]): string {
  const keys = assignKeys(works)
  return works.map((work, i) => writeEntry(work, keys[i] ?? 'work')).join('\n')
}

function writeEntry(work: Work, key: string): string {
  const entryType = ENTRY_TYPES.write(work.type)
  const fields = listFields(work)
  // Only needed where a reader would find another type: a preprint that is not on arXiv.
  const readAs = readEntryType(entryType, new Map(fields), work.arxivId)
  if (readAs !== work.type) fields.push(['entrysubtype', work.type])
  const lines = fields.map(([name, value]) =>
    name === 'month' ? `  month = ${value},` : `  ${name} = {${value}},`,
  )
  return `@${entryType}{${key},\n${lines.join('\n')}\n}\n`
}

function listFields(work: Work): [string, string][] {
  const date = splitDate(work)
  const [year, month, day] = date
  const isInBook = work.type === 'conference' || work.type === 'chapter'
  const fields: readonly (readonly [string, string | null])[] = [
    ['title', writeLine(work.title)],
    ['author', work.authors.map(writeName).join(' and ')],
    ['editor', work.editors.map(writeName).join(' and ')],
    [isInBook ? 'booktitle' : 'journal', writeLine(work.venue)],
    ['year', year === undefined ? null : String(year)],
    ['month', month === undefined ? null : printMonth(month)],
    ['date', day === undefined ? null : joinDate(date, '-')],
    ['volume', writeLine(work.volume)],
    ['number', writeLine(work.issue)],
    ['pages', writeLine(work.pages)?.replace(/-(?:\{\})?/g, '--') ?? null],
    ['publisher', writeLine(work.publisher)],
    ['address', writeLine(work.place)],
    ['series', writeLine(work.series)],
    ['edition', writeLine(work.edition)],
    [work.type === 'thesis' ? 'school' : 'institution', writeLine(work.institution)],
    ['doi', writeAddress(work.doi)],
    ['eprint', writeAddress(work.arxivId)],
    ['archiveprefix', work.arxivId === null ? null : 'arXiv'],
    ['openalex', work.openAlexId],
    ['isbn', writeLine(work.isbn)],
    ['issn', writeLine(work.issn)],
    ['url', writeAddress(work.url)],
    ['language', writeLine(work.language)],
    ['keywords', work.tags.map(writeTag).join(', ')],
    ['note', writeParagraphs(work.note)],
    ['abstract', writeParagraphs(work.abstract)],
  ]
  return fields.flatMap(([name, value]) => (value ? [[name, value]] : []))
}

function writeLine(text: string | null): string | null {
  const line = tidyLine(text)
  return line === null ? null : textToLatex(line)
}

/** Indented, so that no line of a text begins like an entry. */
function writeParagraphs(text: string | null): string | null {
  const tidy = tidyParagraphs(text)
  return tidy === null ? null : textToLatex(tidy).replaceAll('\n\n', '\n\n  ')
}

/** Addresses are only escaped where they would unbalance the braces. */
function writeAddress(text: string | null): string | null {
  return text !== null && /[\\{}]/.test(text) ? textToLatex(text) : text
}

function writeTag(tag: string): string {
  return /[,;]/.test(tag) ? `{${textToLatex(tag)}}` : textToLatex(tag)
}

function writeName({ family, given }: PersonName): string {
  if (given === null)
    return /[\s,~=]|^and$/i.test(family) ? `{${textToLatex(family)}}` : textToLatex(family)
  const cut = given.lastIndexOf(', ')
  const hasSuffix = cut > 0 && cut + 2 < given.length
  const parts = hasSuffix ? [family, given.slice(cut + 2), given.slice(0, cut)] : [family, given]
  return parts.map(protect).join(', ')
}

/** Braces keep a comma or an "and" from splitting a name. */
function protect(part: string): string {
  const latex = textToLatex(part)
  return /[,=]|(?:^|\s)and(?:\s|$)/i.test(part) ? `{${latex}}` : latex
}
