/** Imports the export of ChatGPT: its conversations, each along the branch that was open last. */

import { type Fields, isFields, listAt, textAt, valueAt } from '../core/json-fields.js'
import { Conversation, type ConversationSource, readConversations } from './conversation.js'
import { skipped } from './files.js'
import type { ImportEntry, Importer } from './importer.js'
import { parseTimestamp } from './values.js'

export const chatgpt: Importer = {
  name: 'chatgpt',
  detect: (_, { text }) => /^\s*[[{]/.test(text) && /"mapping"\s*:\s*\{/.test(text),
  read: readConversations(readConversation),
}

function* readConversation(
  value: unknown,
  { name, line, leftOut }: ConversationSource,
): Generator<ImportEntry, void> {
  const id = textAt(value, 'conversation_id') ?? textAt(value, 'id')
  const title = textAt(value, 'title')
  const nodes = valueAt(value, 'mapping')
  if (id === null || !isFields(nodes)) {
    yield skipped(title ?? name, 'It is not a conversation: it has no id or no mapping.', line)
    return
  }
  const [startedAt, endedAt] = [valueAt(value, 'create_time'), valueAt(value, 'update_time')]
  const conversation = new Conversation({ id, title, startedAt, endedAt, format: 'chatgpt' })
  for (const [key, node] of findBranch(nodes, textAt(value, 'current_node'))) {
    const message = valueAt(node, 'message')
    if (!isFields(message)) continue
    const role = textAt(message, 'author', 'role')
    const reason = findReasonToLeaveOut(message, role)
    const text = reason === null ? readText(message) : null
    if (text === null) {
      leftOut.add(reason ?? 'messages without text')
      continue
    }
    const files = listAt(message, 'metadata', 'attachments')
    const attachments = files.flatMap((file) => textAt(file, 'name') ?? [])
    yield conversation.add({
      id: textAt(message, 'id') ?? key,
      speaker: textAt(message, 'author', 'name') ?? role,
      text,
      at: valueAt(message, 'create_time'),
      metadata: {
        role,
        model: textAt(message, 'metadata', 'model_slug'),
        attachments: attachments.length === 0 ? null : attachments,
      },
    })
  }
  if (conversation.turns === 0) yield skipped(title ?? id, 'It has no messages.', line)
}

/** From the first message to the one that was open last. */
function findBranch(nodes: Fields, current: string | null): [string, unknown][] {
  const branch: [string, unknown][] = []
  const seen = new Set<string>()
  let at = current !== null && Object.hasOwn(nodes, current) ? current : findLastLeaf(nodes)
  while (at !== null && !seen.has(at) && Object.hasOwn(nodes, at)) {
    seen.add(at)
    branch.push([at, nodes[at]])
    at = textAt(nodes[at], 'parent')
  }
  return branch.reverse()
}

/** The latest message without a successor. */
function findLastLeaf(nodes: Fields): string | null {
  let [best, bestAt]: [string | null, string] = [null, '']
  for (const [key, node] of Object.entries(nodes)) {
    if (listAt(node, 'children').length > 0) continue
    const at = parseTimestamp(valueAt(node, 'message', 'create_time')) ?? ''
    if (best === null || at > bestAt) [best, bestAt] = [key, at]
  }
  return best
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

/** All parts that are text, or hold a text. */
function readText(message: Fields): string | null {
  const content = valueAt(message, 'content')
  const parts = listAt(content, 'parts').flatMap((part) => {
    if (typeof part === 'string') return part.trim() === '' ? [] : [part]
    return textAt(part, 'text') ?? []
  })
  const text = parts.length > 0 ? parts.join('\n\n') : (textAt(content, 'text') ?? '')
  return text.trim() === '' ? null : text.toWellFormed()
}
