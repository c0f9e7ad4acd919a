/** Messages to a server for agents: those that clients send, and what may become of them. */

import { mutateBytes, mutateValue } from './mutate.mjs'

const CALLS = [
  ['search', { query: 'apple NOT pear', limit: 3 }],
  ['search', { query: 'harbour', mode: 'semantic', budget: 200 }],
  ['timeline', { since: '7d', limit: 5 }],
  ['get', { ids: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }],
  ['remember', { text: 'We ship on Fridays.', tags: ['release'] }],
  ['update', { action: 'supersede', id: '01ARZ3ND', by: '01ARZ3NE' }],
  ['update', { action: 'link', from: 'a', to: 'b', type: 'CITES' }],
  ['explore', { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', relation: 'why' }],
  [
    'update',
    { action: 'add_fact', id: '01ARZ3ND', fact: { subject: 'a', predicate: 'b', object: 'c' } },
  ],
  ['forget', { ids: ['01ARZ3ND'] }],
]
const OTHERS = [
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/read', { uri: 'cairn://record/01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ['resources/read', { uri: 'cairn://status' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'recall', arguments: { topic: 'apple' } }],
  ['ping', {}],
  ['completion/complete', { ref: {}, argument: {} }],
]

/** A request with broken parameters; its frame is whole, so that it must be answered. */
export function brokenRequest(chance) {
  if (chance.share() < 0.25) {
    const [method, params] = chance.pick(OTHERS)
    return { method, params: asObject(mutateValue(params, chance)) }
  }
  const [name, args] = chance.pick(CALLS)
  return { method: 'tools/call', params: { name, arguments: asObject(mutateValue(args, chance)) } }
}

/** Text that need not be a message at all. */
export function brokenText(chance) {
  const whole = JSON.stringify({ jsonrpc: '2.0', id: chance.below(1000), ...brokenRequest(chance) })
  const text =
    chance.share() < 0.5
      ? JSON.stringify(mutateValue(JSON.parse(whole), chance))
      : mutateBytes(Buffer.from(whole), chance).toString()
  return (text ?? '').replaceAll('\n', ' ')
}

function asObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : { value }
}
