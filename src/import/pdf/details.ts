/** Reads title, authors, date and identifiers of a PDF from its metadata and its first page. */

import { foldText } from '../../literature/identities.js'
import { findHeading, guessAuthors, guessTitle, listTitles } from './first-page.js'
import type { Line } from './lines.js'
import type { PdfMetadata } from './worker.js'

const DOI = /\b10\.\d{4,9}\/[^\s"<>{}|\\^`]*[\p{L}\d)]/iu
const NAMED_DOI = new RegExp(`doi[^\\d\\n]{0,16}(${DOI.source})`, 'iu')
const ARXIV =
  /\barxiv(?:\.org\/(?:abs|pdf)\/|[:.]\s{0,2})(\d{4}\.\d{4,5}|[a-z-]{2,10}(?:\.[a-z]{2})?\/\d{7})(?!\d)/i
/** Titles that programs write where the author gave none. */
const NO_TITLE =
  /^(?:untitled|title|no title|unknown|document\d*|microsoft (?:word|powerpoint|excel) ?-.*)$|\.(?:docx?|dvi|eps|indd|odt|pages|pdf|pptx?|ps|qxd|rtf|tex|xlsx?)$/i

const XMP_NAMES = 'prism:doi pdfx:doi crossmark:doi dc:identifier prism:url dc:source'.split(' ')

type FirstPage = { readonly lines: readonly Line[]; readonly text: string }

/** The text below cites other works, whose identifiers are not those of the PDF. */
const REFERENCES = /^\s*(?:references|bibliography|literature cited|works cited)\s*$/im

export function readDetails(metadata: PdfMetadata | null, { lines, text }: FirstPage) {
  const info = listEntries(metadata?.info)
  const xmpEntries = listEntries(metadata?.xmp)
  const xmp = (name: string): unknown => xmpEntries.get(name) ?? null
  const about = [
    ...XMP_NAMES.map(xmp),
    ...listEntries(info.get('Custom')).values(),
    ...['doi', 'Subject', 'Keywords', 'Title'].map((name) => info.get(name)),
  ].flatMap(readTexts)
  // The lines as well, because an identifier may stand in a header or footer.
  const ofLines = lines.map((line) => line.text).join('\n')
  const firstPage = [text, ofLines].map((part) => part.split(REFERENCES, 1)[0]).join('\n')
  const title = chooseTitle(readTitle(info.get('Title')) ?? readTitle(xmp('dc:title')), {
    lines,
    text,
  })
  const authors = readAuthors(info.get('Author'), xmp('dc:creator'))
  return {
    title,
    /** Whatever on the first page may be the title: whole lines, or several together. */
    titles: listTitles(lines),
    authors: authors.length > 0 ? authors : guessAuthors(lines, title),
    /** ISO 8601 in UTC. */
    createdAt: readDate(info.get('CreationDate')),
    doi: about.map(findDoi).find((doi) => doi !== null) ?? findDoi(firstPage),
    /** Without its version: `1706.03762`, `cs/0112017`. */
    arxivId: findArxivId([...about, firstPage].join('\n')),
  }
}

/** A title of one or two words in the metadata, such as "PowerPoint Presentation", counts if the page shows it too. */
function chooseTitle(given: string | null, { lines, text }: FirstPage): string | null {
  const isTelling = given !== null && given.split(' ').length > 2
  if (isTelling || (given !== null && foldText(text).includes(foldText(given)))) return given
  return readTitle(guessTitle(lines)) ?? given ?? readTitle(findHeading(lines, text))
}

function listEntries(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
}

function readTexts(value: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  return all.filter((text) => typeof text === 'string').map(tidyText)
}

function tidyText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\ufeff\ufffd]+/gu, ' ')
    .trim()
}

function readTitle(value: unknown): string | null {
  const title = readTexts(value).find((text) => text !== '')
  if (title === undefined || NO_TITLE.test(title)) return null
  return /\p{L}/u.test(title) ? title : null
}

/** Names that programs write where the author gave none. */
const NO_AUTHOR =
  /^(?:admin(?:istrator)?|anonymous|authors?|default|guest|latex.*|microsoft.*|office.*|owner|root|unknown|(?:windows )?user)$/i

function readAuthors(info: unknown, xmp: unknown): string[] {
  const creators = readTexts(xmp).filter((name) => name !== '')
  const names = creators.length > 1 ? creators : splitNames(readTexts(info)[0] ?? creators[0] ?? '')
  return [...new Set(names)].filter((name) => !NO_AUTHOR.test(name))
}

/** "Lovelace, Ada" is one person; "Ada Lovelace, Alan Turing" are two. */
function splitNames(names: string): string[] {
  const split = (by: RegExp): string[] => {
    const parts = names.split(by).map((name) => name.trim())
    return parts.filter((name) => /\p{L}/u.test(name))
  }
  if (names.includes(';')) return split(/;/)
  const parts = split(/,| and | & /)
  const areWhole = parts.every((part) => /\S[ .]\S/.test(part)) && parts.length > 1
  return areWhole ? parts : split(/ and | & /)
}

/** `D:20250208122313+01'00'`: everything after the year is optional; without a zone it is UTC. */
function readDate(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const form =
    /^D?:?(\d{4})(\d{2})?(\d{2})?(?:(\d{2})(\d{2})?(\d{2})?(?:([+-])(\d{2})'?(\d{2})?)?)?/
  const [, year, month = '01', day = '01', ...time] = form.exec(value.trim()) ?? []
  if (year === undefined) return null
  const [hour = '00', minute = '00', second = '00', sign, hours = '00', minutes = '00'] = time
  const offset = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`
  const ms = Date.parse(/^\d{4}-\d{2}/.test(value.trim()) ? value.trim() : written)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** Prefers one that is labelled as a DOI to the first that looks like one. */
export function findDoi(text: string): string | null {
  const found = NAMED_DOI.exec(text)?.[1] ?? DOI.exec(text)?.[0]
  if (found === undefined) return null
  // A closing bracket belongs to the sentence unless the DOI opened it.
  const opened = found.split('(').length
  let doi = found
  while (doi.endsWith(')') && doi.split(')').length > opened) {
    doi = doi.slice(0, -1).replace(/[.,;:]+$/, '')
  }
  return doi.toLowerCase()
}

export function findArxivId(text: string): string | null {
  return ARXIV.exec(text)?.[1] ?? null
}
