/** Any list of who said what becomes conversations in its order. */

import { basename } from 'node:path'
import { type Fields, hashValue, isFields, listAt, textAt, valueAt } from './fields.js'
import { readFirstBytes, skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  type ReadOptions,
} from './importer.js'
import { readJson } from './json-values.js'
import { Conversation, LeftOut } from './turns.js'

export const chat: Importer = {
  name: 'chat',
  sentence: FORMAT_DESCRIPTIONS.chat,
  isMirror: false,
  detect: (_, { text }) =>
    /^\s*[[{]/.test(text) &&
    new RegExp(`"(?:${SPEAKERS.join('|')})"\\s*:\\s*["{]`).test(text) &&
    new RegExp(`"(?:${TEXTS.join('|')})"\\s*:\\s*["[]`).test(text),
  read,
}

const SPEAKERS = ['role', 'speaker', 'author', 'sender', 'from']
const TEXTS = ['content', 'text', 'message', 'value']
const TIMES = ['timestamp', 'created_at', 'createdAt', 'create_time', 'time', 'date', 'ts']
const CONVERSATIONS = [
  'conversation_id',
  'conversationId',
  'session_id',
  'sessionId',
  'session',
  'thread',
]
const LISTS = ['messages', 'conversation', 'conversations', 'turns', 'history']
const IDS = ['id', 'uuid', 'message_id']

const LOOKED_AT = 65_536

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const name = basename(path)
  const reader = new Reader(name, path)
  const beginning = new TextDecoder().decode(await readFirstBytes(path, LOOKED_AT))
  for await (const entry of readJson(path, beginning, options)) {
    if (entry.kind === 'broken') yield skipped(name, entry.reason, entry.line)
    else yield* reader.read(entry.value, entry.line)
  }
  yield* reader.leftOut.tell(name)
}

class Reader {
  readonly leftOut = new LeftOut()
  readonly #name: string
  readonly #mark: string
  readonly #conversations = new Map<string, Conversation>()
  #lists = 0

  /** Files of one name are in many folders: a conversation without an id is told by its whole path. */
  constructor(name: string, path: string) {
    this.#name = name
    this.#mark = hashValue(path).slice(0, 8)
  }

  /** One message, or one conversation with its list of messages. */
  *read(value: unknown, line: number): Generator<ImportEntry, void> {
    const messages = Array.isArray(value) ? value : messagesOf(value)
    if (messages === null) {
      yield* this.#message(value, line, this.#conversationOf(value))
      return
    }
    const place = ++this.#lists
    const id = first(value, [...CONVERSATIONS, ...IDS])
    const title = textAt(value, 'title') ?? textAt(value, 'name')
    const startedAt = TIMES.map((field) => valueAt(value, field)).find((at) => at !== undefined)
    const conversation = this.#conversation(id, `#${place}`, { title, startedAt })
    for (const message of messages) yield* this.#message(message, line, conversation)
  }

  #conversationOf(message: unknown): Conversation {
    return this.#conversation(first(message, CONVERSATIONS), '', { title: null, startedAt: null })
  }

  #conversation(
    given: string | null,
    place: string,
    about: { title: string | null; startedAt: unknown },
  ): Conversation {
    const key = given ?? `${this.#name}${place}`
    const known = this.#conversations.get(key)
    if (known !== undefined) return known
    const id = given ?? `${key} ${this.#mark}`
    const made = new Conversation({ id, key, ...about, endedAt: null, format: 'chat' })
    this.#conversations.set(key, made)
    return made
  }

  *#message(
    value: unknown,
    line: number,
    conversation: Conversation,
  ): Generator<ImportEntry, void> {
    if (!isFields(value)) {
      yield skipped(this.#name, 'It is no message: it is no object.', line)
      return
    }
    const speaker = speakerOf(value)
    if (speaker === 'system' || speaker === 'tool' || speaker === 'function') {
      this.leftOut.add(`messages of the ${speaker}`)
      return
    }
    const text = textOf(value)
    if (text === null) {
      yield skipped(this.#name, `It has no text in ${TEXTS.join(', ')}.`, line)
      return
    }
    const at = TIMES.map((field) => value[field]).find((time) => time !== undefined)
    const role = speaker === 'human' ? 'user' : speaker === 'gpt' ? 'assistant' : speaker
    yield conversation.add({ id: first(value, IDS), speaker: role, text, at, metadata: { role } })
  }
}

function messagesOf(value: unknown): readonly unknown[] | null {
  if (!isFields(value) || textOf(value) !== null) return null
  const list = LISTS.find((field) => Array.isArray(value[field]))
  return list === undefined ? null : listAt(value, list)
}

function first(value: unknown, fields: readonly string[]): string | null {
  for (const field of fields) {
    const text = textAt(value, field)
    if (text !== null) return text
  }
  return null
}

/** A name, or an object that has one. */
function speakerOf(value: Fields): string | null {
  for (const field of SPEAKERS) {
    const own = textAt(value, field) ?? textAt(value, field, 'role') ?? textAt(value, field, 'name')
    if (own !== null) return own
  }
  return null
}

/** A text, or a list of parts that are text. */
function textOf(value: Fields): string | null {
  for (const field of TEXTS) {
    const own = textAt(value, field)
    if (own !== null) return own
    const parts = listAt(value, field).flatMap((part) =>
      typeof part === 'string' ? part : (textAt(part, 'text') ?? []),
    )
    if (parts.length > 0) return parts.join('\n\n').toWellFormed()
  }
  return null
}
