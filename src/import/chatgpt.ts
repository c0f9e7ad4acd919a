/** The export of ChatGPT becomes its conversations, each along the branch that was open last. */

import { type Place, readConversations } from './conversation-file.js'
import { type Fields, isFields, listAt, parseTimestamp, textAt, valueAt } from './fields.js'
import { skipped } from './files.js'
import { FORMAT_DESCRIPTIONS, type ImportEntry, type Importer } from './importer.js'
import { Conversation } from './turns.js'

export const chatgpt: Importer = {
  name: 'chatgpt',
  sentence: FORMAT_DESCRIPTIONS.chatgpt,
  isMirror: false,
  detect: (_, { text }) => /^\s*[[{]/.test(text) && /"mapping"\s*:\s*\{/.test(text),
  read: readConversations(readConversation),
}

function* readConversation(
  value: unknown,
  { name, line, leftOut }: Place,
): Generator<ImportEntry, void> {
  const id = textAt(value, 'conversation_id') ?? textAt(value, 'id')
  const title = textAt(value, 'title')
  const nodes = valueAt(value, 'mapping')
  if (id === null || !isFields(nodes)) {
    yield skipped(title ?? name, 'It is no conversation: it has no id or no mapping.', line)
    return
  }
  const conversation = new Conversation({
    id,
    title,
    startedAt: valueAt(value, 'create_time'),
    endedAt: valueAt(value, 'update_time'),
    format: 'chatgpt',
  })
  for (const [key, node] of branchOf(nodes, textAt(value, 'current_node'))) {
    const message = valueAt(node, 'message')
    if (!isFields(message)) continue
    const role = textAt(message, 'author', 'role')
    const why = reasonToLeaveOut(message, role)
    const text = why === null ? textOf(message) : null
    if (text === null) {
      leftOut.add(why ?? 'messages without text')
      continue
    }
    const attachments = listAt(message, 'metadata', 'attachments').map((one) => textAt(one, 'name'))
    yield conversation.add({
      id: textAt(message, 'id') ?? key,
      speaker: textAt(message, 'author', 'name') ?? role,
      text,
      at: valueAt(message, 'create_time'),
      metadata: metadataOf(role, textAt(message, 'metadata', 'model_slug'), attachments),
    })
  }
  if (conversation.turns === 0) yield skipped(title ?? id, 'It has no messages.', line)
}

function metadataOf(role: string | null, model: string | null, files: readonly (string | null)[]) {
  const attachments = files.filter((file) => file !== null)
  return {
    role,
    ...(model === null ? {} : { model }),
    ...(attachments.length === 0 ? {} : { attachments }),
  }
}

/** From the first message to the one that was open last. */
function branchOf(nodes: Fields, current: string | null): [string, unknown][] {
  const branch: [string, unknown][] = []
  const seen = new Set<string>()
  let at = current !== null && Object.hasOwn(nodes, current) ? current : lastLeaf(nodes)
  while (at !== null && !seen.has(at) && Object.hasOwn(nodes, at)) {
    seen.add(at)
    branch.push([at, nodes[at]])
    at = textAt(nodes[at], 'parent')
  }
  return branch.reverse()
}

/** The latest message that nothing follows. */
function lastLeaf(nodes: Fields): string | null {
  let [best, bestAt]: [string | null, string] = [null, '']
  for (const [key, node] of Object.entries(nodes)) {
    if (listAt(node, 'children').length > 0) continue
    const at = parseTimestamp(valueAt(node, 'message', 'create_time')) ?? ''
    if (best === null || at > bestAt) [best, bestAt] = [key, at]
  }
  return best
}

function reasonToLeaveOut(message: Fields, role: string | null): string | null {
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

/** All parts that are text, or say of themselves what they were. */
function textOf(message: Fields): string | null {
  const content = valueAt(message, 'content')
  const parts = listAt(content, 'parts').flatMap((part) => {
    if (typeof part === 'string') return part.trim() === '' ? [] : [part]
    return textAt(part, 'text') ?? []
  })
  const text = parts.length > 0 ? parts.join('\n\n') : (textAt(content, 'text') ?? '')
  return text.trim() === '' ? null : text.toWellFormed()
}
