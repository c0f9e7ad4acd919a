/** The tool `remember`: stores records once, in the session of the conversation, and names near duplicates. */

import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Cairn } from '../../cairn/cairn.js'
import type { AddAnswer } from '../../cairn/records.js'
import { badInput, CairnError, noRecord } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import { assertInput } from '../../schemas/check.js'
import { optional } from '../../schemas/fields.js'
import { factInput } from '../../schemas/memory-requests.js'
import { recordInput } from '../../schemas/record-requests.js'
import { brief, compact } from '../render.js'
import type { Reply } from '../reply.js'
import { type Call, defineTool, readArguments } from '../tool.js'

const MAX_RECORDS = 100
const MAX_NEAR = 3
const MAX_LISTED = 30

const { body, session: _session, createdIn: _createdIn, ...fields } = recordInput.shape
const { record: _record, ...factShape } = factInput.shape
const { tags, ...rest } = fields

const one = {
  text: optional(body, 'what to remember'),
  tags,
  supersedes: optional(z.string(), 'the id of a record that this one corrects'),
  ...rest,
  facts: optional(
    z.array(z.strictObject(factShape)),
    'what it states, each as subject, predicate and object',
  ),
}
const oneRecord = z.strictObject(one)
type One = z.input<typeof oneRecord>
const SHOWN = ['text', 'tags', 'supersedes']

export const rememberTool = defineTool({
  name: 'remember',
  description: `Keep something for later conversations: a decision, a preference, how to do something. One idea a record, in whole sentences that will be understood without this conversation. What is known already is stored once; what says nearly the same is named.
{"text": "Staging listens on port 6543 since the move.", "tags": ["infra"], "supersedes": "01K9ZQ3F"}`,
  effect: 'writes',
  shape: {
    ...one,
    records: optional(
      z
        .array(z.union([z.string(), z.record(z.string(), z.unknown())]))
        .check(z.minLength(1), z.maxLength(MAX_RECORDS)),
      'several at once, each with a text and the like',
    ),
  },
  shown: [...SHOWN, 'records'],

  async run({ records, ...single }, call) {
    const given = readGiven(records, single)
    for (const record of given) await assertValid(record, call.cairn)
    const session = await call.conversation.session()
    const stored: Stored[] = []
    for (const record of given) {
      const count = `${stored.length} of ${given.length} records are stored`
      if (call.signal.aborted) throw badInput(`Cancelled: ${count}.`)
      try {
        stored.push(await store(record, session, call))
      } catch (error) {
        if (stored.length === 0 || !(error instanceof CairnError)) throw error
        const ids = stored.map(({ id }) => id).join(', ')
        throw new CairnError(error.code, {
          message: `${count} (${ids}); then: ${error.message}`,
          cause: error,
        })
      }
      // Lets a cancellation come through.
      if (given.length > 1) await setImmediate()
    }
    return createReply(stored, call.cairn)
  },
})

function readGiven(records: readonly unknown[] | undefined, single: One): readonly One[] {
  if (records === undefined) {
    if (single.text !== undefined) return [single]
    throw badInput('text is missing.', 'Write {"text": "what to remember"}.')
  }
  const [other] = Object.keys(single)
  if (other !== undefined) {
    const hint = 'Write what belongs to a record into the record.'
    throw badInput(`"records" stands alone, without "${other}".`, hint)
  }
  const tool = { ...rememberTool, shape: one, shown: SHOWN, input: oneRecord }
  return records.map((record) => {
    return readArguments(tool, typeof record === 'string' ? { text: record } : record) as One
  })
}

/** Everything that can be refused is refused before anything is written. */
async function assertValid(record: One, cairn: Cairn): Promise<void> {
  if (record.text === undefined) throw badInput('text is missing.', 'Each record has a "text".')
  assertInput(recordInput, toInput(record, null))
  const { supersedes: id } = record
  if (id === undefined) return
  const [old] = (await cairn.get([id])).records
  if (old === undefined) throw noRecord(id)
  if (old.supersededAt !== null) {
    const hint = `explore {"id": "${id}", "relation": "why"} shows by what; supersede that one.`
    throw badInput(`The record "${id}" is superseded already.`, hint)
  }
}

function toInput({ text = '', facts: _, supersedes: __, ...input }: One, createdIn: string | null) {
  return { ...input, body: text, createdIn }
}

type Stored = AddAnswer & { readonly supersedes: RecordId | null; readonly facts: number }

async function store(record: One, session: string | null, call: Call): Promise<Stored> {
  const { cairn, perform, conversation } = call
  const { facts = [], supersedes: wanted } = record
  const added = await perform('add', toInput(record, session))
  for (const fact of facts) await perform('fact.add', { ...fact, record: added.id })
  const [older] = wanted === undefined ? [] : (await cairn.get([wanted])).records
  // A text that is stored already may be the very record that it is said to correct.
  const supersedes = older === undefined || older.id === added.id ? null : older.id
  if (supersedes !== null) {
    const ids = { older: supersedes, newer: added.id }
    await perform('supersede', { ...ids, author: conversation.author })
  }
  const near = added.nearDuplicates.filter(({ id }) => id !== supersedes).slice(0, MAX_NEAR)
  return { ...added, nearDuplicates: near, supersedes, facts: facts.length }
}

async function createReply(stored: readonly Stored[], cairn: Cairn): Promise<Reply> {
  const near = stored.flatMap(({ nearDuplicates }) => nearDuplicates)
  const { records } = await cairn.get(near.map(({ id }) => id).slice(0, MAX_LISTED))
  const texts = new Map(records.map(({ id, title, body: text }) => [id, brief(title ?? text, 80)]))
  const lines = stored.slice(0, MAX_LISTED).flatMap((answer) => {
    const { id, created, supersedes, nearDuplicates } = answer
    const also = supersedes === null ? '' : `; ${supersedes} is superseded`
    const first = created
      ? `Remembered as ${id}${also}.`
      : `Known already as ${id}; it is remembered more strongly now${also}.`
    const others = nearDuplicates.map(({ id: other, similarity, changed }) => {
      const difference =
        changed.length === 0 ? '' : `, differs in ${changed.slice(0, 3).join(', ')}`
      const likeness = Math.round(similarity * 1000) / 1000
      return `  nearly the same (${likeness}${difference}): ${other} ${texts.get(other) ?? ''}`
    })
    return [first, ...others]
  })
  const newer = stored.find(({ nearDuplicates }) => nearDuplicates.length > 0)
  const [older] = near
  if (newer !== undefined && older !== undefined) {
    const ids = `"id": "${older.id}", "by": "${newer.id}"`
    lines.push(`If the new record corrects it: update {"action": "supersede", ${ids}}.`)
  }
  if (stored.length > MAX_LISTED) lines.push(`and ${stored.length - MAX_LISTED} more, all stored.`)
  const data = stored.map(({ created, facts, ...answer }) => ({
    ...compact(answer),
    created,
    ...(facts > 0 && { facts }),
  }))
  return { text: lines.join('\n'), data: { records: data } }
}
