/** The text of a PDF with the page of every character, or one sentence why there is none. */

import { composeText } from './compose.js'
import { readDetails } from './details.js'
import { type Line, readLines } from './lines.js'
import type { PdfOptions, PdfText } from './pdf-text.js'
import { type Outcome, readInThread } from './pdf-thread.js'
import { MAX_PDF_BYTES, type PdfProblem, pdfProblem, problemOf } from './problems.js'

/** The mark of a PDF stands within its first bytes. */
const HEADER_BYTES = 1024

/**
 * Reads page by page in a thread of its own; a signal ends it.
 * @example
 * const { text, pages } = await readPdf(await readFile('paper.pdf'), { name: 'paper.pdf' })
 * text.slice(pages[2].start, pages[2].end) // the third page
 */
export async function readPdf(bytes: Uint8Array, options: PdfOptions): Promise<PdfText> {
  const { name, password, signal } = options
  signal?.throwIfAborted()
  const refusal = refusalOf(bytes)
  if (refusal !== null) throw pdfProblem(refusal, name)
  const lines: (readonly Line[])[] = []
  const brokenPages: number[] = []
  // The bytes are copied, because the thread keeps for itself what it is given.
  const job = { bytes: new Uint8Array(bytes), password: password ?? null }
  const outcome = await readInThread(job, {
    signal,
    onPage({ items, isWhole }) {
      lines.push(readLines(items))
      if (!isWhole) brokenPages.push(lines.length)
    },
  })
  const { labels, metadata } = expectEnd(outcome, name)
  const pages = lines.map((page, at) => ({ label: labels?.[at] ?? null, lines: page }))
  const { text, pages: spans } = composeText(pages)
  if (text === '') {
    throw pdfProblem(brokenPages.length === pages.length ? 'broken' : 'no_text', name)
  }
  // Also as lines, because an identifier may be one that a running line says.
  const firstLines = lines[0]?.map((line) => line.text).join('\n') ?? ''
  const details = readDetails(metadata, `${text.slice(0, spans[0]?.end)}\n${firstLines}`)
  return { text, pages: spans, ...details, brokenPages }
}

function refusalOf(bytes: Uint8Array): PdfProblem | null {
  if (bytes.length === 0) return 'empty'
  if (bytes.length > MAX_PDF_BYTES) return 'too_large'
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEADER_BYTES))
  return head.includes('%PDF-') ? null : 'not_a_pdf'
}

function expectEnd(outcome: Outcome, name: string): Extract<Outcome, { kind: 'end' }> {
  switch (outcome.kind) {
    case 'end':
      return outcome
    case 'failed':
      throw pdfProblem(problemOf(outcome), name, new Error(`${outcome.name}: ${outcome.text}`))
    case 'lost':
      throw pdfProblem('too_much', name, outcome.cause)
  }
}
