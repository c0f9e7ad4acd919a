/** Reads the text of a PDF with the page of each character, its title, authors, date and identifiers. */

import { CairnError } from '../../core/errors.js'
import { composeText } from './compose-text.js'
import { readDetails } from './details.js'
import { type Line, readLines } from './lines.js'
import { MAX_PAGES, type PdfWorker } from './worker.js'

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
  readonly worker: PdfWorker
}

/**
 * Reads page by page in a thread; a signal ends it.
 * @example
 * const { text, pages } = await readPdf(await readFile('paper.pdf'), { name: 'paper.pdf', worker })
 * text.slice(pages[2].start, pages[2].end) // the third page
 */
export async function readPdf(
  bytes: Uint8Array,
  { name, signal, worker }: PdfOptions,
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
  const first = { lines: pages[0] ?? [], text: text.slice(0, spans[0]?.end) }
  return { text, pages: spans, ...readDetails(metadata, first), brokenPages }
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
