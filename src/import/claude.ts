/** The export of Claude becomes its conversations, every message with its text and its files. */

import { type Place, readConversations } from './conversation-file.js'
import { isFields, listAt, textAt, valueAt } from './fields.js'
import { skipped } from './files.js'
import { FORMAT_DESCRIPTIONS, type ImportEntry, type Importer } from './importer.js'
import { Conversation, type LeftOut } from './turns.js'

export const claude: Importer = {
  name: 'claude',
  sentence: FORMAT_DESCRIPTIONS.claude,
  isMirror: false,
  detect: (_, { text }) => /^\s*[[{]/.test(text) && /"chat_messages"\s*:\s*\[/.test(text),
  read: readConversations(readConversation),
}

function* readConversation(
  value: unknown,
  { name, line, leftOut }: Place,
): Generator<ImportEntry, void> {
  const id = textAt(value, 'uuid')
  const title = textAt(value, 'name')
  if (id === null || !Array.isArray(valueAt(value, 'chat_messages'))) {
    yield skipped(title ?? name, 'It is no conversation: it has no uuid or no messages.', line)
    return
  }
  const conversation = new Conversation({
    id,
    title,
    startedAt: valueAt(value, 'created_at'),
    endedAt: valueAt(value, 'updated_at'),
    format: 'claude',
  })
  for (const message of listAt(value, 'chat_messages')) {
    const text = textOf(message, leftOut)
    if (text === null) {
      leftOut.add('messages without text')
      continue
    }
    const sender = textAt(message, 'sender')
    const role = sender === 'human' ? 'user' : sender
    const files = [...listAt(message, 'attachments'), ...listAt(message, 'files')]
    const names = files.map((file) => textAt(file, 'file_name')).filter((file) => file !== null)
    yield conversation.add({
      id: textAt(message, 'uuid'),
      speaker: role,
      text,
      at: valueAt(message, 'created_at'),
      metadata: { role, ...(names.length === 0 ? {} : { attachments: names }) },
    })
  }
  if (conversation.turns === 0) yield skipped(title ?? id, 'It has no messages.', line)
}

/** What was written, and below it what was pasted or attached as text. */
function textOf(message: unknown, leftOut: LeftOut): string | null {
  const parts: string[] = []
  for (const part of listAt(message, 'content')) {
    const type = textAt(part, 'type')
    const text = type === 'text' ? textAt(part, 'text') : null
    if (text !== null) parts.push(text)
    else if (isFields(part) && type !== 'text') leftOut.add(nameOf(type))
  }
  const written = parts.length > 0 ? parts.join('\n\n') : textAt(message, 'text')
  const attached = listAt(message, 'attachments').flatMap((file) => {
    const content = textAt(file, 'extracted_content')
    return content === null ? [] : `${textAt(file, 'file_name') ?? 'Attached'}:\n${content}`
  })
  const all = written === null ? attached : [written, ...attached]
  return all.length === 0 ? null : all.join('\n\n')
}

function nameOf(type: string | null): string {
  if (type === 'tool_use' || type === 'tool_result') return 'calls and results of tools'
  return type === 'thinking' ? 'thoughts' : `parts of the kind ${type ?? 'unknown'}`
}
