/** One message becomes one record: its text, who wrote it, when, and the thread it is part of. */

import type { Address, Email } from 'postal-mime'
import {
  cleanLabel,
  cleanLabels,
  firstWords,
  hashValue,
  makeSessionId,
  parseTimestamp,
} from './fields.js'
import { explainReadError, skipped } from './files.js'
import { htmlToText } from './html-text.js'
import type { ImportEntry } from './importer.js'

export type MailPlace = {
  readonly name: string
  readonly line: number
  readonly threads: Threads
}

/** Which message each thread began with. */
export class Threads {
  readonly #roots = new Map<string, string>()

  /** The first message that this one goes back to, as far as is known. */
  rootOf(id: string, before: readonly string[]): string {
    const [oldest] = before
    const known = before.map((one) => this.#roots.get(one)).find((root) => root !== undefined)
    const root = known ?? oldest ?? id
    this.#roots.set(id, root)
    for (const one of before) if (!this.#roots.has(one)) this.#roots.set(one, root)
    return root
  }
}

export async function readMessage(bytes: Uint8Array, place: MailPlace): Promise<ImportEntry> {
  const { name, line, threads } = place
  try {
    const { default: PostalMime } = await import('postal-mime')
    const email = await PostalMime.parse(bytes)
    const text =
      (email.text ?? '').trim() === '' ? htmlToText(email.html ?? '') : (email.text ?? '')
    const subject = cleanLabel(email.subject ?? null)
    const called = subject ?? (firstWords(text) || name)
    if (text.trim() === '') return skipped(called, 'The message has no text.', line)
    const id = idsIn(email.messageId)[0] ?? null
    const before = [...idsIn(email.references), ...idsIn(email.inReplyTo)]
    const thread = id === null ? (before[0] ?? null) : threads.rootOf(id, before)
    const occurredAt = parseTimestamp(email.date)
    const record = {
      body: text.trimEnd().toWellFormed(),
      title: subject,
      kind: 'memory' as const,
      people: cleanLabels([email.from].flatMap(namesOf)),
      source: cleanLabel(id === null ? name : `mid:${id}`),
      metadata: metadataOf(email),
      ...(occurredAt === null ? {} : { occurredAt }),
      ...(thread === null ? {} : { session: makeSessionId(thread) }),
    }
    return {
      kind: 'record',
      key: id ?? hashValue(record),
      hash: hashValue(record),
      record,
      ...(thread === null ? {} : { session: sessionOf(thread, subject, occurredAt) }),
    }
  } catch (error) {
    return skipped(name, explainReadError(error), line)
  }
}

function sessionOf(thread: string, subject: string | null, at: string | null) {
  const title = cleanLabel(
    subject?.replace(/^(?:\s*(?:re|fwd?|aw|wg|sv|antw)\s*:)+\s*/i, '') ?? null,
  )
  return { id: makeSessionId(thread), title, startedAt: at, endedAt: at }
}

/** Without their angle brackets. */
function idsIn(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/<([^<>\s]+)>/g)].map(([, id = '']) => id.toWellFormed())
}

/** The name, or where there is none the address; a group is its members. */
function namesOf(address: Address | undefined): string[] {
  if (address === undefined) return []
  if (address.group !== undefined) return address.group.flatMap((one) => namesOf(one))
  const name = address.name.trim() === '' ? address.address : address.name
  return name === undefined || name.trim() === '' ? [] : [name]
}

function metadataOf(email: Email): Record<string, unknown> {
  const to = [...(email.to ?? []), ...(email.cc ?? [])].flatMap(namesOf)
  const from = email.from?.address ?? null
  const files = email.attachments.map(({ filename }) => filename).filter((file) => file !== null)
  return {
    ...(from === null ? {} : { from }),
    ...(to.length === 0 ? {} : { to }),
    ...(files.length === 0 ? {} : { attachments: files }),
  }
}
