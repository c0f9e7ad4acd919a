/** Shared by the readers of conversations: turns in their order, counts of left-out parts, files of conversations. */

import { type Fields, isFields, listAt, textAt } from '../core/json-fields.js'
import { type FoundFile, readFiles, skipped } from './files.js'
import type { ImportEntry, ImportFormat, ReadOptions, RecordEntry } from './importer.js'
import { readJsonLines, readJsonValues } from './json-values.js'
import {
  cleanLabel,
  cleanLabels,
  dropEmpty,
  firstWords,
  hashValue,
  makeSessionId,
  parseTimestamp,
} from './values.js'

export type Turn = {
  /** Null: its position in the conversation is used instead. */
  readonly id: string | null
  readonly speaker: string | null
  readonly text: string
  /** As the export writes it. */
  readonly at: unknown
  /** Empty values are left out. */
  readonly metadata: Fields
}

type ConversationInput = {
  readonly id: string
  /** The prefix of the keys of its turns. Default: the id. */
  readonly key?: string
  readonly title: string | null
  readonly startedAt?: unknown
  readonly endedAt?: unknown
  readonly format: ImportFormat
}

/** Makes a record of each turn, with a timestamp after that of the turn before. */
export class Conversation {
  readonly #input: ConversationInput
  readonly #id: string
  #title: string | null
  #lastMs: number | null = null
  #count = 0

  constructor(input: ConversationInput) {
    this.#input = input
    this.#id = makeSessionId(input.id)
    this.#title = cleanLabel(input.title)
  }

  add({ id, speaker, text, at, metadata }: Turn): RecordEntry {
    const { key = this.#id, startedAt, endedAt, format } = this.#input
    const position = this.#count++
    if (this.#title === null && speaker !== 'assistant') this.#title = firstWords(text) || null
    const occurredAt = this.#nextTime(at)
    const record = {
      body: text,
      kind: 'memory' as const,
      people: cleanLabels([speaker]),
      source: format,
      session: this.#id,
      occurredAt,
      metadata: dropEmpty(metadata),
    }
    const session = {
      id: this.#id,
      title: this.#title,
      startedAt: parseTimestamp(startedAt),
      endedAt: parseTimestamp(endedAt) ?? occurredAt,
    }
    const hash = hashValue(record)
    return { kind: 'record', key: `${key}/${id ?? position}`, hash, record, session }
  }

  /** A timestamp that is missing, or not after the one before, becomes a millisecond after it. */
  #nextTime(at: unknown): string | null {
    const start = this.#lastMs === null ? this.#input.startedAt : null
    const time = parseTimestamp(at) ?? parseTimestamp(start)
    const ms = time === null ? null : Date.parse(time)
    this.#lastMs = this.#lastMs === null ? ms : Math.max(ms ?? 0, this.#lastMs + 1)
    return this.#lastMs === null ? null : new Date(this.#lastMs).toISOString()
  }
}

/** Counts the parts of an export that are not imported, for one report at its end. */
export class LeftOut {
  readonly #counts = new Map<string, number>()

  /** Returns null, so that a reader can return the result. */
  add(what: string): null {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
    return null
  }

  /** `type` is the kind of a part in an export of Claude. */
  addPart(type: string | null): null {
    if (type === 'tool_use' || type === 'tool_result') return this.add('calls and results of tools')
    if (type === 'thinking' || type === 'redacted_thinking') return this.add('thoughts')
    return this.add(`parts of the kind ${type ?? 'unknown'}`)
  }

  *report(name: string): Generator<ImportEntry, void> {
    if (this.#counts.size === 0) return
    const parts = [...this.#counts].map(([what, count]) => `${what} (${count})`)
    yield skipped(name, `Left out: ${parts.join(', ')}.`)
  }
}

/** The parts of a message. Older versions of most programs write one text instead. */
export function listParts(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const text = textAt(value, ...path)
  return text === null ? listAt(value, ...path) : [{ type: 'text', text }]
}

/** Reads one file with a list of conversations. `messages` is null for a value that is not a conversation. */
export function readConversations<T>(
  open: (value: unknown) => Omit<ConversationInput, 'id'> & {
    readonly id: string | null
    readonly messages: readonly T[] | null
  },
  readTurn: (message: T, leftOut: LeftOut) => Turn | null,
) {
  const readFile = async function* (
    { name, path }: FoundFile,
    options: ReadOptions,
  ): AsyncGenerator<ImportEntry, void> {
    const leftOut = new LeftOut()
    for await (const entry of readJsonValues(path, options)) {
      const { line } = entry
      if (entry.kind === 'broken') {
        yield skipped(name, entry.reason, line)
        continue
      }
      const { id, messages, ...about } = open(entry.value)
      if (id === null || messages === null) {
        const reason = 'It is not a conversation: it has no id or no messages.'
        yield skipped(about.title ?? name, reason, line)
        continue
      }
      const conversation = new Conversation({ id, ...about })
      const turns = messages.flatMap((message) => readTurn(message, leftOut) ?? [])
      yield* turns.map((turn) => conversation.add(turn))
      if (turns.length === 0) yield skipped(about.title ?? id, 'It has no messages.', line)
    }
    yield* leftOut.report(name)
  }
  return readFiles((name) => /(?:^|\/)conversations[^/]*\.json$/.test(name), readFile)
}

/** Reads JSONL files with one session each. `open` returns the function that reads the lines of a file. */
export function readSessions(
  isWanted: (name: string) => boolean,
  open: (
    file: FoundFile,
    leftOut: LeftOut,
    options: ReadOptions,
  ) => Promise<(line: Fields) => ImportEntry | null>,
) {
  return readFiles(isWanted, async function* (file, options) {
    const leftOut = new LeftOut()
    const readLine = await open(file, leftOut, options)
    for await (const entry of readJsonLines(file.path, options)) {
      if (entry.kind === 'broken') yield skipped(file.name, entry.reason, entry.line)
      else if (isFields(entry.value)) {
        const turn = readLine(entry.value)
        if (turn !== null) yield turn
      } else yield skipped(file.name, 'It is not an object.', entry.line)
    }
    yield* leftOut.report(file.name)
  })
}
