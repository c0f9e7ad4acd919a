/** What an agent wants to keep is kept once, in its session, and what it nearly repeats is pointed out. */

import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { AddAnswer } from '../../cairn/adding.js'
import type { Cairn } from '../../cairn/cairn.js'
import { badInput, CairnError } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import { check } from '../../schemas/check.js'
import { factInput } from '../../schemas/memory-requests.js'
import { recordInput } from '../../schemas/record-requests.js'
import { brief } from '../budget.js'
import { present, round } from '../render.js'
import { shortIdsOf } from '../short-ids.js'
import { aboutOf, type Call, defineTool } from '../tool.js'

const MOST_RECORDS = 100
const MOST_NEAR = 3
const MOST_TOLD = 30

const { body: _body, session: _session, createdIn: _createdIn, ...fields } = recordInput.shape
const { record: _record, ...factShape } = factInput.shape

const { body: _text, session: _turn, createdIn: _noted, ...help } = aboutOf('add')

const text = z.string().check(z.refine((value) => value.trim() !== '', 'text must not be empty.'))
const more = {
  facts: z.optional(z.array(z.strictObject(factShape))),
  supersedes: z.optional(z.string()),
}
const one = z.strictObject({ text, ...fields, ...more })
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
    text: z.optional(text),
    ...fields,
    ...more,
    records: z.optional(z.array(one).check(z.minLength(1), z.maxLength(MOST_RECORDS))),
  }),
  about: {
    ...help,
    text: 'what to remember',
    tags: 'labels to find it by; reuse those that status shows',
    namespace: 'the project to keep it in; leave it out unless told',
    facts: 'what it states, each as subject, predicate and object',
    supersedes: 'the id of a record that this one corrects',
    records: `several at once instead of "text", at most ${MOST_RECORDS}`,
  },
  output: z.looseObject({
    records: z.array(
      z.looseObject({
        id: z.string(),
        created: z.boolean(),
        nearDuplicates: z.optional(z.array(z.unknown())),
      }),
    ),
  }),
  operations: ['add', 'fact.add', 'supersede'],
  hints: { readOnlyHint: false, destructiveHint: false },

  async run({ records, ...single }, call) {
    const given = readGiven(records, single)
    for (const record of given) await assertGood(record, call.cairn)
    const session = await call.conversation.session()
    const kept: Kept[] = []
    for (const record of given) {
      if (call.signal.aborted) throw cancelled(kept.length, given.length)
      kept.push(await keep(record, session, call).catch((error) => failed(error, kept, given)))
      // Lets a cancellation come through.
      if (given.length > 1) await setImmediate()
    }
    return replyOf(kept, call.cairn)
  },
})

type Kept = AddAnswer & { readonly superseded: RecordId | null; readonly facts: number }

function readGiven(
  records: readonly One[] | undefined,
  single: Omit<One, 'text'> & { text?: string | undefined },
): One[] {
  if (records === undefined) {
    if (single.text === undefined) {
      throw badInput('text is missing.', 'Write {"text": "what to remember"}.')
    }
    return [{ ...single, text: single.text }]
  }
  if (Object.keys(single).length > 0) {
    throw badInput(
      `"records" stands alone, without "${Object.keys(single)[0]}".`,
      'Write what belongs to a record into the record.',
    )
  }
  return [...records]
}

/** Everything that can be refused is refused before anything is written. */
async function assertGood(record: One, cairn: Cairn): Promise<void> {
  check(recordInput, toInput(record, null))
  for (const fact of record.facts ?? []) check(factInput, { ...fact, record: 'new' })
  if (record.supersedes === undefined) return
  const { records } = await cairn.get([record.supersedes])
  const [old] = records
  if (old === undefined) {
    throw new CairnError('not_found', { message: `No record has the id "${record.supersedes}".` })
  }
  if (old.supersededAt !== null) {
    throw badInput(
      `The record "${record.supersedes}" is superseded already.`,
      `explore {"id": "${record.supersedes}", "relation": "why"} shows by what; supersede that one.`,
    )
  }
}

function toInput({ text: body, facts: _, supersedes: __, ...rest }: One, createdIn: string | null) {
  return { ...rest, body, createdIn }
}

async function keep(record: One, session: string | null, call: Call): Promise<Kept> {
  const { cairn, perform, conversation } = call
  const added = await perform('add', toInput(record, session))
  for (const fact of record.facts ?? []) await perform('fact.add', { ...fact, record: added.id })
  const { records } = await cairn.get(record.supersedes === undefined ? [] : [record.supersedes])
  const older = records[0]?.id ?? null
  // A text that is known already may be the very record it is said to correct.
  const superseded = older === added.id ? null : older
  if (superseded !== null) {
    const { author } = conversation
    await perform('supersede', { older: superseded, newer: added.id, author })
  }
  return {
    ...added,
    nearDuplicates: added.nearDuplicates.filter(({ id }) => id !== superseded),
    superseded,
    facts: record.facts?.length ?? 0,
  }
}

function cancelled(done: number, all: number): CairnError {
  return badInput(`Cancelled after ${done} of ${all} records; those are stored.`)
}

function failed(error: unknown, kept: readonly Kept[], given: readonly One[]): never {
  if (!(error instanceof CairnError) || kept.length === 0) throw error
  throw new CairnError(error.code, {
    message: `${kept.length} of ${given.length} records are stored (${kept.map(({ id }) => id).join(', ')}); then: ${error.message}`,
    ...(error.hint !== null && { hint: error.hint }),
    cause: error,
  })
}

async function replyOf(kept: readonly Kept[], cairn: Cairn) {
  const ids = kept.flatMap(({ id, superseded, nearDuplicates }) => [
    id,
    ...(superseded === null ? [] : [superseded]),
    ...nearDuplicates.map((near) => near.id),
  ])
  const shortOf = await shortIdsOf(cairn, ids)
  const near = await cairn.get(
    kept.flatMap((one) => one.nearDuplicates.map(({ id }) => id)).slice(0, MOST_TOLD),
  )
  const textOf = new Map(near.records.map(({ id, title, body }) => [id, title ?? body]))
  const lines = kept.slice(0, MOST_TOLD).flatMap((one) => [
    sentenceOf(one, shortOf),
    ...one.nearDuplicates.slice(0, MOST_NEAR).map(({ id, similarity, changed }) => {
      const difference =
        changed.length === 0
          ? ''
          : `, differs in ${changed
              .slice(0, 3)
              .map((change) => brief(change, 40))
              .join(', ')}`
      return `  nearly the same (${round(similarity)}${difference}): ${shortOf(id)} ${brief(textOf.get(id) ?? '', 80)}`
    }),
  ])
  const firstNear = kept.find(({ nearDuplicates }) => nearDuplicates.length > 0)
  const [older] = firstNear?.nearDuplicates ?? []
  if (firstNear !== undefined && older !== undefined) {
    lines.push(
      `If the new record corrects it: update {"action": "supersede", "id": "${shortOf(older.id)}", "by": "${shortOf(firstNear.id)}"}.`,
    )
  }
  if (kept.length > MOST_TOLD) lines.push(`and ${kept.length - MOST_TOLD} more, all stored.`)
  return {
    text: lines.join('\n'),
    data: {
      records: kept.map((one) => ({
        id: one.id,
        created: one.created,
        ...present({
          duplicateOf: one.duplicateOf,
          supersedes: one.superseded,
          facts: one.facts === 0 ? null : one.facts,
          nearDuplicates: one.nearDuplicates.slice(0, MOST_NEAR).map((near) => ({
            id: near.id,
            similarity: round(near.similarity),
            changed: near.changed.slice(0, 3).map((change) => brief(change, 40)),
          })),
        }),
      })),
    },
  }
}

function sentenceOf(one: Kept, shortOf: (id: string) => string): string {
  const id = shortOf(one.id)
  const also = one.superseded === null ? '' : `; ${shortOf(one.superseded)} is superseded`
  return one.created
    ? `Remembered as ${id}${also}.`
    : `Known already as ${id}; it is remembered more strongly now${also}.`
}
