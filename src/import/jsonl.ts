/** Imports JSON and JSONL files with a record per object, Cairn's own and those of others, and the corpus of a BEIR folder. */

import { join } from 'node:path'
import { badInput } from '../core/errors.js'
import { type Fields, isFields, textAt } from '../core/json-fields.js'
import { assertInput } from '../schemas/check.js'
import { type RecordInput, recordInput } from '../schemas/record-requests.js'
import { adoptFields, hasText } from './field-names.js'
import { explainReadError, isWithin, nameFile, OUTSIDE, skipped } from './files.js'
import type { EntryLink, EntrySession, ImportEntry, Importer, ReadOptions } from './importer.js'
import { readJson, readJsonLines } from './json-values.js'
import {
  cleanLabels,
  createUniqueNames,
  hashValue,
  makeSessionId,
  parseTimestamp,
} from './values.js'

async function* readLines(
  path: string,
  options: ReadOptions,
  readLine: (value: unknown, name: string, line: number) => ImportEntry,
): AsyncGenerator<ImportEntry, void> {
  const name = nameFile(path, options)
  const read = /\.(?:jsonl|ndjson)$/i.test(name) ? readJsonLines : readJson
  for await (const entry of read(path, options)) {
    if (entry.kind === 'broken') yield skipped(name, entry.reason, entry.line)
    else {
      try {
        yield readLine(entry.value, name, entry.line)
      } catch (error) {
        yield skipped(name, explainReadError(error), entry.line)
      }
    }
  }
}

export const jsonl: Importer = {
  name: 'jsonl',
  detect: (_, { text }) => hasText(text),
  read: (path, options) => readLines(path, options, createRecordReader()),
}

function createRecordReader() {
  const makeUnique = createUniqueNames()
  return (value: unknown, name: string, line: number): ImportEntry => {
    if (!isFields(value)) return skipped(name, 'It is not an object.', line)
    const fields = adoptFields(value)
    const { key, session, supersedes, links, aliases, ...rest } = fields
    const given = textAt(fields, 'key')
    if (key !== undefined && given === null) return skipped(name, 'key must be text.', line)
    try {
      const conversation = readSession(session)
      const id = conversation !== null && { session: conversation.id }
      const record = { ...rest, ...id } as RecordInput
      assertInput(recordInput, record)
      const hash = hashValue([record, supersedes, links, aliases])
      return {
        kind: 'record',
        key: given ?? makeUnique(hash),
        hash,
        record,
        ...(conversation !== null && { session: conversation }),
        links: readLinks(supersedes, links),
        aliases: readTexts(aliases, 'aliases'),
      }
    } catch (error) {
      return skipped(given ?? name, explainReadError(error), line)
    }
  }
}

function readSession(session: unknown): EntrySession | null {
  if (session === undefined || session === null) return null
  const id = textAt({ session }, 'session') ?? textAt(session, 'id')
  if (id === null) throw badInput('session must be text, or an object with id.')
  const about: Fields = isFields(session) ? session : {}
  return {
    id: makeSessionId(id),
    title: textAt(about, 'title'),
    startedAt: parseTimestamp(about.startedAt),
    endedAt: parseTimestamp(about.endedAt),
  }
}

function readLinks(supersedes: unknown, links: unknown): EntryLink[] {
  const older = readTexts(supersedes, 'supersedes').map((to) => ({ type: 'SUPERSEDES', to }))
  if (links !== undefined && links !== null && !Array.isArray(links)) {
    throw badInput('links must be a list.')
  }
  const others = (links ?? []).map((link: unknown): EntryLink => {
    const to = typeof link === 'string' ? link : textAt(link, 'to')
    const type = (textAt(link, 'type') ?? 'RELATED_TO').toUpperCase()
    if (to === null) throw badInput('a link must name the key it leads to.')
    if (!/^[A-Z][A-Z0-9_]{0,49}$/.test(type)) {
      throw badInput(`"${type}" is not a type of link: it must be one word in capitals.`)
    }
    return { type, to }
  })
  return [...older, ...others]
}

function readTexts(value: unknown, name: string): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value ?? []].flat()
  return list.map((one) => {
    if (typeof one === 'string' && one.trim() !== '') return one
    throw badInput(`${name} must be text or a list of texts.`)
  })
}

const CORPUS = 'corpus.jsonl'

export const beir: Importer = {
  name: 'beir',
  detect: (_, { text, files }) => (files === null ? isCorpus(text) : files.includes(CORPUS)),
  read: readCorpus,
}

const CORPUS_FIELDS = new Set(['_id', 'title', 'text', 'metadata'])

/** Other programs write `_id` too; a corpus has no other fields. */
function isCorpus(text: string): boolean {
  if (!(/^\s*\{/.test(text) && /"_id"\s*:/.test(text) && /"text"\s*:/.test(text))) return false
  const [line = ''] = text.trimStart().split('\n', 1)
  try {
    return Object.keys(JSON.parse(line)).every((name) => CORPUS_FIELDS.has(name))
  } catch {
    // The line is longer than the beginning that was read.
    return true
  }
}

async function* readCorpus(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const isFile = /\.jsonl$/i.test(path)
  const file = isFile ? path : join(path, CORPUS)
  const isKept = isFile || options.followLinks || (await isWithin(path, file).catch(() => true))
  if (isKept) yield* readLines(file, options, readDocument)
  else yield skipped(CORPUS, OUTSIDE)
}

function readDocument(value: unknown, name: string, line: number): ImportEntry {
  const key = textAt(value, '_id')
  if (!isFields(value) || key === null) return skipped(name, 'The document has no _id.', line)
  const [title, text] = [textAt(value, 'title'), textAt(value, 'text')]
  const body = text ?? title
  if (body === null) return skipped(key, 'It has neither text nor title.', line)
  const metadata: Fields = isFields(value.metadata) ? value.metadata : {}
  const session = textAt(metadata, 'session')
  const id = session === null ? null : makeSessionId(session)
  const record = {
    body,
    title: text === null ? null : title,
    kind: 'document' as const,
    people: cleanLabels([textAt(metadata, 'speaker')]),
    metadata: { ...metadata, id: key },
    session: id,
  }
  return {
    kind: 'record',
    key,
    hash: hashValue(record),
    record,
    ...(id !== null && { session: { id, title: null, startedAt: null, endedAt: null } }),
  }
}
