/** Imports the exports of ChatGPT and Claude: conversations.json with all conversations of an account. */

import { type Fields, isFields, listAt, textAt, valueAt } from '../core/json-fields.js'
import { type LeftOut, readConversations, type Turn } from './conversation.js'
import type { Importer } from './importer.js'
import { parseTimestamp } from './values.js'

/** Each conversation is read along the branch that was open last. */
export const chatgpt: Importer = {
  name: 'chatgpt',
  detect: (_, { text }) => /^\s*[[{]/.test(text) && /"mapping"\s*:\s*\{/.test(text),
  read: readConversations((value) => {
    const nodes = valueAt(value, 'mapping')
    return {
      id: textAt(value, 'conversation_id') ?? textAt(value, 'id'),
      title: textAt(value, 'title'),
      startedAt: valueAt(value, 'create_time'),
      endedAt: valueAt(value, 'update_time'),
      format: 'chatgpt',
      messages: isFields(nodes) ? findBranch(nodes, textAt(value, 'current_node')) : null,
    }
  }, readNode),
}

function readNode([key, node]: [string, unknown], leftOut: LeftOut): Turn | null {
  const message = valueAt(node, 'message')
  if (!isFields(message)) return null
  const role = textAt(message, 'author', 'role')
  const reason = findReasonToLeaveOut(message, role)
  if (reason !== null) return leftOut.add(reason)
  const content = valueAt(message, 'content')
  const parts = listAt(content, 'parts').flatMap(
    (part) => textAt({ part }, 'part') ?? textAt(part, 'text') ?? [],
  )
  const text = parts.join('\n\n') || textAt(content, 'text')
  if (text === null) return leftOut.add('messages without text')
  const files = listAt(message, 'metadata', 'attachments')
  return {
    id: textAt(message, 'id') ?? key,
    speaker: textAt(message, 'author', 'name') ?? role,
    text,
    at: valueAt(message, 'create_time'),
    metadata: {
      role,
      model: textAt(message, 'metadata', 'model_slug'),
      attachments: files.flatMap((file) => textAt(file, 'name') ?? []),
    },
  }
}

function findBranch(nodes: Fields, current: string | null): [string, unknown][] {
  const branch = new Map<string, unknown>()
  let at = current !== null && Object.hasOwn(nodes, current) ? current : findLastLeaf(nodes)
  while (at !== null && !branch.has(at) && Object.hasOwn(nodes, at)) {
    branch.set(at, nodes[at])
    at = textAt(nodes[at], 'parent')
  }
  return [...branch].reverse()
}

function findLastLeaf(nodes: Fields): string | null {
  const sentAt = (key: string): string =>
    parseTimestamp(valueAt(nodes[key], 'message', 'create_time')) ?? ''
  const leaves = Object.keys(nodes).filter((key) => listAt(nodes[key], 'children').length === 0)
  return leaves.sort((a, b) => sentAt(b).localeCompare(sentAt(a)))[0] ?? null
}

function findReasonToLeaveOut(message: Fields, role: string | null): string | null {
  if (role !== 'user' && role !== 'assistant') return `messages of the ${role ?? 'unknown'}`
  if (valueAt(message, 'metadata', 'is_visually_hidden_from_conversation') === true) {
    return 'hidden messages'
  }
  const recipient = textAt(message, 'recipient')
  if (recipient !== null && recipient !== 'all') return 'calls of tools'
  const type = textAt(message, 'content', 'content_type')
  if (type === 'thoughts' || type === 'reasoning_recap') return 'thoughts'
  return type === 'user_editable_context' ? 'instructions' : null
}

export const claude: Importer = {
  name: 'claude',
  detect: (_, { text }) => /^\s*[[{]/.test(text) && /"chat_messages"\s*:\s*\[/.test(text),
  read: readConversations((value) => {
    const messages = valueAt(value, 'chat_messages')
    return {
      id: textAt(value, 'uuid'),
      title: textAt(value, 'name'),
      startedAt: valueAt(value, 'created_at'),
      endedAt: valueAt(value, 'updated_at'),
      format: 'claude',
      messages: Array.isArray(messages) ? messages : null,
    }
  }, readClaudeMessage),
}

/** The written text, followed by pasted and attached texts. */
function readClaudeMessage(message: unknown, leftOut: LeftOut): Turn | null {
  const parts = listAt(message, 'content').flatMap((part) => {
    const type = textAt(part, 'type')
    if (type === 'text') return textAt(part, 'text') ?? []
    if (isFields(part)) leftOut.addPart(type)
    return []
  })
  const written = parts.length > 0 ? parts : [textAt(message, 'text') ?? []].flat()
  const attached = listAt(message, 'attachments').flatMap((file) => {
    const content = textAt(file, 'extracted_content')
    return content === null ? [] : `${textAt(file, 'file_name') ?? 'Attached'}:\n${content}`
  })
  const text = [...written, ...attached].join('\n\n')
  if (text === '') return leftOut.add('messages without text')
  const sender = textAt(message, 'sender')
  const role = sender === 'human' ? 'user' : sender
  const files = [...listAt(message, 'attachments'), ...listAt(message, 'files')]
  return {
    id: textAt(message, 'uuid'),
    speaker: role,
    text,
    at: valueAt(message, 'created_at'),
    metadata: { role, attachments: files.flatMap((file) => textAt(file, 'file_name') ?? []) },
  }
}
