/** Sessions of Claude Code become what was said in them, without what only the tools saw. */

import { type Fields, isFields, textAt, valueAt } from './fields.js'
import { explainReadError, type FoundFile, findFiles, readTextLines, skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  isMostly,
  type ReadOptions,
} from './importer.js'
import { type JsonValue, readJsonLines } from './json-values.js'
import { Conversation, LeftOut } from './turns.js'

export const claudeCode: Importer = {
  name: 'claude-code',
  sentence: FORMAT_DESCRIPTIONS['claude-code'],
  isMirror: false,
  detect: (_, { text, files, peek }) =>
    files === null
      ? isSession(text)
      : isMostly(files, isLog) &&
        files
          .filter(isLog)
          .slice(0, PEEKED)
          .some((file) => isSession(peek(file))),
  read,
}

const PEEKED = 5

function isLog(name: string): boolean {
  return name.endsWith('.jsonl')
}

const KINDS = /"type"\s*:\s*"(?:user|assistant|summary|system|file-history-snapshot|progress|queue)/

function isSession(text: string): boolean {
  const isMarked = /"(?:sessionId|leafUuid|messageId)"\s*:/.test(text)
  return /^\s*\{/.test(text) && isMarked && KINDS.test(text)
}

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  for await (const file of findFiles(path, isLog, options)) {
    if (file.kind === 'skipped') yield file
    else yield* readFileOf(file, options)
  }
}

async function* readFileOf(
  file: FoundFile,
  options: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  const leftOut = new LeftOut()
  const conversations = new Map<string, Conversation>()
  try {
    const title = await findTitle(file, options)
    for await (const entry of readJsonLines(file.path, options)) {
      if (entry.kind === 'broken') yield skipped(file.name, entry.reason, entry.line)
      else yield* readLine(entry, { file, title, leftOut, conversations })
    }
  } catch (error) {
    options.signal?.throwIfAborted()
    yield skipped(file.name, explainReadError(error))
  }
  yield* leftOut.tell(file.name)
}

/** The last summary, wherever in the file it stands. */
async function findTitle(file: FoundFile, options: ReadOptions): Promise<string | null> {
  let title: string | null = null
  for await (const { text } of readTextLines(file.path, { signal: options.signal })) {
    if (text === null || text.length > 10_000 || !text.includes('"summary"')) continue
    const value = parseOrNull(text)
    if (textAt(value, 'type') === 'summary') title = textAt(value, 'summary') ?? title
  }
  return title
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

type Place = {
  readonly file: FoundFile
  readonly title: string | null
  readonly leftOut: LeftOut
  readonly conversations: Map<string, Conversation>
}

type Entry = Extract<JsonValue, { kind: 'value' }>

function* readLine({ value, line }: Entry, place: Place): Generator<ImportEntry, void> {
  const { file, title, leftOut, conversations } = place
  if (!isFields(value)) {
    yield skipped(file.name, 'It is no object.', line)
    return
  }
  const type = textAt(value, 'type')
  if (type === 'summary') return
  if (type !== 'user' && type !== 'assistant') {
    leftOut.add(`entries of the kind ${type ?? 'unknown'}`)
    return
  }
  const why = reasonToLeaveOut(value)
  const text = why === null ? textOf(value, leftOut) : null
  if (text === null) {
    if (why !== null) leftOut.add(why)
    return
  }
  const id = textAt(value, 'sessionId') ?? file.name.replace(/^.*\/|\.jsonl$/g, '')
  const conversation =
    conversations.get(id) ??
    new Conversation({ id, title, startedAt: null, endedAt: null, format: 'claude-code' })
  conversations.set(id, conversation)
  yield conversation.add({
    id: textAt(value, 'uuid'),
    speaker: type,
    text,
    at: valueAt(value, 'timestamp'),
    metadata: metadataOf(value, type),
  })
}

function metadataOf(value: Fields, role: string) {
  const details = {
    role,
    model: textAt(value, 'message', 'model'),
    cwd: textAt(value, 'cwd'),
    gitBranch: textAt(value, 'gitBranch'),
  }
  return Object.fromEntries(Object.entries(details).filter(([, detail]) => detail !== null))
}

function reasonToLeaveOut(value: Fields): string | null {
  if (value.isSidechain === true) return 'turns of subagents'
  if (value.isMeta === true || value.isCompactSummary === true) return 'notes of the program'
  return null
}

/** What the program itself puts into the mouth of the user. */
const NOTES = /^\s*<(?:command-(?:name|message|args)|local-command-\w+|system-reminder)\b/

function textOf(value: Fields, leftOut: LeftOut): string | null {
  const content = valueAt(value, 'message', 'content')
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(parts)) return null
  const texts: string[] = []
  for (const part of parts) {
    const text = textAt(part, 'type') === 'text' ? textAt(part, 'text') : null
    if (text === null) leftOut.add(nameOf(textAt(part, 'type')))
    else if (NOTES.test(text)) leftOut.add('notes of the program')
    else texts.push(text)
  }
  return texts.length === 0 ? null : texts.join('\n\n')
}

function nameOf(type: string | null): string {
  if (type === 'tool_use' || type === 'tool_result') return 'calls and results of tools'
  return type === 'thinking' || type === 'redacted_thinking'
    ? 'thoughts'
    : `parts of the kind ${type ?? 'unknown'}`
}
