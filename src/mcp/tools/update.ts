/** The tools `update`, which corrects, links and weighs records, and `forget`. All of it can be undone. */

import * as z from 'zod/mini'
import type { FactShown } from '../../core/answer.js'
import { badInput } from '../../core/errors.js'
import type { CairnRecord } from '../../core/record.js'
import { type OperationInput, type OperationName, operation } from '../../operations/operations.js'
import { required } from '../../schemas/fields.js'
import { resolveNames } from '../../schemas/names.js'
import { manyRecords } from '../../schemas/record-requests.js'
import { compact, type Data, describeFact, describeRecord, renderItem } from '../render.js'
import { type Call, defineTool, type Shape, type Tool } from '../tool.js'

type Action = {
  readonly operation: OperationName
  readonly done: string
  /** Our names of arguments, and those of the operation. */
  readonly names?: Readonly<Record<string, string>>
  /** The option that gets the session of the conversation. */
  readonly session?: 'session' | 'id'
  readonly hasAuthor?: boolean
}

const ACTIONS = {
  edit: { operation: 'edit', done: 'Edited', names: { text: 'body' }, session: 'session' },
  supersede: {
    operation: 'supersede',
    done: 'No longer found unless asked for',
    names: { id: 'older', by: 'newer' },
    hasAuthor: true,
  },
  restore: { operation: 'restore', done: 'Restored' },
  link: { operation: 'link', done: 'Linked', names: { id: 'from' }, hasAuthor: true },
  unlink: { operation: 'unlink', done: 'Unlinked', names: { id: 'from' } },
  reinforce: { operation: 'reinforce', done: 'Reinforced', session: 'session' },
  deemphasize: { operation: 'deemphasize', done: 'De-emphasised', session: 'session' },
  add_fact: { operation: 'fact.add', done: 'Added', names: { id: 'record' } },
  reinforce_fact: { operation: 'fact.reinforce', done: 'More certain', names: { factId: 'id' } },
  end_fact: { operation: 'fact.remove', done: 'No longer holds', names: { factId: 'id' } },
  undo: { operation: 'undo', done: 'It is again' },
  summarise: {
    operation: 'session.summarise',
    done: 'The summary of this conversation',
    names: { text: 'summary' },
    session: 'id',
  },
  save_lens: { operation: 'lens.save', done: 'Saved', names: { note: 'sentence' } },
  remove_lens: { operation: 'lens.remove', done: 'Removed' },
  forget: { operation: 'delete', done: 'Forgot' },
} satisfies Record<string, Action>

type ActionName = keyof typeof ACTIONS
export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[]

/** The arguments of an action: the options of its operation, under our names. */
export function listArguments(name: ActionName): Shape {
  const { operation: performed, names = {}, session }: Action = ACTIONS[name]
  const ours = new Map(Object.entries(names).map(([our, theirs]) => [theirs, our]))
  const { shape } = operation(performed).schema as unknown as { shape: Shape }
  const entries = Object.entries(shape)
    .filter(([key]) => key !== session && key !== 'author')
    .map(([key, schema]) => [ours.get(key) ?? key, schema])
  return Object.fromEntries(entries)
}

export const updateTool: Tool = {
  name: 'update',
  description: `Change what is remembered; earlier texts are kept. edit is for slips, supersede for what is no longer true.
{"action": "edit", "id": "01K9ZQ3F", "text": "We deploy on Fridays."}
{"action": "supersede", "id": "01K9ZQ3F", "by": "01KA02BC"} (or "text" for a new record)
{"action": "link", "id": "01K9ZQ3F", "to": "01K9ZR7A", "type": "DEPENDS_ON"}
{"action": "add_fact", "id": "01K9ZQ3F", "subject": "we", "predicate": "deploy on", "object": "Fridays"}`,
  effect: 'writes',
  shape: {
    action: required(z.enum(ACTION_NAMES), 'what to do'),
    ...Object.assign({}, ...ACTION_NAMES.map(listArguments).toReversed()),
  },
  shown: ['action', 'id', 'text', 'tags', 'by', 'to', 'type', 'note', 'amount'],
  input: null,

  async run({ action: name, ...given }: Data & { readonly action: ActionName }, call: Call) {
    if (!ACTION_NAMES.includes(name)) {
      throw badInput(`action must be one of ${ACTION_NAMES.join(', ')}, not "${name ?? ''}".`)
    }
    const taken = Object.keys(listArguments(name))
    const args = resolveNames(z.object(listArguments(name)), given)
    const { text, ...others } = args
    const isNewText = name === 'supersede' && text !== undefined && args.by === undefined
    const named = isNewText
      ? { ...others, by: await addInPlaceOf(String(args.id), text, call) }
      : args
    const extra = Object.keys(named).find((key) => !taken.includes(key))
    if (extra !== undefined) {
      throw badInput(`${name} takes no "${extra}".`, `It takes ${taken.join(', ')}.`)
    }
    assertNothingMissing(name, named)
    const answer = await performAction(ACTIONS[name], named, call)
    const data = describeAnswer(answer)
    const [first] = Object.values(data)
    const items = [typeof first === 'object' ? first : data].flat() as (Data | string)[]
    const line = items.map((one) => (typeof one === 'string' ? one : renderItem(one))).join(', ')
    const back = `\nBring back: update {"action": "restore", "id": "${items[0]}"}.`
    const hint = name === 'forget' ? back : ''
    return { text: `${ACTIONS[name].done}: ${line}${hint}`, data: { action: name, ...data } }
  },
}

function assertNothingMissing(name: ActionName, args: Data): void {
  const needed = Object.entries(listArguments(name))
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([key]) => key)
  const missing = needed.find((key) => args[key] === undefined)
  if (missing === undefined) return
  const also = name === 'supersede' ? ', or "text" for "by"' : ''
  throw badInput(`${missing} is missing.`, `${name} needs ${needed.join(' and ')}${also}.`)
}

async function performAction(action: Action, args: Data, call: Call): Promise<object> {
  const { names = {}, session, hasAuthor = false } = action
  const input = Object.fromEntries(
    Object.entries(args).map(([key, one]) => [names[key] ?? key, one]),
  )
  if (hasAuthor) input.author = call.conversation.author
  const own = session === undefined ? null : await call.conversation.session()
  if (session !== undefined && own !== null) input[session] = own
  return call.perform(action.operation, input as OperationInput<typeof action.operation>)
}

/** A record or a fact in few words, else the answer as it is. */
function describeAnswer(answer: object): Data {
  if ('effectiveSalience' in answer) return { record: describeRecord(answer as CairnRecord) }
  if ('predicate' in answer) return { fact: describeFact(answer as FactShown) }
  return compact(answer)
}

/** A correction gets the labels of the record that it corrects. */
async function addInPlaceOf(id: string, text: unknown, { perform, conversation }: Call) {
  const { record } = await perform('history', { id })
  if (record.supersededAt !== null || record.deletedAt !== null) {
    const state = record.deletedAt === null ? 'superseded' : 'forgotten'
    const hint = `explore {"id": "${id}", "relation": "why"} shows what became of it.`
    throw badInput(`The record "${id}" is ${state} already.`, hint)
  }
  const { namespace, title, kind, sector, tier, importance } = record
  const added = await perform('add', {
    ...{ body: String(text), namespace, title, kind, sector, tier, importance },
    tags: [...record.tags],
    people: [...record.people],
    createdIn: await conversation.session(),
  })
  return added.id
}

export const forgetTool = defineTool({
  name: 'forget',
  description: `Hide records that are wrong or unwanted; update with "action": "restore" brings them back.
{"ids": ["01K9ZQ3F"]}`,
  effect: 'erases',
  shape: manyRecords.shape,
  shown: ['ids'],
  run: (args, call) => updateTool.run({ action: 'forget', ...args } as never, call),
})
