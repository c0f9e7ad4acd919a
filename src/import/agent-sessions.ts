/** Imports sessions of Claude Code, Codex and Gemini CLI: the texts of people and models, without tool calls and program notes. */

import { basename } from 'node:path'
import { type Fields, isFields, listAt, textAt, valueAt } from '../core/json-fields.js'
import { Conversation, LeftOut, listParts, readSessions } from './conversation.js'
import { type FoundFile, readByteLines, readFiles, skipped } from './files.js'
import type { ImportEntry, Importer, ReadOptions } from './importer.js'
import { readJson } from './json-values.js'

export const claudeCode: Importer = {
  name: 'claude-code',
  detect: (_, { text }) => isClaudeCode(text),
  read: readSessions(isLog, openClaudeCode),
}

function isLog(name: string): boolean {
  return name.endsWith('.jsonl')
}

const KINDS = /"type"\s*:\s*"(?:user|assistant|summary|system|file-history-snapshot|progress|queue)/

function isClaudeCode(text: string): boolean {
  const hasIds = /"(?:sessionId|leafUuid|messageId)"\s*:/.test(text)
  return /^\s*\{/.test(text) && hasIds && KINDS.test(text)
}

/** Texts that the program itself writes as the user. */
const CLAUDE_NOTES = /^\s*<(?:command-(?:name|message|args)|local-command-\w+|system-reminder)\b/

async function openClaudeCode(file: FoundFile, leftOut: LeftOut, options: ReadOptions) {
  const title = await findTitle(file, options)
  const conversations = new Map<string, Conversation>()
  return (line: Fields) => {
    const type = textAt(line, 'type')
    if (type === 'summary') return null
    if (type !== 'user' && type !== 'assistant') {
      return leftOut.add(`entries of the kind ${type ?? 'unknown'}`)
    }
    if (line.isSidechain === true) return leftOut.add('turns of subagents')
    if (line.isMeta === true || line.isCompactSummary === true) {
      return leftOut.add('notes of the program')
    }
    const texts = listParts(line, 'message', 'content').flatMap((part) => {
      const kind = textAt(part, 'type')
      const text = kind === 'text' ? textAt(part, 'text') : null
      if (text === null) return leftOut.addPart(kind) ?? []
      return CLAUDE_NOTES.test(text) ? (leftOut.add('notes of the program') ?? []) : text
    })
    if (texts.length === 0) return null
    const id = textAt(line, 'sessionId') ?? basename(file.name, '.jsonl')
    const conversation =
      conversations.get(id) ?? new Conversation({ id, title, format: 'claude-code' })
    conversations.set(id, conversation)
    return conversation.add({
      id: textAt(line, 'uuid'),
      speaker: type,
      text: texts.join('\n\n'),
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
  for await (const lines of readByteLines(file.path, { signal })) {
    for (const { bytes } of lines) {
      if (bytes === null || bytes.length > 10_000 || !bytes.includes('"summary"')) continue
      try {
        const value: unknown = JSON.parse(bytes.toString('utf8'))
        if (textAt(value, 'type') === 'summary') title = textAt(value, 'summary') ?? title
      } catch {
        // Reported when the line is read.
      }
    }
  }
  return title
}

export const codex: Importer = {
  name: 'codex',
  detect: (path, { text }) => isRollout(basename(path)) || isCodex(text),
  read: readSessions(isRollout, openCodex),
}

function isRollout(name: string): boolean {
  return /(?:^|\/)rollout-[^/]*\.jsonl$/.test(name)
}

function isCodex(text: string): boolean {
  return /^\s*\{/.test(text) && /"type"\s*:\s*"(?:session_meta|response_item)"/.test(text)
}

/** Texts that the program itself writes as the user. */
const CODEX_NOTES =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|INSTRUCTIONS)\b|# AGENTS\.md instructions)/

async function openCodex(file: FoundFile, leftOut: LeftOut) {
  let conversation: Conversation | null = null
  let meta: unknown = null
  return (line: Fields) => {
    // Older versions wrote the payload as the line itself.
    const payload = isFields(line.payload) ? line.payload : line
    const lineType = textAt(line, 'type')
    if (lineType === 'session_meta' || (lineType === null && textAt(line, 'id') !== null)) {
      meta ??= payload
      return null
    }
    const type = textAt(payload, 'type')
    const role = textAt(payload, 'role')
    if (type === 'reasoning') return leftOut.add('thoughts')
    if (type?.includes('call')) return leftOut.add('calls and results of tools')
    if (type !== 'message') return leftOut.add('events of the program')
    if (role !== 'user' && role !== 'assistant') {
      return leftOut.add(`messages of the ${role ?? 'unknown'}`)
    }
    const texts = listParts(payload, 'content').flatMap((part) => textAt(part, 'text') ?? [])
    const text = texts.filter((written) => !CODEX_NOTES.test(written)).join('\n\n')
    if (text === '') return leftOut.add('notes of the program')
    const id = textAt(meta, 'id') ?? basename(file.name, '.jsonl')
    const startedAt = valueAt(meta, 'timestamp')
    conversation ??= new Conversation({ id, title: null, startedAt, format: 'codex' })
    return conversation.add({
      id: null,
      speaker: role,
      text,
      at: valueAt(line, 'timestamp'),
      metadata: { role, cwd: textAt(meta, 'cwd') },
    })
  }
}

export const gemini: Importer = {
  name: 'gemini',
  detect: (_, { text }) =>
    /^\s*\{/.test(text) && /"sessionId"\s*:/.test(text) && /"projectHash"\s*:/.test(text),
  read: readFiles((name) => /(?:^|\/)session-[^/]*\.jsonl?$/.test(name), readGemini),
}

/**
 * Newer files are a log: a message that is written again replaces the one with its id, and `$rewindTo` takes back a
 * message and all after it. Older ones are one object with all messages.
 */
async function* readGemini(
  file: FoundFile,
  options: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  const leftOut = new LeftOut()
  const messages = new Map<string, Fields>()
  let meta: Fields = {}
  for await (const entry of readJson(file.path, options)) {
    if (entry.kind === 'broken') yield skipped(file.name, entry.reason, entry.line)
    if (entry.kind === 'broken' || !isFields(entry.value)) continue
    const { $rewindTo: first, $set: changed, ...line } = entry.value
    if (typeof first === 'string') {
      const ids = [...messages.keys()]
      for (const id of ids.slice(Math.max(0, ids.indexOf(first)))) messages.delete(id)
    } else {
      const value = isFields(changed) ? changed : line
      const told = textAt(value, 'id') === null ? listAt(value, 'messages') : [value]
      for (const message of told) {
        const id = textAt(message, 'id')
        if (id !== null && isFields(message)) messages.set(id, message)
      }
      if (textAt(value, 'id') === null) meta = { ...meta, ...value }
    }
  }
  const conversation = new Conversation({
    id: textAt(meta, 'sessionId') ?? basename(file.name).replace(/\.jsonl?$/, ''),
    title: textAt(meta, 'summary'),
    startedAt: meta.startTime,
    format: 'gemini',
  })
  for (const [id, message] of messages) {
    const type = textAt(message, 'type')
    if (type !== 'user' && type !== 'gemini') {
      leftOut.add(`entries of the kind ${type ?? 'unknown'}`)
      continue
    }
    const texts = listParts(message, 'content').flatMap((part) =>
      valueAt(part, 'thought') === true ? [] : (textAt(part, 'text') ?? []),
    )
    if (texts.length === 0) leftOut.add('calls and results of tools')
    else {
      const role = type === 'user' ? 'user' : 'assistant'
      const metadata = { role, model: textAt(message, 'model') }
      const [text, at] = [texts.join('\n\n'), valueAt(message, 'timestamp')]
      yield conversation.add({ id, speaker: role, text, at, metadata })
    }
  }
  yield* leftOut.report(file.name)
}
