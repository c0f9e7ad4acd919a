/** Imports documents that are zips of XML: Word's .docx and the e-books of .epub. */

import { posix } from 'node:path'
import { decodePercent } from '../core/decode-percent.js'
import { type FoundFile, readFiles, skipped } from './files.js'
import { parseXml, readHtml } from './html-text.js'
import type { ImportEntry, Importer, ReadOptions } from './importer.js'
import {
  cleanLabel,
  cleanLabels,
  dropEmpty,
  hashValue,
  parseTimestamp,
  titleFromPath,
} from './values.js'
import { isZip, openDocument } from './zip.js'

type Parts = (name: string) => Promise<string | null>
type Details = ReadonlyMap<string, readonly string[]>

export const docx = createDocumentImporter('docx', /\.docx$/i, readWord)
export const epub = createDocumentImporter('epub', /\.epub$/i, readBook)

function createDocumentImporter(
  format: 'docx' | 'epub',
  ending: RegExp,
  readParts: (read: Parts) => Promise<{ readonly body: string; readonly details: Details }>,
): Importer {
  const isWanted = (name: string): boolean => ending.test(name)
  const readFile = async function* (
    { name, path, bytes }: FoundFile,
    options: ReadOptions,
  ): AsyncGenerator<ImportEntry, void> {
    const document = await openDocument(path, name)
    try {
      const { body, details } = await readParts(document.read)
      options.onRead?.(bytes)
      if (body === '') {
        yield skipped(name, 'It has no text.')
        return
      }
      const find = (field: string): string | null => details.get(field)?.[0] ?? null
      const record = {
        body,
        title: cleanLabel(find('dc:title')) ?? titleFromPath(name),
        kind: 'document' as const,
        source: cleanLabel(name.slice(-500)),
        tags: cleanLabels(splitKeywords(details)),
        people: cleanLabels(details.get('dc:creator') ?? []),
        metadata: dropEmpty({ path: name, publisher: find('dc:publisher') }),
        occurredAt: parseTimestamp(find('dcterms:created') ?? find('dc:date')),
      }
      yield { kind: 'record', key: name, hash: hashValue(record), record }
    } finally {
      document.close()
    }
  }
  return {
    name: format,
    isMirror: true,
    detect: (path, { bytes }) => isWanted(path) && isZip(bytes),
    read: readFiles(isWanted, readFile),
  }
}

function splitKeywords(details: Details): string[] {
  return [...(details.get('cp:keywords') ?? []), ...(details.get('dc:subject') ?? [])].flatMap(
    (text) => text.split(/[,;]/),
  )
}

/** The texts of the elements that describe a document. */
async function readDetails(xml: string | null): Promise<Details> {
  const details = new Map<string, string[]>()
  let field: string | null = null
  await parseXml(xml ?? '', {
    open: (name) => {
      field = /^(?:dc|dcterms|cp):/.test(name) ? name : null
      if (field !== null) details.set(field, [...(details.get(field) ?? []), ''])
    },
    close: () => {
      field = null
    },
    text: (text) => {
      const values = field === null ? undefined : details.get(field)
      if (values !== undefined) values.push((values.pop() ?? '') + text)
    },
  })
  const filled = [...details].map(([name, values]) => {
    return [name, values.map((value) => value.trim()).filter((value) => value !== '')] as const
  })
  return new Map(filled)
}

async function readWord(read: Parts) {
  const texts: string[] = []
  for (const part of ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml']) {
    texts.push(await readParagraphs((await read(part)) ?? ''))
  }
  const details = await readDetails(await read('docProps/core.xml'))
  return { body: texts.filter((text) => text !== '').join('\n\n'), details }
}

/** The names of styles for headings in the languages in which Word writes them; `Title` is one of the first level. */
const HEADING = /^(?:heading|berschrift|titre|ttulo|titolo|kop|rubrik)\s?(\d)$/i

async function readParagraphs(xml: string): Promise<string> {
  const paragraphs: string[] = []
  let [text, prefix, fallback] = ['', '', 0]
  let isText = false
  await parseXml(xml, {
    open: (name, attributes) => {
      // A drawing is written twice: as it is, and for older programs.
      if (name === 'mc:Fallback') fallback++
      isText = name === 'w:t' && fallback === 0
      const style = name === 'w:pStyle' ? (attributes['w:val'] ?? '') : ''
      const level = style === 'Title' ? '1' : HEADING.exec(style)?.[1]
      if (level !== undefined) prefix = `${'#'.repeat(Math.min(6, Number(level)))} `
      else if (name === 'w:numPr' && prefix === '') prefix = '- '
      if (name === 'w:tab') text += '\t'
      else if (name === 'w:br' || name === 'w:cr') text += '\n'
    },
    close: (name) => {
      if (name === 'mc:Fallback') fallback--
      isText = false
      if (name !== 'w:p') return
      if (text.trim() !== '') paragraphs.push(prefix + text.trim())
      text = ''
      prefix = ''
    },
    text: (written) => {
      if (isText) text += written
    },
  })
  return paragraphs.join('\n\n').toWellFormed()
}

/** Chapters in the order in which they are read. */
async function readBook(read: Parts) {
  let root = ''
  await parseXml((await read('META-INF/container.xml')) ?? '', {
    open: (name, attributes) => {
      if (name === 'rootfile' && root === '') root = attributes['full-path'] ?? ''
    },
  })
  const book = await read(root)
  const files = new Map<string, string>()
  const order: string[] = []
  await parseXml(book ?? '', {
    open: (name, { id = '', href = '', idref = '' }) => {
      if (/^(?:opf:)?item$/.test(name)) files.set(id, href)
      else if (/^(?:opf:)?itemref$/.test(name)) order.push(idref)
    },
  })
  const chapters: string[] = []
  for (const id of order) {
    const name = posix.join(posix.dirname(root), decodePercent(files.get(id) ?? ''))
    const page = await read(name)
    const text = page === null ? '' : (await readHtml(page)).text
    if (text !== '') chapters.push(text)
  }
  return { body: chapters.join('\n\n'), details: await readDetails(book) }
}
