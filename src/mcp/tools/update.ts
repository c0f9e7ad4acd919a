/** The tool `update`: corrects, links, weighs and forgets records, all of which can be undone. */

import * as z from 'zod/mini'
import type { FactShown } from '../../core/answer.js'
import { badInput } from '../../core/errors.js'
import type { CairnRecord } from '../../core/record.js'
import { optional, required, share } from '../../schemas/fields.js'
import { type FactInput, factInput, linkInput } from '../../schemas/memory-requests.js'
import { recordPatch } from '../../schemas/record-requests.js'
import { describeFact, describeRecord, renderFact, round } from '../render.js'
import { brief, type Data } from '../reply.js'
import { type Call, defineTool, textField } from '../tool.js'

const MAX_IDS = 100

const { body: _body, session: _session, ...patch } = recordPatch.shape
const { record: _record, ...factShape } = factInput.shape

const ids = z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_IDS))
const fields = {
  id: optional(z.string(), 'the record'),
  ids: optional(ids, 'several records, for forget, restore, reinforce and deemphasize'),
  by: optional(z.string(), 'supersede: the record that takes its place'),
  text: optional(
    textField,
    'edit: the new text; supersede: the text of a new record in its place; summarise: the summary',
  ),
  ...patch,
  title: required(patch.title, 'edit: null takes it away'),
  tags: required(patch.tags, 'edit: all tags from now on'),
  people: required(patch.people, 'edit: all people from now on'),
  to: optional(z.string(), 'link, unlink: the other record'),
  type: optional(
    linkInput.shape.type,
    'link, unlink: RELATED_TO, CONTRADICTS, DEPENDS_ON, CITES, PART_OF or a word of your own',
  ),
  note: optional(z.string(), 'link, supersede: why; save_lens: what it is for'),
  amount: optional(share, 'reinforce, deemphasize, reinforce_fact: 0..1, default 0.1'),
  fact: optional(z.strictObject(factShape), 'add_fact: subject, predicate and object'),
  factId: optional(
    z.string(),
    'reinforce_fact, end_fact: the id of the fact, as search and explore show it',
  ),
  revision: optional(z.int().check(z.minimum(1)), 'undo: the number of the revision to go back to'),
  name: optional(z.string(), 'save_lens, remove_lens: one word'),
  options: optional(
    z.record(z.string(), z.unknown()),
    'save_lens: any options of search but the query',
  ),
}
type Field = keyof typeof fields
type Args = z.input<z.ZodMiniObject<typeof fields>>

/** `needs` are the arguments that an action must have, `takes` those that it may have. */
function defineAction(
  needs: readonly Field[],
  takes: readonly Field[],
  run: (args: Args, call: Call) => Promise<{ readonly text: string } & Data>,
) {
  return { needs, takes, run }
}

const ACTIONS = {
  edit: defineAction(
    ['id'],
    ['text', ...(Object.keys(patch) as Field[])],
    async ({ id = '', text, ...changes }, { perform, conversation }) => {
      const body = text === undefined ? {} : { body: text }
      const session = (await conversation.session()) ?? undefined
      const record = await perform('edit', { id, ...changes, ...body, session })
      const undo = `update {"action": "undo", "id": "${id}"}`
      return describeChange(`Edited ${id}: ${summarise(record)}\nTake it back: ${undo}.`, record)
    },
  ),

  supersede: defineAction(['id'], ['by', 'text', 'note'], async (args, call) => {
    const { id = '', by, text, note } = args
    if ((by === undefined) === (text === undefined)) {
      throw badInput('supersede needs "by", the id of the newer record, or its "text".')
    }
    const newer = by ?? (await addInPlaceOf(id, text ?? '', call))
    const { author } = call.conversation
    const answer = await call.perform('supersede', { older: id, newer, author, note })
    const done = `${id} is superseded by ${newer} and is no longer found unless asked for.`
    return { text: done, ids: [answer.superseded], ...answer }
  }),

  forget: defineAction(['ids'], [], async (args, { perform }) => {
    const { deleted } = await perform('delete', { ids: listIds(args) })
    const shown = deleted.slice(0, 5).map((id) => `"${id}"`)
    const list = `[${shown.join(', ')}${deleted.length > 5 ? ', …' : ''}]`
    const restore = `update {"action": "restore", "ids": ${list}}`
    return { text: `Forgot ${countRecords(deleted)}. Bring back: ${restore}.`, ids: deleted }
  }),

  restore: defineAction(['ids'], [], async (args, { perform }) => {
    const { restored } = await perform('restore', { ids: listIds(args) })
    return { text: `Restored ${countRecords(restored)}.`, ids: restored }
  }),

  link: defineAction(['id', 'to'], ['type', 'note'], async (args, { perform, conversation }) => {
    const { id: from = '', to = '', type, note } = args
    const link = await perform('link', { from, to, author: conversation.author, type, note })
    const data = { ids: [link.source], link: { id: link.id, type: link.type, to: link.target } }
    return { text: `Linked: ${from} ${link.type} ${to}.`, ...data }
  }),

  unlink: defineAction(['id', 'to'], ['type'], async (args, { perform }) => {
    const { id: from = '', to = '', type } = args
    const { unlinked } = await perform('unlink', { from, to, type })
    const text = `Unlinked: ${from} ${unlinked.map((link) => link.type).join(', ')} ${to}.`
    return { text, ids: unlinked.map(({ source }) => source), removed: unlinked.length }
  }),

  reinforce: defineSalienceAction('reinforce', 'Reinforced'),
  deemphasize: defineSalienceAction('deemphasize', 'De-emphasised'),

  add_fact: defineAction(['id', 'fact'], [], async ({ id, fact }, { perform }) =>
    describeFactChange('Added', await perform('fact.add', { ...fact, record: id } as FactInput)),
  ),

  reinforce_fact: defineAction(['factId'], ['amount'], async (args, { perform }) => {
    const { factId: id = '', amount } = args
    return describeFactChange('More certain:', await perform('fact.reinforce', { id, amount }))
  }),

  end_fact: defineAction(['factId'], [], async ({ factId: id = '' }, { perform }) =>
    describeFactChange('No longer holds:', await perform('fact.remove', { id })),
  ),

  undo: defineAction(['id'], ['revision'], async ({ id = '', revision }, { perform }) => {
    const record = await perform('undo', { id, revision })
    return describeChange(`${id} is again: ${summarise(record)}`, record)
  }),

  summarise: defineAction(['text'], [], async ({ text: summary }, { perform, conversation }) => {
    const session = await conversation.session()
    if (session === null) throw badInput('This file cannot be written: there is no session.')
    await perform('session.summarise', { id: session, summary })
    return { text: 'This conversation has that summary.', ids: [], session }
  }),

  save_lens: defineAction(['name', 'options'], ['note'], async (args, { perform }) => {
    const { name: given = '', options: saved = {}, note: sentence = null } = args
    const { name, options } = await perform('lens.save', { name: given, options: saved, sentence })
    const text = `Saved: search {"query": "…", "lens": "${name}"} uses it.`
    return { text, ids: [], lens: { name, options } }
  }),

  remove_lens: defineAction(['name'], [], async ({ name = '' }, { perform }) => {
    const { removed } = await perform('lens.remove', { name })
    return { text: `Removed the lens ${removed}.`, ids: [], removed }
  }),
}

const action = z.enum(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])

export const updateTool = defineTool({
  name: 'update',
  title: 'Correct, link, weigh or forget',
  description: `Change what is remembered. Nothing is lost: edits keep the earlier text, forgotten records can be restored.

{"action": "edit", "id": "01K9ZQ3F", "text": "We deploy on Fridays.", "tags": ["release"]}
{"action": "supersede", "id": "01K9ZQ3F", "by": "01KA02BC"}   (the second takes the place of the first; or "text" for a new one)
{"action": "forget", "ids": ["01K9ZQ3F"]}   and   {"action": "restore", "ids": ["01K9ZQ3F"]}
{"action": "link", "id": "01K9ZQ3F", "to": "01K9ZR7A", "type": "DEPENDS_ON", "note": "needs the backup"}   and unlink
{"action": "reinforce", "ids": ["01K9ZQ3F"], "amount": 0.3}   and deemphasize: how strongly it is remembered
{"action": "add_fact", "id": "01K9ZQ3F", "fact": {"type": "decision", "subject": "we", "predicate": "deploy on", "object": "Fridays"}}
{"action": "end_fact", "factId": "01K9ZS…"}   (it no longer holds), and reinforce_fact
{"action": "undo", "id": "01K9ZQ3F"}   (takes the last edit back, or goes to a "revision" that explore history shows)
{"action": "summarise", "text": "We moved the release to Fridays."}   (the summary of this conversation)
{"action": "save_lens", "name": "decisions", "options": {"tags": ["decision"], "lens": "recent"}}   (search options under a name), and remove_lens

edit is for slips and additions; supersede is for what is no longer true.`,
  input: z.strictObject({ action: required(action, 'what to do'), ...fields }),
  output: z.looseObject({ action, ids: z.array(z.string()) }),
  hints: { readOnlyHint: false, destructiveHint: false },

  async run({ action: name, ...args }, call) {
    const { needs, takes, run } = ACTIONS[name]
    const isGiven = (field: Field) =>
      args[field] !== undefined || (field === 'ids' && args.id !== undefined)
    const missing = needs.find((field) => !isGiven(field))
    if (missing !== undefined) {
      throw badInput(`${missing} is missing.`, `${name} needs ${needs.join(' and ')}.`)
    }
    const known: readonly string[] = ['id', ...needs, ...takes]
    const extra = Object.keys(args).find((field) => !known.includes(field))
    if (extra !== undefined) {
      const hint = `It takes ${[...needs, ...takes].join(', ')}.`
      throw badInput(`${name} takes no "${extra}".`, hint)
    }
    const { text, ...data } = await run(args, call)
    return { text, data: { action: name, ...data } }
  },
})

/** A correction gets the labels of the record that it corrects. */
async function addInPlaceOf(id: string, body: string, { perform, conversation }: Call) {
  const { record } = await perform('history', { id })
  if (record.supersededAt !== null || record.deletedAt !== null) {
    const state = record.deletedAt === null ? 'superseded' : 'forgotten'
    const hint = `explore {"id": "${id}", "relation": "why"} shows what became of it.`
    throw badInput(`The record "${id}" is ${state} already.`, hint)
  }
  const { namespace, title, kind, sector, tier, importance } = record
  const added = await perform('add', {
    ...{ body, namespace, title, kind, sector, tier, importance },
    tags: [...record.tags],
    people: [...record.people],
    createdIn: await conversation.session(),
  })
  return added.id
}

function defineSalienceAction(kind: 'reinforce' | 'deemphasize', done: string) {
  return defineAction(['ids'], ['amount'], async (args, { perform, conversation }) => {
    const session = (await conversation.session()) ?? undefined
    const { records } = await perform(kind, { ids: listIds(args), amount: args.amount, session })
    const values = records.map(({ id, salience }) => `${id} is at ${round(salience)}`)
    const text = `${done}: ${values.slice(0, 10).join(', ')}.`
    return { text, ids: records.map(({ id }) => id), records }
  })
}

function describeChange(text: string, record: CairnRecord) {
  return { text, ids: [record.id], record: describeRecord(record) }
}

function describeFactChange(what: string, fact: FactShown) {
  return { text: `${what} ${renderFact(fact)}.`, ids: [fact.recordId], fact: describeFact(fact) }
}

function summarise({ title, body }: CairnRecord): string {
  return brief(title ?? body, 100)
}

function listIds({ id, ids: several = [] }: Args): string[] {
  return [...new Set([...(id === undefined ? [] : [id]), ...several])]
}

function countRecords(list: readonly string[]): string {
  return list.length === 1 ? '1 record' : `${list.length} records`
}
