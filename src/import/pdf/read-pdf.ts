/** Reads the text of a PDF with the page of each character, its title, authors, date and identifiers. */

import { CairnError } from '../../core/errors.js'
import { composeText } from './compose-text.js'
import { type Line, readLines } from './lines.js'
import { createPdfWorker, MAX_PAGES, type PdfMetadata, type PdfWorker } from './worker.js'

export type PdfPage = {
  /** Counted from 1. */
  readonly page: number
  /** The document's own name for the page, such as `iv` or `A-3`, or null. */
  readonly label: string | null
  /** The text of the page is `text.slice(start, end)`; a page without text ends where it starts. */
  readonly start: number
  readonly end: number
}

export type PdfText = Readonly<ReturnType<typeof readDetails>> & {
  /** Paragraphs are separated by a blank line; pages by white space, or by nothing within a word. */
  readonly text: string
  readonly pages: readonly PdfPage[]
  /** Pages that could not be read, or not completely. */
  readonly brokenPages: readonly number[]
}

export type PdfOptions = {
  /** The name of the file in messages. */
  readonly name: string
  readonly signal?: AbortSignal | undefined
  /** For several files; by default one is started for this file. */
  readonly worker?: PdfWorker
}

/**
 * Reads page by page in a thread; a signal ends it.
 * @example
 * const { text, pages } = await readPdf(await readFile('paper.pdf'), { name: 'paper.pdf' })
 * text.slice(pages[2].start, pages[2].end) // the third page
 */
export async function readPdf(bytes: Uint8Array, options: PdfOptions): Promise<PdfText> {
  if (options.worker !== undefined) return readWith(options.worker, bytes, options)
  const worker = createPdfWorker()
  try {
    return await readWith(worker, bytes, options)
  } finally {
    await worker.close()
  }
}

async function readWith(
  worker: PdfWorker,
  bytes: Uint8Array,
  { name, signal }: PdfOptions,
): Promise<PdfText> {
  signal?.throwIfAborted()
  if (bytes.length === 0) throw pdfError('empty', name)
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  if (!head.includes('%PDF-')) throw pdfError('not_a_pdf', name)
  const pages: (readonly Line[])[] = []
  const brokenPages: number[] = []
  // Copied, because the thread takes the bytes over.
  const outcome = await worker.read(
    new Uint8Array(bytes),
    ({ items, isComplete }) => {
      pages.push(readLines(items))
      if (!isComplete) brokenPages.push(pages.length)
    },
    signal,
  )
  if (outcome.kind === 'lost') throw pdfError('too_much', name, outcome.cause)
  if (outcome.kind === 'failed') {
    throw pdfError(
      FAILURES[outcome.name] ?? 'broken',
      name,
      new Error(`${outcome.name}: ${outcome.text}`),
    )
  }
  const { labels, metadata } = outcome
  const { text, pages: spans } = composeText(
    pages.map((lines, at) => ({ label: labels?.[at] ?? null, lines })),
  )
  if (text === '') throw pdfError(brokenPages.length === pages.length ? 'broken' : 'no_text', name)
  // The lines as well, because an identifier may stand in a header or footer.
  const firstLines = pages[0]?.map((line) => line.text).join('\n') ?? ''
  const details = readDetails(metadata, `${text.slice(0, spans[0]?.end)}\n${firstLines}`)
  const title = details.title ?? guessTitle(pages[0] ?? [])
  return { text, pages: spans, ...details, title, brokenPages }
}

/** A title is set in letters larger than the text by this factor. */
const TITLE_SIZE = 1.15
const MAX_TITLE_LINES = 5

/** The lines of the first page in its largest letters, if they stand out and stand together. */
export function guessTitle(lines: readonly Line[]): string | null {
  const worded = lines.filter(({ text, angle }) => angle === 0 && /\p{L}{2}/u.test(text))
  const sizes = worded.map(({ size }) => size).toSorted((a, b) => a - b)
  const largest = sizes.at(-1) ?? 0
  const usual = sizes[Math.floor(sizes.length / 2)] ?? largest
  if (largest < usual * TITLE_SIZE) return null
  const start = worded.findIndex(({ size }) => size === largest)
  const rest = worded.slice(start)
  const end = rest.findIndex(({ size }) => size < largest * 0.98)
  const title = rest.slice(0, end === -1 ? rest.length : end)
  return title.length > MAX_TITLE_LINES ? null : readTitle(title.map(({ text }) => text).join(' '))
}

const PROBLEMS = {
  empty: ['is empty', 'Check that it was copied or downloaded completely.'],
  not_a_pdf: ['is not a PDF', 'Check its kind: text files can be imported as they are.'],
  broken: [
    'is a damaged PDF',
    'Copy or download it again, or open it in a PDF viewer and save it from there.',
  ],
  too_much: [
    'is a PDF that takes too much time or memory to read',
    'Open it in a PDF viewer and save it from there, or split it into smaller PDFs.',
  ],
  too_many: [
    `is a PDF of more than ${MAX_PAGES.toLocaleString('en-GB')} pages`,
    'Split it into smaller PDFs.',
  ],
  encrypted: ['is encrypted and needs a password', 'Save a copy without a password.'],
  no_text: [
    'is a PDF without text: its pages are images, or their letters cannot be decoded',
    'Run text recognition (OCR) on it first, for example with ocrmypdf.',
  ],
} as const

const FAILURES: Readonly<Record<string, keyof typeof PROBLEMS>> = {
  PasswordException: 'encrypted',
  TooManyPages: 'too_many',
}

function pdfError(problem: keyof typeof PROBLEMS, name: string, cause?: unknown): CairnError {
  const [description, hint] = PROBLEMS[problem]
  const message = `The file ${name} ${description}.`
  return new CairnError('unreadable_file', { message, hint, cause })
}

const DOI = /\b10\.\d{4,9}\/[^\s"<>{}|\\^`]*[\p{L}\d)]/iu
const NAMED_DOI = new RegExp(`doi[^\\d\\n]{0,16}(${DOI.source})`, 'iu')
const ARXIV =
  /\barxiv(?:\.org\/(?:abs|pdf)\/|[:.]\s{0,2})(\d{4}\.\d{4,5}|[a-z-]{2,10}(?:\.[a-z]{2})?\/\d{7})(?!\d)/i
/** Titles that programs write where the author gave none. */
const NO_TITLE =
  /^(?:untitled|title|no title|unknown|document\d*|microsoft (?:word|powerpoint|excel) ?-.*)$|\.(?:docx?|dvi|eps|indd|odt|pages|pdf|pptx?|ps|qxd|rtf|tex|xlsx?)$/i

const XMP_NAMES = 'prism:doi pdfx:doi crossmark:doi dc:identifier prism:url dc:source'.split(' ')

export function readDetails(metadata: PdfMetadata | null, firstPage: string) {
  const info = listEntries(metadata?.info)
  const xmpEntries = listEntries(metadata?.xmp)
  const xmp = (name: string): unknown => xmpEntries.get(name) ?? null
  const about = [
    ...XMP_NAMES.map(xmp),
    ...listEntries(info.get('Custom')).values(),
    ...['doi', 'Subject', 'Keywords', 'Title'].map((name) => info.get(name)),
  ].flatMap(readTexts)
  return {
    title: readTitle(info.get('Title')) ?? readTitle(xmp('dc:title')),
    authors: readAuthors(info.get('Author'), xmp('dc:creator')),
    /** ISO 8601 in UTC. */
    createdAt: readDate(info.get('CreationDate')),
    doi: about.map(findDoi).find((doi) => doi !== null) ?? findDoi(firstPage),
    /** Without its version: `1706.03762`, `cs/0112017`. */
    arxivId: findArxivId([...about, firstPage].join('\n')),
  }
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

function readAuthors(info: unknown, xmp: unknown): string[] {
  const creators = readTexts(xmp).filter((name) => name !== '')
  const names = creators.length > 1 ? creators : splitNames(readTexts(info)[0] ?? creators[0] ?? '')
  return [...new Set(names)]
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
