/** The turns of a conversation stay in their order, each with who said it and when. */

import { cleanLabels, firstWords, hashValue, makeSessionId, parseTimestamp } from './fields.js'
import { skipped } from './files.js'
import type { EntrySession, ImportFormat, RecordEntry, SkippedEntry } from './importer.js'

export type Turn = {
  /** Its own id; without one its place in the conversation is its name. */
  readonly id: string | null
  /** `user`, `assistant`, or a name. */
  readonly speaker: string | null
  readonly text: string
  /** As the export writes it. */
  readonly at: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
}

export type ConversationInput = {
  readonly id: string
  /** What its turns are known by, where that is not its id. */
  readonly key?: string
  readonly title: string | null
  readonly startedAt: unknown
  readonly endedAt: unknown
  readonly format: ImportFormat
}

/** One conversation: gives each turn a place behind the one before. */
export class Conversation {
  readonly #input: ConversationInput
  readonly #id: string
  #title: string | null
  #lastMs: number | null
  #count = 0

  constructor(input: ConversationInput) {
    this.#input = input
    this.#id = makeSessionId(input.id)
    this.#title = cleanLabels([input.title])[0] ?? null
    this.#lastMs = null
  }

  get turns(): number {
    return this.#count
  }

  add({ id, speaker, text, at, metadata = {} }: Turn): RecordEntry {
    const place = this.#count++
    if (this.#title === null && speaker !== 'assistant') this.#title = firstWords(text) || null
    const occurredAt = this.#timeOf(at)
    const record = {
      body: text,
      kind: 'memory' as const,
      people: cleanLabels([speaker]),
      source: this.#input.format,
      session: this.#id,
      ...(occurredAt === null ? {} : { occurredAt }),
      metadata: { ...metadata },
    }
    return {
      kind: 'record',
      key: `${this.#input.key ?? this.#id}/${id ?? place}`,
      hash: hashValue(record),
      record,
      session: this.#session(occurredAt),
    }
  }

  #session(occurredAt: string | null): EntrySession {
    return {
      id: this.#id,
      title: this.#title,
      startedAt: parseTimestamp(this.#input.startedAt),
      endedAt: parseTimestamp(this.#input.endedAt) ?? occurredAt,
    }
  }

  /** A moment that is missing, or not after the one before, is a millisecond after it: the order of the file stands. */
  #timeOf(at: unknown): string | null {
    const own = parseTimestamp(at)
    const start = this.#lastMs === null ? parseTimestamp(this.#input.startedAt) : null
    const given = own ?? start
    const ms = given === null ? null : Date.parse(given)
    const next = this.#lastMs === null ? ms : Math.max(ms ?? 0, this.#lastMs + 1)
    this.#lastMs = next
    return next === null ? null : new Date(next).toISOString()
  }
}

/** What an export holds besides what people said, counted so that it is told once. */
export class LeftOut {
  readonly #counts = new Map<string, number>()

  add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  *tell(name: string): Generator<SkippedEntry, void> {
    if (this.#counts.size === 0) return
    const parts = [...this.#counts].map(([what, count]) => `${what} (${count})`)
    yield skipped(name, `Left out: ${parts.join(', ')}.`)
  }
}
