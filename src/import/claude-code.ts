/** Imports sessions of Claude Code: what people and the model wrote, without tool calls and program notes. */

import { type Fields, textAt, valueAt } from '../core/json-fields.js'
import { Conversation, type LeftOut, readSessions } from './conversation.js'
import { areMostly, type FoundFile, readByteLines } from './files.js'
import type { Importer, ReadOptions } from './importer.js'

export const claudeCode: Importer = {
  name: 'claude-code',
  detect: (_, { text, files, logs }) =>
    files === null ? isSession(text) : areMostly(files, isLog) && logs.some(isSession),
  read: readSessions(isLog, openSession),
}

function isLog(name: string): boolean {
  return name.endsWith('.jsonl')
}

const KINDS = /"type"\s*:\s*"(?:user|assistant|summary|system|file-history-snapshot|progress|queue)/

function isSession(text: string): boolean {
  const hasIds = /"(?:sessionId|leafUuid|messageId)"\s*:/.test(text)
  return /^\s*\{/.test(text) && hasIds && KINDS.test(text)
}

async function openSession(file: FoundFile, leftOut: LeftOut, options: ReadOptions) {
  const title = await findTitle(file, options)
  const conversations = new Map<string, Conversation>()
  return function* (line: Fields) {
    const type = textAt(line, 'type')
    if (type === 'summary') return
    if (type !== 'user' && type !== 'assistant') {
      leftOut.add(`entries of the kind ${type ?? 'unknown'}`)
      return
    }
    const text = readText(line, leftOut)
    if (text === null) return
    const id = textAt(line, 'sessionId') ?? file.name.replace(/^.*\/|\.jsonl$/g, '')
    const conversation =
      conversations.get(id) ?? new Conversation({ id, title, format: 'claude-code' })
    conversations.set(id, conversation)
    yield conversation.add({
      id: textAt(line, 'uuid'),
      speaker: type,
      text,
      at: valueAt(line, 'timestamp'),
      metadata: {
        role: type,
        model: textAt(line, 'message', 'model'),
        cwd: textAt(line, 'cwd'),
        gitBranch: textAt(line, 'gitBranch'),
      },
    })
  }
}

/** The last summary, anywhere in the file. */
async function findTitle(file: FoundFile, { signal }: ReadOptions): Promise<string | null> {
  let title: string | null = null
  for await (const { bytes } of readByteLines(file.path, { signal })) {
    if (bytes === null || bytes.length > 10_000 || !bytes.includes('"summary"')) continue
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8'))
      if (textAt(value, 'type') === 'summary') title = textAt(value, 'summary') ?? title
    } catch {
      // Reported when the line is read.
    }
  }
  return title
}

/** Texts that the program itself writes as the user. */
const NOTES = /^\s*<(?:command-(?:name|message|args)|local-command-\w+|system-reminder)\b/

function readText(line: Fields, leftOut: LeftOut): string | null {
  if (line.isSidechain === true) {
    leftOut.add('turns of subagents')
    return null
  }
  if (line.isMeta === true || line.isCompactSummary === true) {
    leftOut.add('notes of the program')
    return null
  }
  const content = valueAt(line, 'message', 'content')
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const texts: string[] = []
  for (const part of Array.isArray(parts) ? parts : []) {
    const type = textAt(part, 'type')
    const text = type === 'text' ? textAt(part, 'text') : null
    if (text === null) leftOut.addPart(type)
    else if (NOTES.test(text)) leftOut.add('notes of the program')
    else texts.push(text)
  }
  return texts.join('\n\n') || null
}
