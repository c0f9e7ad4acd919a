/** The text of a PDF becomes a document that knows the page of each of its characters. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { cleanLabel, cleanLabels, hashValue } from './fields.js'
import { explainReadError, type FoundFile, findFiles, skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  isMostly,
  type ReadOptions,
} from './importer.js'
import { MAX_PDF_BYTES } from './pdf/problems.js'
import { titleFromPath } from './text.js'

export const pdf: Importer = {
  name: 'pdf',
  sentence: FORMAT_DESCRIPTIONS.pdf,
  isMirror: true,
  detect: (_, { text, files }) =>
    files === null ? text.slice(0, 1024).includes('%PDF-') : isMostly(files, isPdf),
  read,
}

/** Grows when PDFs are read in another way: then all of them are read again. */
const READER = 1

function isPdf(name: string): boolean {
  return /\.pdf$/i.test(name)
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  for await (const file of findFiles(path, isPdf, options)) {
    if (file.kind === 'skipped') yield file
    else yield* readOne(file, options)
  }
}

async function* readOne(file: FoundFile, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const { name } = file
  try {
    if (file.bytes > MAX_PDF_BYTES) {
      yield skipped(name, `It is larger than ${MAX_PDF_BYTES / 1024 / 1024} MB.`)
      return
    }
    const bytes = await readFile(file.path)
    options.onRead?.(bytes.length)
    const hash = hashValue([READER, createHash('sha256').update(bytes).digest('hex')])
    if (await options.isKnown?.(name, hash)) {
      yield { kind: 'unchanged', key: name, hash }
      return
    }
    const { readPdf } = await import('./pdf/read-pdf.js')
    const found = await readPdf(bytes, { name, signal: options.signal })
    const { text, pages, title, authors, createdAt, doi, arxivId, brokenPages } = found
    if (brokenPages.length > 0) {
      yield skipped(`${name} (pages)`, `These pages cannot be read: ${brokenPages.join(', ')}.`)
    }
    const record = {
      body: text,
      title: cleanLabel(title) ?? titleFromPath(name),
      kind: 'document' as const,
      source: cleanLabel(name.slice(-500)),
      people: cleanLabels(authors),
      ...(createdAt === null ? {} : { occurredAt: createdAt }),
      metadata: {
        path: name,
        ...(doi === null ? {} : { doi }),
        ...(arxivId === null ? {} : { arxivId }),
        pages: pages.map(({ page, label, start, end }) => ({
          page,
          ...(label === null ? {} : { label }),
          start,
          end,
        })),
      },
    }
    yield { kind: 'record', key: name, hash, record }
  } catch (error) {
    options.signal?.throwIfAborted()
    yield skipped(name, explainReadError(error))
  }
}
