/** Imports the export of Claude: its conversations, each message with its text and the names of its files. */

import { isFields, listAt, textAt, valueAt } from '../core/json-fields.js'
import {
  Conversation,
  type ConversationSource,
  type LeftOut,
  readConversations,
} from './conversation.js'
import { skipped } from './files.js'
import type { ImportEntry, Importer } from './importer.js'

export const claude: Importer = {
  name: 'claude',
  detect: (_, { text }) => /^\s*[[{]/.test(text) && /"chat_messages"\s*:\s*\[/.test(text),
  read: readConversations(readConversation),
}

function* readConversation(
  value: unknown,
  { name, line, leftOut }: ConversationSource,
): Generator<ImportEntry, void> {
  const id = textAt(value, 'uuid')
  const title = textAt(value, 'name')
  if (id === null || !Array.isArray(valueAt(value, 'chat_messages'))) {
    yield skipped(title ?? name, 'It is not a conversation: it has no uuid or no messages.', line)
    return
  }
  const [startedAt, endedAt] = [valueAt(value, 'created_at'), valueAt(value, 'updated_at')]
  const conversation = new Conversation({ id, title, startedAt, endedAt, format: 'claude' })
  for (const message of listAt(value, 'chat_messages')) {
    const text = readText(message, leftOut)
    if (text === null) {
      leftOut.add('messages without text')
      continue
    }
    const sender = textAt(message, 'sender')
    const role = sender === 'human' ? 'user' : sender
    const files = [...listAt(message, 'attachments'), ...listAt(message, 'files')]
    const attachments = files.flatMap((file) => textAt(file, 'file_name') ?? [])
    yield conversation.add({
      id: textAt(message, 'uuid'),
      speaker: role,
      text,
      at: valueAt(message, 'created_at'),
      metadata: { role, attachments: attachments.length === 0 ? null : attachments },
    })
  }
  if (conversation.turns === 0) yield skipped(title ?? id, 'It has no messages.', line)
}

/** The written text, followed by what was pasted or attached as text. */
function readText(message: unknown, leftOut: LeftOut): string | null {
  const parts: string[] = []
  for (const part of listAt(message, 'content')) {
    const type = textAt(part, 'type')
    const text = type === 'text' ? textAt(part, 'text') : null
    if (text !== null) parts.push(text)
    else if (isFields(part) && type !== 'text') leftOut.addPart(type)
  }
  const written = parts.length > 0 ? parts : [textAt(message, 'text') ?? []].flat()
  const attached = listAt(message, 'attachments').flatMap((file) => {
    const content = textAt(file, 'extracted_content')
    return content === null ? [] : `${textAt(file, 'file_name') ?? 'Attached'}:\n${content}`
  })
  return [...written, ...attached].join('\n\n') || null
}
