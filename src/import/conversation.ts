/** Shared by the readers of conversations: turns in their order, counts of left-out parts, files of conversations. */

import { basename } from 'node:path'
import { type Fields, isFields } from '../core/json-fields.js'
import { explainReadError, type FoundFile, readFiles, skipped } from './files.js'
import type {
  EntrySession,
  ImportEntry,
  ImportFormat,
  ReadOptions,
  RecordEntry,
  SkippedEntry,
} from './importer.js'
import { readJsonLines, readJsonValues } from './json-values.js'
import {
  cleanLabel,
  cleanLabels,
  firstWords,
  hashValue,
  makeSessionId,
  parseTimestamp,
} from './values.js'

export type Turn = {
  /** Null: its position in the conversation is used instead. */
  readonly id: string | null
  /** `user`, `assistant`, or a name. */
  readonly speaker: string | null
  readonly text: string
  /** As the export writes it. */
  readonly at: unknown
  readonly metadata: Readonly<Record<string, unknown>>
}

export type ConversationInput = {
  readonly id: string
  /** The prefix of the keys of its turns, where it is not the id. */
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

  get turns(): number {
    return this.#count
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
      ...(occurredAt === null ? {} : { occurredAt }),
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null)),
    }
    const session: EntrySession = {
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

  add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  /** `type` is the kind of a part in an export of Claude. */
  addPart(type: string | null): void {
    if (type === 'tool_use' || type === 'tool_result') this.add('calls and results of tools')
    else if (type === 'thinking' || type === 'redacted_thinking') this.add('thoughts')
    else this.add(`parts of the kind ${type ?? 'unknown'}`)
  }

  *report(name: string): Generator<SkippedEntry, void> {
    if (this.#counts.size === 0) return
    const parts = [...this.#counts].map(([what, count]) => `${what} (${count})`)
    yield skipped(name, `Left out: ${parts.join(', ')}.`)
  }
}

export type ConversationSource = {
  readonly name: string
  readonly line: number
  readonly leftOut: LeftOut
}

/** Reads one file with a list of conversations. */
export function readConversations(
  readOne: (value: unknown, source: ConversationSource) => Iterable<ImportEntry>,
) {
  return async function* (path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
    const name = basename(path)
    const leftOut = new LeftOut()
    for await (const entry of readJsonValues(path, options)) {
      if (entry.kind === 'broken') yield skipped(name, entry.reason, entry.line)
      else yield* readOne(entry.value, { name, line: entry.line, leftOut })
    }
    yield* leftOut.report(name)
  }
}

/** Reads JSONL files with one session each. `open` returns the function that reads the lines of a file. */
export function readSessions(
  isWanted: (name: string) => boolean,
  open: (
    file: FoundFile,
    leftOut: LeftOut,
    options: ReadOptions,
  ) => Promise<(line: Fields) => Iterable<ImportEntry>>,
) {
  return (path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> =>
    readFiles(path, {
      ...options,
      isWanted,
      readFile: async function* (file) {
        const leftOut = new LeftOut()
        try {
          const readLine = await open(file, leftOut, options)
          for await (const entry of readJsonLines(file.path, options)) {
            if (entry.kind === 'broken') yield skipped(file.name, entry.reason, entry.line)
            else if (isFields(entry.value)) yield* readLine(entry.value)
            else yield skipped(file.name, 'It is not an object.', entry.line)
          }
        } catch (error) {
          options.signal?.throwIfAborted()
          yield skipped(file.name, explainReadError(error))
        }
        yield* leftOut.report(file.name)
      },
    })
}
