/** Imports any list of messages with a speaker and a text, grouped into conversations. */

import { type Fields, isFields, listAt, textAt, valueAt } from '../core/json-fields.js'
import { Conversation, LeftOut } from './conversation.js'
import { nameFile, skipped } from './files.js'
import type { ImportEntry, Importer, ReadOptions } from './importer.js'
import { readJson } from './json-values.js'
import { hashValue } from './values.js'

const SPEAKERS = ['role', 'speaker', 'author', 'sender', 'from']
const TEXTS = ['content', 'text', 'message', 'value']
const TIMES = ['timestamp', 'created_at', 'createdAt', 'create_time', 'time', 'date', 'ts']
const SESSIONS = 'conversation_id conversationId session_id sessionId session thread'.split(' ')
const LISTS = ['messages', 'conversation', 'conversations', 'turns', 'history']
const IDS = ['id', 'uuid', 'message_id']

export const chat: Importer = {
  name: 'chat',
  detect: (_, { text }) =>
    /^\s*[[{]/.test(text) &&
    new RegExp(`"(?:${SPEAKERS.join('|')})"\\s*:\\s*["{]`).test(text) &&
    new RegExp(`"(?:${TEXTS.join('|')})"\\s*:\\s*["[]`).test(text),
  read,
}

const ROLES: ReadonlyMap<string | null, string> = new Map([
  ['human', 'user'],
  ['gpt', 'assistant'],
])

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const name = nameFile(path, options)
  const leftOut = new LeftOut()
  const conversations = new Map<string, Conversation>()
  let lists = 0
  const open = (value: unknown, isList: boolean): Conversation => {
    const id = findText(value, isList ? [...SESSIONS, ...IDS] : SESSIONS)
    const key = id ?? (isList ? `${name}#${++lists}` : name)
    const about: Fields = isList && isFields(value) ? value : {}
    // Many folders may hold a file of this name, so the id of a conversation without one includes the path.
    const conversation =
      conversations.get(key) ??
      new Conversation({
        id: id ?? `${key} ${hashValue(options.file?.path ?? path).slice(0, 8)}`,
        key,
        title: textAt(about, 'title') ?? textAt(about, 'name'),
        startedAt: findTime(about),
        format: 'chat',
      })
    conversations.set(key, conversation)
    return conversation
  }
  for await (const entry of readJson(path, options)) {
    const { line } = entry
    if (entry.kind === 'broken') {
      yield skipped(name, entry.reason, line)
      continue
    }
    const messages = findMessages(entry.value)
    const conversation = open(entry.value, messages !== null)
    for (const message of messages ?? [entry.value]) {
      if (!isFields(message)) {
        yield skipped(name, 'It is not a message: it is not an object.', line)
        continue
      }
      const speaker = readSpeaker(message)
      const text = readText(message)
      if (speaker === 'system' || speaker === 'tool' || speaker === 'function') {
        leftOut.add(`messages of the ${speaker}`)
      } else if (text === null) {
        yield skipped(name, `It has no text in ${TEXTS.join(', ')}.`, line)
      } else {
        const role = ROLES.get(speaker) ?? speaker
        const [id, at] = [findText(message, IDS), findTime(message)]
        yield conversation.add({ id, speaker: role, text, at, metadata: { role } })
      }
    }
  }
  yield* leftOut.report(name)
}

/** The messages of a whole conversation; null for a single message. */
function findMessages(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value
  if (!isFields(value) || readText(value) !== null) return null
  const list = LISTS.find((field) => Array.isArray(value[field]))
  return list === undefined ? null : listAt(value, list)
}

function findText(value: unknown, fields: readonly string[]): string | null {
  return fields.map((field) => textAt(value, field)).find((text) => text !== null) ?? null
}

function findTime(value: Fields): unknown {
  return TIMES.map((field) => valueAt(value, field)).find((time) => time !== undefined)
}

function readSpeaker(value: Fields): string | null {
  for (const field of SPEAKERS) {
    const name =
      textAt(value, field) ?? textAt(value, field, 'role') ?? textAt(value, field, 'name')
    if (name !== null) return name
  }
  return null
}

function readText(value: Fields): string | null {
  for (const field of TEXTS) {
    const text = textAt(value, field)
    if (text !== null) return text
    const parts = listAt(value, field).flatMap((part) =>
      typeof part === 'string' ? part : (textAt(part, 'text') ?? []),
    )
    if (parts.length > 0) return parts.join('\n\n').toWellFormed()
    const inner = value[field]
    const nested = isFields(inner) ? readText(inner) : null
    if (nested !== null) return nested
  }
  return null
}
