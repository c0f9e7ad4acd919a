/** A mailbox of any size becomes its messages, one at a time, in the threads they belong to. */

import { basename } from 'node:path'
import { explainReadError, type FoundFile, findFiles, readByteLines, skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  isMostly,
  type ReadOptions,
} from './importer.js'
import { readMessage, Threads } from './mail.js'

export const mbox: Importer = {
  name: 'mbox',
  sentence: FORMAT_DESCRIPTIONS.mbox,
  isMirror: false,
  detect: (path, { text, files }) =>
    files === null
      ? isFromLine(text.split(/\r?\n/, 1)[0] ?? '') || (isMail(path) && /^[A-Za-z-]+:/.test(text))
      : isMostly(files, isMail),
  read,
}

function isMail(name: string): boolean {
  return /\.(?:mbox|mbx|eml)$/i.test(name)
}

/** Of a larger message the rest is left unread: it is all attachments. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** `From name@host Thu Jan  1 00:00:00 2026`: what a sentence that begins with "From" does not look like. */
function isFromLine(line: string): boolean {
  return /^From (?:\S+ .*\d{1,2}:\d{2}.*|\S*@\S*|-|MAILER-DAEMON\b.*)\s*$/.test(line)
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  for await (const file of findFiles(path, isMail, options)) {
    if (file.kind === 'skipped') {
      yield file
      continue
    }
    const threads = new Threads()
    try {
      for await (const { bytes, line } of messagesOf(file, options)) {
        yield await readMessage(bytes, { name: basename(file.name), line, threads })
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      yield skipped(file.name, explainReadError(error))
    }
  }
}

type Message = { readonly bytes: Buffer; readonly line: number }

async function* messagesOf(file: FoundFile, options: ReadOptions): AsyncGenerator<Message, void> {
  let parts: Buffer[] = []
  let held = 0
  let startLine = 1
  let isAfterBlank = true
  const finish = (): Message | null => {
    const message = { bytes: Buffer.concat(parts), line: startLine }
    parts = []
    held = 0
    return message.bytes.length === 0 || message.bytes.toString('latin1').trim() === ''
      ? null
      : message
  }
  for await (const { number, bytes } of readByteLines(file.path, options, MAX_MESSAGE_BYTES)) {
    const line = bytes ?? Buffer.alloc(0)
    if (isAfterBlank && line.subarray(0, 5).equals(FROM) && isFromLine(line.toString('latin1'))) {
      const message = finish()
      if (message !== null) yield message
      startLine = number
      isAfterBlank = false
      continue
    }
    isAfterBlank = line.length === 0 || (line.length === 1 && line[0] === 13)
    held += line.length + 1
    if (held <= MAX_MESSAGE_BYTES) parts.push(unquote(line), FEED)
  }
  const message = finish()
  if (message !== null) yield message
}

const FROM = Buffer.from('From ')
const FEED = Buffer.from('\n')

/** Where a line of a message began with "From", the mailbox has a ">" before it. */
function unquote(line: Buffer): Buffer {
  return line[0] === 62 && /^>+From /.test(line.subarray(0, 100).toString('latin1'))
    ? line.subarray(1)
    : line
}
