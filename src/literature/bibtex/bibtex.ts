/** Reads works from BibTeX and biblatex, and writes BibTeX that both and Cairn read as the same works. */

import { type PersonName, WORK_TYPES, type Work, type WorkType } from '../../core/work.js'
import { normalizeOpenAlex } from '../identifiers.js'
import {
  chooseDate,
  findArxivId,
  joinDate,
  makeDate,
  type Published,
  parseDate,
  parseMonth,
  printMonth,
  readDoiUrl,
  splitDate,
  tidyArxivId,
  tidyDoi,
  tidyLine,
  tidyPages,
  tidyParagraphs,
  tidyTags,
} from '../work-fields.js'
import {
  acceptWork,
  assignKeys,
  createTypeTable,
  type ReadWork,
  type SkippedWork,
} from '../works-file.js'
import { isBalanced, isWrapped, latexToText, splitOutsideBraces, textToLatex } from './latex.js'
import { type BibtexEntry, parseBibtex } from './parse-bibtex.js'
import type { Fields } from './parse-fields.js'

const ENTRY_TYPES = createTypeTable({
  article: 'article suppperiodical review',
  conference: 'inproceedings conference',
  book: 'book mvbook booklet proceedings mvproceedings collection mvcollection reference mvreference',
  chapter: 'incollection inbook inreference bookinbook suppbook suppcollection',
  thesis: 'phdthesis mastersthesis bathesis thesis',
  report: 'techreport report manual',
  preprint: 'misc unpublished preprint',
  dataset: 'dataset data',
  software: 'software',
  webpage: 'online electronic www webpage',
  other: 'misc',
})

const AUXILIARY: ReadonlySet<string> = new Set(['xdata', 'set', 'control'])

export function* listBibtex(text: string): Generator<ReadWork | SkippedWork, void> {
  const { entries, skipped } = parseBibtex(text)
  yield* skipped
  for (const entry of entries) if (!AUXILIARY.has(entry.type)) yield readEntry(entry)
}

function readEntry(entry: BibtexEntry): ReadWork | SkippedWork {
  return acceptWork(toWork(entry), entry.key ?? `@${entry.type}`, entry.line)
}

function toWork({ type, key, fields }: BibtexEntry): Work {
  const line = (...names: string[]): string | null => tidyLine(latexToText(first(fields, names)))
  const url = readUrl(fields)
  const arxivId = readArxivId(fields, url)
  return {
    type: readEntryType(type, fields, arxivId),
    ...readTitles(fields),
    authors: readNames(fields.get('author')),
    editors: readNames(fields.get('editor')),
    ...readPublished(fields),
    doi: tidyDoi(readVerbatim(fields, 'doi')) ?? readDoiUrl(url),
    openAlexId: normalizeOpenAlex(line('openalex') ?? ''),
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
    bibtexTitle: readProtectedTitle(fields),
    abstract: tidyParagraphs(latexToText(fields.get('abstract') ?? '')),
    tags: readTags(fields),
    references: [],
  }
}

/** `@misc` with an arXiv id is a preprint, and so is an article in "arXiv preprint" or "CoRR". */
function readEntryType(entryType: string, fields: Fields, arxivId: string | null): WorkType {
  const stated = fields.get('entrysubtype')?.trim().toLowerCase()
  const subtype = WORK_TYPES.find((type) => type === stated)
  if (subtype !== undefined) return subtype
  const type = ENTRY_TYPES.read(entryType)
  if (type === 'other') return arxivId === null ? 'other' : 'preprint'
  const journal = first(fields, ['journal', 'journaltitle'])
  const isRepository = /^\W*(?:arxiv\b|corr\W*$|biorxiv|medrxiv|ssrn\b)/i.test(journal)
  return type === 'article' && isRepository ? 'preprint' : type
}

function first(fields: Fields, names: readonly string[]): string {
  return names.map((name) => fields.get(name)).find((value) => value !== undefined) ?? ''
}

function readVerbatim(fields: Fields, name: string): string | null {
  return tidyLine(latexToText(fields.get(name)?.trim() ?? '', 'verbatim'))
}

/** An entry without a title, as some proceedings are, takes that of its book. */
function readTitles(fields: Fields): Pick<Work, 'title' | 'venue'> {
  const title = readTitle(fields, 'title', 'subtitle')
  const book = readTitle(fields, 'booktitle', 'booksubtitle')
  const journal =
    readTitle(fields, 'journaltitle', 'journalsubtitle') ?? readTitle(fields, 'journal')
  const event = readTitle(fields, 'eventtitle')
  if (title === null) return { title: book ?? '', venue: journal ?? event }
  return { title, venue: journal ?? book ?? event }
}

/** Kept only if it has braces that we would not write: they mark capitals that a style must keep. */
function readProtectedTitle(fields: Fields): string | null {
  const title = tidyLine(fields.get('title'))
  if (title === null || !title.includes('{') || fields.has('subtitle')) return null
  return title === writeLine(latexToText(title)) ? null : title
}

function readTitle(fields: Fields, name: string, subName = ''): string | null {
  const title = tidyLine(latexToText(fields.get(name) ?? ''))
  const subtitle = tidyLine(latexToText(fields.get(subName) ?? ''))
  if (title === null || subtitle === null) return title
  return /[.:?!]$/.test(title) ? `${title} ${subtitle}` : `${title}: ${subtitle}`
}

function readPublished(fields: Fields): Published {
  const text = (name: string): string => latexToText(fields.get(name) ?? '')
  const byYear = parseDate(text('year'))
  const { month, day } = parseMonth(text('month'))
  const byMonth = makeDate(byYear.year ?? 0, month, day ?? Number(text('day')))
  return chooseDate([parseDate(text('date')), byMonth, byYear])
}

/** Before BibTeX had a field for addresses, they were written as `howpublished = {\url{…}}`. */
function readUrl(fields: Fields): string | null {
  const url = readVerbatim(fields, 'url')
  if (url !== null) return url
  return /\bhttps?:\/\/[^\s{}]+/.exec(readVerbatim(fields, 'howpublished') ?? '')?.[0] ?? null
}

function readArxivId(fields: Fields, url: string | null): string | null {
  const archive = first(fields, ['eprinttype', 'archiveprefix']).trim().toLowerCase()
  const isArxiv = archive === '' || archive === 'arxiv'
  // DBLP writes `journal = {CoRR}, volume = {abs/1706.03762}`.
  const volume = /^\W*corr\W*$/i.test(fields.get('journal') ?? '') ? fields.get('volume') : null
  return (
    (isArxiv ? tidyArxivId(readVerbatim(fields, 'eprint')) : null) ??
    tidyArxivId(fields.get('arxivid')) ??
    findArxivId(readVerbatim(fields, 'doi')) ??
    findArxivId(url) ??
    tidyArxivId(volume) ??
    findArxivId(first(fields, ['journal', 'journaltitle', 'howpublished']))
  )
}

function readNote(fields: Fields): string | null {
  const written = first(fields, ['note', 'annote', 'annotation', 'addendum'])
  const note = tidyParagraphs(latexToText(written))
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

/** `Ludwig van Beethoven and {World Health Organization}` → two names. */
function readNames(source: string | undefined): PersonName[] {
  // One space at a time: the pattern looks at all that follow, from each of them.
  const names = splitOutsideBraces(tidyLine(source) ?? '', / and(?= )/iy)
  return names.flatMap((name) => readName(name.trim()) ?? [])
}

function readName(source: string): PersonName | null {
  if (isWrapped(source)) return makeName(source, null)
  const parts = splitOutsideBraces(source, /,/y).map((part) => part.trim())
  if (/^(?:family|given|prefix|suffix|useprefix|given-i)\s*=/i.test(source)) {
    return readLabelledName(parts)
  }
  const [family = '', second = '', ...given] = parts
  if (parts.length === 1) return readPlainName(source)
  return given.length === 0 ? makeName(family, second) : makeName(family, given.join(', '), second)
}

/** biblatex's form: `family=Berg, given=Jan, prefix=van der`. */
function readLabelledName(parts: readonly string[]): PersonName | null {
  const labelled = new Map(
    parts.map((part) => {
      const cut = part.indexOf('=')
      return [part.slice(0, cut).trim().toLowerCase(), part.slice(cut + 1).trim()]
    }),
  )
  const family = [labelled.get('prefix'), labelled.get('family')].filter(Boolean).join(' ')
  return makeName(family, labelled.get('given') ?? '', labelled.get('suffix'))
}

/** "First von Last": the family name begins at the first word in lower case, or else is the last word. */
function readPlainName(source: string): PersonName | null {
  const words = splitOutsideBraces(source, /[\s~]+/y).filter((word) => word !== '')
  const particle = words.findIndex(isLowerCase)
  const cut = particle === -1 || words.every(isLowerCase) ? words.length - 1 : particle
  return makeName(words.slice(cut).join(' '), words.slice(0, cut).join(' '))
}

function isLowerCase(word: string): boolean {
  if (word.startsWith('{') && !word.startsWith('{\\')) return false
  const letter = /\p{L}/u.exec(latexToText(word))?.[0] ?? ''
  return letter !== letter.toUpperCase()
}

/** A suffix follows the given name: `King, Jr., Martin Luther` → `Martin Luther, Jr.` */
function makeName(family: string, given: string | null, suffix?: string): PersonName | null {
  const familyText = tidyLine(latexToText(family))
  const rest = [given, suffix].flatMap((part) => tidyLine(latexToText(part ?? '')) ?? []).join(', ')
  if (familyText !== null) return { family: familyText, given: rest || null }
  return rest === '' ? null : { family: rest, given: null }
}

export function writeBibtex(works: readonly Work[]): string {
  const keys = assignKeys(works)
  return works.map((work, i) => writeEntry(work, keys[i] ?? 'work')).join('\n')
}

function writeEntry(work: Work, key: string): string {
  const entryType = ENTRY_TYPES.write(work.type)
  const fields = listFields(work)
  // Needed only if a reader would find another type, as for a preprint that is not on arXiv.
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
    ['title', writeTitle(work)],
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

/** With the braces it came with, unless the title was changed since. */
function writeTitle({ title, bibtexTitle }: Work): string | null {
  const isSame = tidyLine(latexToText(bibtexTitle ?? '')) === tidyLine(title)
  return bibtexTitle !== null && isSame && isBalanced(bibtexTitle) ? bibtexTitle : writeLine(title)
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

/** Escapes an address only if it would unbalance the braces. */
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
  // Reading joins given name and suffix with ", ": a space before the comma would be lost.
  const hasSuffix = cut > 0 && given[cut - 1] !== ' ' && cut + 2 < given.length
  const parts = hasSuffix ? [family, given.slice(cut + 2), given.slice(0, cut)] : [family, given]
  return parts.map(protect).join(', ')
}

/** Braces keep a comma or an "and" from splitting a name. */
function protect(part: string): string {
  const latex = textToLatex(part)
  return /[,=]|(?:^|\s)and(?:\s|$)/i.test(part) ? `{${latex}}` : latex
}
