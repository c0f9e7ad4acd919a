/** A line with a record becomes that record, and a line that is wrong is named with its number. */

import { basename } from 'node:path'
import { badInput } from '../core/errors.js'
import { checkRecord } from '../schemas/check-record.js'
import type { RecordInput } from '../schemas/record-requests.js'
import {
  type Fields,
  hashValue,
  isFields,
  makeSessionId,
  parseTimestamp,
  textAt,
} from './fields.js'
import { explainReadError, skipped } from './files.js'
import {
  type EntryLink,
  type EntrySession,
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  type ReadOptions,
} from './importer.js'
import { readJsonLines } from './json-values.js'

export const jsonl: Importer = {
  name: 'jsonl',
  sentence: FORMAT_DESCRIPTIONS.jsonl,
  isMirror: false,
  detect: (path, { text }) =>
    /\.(?:jsonl|ndjson)$/i.test(path) && /^\s*\{/.test(text) && /"body"\s*:\s*"/.test(text),
  read,
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const name = basename(path)
  const nameless = new Map<string, number>()
  for await (const entry of readJsonLines(path, options)) {
    if (entry.kind === 'broken') yield skipped(name, entry.reason, entry.line)
    else yield readLine(entry.value, { name, line: entry.line, nameless })
  }
}

type Place = {
  readonly name: string
  readonly line: number
  /** How often each text without a key was there. */
  readonly nameless: Map<string, number>
}

function readLine(value: unknown, { name, line, nameless }: Place): ImportEntry {
  if (!isFields(value)) return skipped(name, 'It is no object.', line)
  const { key, session, supersedes, links, aliases, ...rest } = value
  const given = typeof key === 'string' || typeof key === 'number' ? String(key) : null
  if (key !== undefined && (given === null || given.trim() === '')) {
    return skipped(name, 'key must be text.', line)
  }
  try {
    const conversation = readSession(session)
    const id = conversation?.id
    const record = { ...rest, ...(id === undefined ? {} : { session: id }) } as RecordInput
    checkRecord(record)
    const hash = hashValue([record, supersedes, links, aliases])
    return {
      kind: 'record',
      key: given ?? nameOf(hash, nameless),
      hash,
      record,
      ...(conversation === null ? {} : { session: conversation }),
      links: readLinks(supersedes, links),
      aliases: listOf(aliases, 'aliases'),
    }
  } catch (error) {
    return skipped(given ?? name, explainReadError(error), line)
  }
}

/** A line without a key is known by what it says, and by how often that was said before. */
function nameOf(hash: string, nameless: Map<string, number>): string {
  const times = (nameless.get(hash) ?? 0) + 1
  nameless.set(hash, times)
  return times === 1 ? hash : `${hash}#${times}`
}

/** A name, or an object with more about the conversation. */
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
  const older = listOf(supersedes, 'supersedes').map((to) => ({ type: 'SUPERSEDES', to }))
  if (links === undefined || links === null) return older
  if (!Array.isArray(links)) throw badInput('links must be a list.')
  const named = links.map((link: unknown): EntryLink => {
    const to = typeof link === 'string' ? link : textAt(link, 'to')
    const type = (textAt(link, 'type') ?? 'RELATED_TO').toUpperCase()
    if (to === null) throw badInput('a link must name the key it leads to.')
    if (!/^[A-Z][A-Z0-9_]{0,49}$/.test(type)) {
      throw badInput(`"${type}" is no type of a link: it is one word in capitals.`)
    }
    return { type, to }
  })
  return [...older, ...named]
}

function listOf(value: unknown, name: string): string[] {
  if (value === undefined || value === null) return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map((one) => {
    if (typeof one === 'string' && one.trim() !== '') return one
    throw badInput(`${name} must be text or a list of texts.`)
  })
}
