/** Offers every record as a Markdown page, and two prompts that make an agent use its memory well. */

import type { Cairn } from '../cairn/cairn.js'
import type { WhyAnswer } from '../cairn/history.js'
import { badInput } from '../core/errors.js'
import { unknownName } from '../text/nearest-name.js'
import { summaryOf } from '../text/summary.js'
import { createRevisionItem, formatMinute, renderLink, round } from './render.js'
import { brief } from './reply.js'

const PREFIX = 'cairn://record/'
const LISTED = 20
const MIME = 'text/markdown'

export const RESOURCE_TEMPLATE = {
  uriTemplate: `${PREFIX}{id}`,
  name: 'record',
  title: 'A record',
  description:
    'A record with its facts, links and history. The id may be shortened to 8 characters.',
  mimeType: MIME,
}

export async function listResources(cairn: Cairn) {
  const { records } = await cairn.list({ limit: LISTED })
  return records.map(({ id, title, body, updatedAt, kind }) => ({
    uri: `${PREFIX}${id}`,
    name: id,
    title: summaryOf(title ?? body),
    description: `${kind}, ${formatMinute(updatedAt)}`,
    mimeType: MIME,
    annotations: { lastModified: updatedAt },
  }))
}

export async function readResource(cairn: Cairn, uri: string) {
  if (!uri.startsWith(PREFIX)) {
    throw badInput(`"${uri}" is no resource of Cairn; they are ${RESOURCE_TEMPLATE.uriTemplate}.`)
  }
  const answer = await cairn.why(uri.slice(PREFIX.length))
  return { uri, mimeType: MIME, text: renderPage(answer) }
}

function renderPage(answer: WhyAnswer): string {
  const { record, supersededBy, session } = answer
  const about = [
    `${record.kind} in ${record.namespace}, ${formatMinute(record.occurredAt ?? record.createdAt)}`,
    record.tags.length > 0 && `tags: ${record.tags.join(', ')}`,
    record.people.length > 0 && `people: ${record.people.join(', ')}`,
    record.source !== null && `source: ${record.source}`,
    session !== null && `session: ${session.id}`,
    record.deletedAt !== null && `forgotten: ${formatMinute(record.deletedAt)}`,
    supersededBy !== null && `superseded by [${supersededBy.id}](${PREFIX}${supersededBy.id})`,
  ].filter((line) => line !== false)
  const facts = answer.facts.map(
    ({ subject, predicate, object, effectiveConfidence, type }) =>
      `${subject} ${predicate} ${object} (${type}, ${round(effectiveConfidence)})`,
  )
  const revisions = answer.revisions.map((revision) => createRevisionItem(revision).text)
  const links = answer.links.map((link) => {
    const title = brief(link.other?.title ?? link.other?.summary ?? '', 100)
    return renderLink(link, link.other && `[${title}](${PREFIX}${link.other.id})`)
  })
  const parts = [
    `# ${brief(record.title ?? summaryOf(record.body), 200)}`,
    renderList(about),
    record.body,
    ...renderSection('Facts', facts),
    ...renderSection('Links', links),
    ...renderSection('History', revisions),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function renderSection(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${name}`, renderList(lines)]
}

function renderList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

type PromptArguments = Readonly<Record<string, string>>

const PROMPTS = [
  {
    name: 'recall',
    title: 'What do we know?',
    description: 'At the start: what is known about a topic, before anything is done.',
    arguments: [{ name: 'topic', description: 'What it is about.', required: true }],
    write: ({ topic = '' }: PromptArguments) => `Before we begin: what do we know about ${topic}?

1. Call search with {"query": ${JSON.stringify(topic)}}. If it finds little, ask again in other words, and with {"mode": "keyword"} for names and numbers.
2. Read with get what looks decisive. For what may have changed since, look at explore with "relation": "history".
3. Tell me in a few sentences what is known, what was decided and what contradicts, each with its id and date. Say plainly what is not known.`,
  },
  {
    name: 'summarise',
    title: 'What should we remember?',
    description: 'At the end: what of this conversation is worth keeping.',
    arguments: [
      { name: 'focus', description: 'What matters most, if anything does.', required: false },
    ],
    write: ({
      focus = '',
    }: PromptArguments) => `Before we end: what of this conversation should be remembered${focus === '' ? '' : `, above all about ${focus}`}?

1. List decisions with their reasons, facts and preferences, how something was done, what is still open. Leave out what can be read in the code or the files.
2. For each, call search first. If it is known, leave it; if it has changed, remember the new one with "supersedes": the old id.
3. Call remember once with "records": one idea each, in whole sentences that will be understood without this conversation, with tags, people and, where something is stated plainly, facts.
4. Tell me what you stored, in one line each.`,
  },
]

export function listPrompts() {
  return PROMPTS.map(({ write: _, ...prompt }) => prompt)
}

export function writePrompt(name: string, args: PromptArguments) {
  const prompt = PROMPTS.find((known) => known.name === name)
  const names = PROMPTS.map((known) => known.name)
  if (prompt === undefined) throw unknownName('prompt', name, names)
  for (const { name: wanted, required } of prompt.arguments) {
    if (required && (args[wanted] ?? '').trim() === '') throw badInput(`${wanted} is missing.`)
  }
  const text = prompt.write(args)
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}
