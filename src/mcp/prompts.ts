/** A person can begin and end a conversation with a prompt that makes the agent use its memory well. */

import { badInput } from '../core/errors.js'
import { nearestName } from '../text/nearest-name.js'

type Prompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly {
    readonly name: string
    readonly description: string
    readonly required: boolean
  }[]
  readonly write: (args: Readonly<Record<string, string>>) => string
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'recall',
    title: 'What do we know?',
    description: 'At the start: what is known about a topic, before anything is done.',
    arguments: [{ name: 'topic', description: 'What it is about.', required: true }],
    write: ({ topic = '' }) => `Before we begin: what do we know about ${topic}?

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
    }) => `Before we end: what of this conversation should be remembered${focus === '' ? '' : `, above all about ${focus}`}?

1. List decisions with their reasons, facts and preferences, how something was done, what is still open. Leave out what can be read in the code or the files.
2. For each, call search first. If it is known, leave it; if it has changed, remember the new one with "supersedes": the old id.
3. Call remember once with "records": one idea each, in whole sentences that will be understood without this conversation, with tags, people and, where something is stated plainly, facts.
4. Tell me what you stored, in one line each.`,
  },
]

export function listPrompts() {
  return PROMPTS.map(({ name, title, description, arguments: taken }) => ({
    name,
    title,
    description,
    arguments: [...taken],
  }))
}

export function writePrompt(name: string, args: Readonly<Record<string, string>>) {
  const prompt = PROMPTS.find((known) => known.name === name)
  if (prompt === undefined) {
    const names = PROMPTS.map((known) => known.name)
    const near = nearestName(name, names)
    throw badInput(
      `There is no prompt "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`,
      `There are ${names.join(', ')}.`,
    )
  }
  for (const { name: wanted, required } of prompt.arguments) {
    if (required && (args[wanted] ?? '').trim() === '') throw badInput(`${wanted} is missing.`)
  }
  return {
    description: prompt.description,
    messages: [
      { role: 'user' as const, content: { type: 'text' as const, text: prompt.write(args) } },
    ],
  }
}
