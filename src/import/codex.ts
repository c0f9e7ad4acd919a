/** Imports sessions of Codex: what people and the model wrote, without tool calls and program notes. */

import { basename } from 'node:path'
import { type Fields, isFields, listAt, textAt, valueAt } from '../core/json-fields.js'
import { Conversation, type LeftOut, readSessions } from './conversation.js'
import { areMostly, type FoundFile } from './files.js'
import type { Importer } from './importer.js'

export const codex: Importer = {
  name: 'codex',
  detect: (path, { text, files }) =>
    files === null ? isRollout(basename(path)) || isSession(text) : areMostly(files, isRollout),
  read: readSessions(isRollout, openSession),
}

function isRollout(name: string): boolean {
  return /(?:^|\/)rollout-[^/]*\.jsonl$/.test(name)
}

function isSession(text: string): boolean {
  return /^\s*\{/.test(text) && /"type"\s*:\s*"(?:session_meta|response_item)"/.test(text)
}

async function openSession(file: FoundFile, leftOut: LeftOut) {
  let conversation: Conversation | null = null
  let meta: unknown = null
  return function* (line: Fields) {
    // Older versions wrote the payload as the line itself.
    const payload = isFields(line.payload) ? line.payload : line
    const type = textAt(line, 'type')
    if (type === 'session_meta' || (type === null && textAt(line, 'id') !== null)) {
      meta ??= payload
      return
    }
    const text = readText(payload, leftOut)
    if (text === null) return
    const id = textAt(meta, 'id') ?? basename(file.name, '.jsonl')
    const startedAt = valueAt(meta, 'timestamp')
    conversation ??= new Conversation({ id, title: null, startedAt, format: 'codex' })
    const role = textAt(payload, 'role')
    yield conversation.add({
      id: null,
      speaker: role,
      text,
      at: valueAt(line, 'timestamp'),
      metadata: { role, cwd: textAt(meta, 'cwd') },
    })
  }
}

/** Texts that the program itself writes as the user. */
const NOTES =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|INSTRUCTIONS)\b|# AGENTS\.md instructions)/

function readText(payload: Fields, leftOut: LeftOut): string | null {
  const type = textAt(payload, 'type')
  const role = textAt(payload, 'role')
  if (type !== 'message') {
    if (type === 'reasoning') leftOut.add('thoughts')
    else
      leftOut.add(type?.includes('call') ? 'calls and results of tools' : 'events of the program')
    return null
  }
  if (role !== 'user' && role !== 'assistant') {
    leftOut.add(`messages of the ${role ?? 'unknown'}`)
    return null
  }
  const content = textAt(payload, 'content')
  const texts =
    content === null
      ? listAt(payload, 'content').flatMap((part) => textAt(part, 'text') ?? [])
      : [content]
  const written = texts.filter((text) => !NOTES.test(text))
  if (written.length === 0) leftOut.add('notes of the program')
  return written.join('\n\n') || null
}
