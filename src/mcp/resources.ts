/** Offers resources (each record, the state of the file, all options) and prompts that use the memory. */

import type { WhyAnswer } from '../cairn/history.js'
import { badInput } from '../core/errors.js'
import { VERSION } from '../core/version.js'
import type { JsonSchema } from '../http/request.js'
import type { OperationName } from '../operations/operations.js'
import { assertNames } from '../schemas/check.js'
import { findKnown } from '../text/nearest-name.js'
import { summaryOf } from '../text/summary.js'
import { brief, compact, describeFact, describeTime, formatMinute, renderItem } from './render.js'
import { type Call, describeArguments, type Shape, type Tool } from './tool.js'
import { ACTION_NAMES, listArguments } from './tools/update.js'

const RECORD = 'cairn://record/'
const PAGE = 'cairn://'
const LISTED = 20
const MIME = 'text/markdown'

/** Pages that show the answer of an operation. */
const LISTS = {
  sessions: { title: 'The latest sessions', operation: 'session.list' },
  lenses: { title: 'How search can rank: the lenses', operation: 'lens.list' },
  health: { title: 'Whether the file is sound', operation: 'doctor' },
  replay: { title: 'Earlier searches, and what they would find now', operation: 'replay' },
} as const satisfies Readonly<Record<string, { title: string; operation: OperationName }>>

const PAGES = {
  status: { title: 'What the file holds: counts, tags, namespaces, models, open sessions' },
  options: { title: 'Every argument of every tool' },
  ...LISTS,
}

async function writePage(name: string, call: Call, tools: readonly Tool[]): Promise<string | null> {
  if (Object.hasOwn(LISTS, name)) {
    return renderAnswer(await call.perform(LISTS[name as keyof typeof LISTS].operation, {}))
  }
  if (name === 'options') return tools.flatMap(renderTool).join('\n\n')
  if (name !== 'status') return null
  const stats = await call.perform('stats', {})
  const { models, waiting } = await call.perform('models', {})
  const { sessions: openSessions } = await call.perform('session.list', { state: 'open' })
  const session = await call.conversation.startedSession()
  return renderAnswer({ version: VERSION, ...stats, waiting, session, models, openSessions })
}

export const RESOURCE_TEMPLATE = {
  uriTemplate: `${RECORD}{id}`,
  name: 'record',
  title: 'A record with its facts, links and history',
  mimeType: MIME,
}

export async function listResources({ cairn }: Call) {
  const { records } = await cairn.list({ limit: LISTED })
  return [
    ...Object.entries(PAGES).map(([name, { title }]) => {
      return { uri: PAGE + name, name, title, mimeType: MIME }
    }),
    ...records.map(({ id, title, body, updatedAt, kind }) => ({
      uri: `${RECORD}${id}`,
      name: id,
      title: summaryOf(title ?? body),
      description: `${kind}, ${formatMinute(updatedAt)}`,
      mimeType: MIME,
      annotations: { lastModified: updatedAt },
    })),
  ]
}

export async function readResource(call: Call, uri: string, tools: readonly Tool[]) {
  const text = uri.startsWith(RECORD)
    ? renderRecord(await call.cairn.why(uri.slice(RECORD.length)))
    : await writePage(uri.replace(PAGE, ''), call, tools)
  if (text !== null) return { uri, mimeType: MIME, text: `${text}\n` }
  const names = Object.keys(PAGES).map((name) => PAGE + name)
  throw badInput(`"${uri}" is no resource of Cairn; they are ${RECORD}{id}, ${names.join(', ')}.`)
}

/** A line for each value, and one for each thing in a list. */
function renderAnswer(answer: object): string {
  const lines = Object.entries(answer).flatMap(([key, value]) => {
    if (Array.isArray(value)) {
      return [`## ${key}`, ...value.map((one) => `- ${renderItem(compact(one))}`)]
    }
    if (typeof value !== 'object' || value === null) return `${key}: ${value ?? 'none'}`
    const most = Object.entries(value as Record<string, number>).sort(([, a], [, b]) => b - a)
    const counts = most.slice(0, LISTED).map(([name, count]) => `${brief(name, 40)} ${count}`)
    return `${key}: ${counts.join(', ') || 'none'}`
  })
  return lines.join('\n')
}

function renderTool({ name, shape }: Tool): string[] {
  if (name !== 'update') return [renderOptions(name, shape)]
  return ACTION_NAMES.map((action) => renderOptions(`${name} ${action}`, listArguments(action)))
}

function renderOptions(name: string, shape: Shape): string {
  const lines = Object.entries(describeArguments(shape)).map(([key, schema]) => {
    const { description, type, items = {}, enum: values = (items as JsonSchema).enum } = schema
    const form = Array.isArray(values) ? values.join(' | ') : type
    const byDefault = schema.default === undefined ? '' : `, default ${schema.default}`
    return `- ${key} (${form ?? 'any'}${byDefault}): ${description}`
  })
  return [`## ${name}`, ...lines].join('\n')
}

function renderRecord({ record, supersededBy, session, facts, ...more }: WhyAnswer): string {
  const { links, revisions: history } = more
  const { kind, namespace, tags, people, source, title, body, deletedAt: forgotten } = record
  const about = {
    in: namespace,
    kind,
    ...describeTime(record),
    tags,
    people,
    source,
    forgotten,
    supersededBy,
  }
  const sections = { facts: facts.map(describeFact), links, history }
  const told = Object.entries(sections).filter(([, items]) => items.length > 0)
  return [
    `# ${brief(title ?? summaryOf(body), 200)}`,
    renderItem(compact({ ...about, from: session?.id })),
    body,
    renderAnswer(Object.fromEntries(told)),
  ].join('\n\n')
}

type Prompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: { name: string; description: string; required: boolean }[]
  readonly write: (args: Readonly<Record<string, string>>, call: Call) => Promise<string>
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'briefing',
    title: 'Where are we?',
    description: 'At the start: open decisions and deadlines, corrections, what was used lately.',
    arguments: [],
    write: async (_, { perform }) =>
      `Our memory begins with this; get reads the whole of an id:\n\n${(await perform('briefing', {})).text}`,
  },
  {
    name: 'recall',
    title: 'What do we know?',
    description: 'At the start: what is known about a topic, before anything is done.',
    arguments: [{ name: 'topic', description: 'What it is about.', required: true }],
    write: async ({ topic = '' }) => `Before we begin: what do we know about ${topic}?

1. Call search with {"query": ${JSON.stringify(topic)}}. If it finds little, ask again in other words, and with {"mode": "keyword"} for names and numbers.
2. Read with get what looks decisive. For what may have changed since, look at explore with "relation": "history".
3. Tell me in a few sentences what is known, what was decided and what contradicts, each with its id and date. Say plainly what is not known.`,
  },
  {
    name: 'ask',
    title: 'What does the library say?',
    description: 'A question, with the passages that may answer it and the rules for citing them.',
    arguments: [{ name: 'question', description: 'The question.', required: true }],
    write: async ({ question = '' }, { perform }) => {
      const { prompt, passages } = await perform('ask', { question, dryRun: true })
      const ids = passages.map(({ number, id }) => `[${number}] ${id}`).join('\n')
      return `${prompt?.system}\n\n${prompt?.user}\n\nThe ids of the passages; get reads the whole of one:\n${ids || 'none'}`
    },
  },
  {
    name: 'summarise',
    title: 'What should we remember?',
    description: 'At the end: what of this conversation is worth keeping.',
    arguments: [
      { name: 'focus', description: 'What matters most, if anything does.', required: false },
    ],
    write: async ({
      focus = '',
    }) => `Before we end: what of this conversation should be remembered${focus === '' ? '' : `, above all about ${focus}`}?

1. List decisions with their reasons, facts and preferences, how something was done, what is still open. Leave out what can be read in the code or the files.
2. For each, call search first. If it is known, leave it; if it has changed, remember the new one with "supersedes": the old id.
3. Call remember once with "records": one idea each, in whole sentences that will be understood without this conversation, with tags, people and, where something is stated plainly, facts.
4. Tell me what you stored, in one line each.`,
  },
]

export function listPrompts() {
  return PROMPTS.map(({ write: _, ...prompt }) => prompt)
}

export async function writePrompt(
  call: Call,
  name: string,
  args: Readonly<Record<string, string>>,
) {
  const names = PROMPTS.map((known) => known.name)
  const prompt = PROMPTS[names.indexOf(findKnown('prompt', name, names))] as Prompt
  const taken = prompt.arguments.map((one) => one.name)
  assertNames(args, taken)
  for (const { name: wanted, required } of prompt.arguments) {
    if (required && (args[wanted] ?? '').trim() === '') throw badInput(`${wanted} is missing.`)
  }
  const text = await prompt.write(args, call)
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}
