/** Imports a Zotero library: items become works with the text of their PDFs; notes and annotations become records that are linked to them. */

import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { isFields } from '../../core/json-fields.js'
import type { Work } from '../../core/work.js'
import type { RecordInput } from '../../schemas/record-requests.js'
import { explainReadError, skipped } from '../files.js'
import { htmlToText } from '../html-text.js'
import type { ImportEntry, Importer, ReadOptions } from '../importer.js'
import { epub } from '../office.js'
import { pdf } from '../pdf.js'
import { cleanLabel, cleanLabels, dropEmpty, hashValue, parseTimestamp } from '../values.js'
import { readDatabase, type ZoteroLibrary } from './database.js'
import { toWorks } from './works.js'

const DATABASE = 'zotero.sqlite'

export const zotero: Importer = {
  name: 'zotero',
  isMirror: true,
  detect: (_, { files }) => files?.includes(DATABASE) === true,
  read,
}

/** The item that an attachment, note or annotation belongs to. */
type Parent = { readonly key: string; readonly work: Work }

async function* read(folder: string, given: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const library = await readDatabase(join(folder, DATABASE))
  const works = toWorks(library)
  for (const { key, work } of works.values()) {
    if (work.title === '' && work.doi === null) yield skipped(key, 'It has neither title nor DOI.')
    else yield { kind: 'work', key, hash: hashValue(work), work }
  }
  yield* readNotes(library, works)
  yield* readAnnotations(library, works)
  yield* readAttachments(folder, library, { ...given, works })
}

function describeParent(parent: Parent | undefined) {
  return { work: parent?.work.title ?? null, doi: parent?.work.doi ?? null }
}

/** The record of a note or an annotation, with a link to its work. */
function toEntry(key: string, record: RecordInput, parent: Parent | undefined): ImportEntry {
  const links = parent === undefined ? [] : [{ type: 'ANNOTATES', to: parent.key }]
  return { kind: 'record', key, hash: hashValue([record, links]), record, links }
}

async function* readNotes(
  { items, notes }: ZoteroLibrary,
  works: ReadonlyMap<number, Parent>,
): AsyncGenerator<ImportEntry, void> {
  const itemById = new Map(items.map((item) => [item.id, item]))
  for (const { id, parent, note, title } of notes) {
    const item = itemById.get(id)
    if (item?.type !== 'note') continue
    const body = await htmlToText(note ?? '')
    if (body === '') continue
    const about = parent === null ? undefined : works.get(parent)
    const record = {
      body,
      title: cleanLabel(title) ?? cleanLabel(about?.work.title ?? null),
      kind: 'memory' as const,
      source: `zotero:${item.key}`,
      tags: ['note'],
      metadata: dropEmpty(describeParent(about)),
      occurredAt: parseTimestamp(item.addedAt),
    }
    yield toEntry(item.key, record, about)
  }
}

async function* readAnnotations(
  { items, annotations, attachments }: ZoteroLibrary,
  works: ReadonlyMap<number, Parent>,
): AsyncGenerator<ImportEntry, void> {
  const itemById = new Map(items.map((item) => [item.id, item]))
  const parentOf = new Map(attachments.map(({ id, parent }) => [id, parent]))
  for (const { id, parent, author, text, comment, color, pageLabel, position } of annotations) {
    const item = itemById.get(id)
    // Drawings and pictures have no text.
    const body = [text, comment].filter((part) => (part ?? '').trim() !== '').join('\n\n')
    if (item === undefined || body === '') continue
    const about = works.get(parentOf.get(parent) ?? -1)
    const page = readPage(position)
    const record = {
      body,
      title: cleanLabel(about?.work.title ?? null),
      kind: 'memory' as const,
      source: `zotero:${item.key}`,
      tags: ['annotation'],
      people: cleanLabels([author]),
      metadata: dropEmpty({
        ...describeParent(about),
        page: cleanLabel(pageLabel) ?? (page === null ? null : String(page)),
        ...(page !== null && {
          pages: [dropEmpty({ page, label: cleanLabel(pageLabel), start: 0, end: body.length })],
        }),
        color,
      }),
      occurredAt: parseTimestamp(item.addedAt),
    }
    yield toEntry(item.key, record, about)
  }
}

/** `{"pageIndex": 3, …}`, counted from 0. */
function readPage(position: string | null): number | null {
  try {
    const value: unknown = JSON.parse(position ?? '')
    const index = isFields(value) ? value.pageIndex : null
    return Number.isSafeInteger(index) ? Number(index) + 1 : null
  } catch {
    return null
  }
}

const READERS: ReadonlyMap<string | null, Importer> = new Map([
  ['application/pdf', pdf],
  ['application/epub+zip', epub],
])

async function* readAttachments(
  folder: string,
  { items, attachments }: ZoteroLibrary,
  options: ReadOptions & { readonly works: ReadonlyMap<number, Parent> },
): AsyncGenerator<ImportEntry, void> {
  const itemById = new Map(items.map((item) => [item.id, item]))
  const files: { name: string; path: string; parent: Parent | undefined; reader: Importer }[] = []
  let bytes = 0
  for (const { id, parent, contentType, path } of attachments) {
    const item = itemById.get(id)
    const reader = READERS.get(contentType)
    if (item === undefined || path === null) continue
    const name = locate(path, item.ownKey)
    const inside = name !== null && !isAbsolute(name)
    if (reader === undefined)
      yield skipped(name ?? path, 'Of attachments, PDFs and e-books are read.')
    else if (name === null || !(inside || options.followLinks)) {
      yield skipped(name ?? path, 'It is a linked file; `--follow-links` reads such files.')
    } else {
      const whole = inside ? join(folder, name) : name
      const found = await stat(whole).catch((error: unknown) => explainReadError(error))
      if (typeof found === 'string') yield skipped(name, 'Zotero has not downloaded this file.')
      else {
        bytes += found.size
        files.push({ name, path: whole, parent: options.works.get(parent ?? -1), reader })
      }
    }
  }
  options.onSize?.(bytes)
  for (const { name, path, parent, reader } of files) {
    const sign = (hash: string): string => hashValue([hash, parent?.key])
    const { isKnown } = options
    const entries = reader.read(path, {
      ...options,
      onSize: undefined,
      file: { name, path },
      isKnown: isKnown && ((key, hash) => isKnown(key, sign(hash))),
    })
    for await (const entry of entries) yield withParent(entry, parent, sign)
  }
}

/** `storage:a.pdf` is in the folder of the item; other paths are files elsewhere. */
function locate(path: string, ownKey: string): string | null {
  const stored = /^storage:([^/\\]+)$/.exec(path)?.[1]
  if (stored !== undefined && stored !== '..') return `storage/${ownKey}/${stored}`
  return isAbsolute(path) ? path : null
}

/** The text of a file belongs to its item, and is stored with it. */
function withParent(
  entry: ImportEntry,
  parent: Parent | undefined,
  sign: (hash: string) => string,
): ImportEntry {
  if (entry.kind !== 'record' && entry.kind !== 'unchanged') return entry
  const textOf = entry.kind === 'record' && parent !== undefined && { textOf: parent.key }
  return { ...entry, hash: sign(entry.hash), ...textOf }
}
