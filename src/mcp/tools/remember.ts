/** The tool `remember`: stores records once, in the session of the conversation, and names near duplicates. */

import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Cairn } from '../../cairn/cairn.js'
import type { AddAnswer } from '../../cairn/records.js'
import { badInput, noRecord } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import type { NearDuplicate } from '../../core/record.js'
import { assertInput } from '../../schemas/check.js'
import { optional } from '../../schemas/fields.js'
import { factInput } from '../../schemas/memory-requests.js'
import { recordInput } from '../../schemas/record-requests.js'
import { brief, compact, describeFact, renderItem } from '../render.js'
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
  description: `Keep something for later conversations: a decision, a preference, how to do something. One idea a record, in whole sentences that will be understood without this conversation. A known text is stored once; near duplicates are named.
{"text": "Staging listens on port 6543 since the move.", "tags": ["infra"], "supersedes": "01K9ZQ3F"}`,
  effect: 'writes',
  shape: {
    ...one,
    records: optional(
      z
        .array(z.union([z.string(), z.record(z.string(), z.unknown())]))
        .check(z.minLength(1), z.maxLength(MAX_RECORDS)),
      'several records, each with a text',
    ),
  },
  shown: [...SHOWN, 'records'],

  async run({ records, ...single }, call) {
    const given = readGiven(records, single)
    for (const record of given) await assertValid(record, call.cairn)
    const session = await call.conversation.session()
    const stored: Stored[] = []
    for (const record of given) {
      if (call.signal.aborted) {
        throw badInput(`Cancelled: ${stored.length} of ${given.length} records are stored.`)
      }
      stored.push(await store(record, session, call))
      // Lets a cancellation come through.
      if (given.length > 1) await setImmediate()
    }
    return createReply(stored)
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

type Near = NearDuplicate & { readonly text: string }
type Stored = Omit<AddAnswer, 'nearDuplicates'> & {
  readonly supersedes: RecordId | null
  readonly nearDuplicates: readonly Near[]
}

async function store(record: One, session: string | null, call: Call): Promise<Stored> {
  const { cairn, perform, conversation } = call
  const { facts = [], supersedes: wanted } = record
  const added = await perform('add', toInput(record, session))
  const stated = [...added.facts]
  for (const fact of facts) stated.push(await perform('fact.add', { ...fact, record: added.id }))
  const [older] = wanted === undefined ? [] : (await cairn.get([wanted])).records
  // A text that is stored already may be the very record that it should correct.
  const supersedes = older === undefined || older.id === added.id ? null : older.id
  if (supersedes !== null) {
    const ids = { older: supersedes, newer: added.id }
    await perform('supersede', { ...ids, author: conversation.author })
  }
  const near = added.nearDuplicates.filter(({ id }) => id !== supersedes).slice(0, MAX_NEAR)
  const { records } = await cairn.get(near.map(({ id }) => id))
  const texts = new Map(records.map(({ id, title, body: text }) => [id, brief(title ?? text, 80)]))
  const nearDuplicates = near.map((one) => ({ ...one, text: texts.get(one.id) ?? '' }))
  const contradictions = added.contradictions.filter(({ recordId }) => recordId !== supersedes)
  return { ...added, supersedes, facts: stated, nearDuplicates, contradictions }
}

function createReply(stored: readonly Stored[]): Reply {
  const lines = stored
    .slice(0, MAX_LISTED)
    .flatMap(({ id, created, supersedes, nearDuplicates, facts, contradictions }) => {
      const also = supersedes === null ? '' : `; ${supersedes} is superseded`
      const known = `Known already as ${id}; it is remembered more strongly now`
      const [older] = [...nearDuplicates, ...contradictions.map((one) => ({ id: one.recordId }))]
      return [
        `${created ? `Remembered as ${id}` : known}${also}.`,
        ...facts.map((fact) => `  fact: ${renderItem(describeFact(fact))}`),
        ...nearDuplicates.map((near) => `  nearly the same: ${renderItem(compact(near))}`),
        ...contradictions.map(({ subject, predicate, object, recordId, instead }) =>
          brief(
            `  contradicts ${recordId}: ${subject} ${predicate} ${object}; there: ${instead}`,
            300,
          ),
        ),
        ...(older === undefined
          ? []
          : [
              `  If it corrects that: update {"action": "supersede", "id": "${older.id}", "by": "${id}"}.`,
            ]),
      ]
    })
  if (stored.length > MAX_LISTED) lines.push(`and ${stored.length - MAX_LISTED} more, all stored.`)
  const records = stored.map(({ facts, ...answer }) => ({
    ...{ created: answer.created, ...compact(answer) },
    ...(facts.length > 0 && { facts: facts.length, stated: facts.map(describeFact) }),
  }))
  return { text: lines.join('\n'), data: { records } }
}
