/** Imports mailboxes and single messages: each message becomes a record, each thread a session. */

import { basename } from 'node:path'
import type { Address, Email } from 'postal-mime'
import type { Fields } from '../core/json-fields.js'
import { explainReadError, readByteLines, readFiles, skipped } from './files.js'
import { htmlToText } from './html-text.js'
import type { ImportEntry, Importer, ReadOptions } from './importer.js'
import {
  cleanLabel,
  cleanLabels,
  dropEmpty,
  hashValue,
  makeSessionId,
  parseTimestamp,
} from './values.js'

export const mbox: Importer = {
  name: 'mbox',
  detect: (path, { text }) =>
    isFromLine(text.split(/\r?\n/, 1)[0] ?? '') || (isMail(path) && /^[A-Za-z-]+:/.test(text)),
  read: readFiles(isMail, async function* (file, options) {
    /** The first message of the thread of each message. */
    const roots = new Map<string, string>()
    for await (const { bytes, line } of splitMessages(file.path, options)) {
      yield await readMessage(bytes, { name: basename(file.name), line, roots })
    }
  }),
}

function isMail(name: string): boolean {
  return /\.(?:mbox|mbx|eml)$/i.test(name)
}

const MAX_FROM_LINE = 1000

/** `From name@host Thu Jan  1 00:00:00 2026`, and not a sentence that begins with "From". */
function isFromLine(line: string): boolean {
  return (
    line.length <= MAX_FROM_LINE &&
    /^From (?:\S+ .*\d{1,2}:\d{2}.*|\S*@\S*|-|MAILER-DAEMON\b.*)\s*$/.test(line)
  )
}

/** The rest of a larger message is attachments and is not read. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** The parser takes long for each line, however short. */
const MAX_MESSAGE_LINES = 100_000
const MAX_BLANK_LINES = 100
const FROM = Buffer.from('From ')
const LINE_FEED = Buffer.from('\n')
const REPLY_MARKS = /^(?:\s*(?:re|fwd?|aw|wg|sv|antw)\s*:)+\s*/i

async function* splitMessages(path: string, options: ReadOptions) {
  const { add, finish } = createSplitter()
  for await (const lines of readByteLines(path, options, MAX_MESSAGE_BYTES)) {
    for (const { number, bytes } of lines) {
      const message = add(bytes ?? Buffer.alloc(0), number)
      if (message !== null) yield message
    }
  }
  const last = finish()
  if (last !== null) yield last
}

/** Collects the lines of a message; `add` returns the previous message when a line begins the next. */
function createSplitter() {
  let parts: Buffer[] = []
  let length = 0
  let startLine = 1
  let [blankLines, isAfterBlank] = [0, true]
  const finish = () => {
    const bytes = Buffer.concat(parts)
    parts = []
    length = 0
    return bytes.toString('latin1').trim() === '' ? null : { bytes, line: startLine }
  }
  const add = (line: Buffer, number: number) => {
    if (isAfterBlank && line.subarray(0, 5).equals(FROM) && isFromLine(line.toString('latin1'))) {
      const message = finish()
      startLine = number
      isAfterBlank = false
      return message
    }
    isAfterBlank = line.length === 0 || (line.length === 1 && line[0] === 13)
    blankLines = isAfterBlank ? blankLines + 1 : 0
    if (blankLines > MAX_BLANK_LINES) return null
    length += line.length + 1
    if (length > MAX_MESSAGE_BYTES || parts.length >= 2 * MAX_MESSAGE_LINES) return null
    // A mailbox quotes a line that begins with "From" by a ">".
    const isQuoted = line[0] === 62 && /^>+From /.test(line.subarray(0, 100).toString('latin1'))
    parts.push(isQuoted ? line.subarray(1) : line, LINE_FEED)
    return null
  }
  return { add, finish }
}

async function readMessage(
  bytes: Uint8Array,
  { name, line, roots }: { name: string; line: number; roots: Map<string, string> },
): Promise<ImportEntry> {
  try {
    const { default: PostalMime } = await import('postal-mime')
    const email = await PostalMime.parse(bytes)
    const plain = email.text ?? ''
    const text = plain.trim() === '' ? await htmlToText(email.html ?? '') : plain
    const subject = cleanLabel(email.subject ?? null)
    if (text.trim() === '') return skipped(subject ?? name, 'The message has no text.', line)
    const id = findIds(email.messageId)[0] ?? null
    const earlier = [...findIds(email.references), ...findIds(email.inReplyTo)]
    const thread = id === null ? (earlier[0] ?? null) : findRoot(roots, id, earlier)
    const at = parseTimestamp(email.date)
    const session = thread === null ? null : makeSessionId(thread)
    const title = cleanLabel(subject?.replace(REPLY_MARKS, '') ?? null)
    const record = {
      body: text.trimEnd().toWellFormed(),
      title: subject,
      kind: 'memory' as const,
      people: cleanLabels(listNames(email.from)),
      source: cleanLabel(id === null ? name : `mid:${id}`),
      metadata: readMetadata(email),
      occurredAt: at,
      session,
    }
    return {
      kind: 'record',
      key: id ?? hashValue(record),
      hash: hashValue(record),
      record,
      ...(session !== null && { session: { id: session, title, startedAt: at, endedAt: at } }),
    }
  } catch (error) {
    return skipped(name, explainReadError(error), line)
  }
}

function findRoot(roots: Map<string, string>, id: string, earlier: readonly string[]): string {
  const known = earlier.map((one) => roots.get(one)).find((root) => root !== undefined)
  const root = known ?? earlier[0] ?? id
  roots.set(id, root)
  for (const one of earlier) if (!roots.has(one)) roots.set(one, root)
  return root
}

function findIds(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/<([^<>\s]+)>/g)].map(([, id = '']) => id.toWellFormed())
}

/** The name or else the address; for a group those of its members. */
function listNames(address: Address | undefined): string[] {
  if (address === undefined) return []
  if (address.group !== undefined) return address.group.flatMap(listNames)
  const name = address.name.trim() === '' ? address.address : address.name
  return name === undefined || name.trim() === '' ? [] : [name]
}

function readMetadata({ from, to = [], cc = [], attachments }: Email): Fields {
  return dropEmpty({
    from: from?.address ?? null,
    to: [...to, ...cc].flatMap(listNames),
    attachments: attachments.map(({ filename }) => filename).filter((file) => file !== null),
  })
}
