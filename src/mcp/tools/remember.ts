/** The tool `remember`: stores records once, in the session of the conversation, and names near duplicates. */

import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Cairn } from '../../cairn/cairn.js'
import type { AddAnswer } from '../../cairn/records.js'
import { badInput, CairnError, noRecord } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import { assertInput } from '../../schemas/check.js'
import { optional, required } from '../../schemas/fields.js'
import { factInput } from '../../schemas/memory-requests.js'
import { recordInput } from '../../schemas/record-requests.js'
import { present, round } from '../render.js'
import { brief, type Reply, shortenIds } from '../reply.js'
import { type Call, defineTool, textField } from '../tool.js'

const MAX_RECORDS = 100
const MAX_NEAR = 3
const MAX_LISTED = 30

const { body: _body, session: _session, createdIn: _createdIn, ...fields } = recordInput.shape
const { record: _record, ...factShape } = factInput.shape

const more = {
  ...fields,
  tags: required(fields.tags, 'labels to find it by; reuse those that status shows'),
  namespace: required(fields.namespace, 'the project to keep it in; leave it out unless told'),
  facts: optional(
    z.array(z.strictObject(factShape)),
    'what it states, each as subject, predicate and object',
  ),
  supersedes: optional(z.string(), 'the id of a record that this one corrects'),
}
const one = z.strictObject({ text: textField, ...more })
type One = z.input<typeof one>

export const rememberTool = defineTool({
  name: 'remember',
  title: 'Remember something',
  description: `Keep something for later conversations: a decision, a preference, how to do something, what happened. One idea a record, in whole sentences that will be understood without this conversation. The same text is stored once; records that say nearly the same are named with what differs.

{"text": "We deploy on Thursdays, after the nightly backup.", "tags": ["release"]}
{"text": "The staging database listens on port 6543 since the move.", "supersedes": "01K9ZQ3F"}   (a correction: the old record is no longer found)
{"text": "Priya prefers dark mode.", "people": ["Priya"], "facts": [{"type": "preference", "subject": "Priya", "predicate": "prefers", "object": "dark mode"}]}
{"records": [{"text": "…"}, {"text": "…", "importance": 0.9}]}`,
  input: z.strictObject({
    text: optional(textField, 'what to remember'),
    ...more,
    records: optional(
      z.array(one).check(z.minLength(1), z.maxLength(MAX_RECORDS)),
      `several at once instead of "text", at most ${MAX_RECORDS}`,
    ),
  }),
  output: z.looseObject({
    records: z.array(z.looseObject({ id: z.string(), created: z.boolean() })),
  }),
  hints: { readOnlyHint: false, destructiveHint: false },

  async run({ records, ...single }, call) {
    const given = readGiven(records, single)
    for (const record of given) await assertValid(record, call.cairn)
    const session = await call.conversation.session()
    const stored: Stored[] = []
    for (const record of given) {
      if (call.signal.aborted) {
        const count = `${stored.length} of ${given.length}`
        throw badInput(`Cancelled after ${count} records; those are stored.`)
      }
      try {
        stored.push(await store(record, session, call))
      } catch (error) {
        throw stored.length === 0 ? error : withStored(error, stored, given.length)
      }
      // Lets a cancellation come through.
      if (given.length > 1) await setImmediate()
    }
    return createReply(stored, call.cairn)
  },
})

function readGiven(
  records: readonly One[] | undefined,
  { text, ...rest }: Omit<One, 'text'> & { readonly text?: string | undefined },
): readonly One[] {
  if (records === undefined) {
    if (text !== undefined) return [{ ...rest, text }]
    throw badInput('text is missing.', 'Write {"text": "what to remember"}.')
  }
  const other = text === undefined ? Object.keys(rest)[0] : 'text'
  if (other === undefined) return records
  const hint = 'Write what belongs to a record into the record.'
  throw badInput(`"records" stands alone, without "${other}".`, hint)
}

/** Everything that can be refused is refused before anything is written. */
async function assertValid(record: One, cairn: Cairn): Promise<void> {
  assertInput(recordInput, toInput(record, null))
  for (const fact of record.facts ?? []) assertInput(factInput, { ...fact, record: 'new' })
  const { supersedes: id } = record
  if (id === undefined) return
  const [old] = (await cairn.get([id])).records
  if (old === undefined) throw noRecord(id)
  if (old.supersededAt !== null) {
    const hint = `explore {"id": "${id}", "relation": "why"} shows by what; supersede that one.`
    throw badInput(`The record "${id}" is superseded already.`, hint)
  }
}

function toInput({ text: body, facts: _, supersedes: __, ...rest }: One, createdIn: string | null) {
  return { ...rest, body, createdIn }
}

type Stored = AddAnswer & { readonly superseded: RecordId | null; readonly facts: number }

async function store(record: One, session: string | null, call: Call): Promise<Stored> {
  const { cairn, perform, conversation } = call
  const { facts = [], supersedes } = record
  const added = await perform('add', toInput(record, session))
  for (const fact of facts) await perform('fact.add', { ...fact, record: added.id })
  const [older] = supersedes === undefined ? [] : (await cairn.get([supersedes])).records
  // A text that is stored already may be the very record that it is said to correct.
  const superseded = older === undefined || older.id === added.id ? null : older.id
  if (superseded !== null) {
    const ids = { older: superseded, newer: added.id }
    await perform('supersede', { ...ids, author: conversation.author })
  }
  const nearDuplicates = added.nearDuplicates.filter(({ id }) => id !== superseded)
  return { ...added, nearDuplicates, superseded, facts: facts.length }
}

/** The error, with what was stored before it. */
function withStored(error: unknown, stored: readonly Stored[], all: number): unknown {
  if (!(error instanceof CairnError)) return error
  const ids = stored.map(({ id }) => id).join(', ')
  return new CairnError(error.code, {
    message: `${stored.length} of ${all} records are stored (${ids}); then: ${error.message}`,
    ...(error.hint !== null && { hint: error.hint }),
    cause: error,
  })
}

async function createReply(stored: readonly Stored[], cairn: Cairn): Promise<Reply> {
  const near = stored.flatMap(({ nearDuplicates }) => nearDuplicates)
  const superseded = stored.flatMap(({ superseded: id }) => (id === null ? [] : [{ id }]))
  const shorten = await shortenIds(cairn, [...stored, ...superseded, ...near])
  const { records } = await cairn.get(near.map(({ id }) => id).slice(0, MAX_LISTED))
  const texts = new Map(records.map(({ id, title, body }) => [id, brief(title ?? body, 80)]))
  const data = stored.map(describeStored)
  const lines = data.slice(0, MAX_LISTED).flatMap(({ id, created, supersedes, nearDuplicates }) => {
    const also = supersedes === null ? '' : `; ${shorten(supersedes)} is superseded`
    const first = created
      ? `Remembered as ${shorten(id)}${also}.`
      : `Known already as ${shorten(id)}; it is remembered more strongly now${also}.`
    const others = nearDuplicates.map(({ id: other, similarity, changed }) => {
      const difference = changed.length === 0 ? '' : `, differs in ${changed.join(', ')}`
      const text = texts.get(other) ?? ''
      return `  nearly the same (${similarity}${difference}): ${shorten(other)} ${text}`
    })
    return [first, ...others]
  })
  const newer = stored.find(({ nearDuplicates }) => nearDuplicates.length > 0)
  const [older] = near
  if (newer !== undefined && older !== undefined) {
    const ids = `"id": "${shorten(older.id)}", "by": "${shorten(newer.id)}"`
    lines.push(`If the new record corrects it: update {"action": "supersede", ${ids}}.`)
  }
  if (stored.length > MAX_LISTED) lines.push(`and ${stored.length - MAX_LISTED} more, all stored.`)
  return {
    text: lines.join('\n'),
    data: { records: data.map((one) => ({ id: one.id, created: one.created, ...present(one) })) },
  }
}

function describeStored({ id, created, duplicateOf, superseded, facts, nearDuplicates }: Stored) {
  return {
    id,
    created,
    duplicateOf,
    supersedes: superseded,
    facts: facts === 0 ? null : facts,
    nearDuplicates: nearDuplicates.slice(0, MAX_NEAR).map((near) => ({
      id: near.id,
      similarity: round(near.similarity),
      changed: near.changed.slice(0, 3).map((change) => brief(change, 40)),
    })),
  }
}
