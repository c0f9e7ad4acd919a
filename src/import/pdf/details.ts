/** Title, people, date and identifiers of a PDF are what it says of itself, or null. */

import type { PdfMetadata } from './pdfjs-worker.js'

export type PdfDetails = {
  readonly title: string | null
  readonly authors: readonly string[]
  readonly createdAt: string | null
  readonly doi: string | null
  readonly arxivId: string | null
}

const DOI = /\b10\.\d{4,9}\/[^\s"<>{}|\\^`]*[\p{L}\d)]/iu
const NAMED_DOI = new RegExp(`doi[^\\d\\n]{0,16}(${DOI.source})`, 'iu')
const ARXIV =
  /\barxiv(?:\.org\/(?:abs|pdf)\/|[:.]\s{0,2})(\d{4}\.\d{4,5}|[a-z-]{2,10}(?:\.[a-z]{2})?\/\d{7})(?!\d)/i
/** What programs write where nobody gave a title. */
const NO_TITLE =
  /^(?:untitled|title|no title|unknown|document\d*|microsoft (?:word|powerpoint|excel) ?-.*)$|\.(?:docx?|dvi|eps|indd|odt|pages|pdf|pptx?|ps|qxd|rtf|tex|xlsx?)$/i

export function readDetails(metadata: PdfMetadata | null, firstPage: string): PdfDetails {
  const info = entriesOf(metadata?.info)
  const said = entriesOf(metadata?.xmp)
  const xmp = (name: string): unknown => said.get(name) ?? null
  const about = [
    ...['prism:doi', 'pdfx:doi', 'crossmark:doi', 'dc:identifier', 'prism:url', 'dc:source'].map(
      xmp,
    ),
    ...entriesOf(info.get('Custom')).values(),
    ...['doi', 'Subject', 'Keywords', 'Title'].map((name) => info.get(name)),
  ].flatMap(textsOf)
  return {
    title: readTitle(info.get('Title')) ?? readTitle(xmp('dc:title')),
    authors: readAuthors(info.get('Author'), xmp('dc:creator')),
    createdAt: readDate(info.get('CreationDate')),
    doi: about.map(findDoi).find((doi) => doi !== null) ?? findDoi(firstPage),
    arxivId: findArxivId([...about, firstPage].join('\n')),
  }
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
}

function textsOf(value: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  return all.filter((text) => typeof text === 'string').map(tidy)
}

function tidy(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\ufeff\ufffd]+/gu, ' ')
    .trim()
}

function readTitle(value: unknown): string | null {
  const title = textsOf(value).find((text) => text !== '')
  if (title === undefined || NO_TITLE.test(title)) return null
  return /\p{L}/u.test(title) ? title : null
}

function readAuthors(info: unknown, xmp: unknown): string[] {
  const creators = textsOf(xmp).filter((name) => name !== '')
  const names = creators.length > 1 ? creators : splitNames(textsOf(info)[0] ?? creators[0] ?? '')
  return [...new Set(names)]
}

/** "Lovelace, Ada" is one person; "Ada Lovelace, Alan Turing" are two. */
function splitNames(names: string): string[] {
  const split = (by: RegExp): string[] =>
    names
      .split(by)
      .map((name) => name.trim())
      .filter((name) => /\p{L}/u.test(name))
  if (names.includes(';')) return split(/;/)
  const parts = split(/,| and | & /)
  const areWhole = parts.every((part) => /\S[ .]\S/.test(part)) && parts.length > 1
  return areWhole ? parts : split(/ and | & /)
}

/** `D:20250208122313+01'00'`: all behind the year may be missing; without a zone it is UTC. */
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

/** One that is called a DOI rather than the first that looks like one. */
export function findDoi(text: string): string | null {
  const found = NAMED_DOI.exec(text)?.[1] ?? DOI.exec(text)?.[0]
  if (found === undefined) return null
  // A closing bracket belongs to the sentence unless it was opened within.
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
