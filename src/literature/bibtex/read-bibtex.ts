/** Reads works from BibTeX and biblatex: maps entry types, fields and names. */

import { type PersonName, WORK_TYPES, type Work, type WorkType } from '../../core/work.js'
import { normalizeOpenAlex } from '../identifiers.js'
import {
  chooseDate,
  findArxivId,
  makeDate,
  type Published,
  parseDate,
  parseMonth,
  readDoiUrl,
  tidyArxivId,
  tidyDoi,
  tidyLine,
  tidyPages,
  tidyParagraphs,
  tidyTags,
} from '../work-fields.js'
import {
  acceptWork,
  collectWorks,
  createTypeTable,
  type ReadWork,
  type ReadWorks,
  type SkippedWork,
} from '../works-file.js'
import { isWrapped, latexToText, splitOutsideBraces } from './latex.js'
import { type BibtexEntry, type Fields, parseBibtex } from './parse-bibtex.js'

export const ENTRY_TYPES = createTypeTable({
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

/** @example const { works, skipped } = await readBibtex('@book{k, title = {On {G}raphs}, year = 2019}') */
export async function readBibtex(text: string): Promise<ReadWorks> {
  const { entries, skipped } = await parseBibtex(text)
  const works = entries.filter(({ type }) => !AUXILIARY.has(type)).map(readEntry)
  return collectWorks([...skipped, ...works])
}

function readEntry(entry: BibtexEntry): ReadWork | SkippedWork {
  const { line, key, type } = entry
  const name = key ?? `@${type}`
  try {
    return acceptWork(toWork(entry), name, line)
  } catch (error) {
    // Thousands of nested braces exhaust the stack.
    if (error instanceof RangeError) return { name, line, reason: 'It is nested too deeply.' }
    throw error
  }
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
    abstract: tidyParagraphs(latexToText(fields.get('abstract') ?? '')),
    tags: readTags(fields),
    references: [],
  }
}

/** `@misc` with an arXiv id is a preprint, and so is an article in "arXiv preprint" or "CoRR". */
export function readEntryType(entryType: string, fields: Fields, arxivId: string | null): WorkType {
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
  const names = splitOutsideBraces(source?.trim() ?? '', /\s+and(?=\s)/iy)
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
