/** Imports PDFs with text: each becomes a document that knows the page of each character. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { foldText } from '../literature/identities.js'
import { type FoundFile, readFiles, skipped } from './files.js'
import type { ImportEntry, Importer, ReadOptions } from './importer.js'
import { cleanLabel, cleanLabels, dropEmpty, hashValue, titleFromPath } from './values.js'

export const pdf: Importer = {
  name: 'pdf',
  isMirror: true,
  detect: (path, { text }) => isPdf(path) || text.slice(0, 1024).includes('%PDF-'),
  read: readFiles(isPdf, readOne),
}

/** Increase it when the text of PDFs changes, so that all of them are read again. */
const READER_VERSION = 3
const MAX_BYTES = 200 * 1024 * 1024

function isPdf(name: string): boolean {
  return /\.pdf$/i.test(name)
}

async function* readOne(
  { name, path, bytes: size }: FoundFile,
  { signal, onRead, isKnown, pdfWorker: worker }: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  if (size > MAX_BYTES) {
    yield skipped(name, `It is larger than ${MAX_BYTES / 1024 / 1024} MB.`)
    return
  }
  const bytes = await readFile(path)
  onRead?.(bytes.length)
  const hash = hashValue([READER_VERSION, createHash('sha256').update(bytes).digest('hex')])
  if (await isKnown?.(name, hash)) {
    yield { kind: 'unchanged', key: name, hash }
    return
  }
  const { readPdf } = await import('./pdf/read-pdf.js')
  const found = await readPdf(bytes, { name, signal, worker })
  if (found.brokenPages.length > 0) {
    yield skipped(`${name} (pages)`, `These pages cannot be read: ${found.brokenPages.join(', ')}.`)
  }
  const { createdAt, doi, arxivId, pages } = found
  const paper = {
    doi,
    arxivId,
    titles: foldTitles([found.title ?? '', ...found.titles]),
    firstPage: found.text.slice(0, pages[0]?.end),
  }
  const record = {
    body: found.text,
    title: cleanLabel(found.title) ?? titleFromPath(name),
    kind: 'document' as const,
    source: cleanLabel(name.slice(-500)),
    people: cleanLabels(found.authors),
    occurredAt: createdAt,
    metadata: dropEmpty({ path: name, doi, arxivId, pages: pages.map(dropEmpty) }),
  }
  yield { kind: 'record', key: name, hash, record, paper }
}

/** Shorter lines are no titles of works. */
const MIN_TITLE = 4

function foldTitles(titles: readonly string[]): string[] {
  return [...new Set(titles.map(foldText))].filter((title) => title.length >= MIN_TITLE)
}
