/** Sessions of Codex become what was said in them, without what only the tools saw. */

import { basename } from 'node:path'
import { isFields, listAt, textAt, valueAt } from './fields.js'
import { explainReadError, type FoundFile, findFiles, skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  isMostly,
  type ReadOptions,
} from './importer.js'
import { readJsonLines } from './json-values.js'
import { Conversation, LeftOut } from './turns.js'

export const codex: Importer = {
  name: 'codex',
  sentence: FORMAT_DESCRIPTIONS.codex,
  isMirror: false,
  detect: (path, { text, files }) =>
    files === null ? isRollout(basename(path)) || isSession(text) : isMostly(files, isRollout),
  read,
}

function isRollout(name: string): boolean {
  return /(?:^|\/)rollout-[^/]*\.jsonl$/.test(name)
}

function isSession(text: string): boolean {
  return /^\s*\{/.test(text) && /"type"\s*:\s*"(?:session_meta|response_item)"/.test(text)
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  for await (const file of findFiles(path, isRollout, options)) {
    if (file.kind === 'skipped') yield file
    else yield* readSession(file, options)
  }
}

async function* readSession(
  file: FoundFile,
  options: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  const leftOut = new LeftOut()
  let conversation: Conversation | null = null
  let meta: unknown = null
  try {
    for await (const entry of readJsonLines(file.path, options)) {
      if (entry.kind === 'broken') {
        yield skipped(file.name, entry.reason, entry.line)
        continue
      }
      const { value } = entry
      if (!isFields(value)) {
        yield skipped(file.name, 'It is no object.', entry.line)
        continue
      }
      // Older versions wrote what is now the payload as the line itself.
      const payload = isFields(value.payload) ? value.payload : value
      const type = textAt(value, 'type')
      if (type === 'session_meta' || (type === null && textAt(value, 'id') !== null)) {
        meta ??= payload
        continue
      }
      const text = textOf(payload, leftOut)
      if (text === null) continue
      conversation ??= begin(meta, file)
      const role = textAt(payload, 'role')
      yield conversation.add({
        id: null,
        speaker: role,
        text,
        at: valueAt(value, 'timestamp'),
        metadata: { role, ...cwdOf(meta) },
      })
    }
  } catch (error) {
    options.signal?.throwIfAborted()
    yield skipped(file.name, explainReadError(error))
  }
  yield* leftOut.tell(file.name)
}

function begin(meta: unknown, file: FoundFile): Conversation {
  return new Conversation({
    id: textAt(meta, 'id') ?? basename(file.name, '.jsonl'),
    title: null,
    startedAt: valueAt(meta, 'timestamp'),
    endedAt: null,
    format: 'codex',
  })
}

function cwdOf(meta: unknown): Record<string, string> {
  const cwd = textAt(meta, 'cwd')
  return cwd === null ? {} : { cwd }
}

/** What the program itself puts into the mouth of the user. */
const NOTES =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|INSTRUCTIONS)\b|# AGENTS\.md instructions)/

function textOf(payload: unknown, leftOut: LeftOut): string | null {
  const type = textAt(payload, 'type')
  if (type !== 'message') {
    leftOut.add(nameOf(type))
    return null
  }
  const role = textAt(payload, 'role')
  if (role !== 'user' && role !== 'assistant') {
    leftOut.add(`messages of the ${role ?? 'unknown'}`)
    return null
  }
  const content = valueAt(payload, 'content')
  const texts =
    typeof content === 'string'
      ? [content]
      : listAt(payload, 'content').map((part) => textAt(part, 'text'))
  const said = texts.filter((text) => text !== null && text.trim() !== '' && !NOTES.test(text))
  if (said.length > 0) return said.join('\n\n').toWellFormed()
  leftOut.add('notes of the program')
  return null
}

function nameOf(type: string | null): string {
  if (type === 'reasoning') return 'thoughts'
  return /call/.test(type ?? '') ? 'calls and results of tools' : 'events of the program'
}
