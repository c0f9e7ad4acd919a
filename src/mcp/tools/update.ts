/** The tool `update`: corrects, links, weighs and forgets records, all of which can be undone. */

import * as z from 'zod/mini'
import type { FactShown } from '../../core/answer.js'
import { badInput } from '../../core/errors.js'
import { factInput, linkInput } from '../../schemas/memory-requests.js'
import { recordPatch } from '../../schemas/record-requests.js'
import { describeFact, describeRecord, renderFact, round } from '../render.js'
import { brief, type Data } from '../reply.js'
import { type Call, defineTool, listHelp, textField } from '../tool.js'

const MAX_IDS = 100

const { body: _body, session: _session, ...patch } = recordPatch.shape
const { record: _record, ...factShape } = factInput.shape

/** What each action needs, and what it takes besides. */
const ACTIONS = {
  edit: [['id'], ['text', ...(Object.keys(patch) as (keyof typeof patch)[])]],
  supersede: [['id'], ['by', 'text', 'note']],
  forget: [['ids'], []],
  restore: [['ids'], []],
  link: [
    ['id', 'to'],
    ['type', 'note'],
  ],
  unlink: [['id', 'to'], ['type']],
  reinforce: [['ids'], ['amount']],
  deemphasize: [['ids'], ['amount']],
  add_fact: [['id', 'fact'], []],
  reinforce_fact: [['factId'], ['amount']],
  end_fact: [['factId'], []],
  undo: [['id'], ['revision']],
  summarise: [['text'], []],
  save_lens: [['name', 'options'], ['note']],
  remove_lens: [['name'], []],
} as const
type Action = keyof typeof ACTIONS
const action = z.enum(Object.keys(ACTIONS) as Action[])

const input = z.strictObject({
  action,
  id: z.optional(z.string()),
  ids: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_IDS))),
  by: z.optional(z.string()),
  text: z.optional(textField),
  ...patch,
  to: z.optional(z.string()),
  type: z.optional(linkInput.shape.type),
  note: z.optional(z.string()),
  amount: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  fact: z.optional(z.strictObject(factShape)),
  factId: z.optional(z.string()),
  revision: z.optional(z.int().check(z.minimum(1))),
  name: z.optional(z.string()),
  options: z.optional(z.record(z.string(), z.unknown())),
})
type Args = z.input<typeof input>

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
  input,
  about: {
    ...listHelp('edit'),
    action: 'what to do',
    id: 'the record',
    ids: 'several records, for forget, restore, reinforce and deemphasize',
    by: 'supersede: the record that takes its place',
    text: 'edit: the new text; supersede: the text of a new record in its place; summarise: the summary',
    title: 'edit: null takes it away',
    tags: 'edit: all tags from now on',
    people: 'edit: all people from now on',
    to: 'link, unlink: the other record',
    type: `link, unlink: ${listHelp('link').type}`,
    note: 'link, supersede: why; save_lens: what it is for',
    amount: 'reinforce, deemphasize, reinforce_fact: 0..1, default 0.1',
    fact: 'add_fact: subject, predicate and object',
    factId: 'reinforce_fact, end_fact: the id of the fact, as search and explore show it',
    revision: 'undo: the number of the revision to go back to',
    name: 'save_lens, remove_lens: one word',
    options: 'save_lens: any options of search but the query',
  },
  output: z.looseObject({ action, ids: z.array(z.string()) }),
  hints: { readOnlyHint: false, destructiveHint: false },

  async run(args, call) {
    assertFits(args)
    const { text, ...data } = await RUN[args.action](args, call)
    return { text, data: { action: args.action, ...data } }
  },
})

function assertFits(args: Args): void {
  const [needs, takes]: readonly [readonly (keyof Args)[], readonly (keyof Args)[]] =
    ACTIONS[args.action]
  for (const name of needs) {
    const isGiven = args[name] !== undefined || (name === 'ids' && args.id !== undefined)
    const hint = `${args.action} needs ${needs.join(' and ')}.`
    if (!isGiven) throw badInput(`${name} is missing.`, hint)
  }
  const known: readonly string[] = ['action', 'id', ...needs, ...takes]
  const extra = Object.keys(args).find((name) => !known.includes(name))
  if (extra === undefined) return
  const hint = `It takes ${[...needs, ...takes].join(', ')}.`
  throw badInput(`${args.action} takes no "${extra}".`, hint)
}

/** Each returns the text of the reply, and its data. */
const RUN: Readonly<
  Record<Action, (args: Args, call: Call) => Promise<{ readonly text: string } & Data>>
> = {
  async edit({ action: _, id = '', text, ...changes }, { perform, conversation }) {
    const session = await conversation.session()
    const record = await perform('edit', {
      id,
      ...changes,
      ...(text !== undefined && { body: text }),
      ...(session !== null && { session }),
    })
    return {
      text: `Edited ${id}: ${brief(record.title ?? record.body, 100)}\nTake it back: update {"action": "undo", "id": "${id}"}.`,
      ids: [record.id],
      record: describeRecord(record),
    }
  },

  async supersede({ id = '', by, text, note }, call) {
    if ((by === undefined) === (text === undefined)) {
      throw badInput('supersede needs "by", the id of the newer record, or its "text".')
    }
    const newer = by ?? (await addInPlaceOf(id, text ?? '', call))
    const { author } = call.conversation
    const answer = await call.perform('supersede', {
      older: id,
      newer,
      author,
      ...(note !== undefined && { note }),
    })
    return {
      text: `${id} is superseded by ${newer} and is no longer found unless asked for.`,
      ids: [answer.superseded],
      ...answer,
    }
  },

  async forget(args, { perform }) {
    const { deleted: ids } = await perform('delete', { ids: listIds(args) })
    const shown = ids.slice(0, 5).map((id) => `"${id}"`)
    const list = `[${shown.join(', ')}${ids.length > 5 ? ', …' : ''}]`
    return {
      text: `Forgot ${countRecords(ids)}. Bring back: update {"action": "restore", "ids": ${list}}.`,
      ids,
    }
  },

  async restore(args, { perform }) {
    const { restored: ids } = await perform('restore', { ids: listIds(args) })
    return { text: `Restored ${countRecords(ids)}.`, ids }
  },

  async link({ id = '', to = '', type, note }, { perform, conversation }) {
    const link = await perform('link', {
      from: id,
      to,
      author: conversation.author,
      ...(type !== undefined && { type }),
      ...(note !== undefined && { note }),
    })
    return {
      text: `Linked: ${id} ${link.type} ${to}.`,
      ids: [link.source],
      link: { id: link.id, type: link.type, to: link.target },
    }
  },

  async unlink({ id = '', to = '', type }, { perform }) {
    const given = { from: id, to, ...(type !== undefined && { type }) }
    const { unlinked: links } = await perform('unlink', given)
    return {
      text: `Unlinked: ${id} ${links.map((link) => link.type).join(', ')} ${to}.`,
      ids: links.map(({ source }) => source),
      removed: links.length,
    }
  },

  reinforce: (args, call) => changeSalience('reinforce', args, call),

  deemphasize: (args, call) => changeSalience('deemphasize', args, call),

  async add_fact({ id = '', fact }, { perform }) {
    if (fact === undefined) throw badInput('fact is missing.')
    return describeChange('Added', await perform('fact.add', { ...fact, record: id }))
  },

  async reinforce_fact({ factId = '', amount }, { perform }) {
    return describeChange('More certain:', await perform('fact.reinforce', { id: factId, amount }))
  },

  async end_fact({ factId = '' }, { perform }) {
    return describeChange('No longer holds:', await perform('fact.remove', { id: factId }))
  },

  async undo({ id = '', revision }, { perform }) {
    const record = await perform('undo', { id, revision })
    return {
      text: `${id} is again: ${brief(record.title ?? record.body, 100)}`,
      ids: [record.id],
      record: describeRecord(record),
    }
  },

  async summarise({ text }, { perform, conversation }) {
    const session = await conversation.session()
    if (session === null) throw badInput('This file cannot be written: there is no session.')
    await perform('session.summarise', { id: session, summary: text })
    return { text: 'This conversation has that summary.', ids: [], session }
  },

  async save_lens({ name = '', options = {}, note = null }, { perform }) {
    const lens = await perform('lens.save', { name, options, sentence: note })
    return {
      text: `Saved: search {"query": "…", "lens": "${lens.name}"} uses it.`,
      ids: [],
      lens: { name: lens.name, options: lens.options },
    }
  },

  async remove_lens({ name = '' }, { perform }) {
    const { removed } = await perform('lens.remove', { name })
    return { text: `Removed the lens ${removed}.`, ids: [], removed }
  },
}

/** A correction gets the labels of the record that it corrects. */
async function addInPlaceOf(
  id: string,
  body: string,
  { perform, conversation }: Call,
): Promise<string> {
  const { record } = await perform('history', { id })
  if (record.supersededAt !== null || record.deletedAt !== null) {
    throw badInput(
      `The record "${id}" is ${record.deletedAt === null ? 'superseded' : 'forgotten'} already.`,
      `explore {"id": "${id}", "relation": "why"} shows what became of it.`,
    )
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

async function changeSalience(
  kind: 'reinforce' | 'deemphasize',
  args: Args,
  { perform, conversation }: Call,
) {
  const session = await conversation.session()
  const { records } = await perform(kind, {
    ids: listIds(args),
    ...(args.amount !== undefined && { amount: args.amount }),
    ...(session !== null && { session }),
  })
  const done = kind === 'reinforce' ? 'Reinforced' : 'De-emphasised'
  const values = records.map(({ id, salience }) => `${id} is at ${round(salience)}`)
  return {
    text: `${done}: ${values.slice(0, 10).join(', ')}.`,
    ids: records.map(({ id }) => id),
    records,
  }
}

function describeChange(what: string, fact: FactShown) {
  return { text: `${what} ${renderFact(fact)}.`, ids: [fact.recordId], fact: describeFact(fact) }
}

function listIds({ id, ids = [] }: Args): string[] {
  return [...new Set([...(id === undefined ? [] : [id]), ...ids])]
}

function countRecords(ids: readonly string[]): string {
  return ids.length === 1 ? '1 record' : `${ids.length} records`
}
