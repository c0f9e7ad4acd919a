/** Every operation is performed by some tool of an agent, except for a short list with reasons. */

import { describe, expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { work } from '../../test/support/works.js'
import { createLog } from '../core/log.js'
import { OPERATIONS, type OperationName } from '../operations/operations.js'
import { Conversation } from './conversation.js'
import { callTool } from './server.js'

const NETWORK = 'it uses the network, which a person decides'
const FILES = 'it reads or writes paths of the machine, which an agent has its own tools for'
const MAINTENANCE = 'it maintains the whole file, which belongs to its owner'

/** The operations that an agent cannot perform, each with the reason. */
const NOT_FOR_AGENTS = {
  list: 'search with an empty query lists, within the budget of a reply',
  'add.many': 'remember stores up to a hundred, one by one, and names what each nearly repeats',
  'session.start': 'a connection is a session: it starts when it first writes',
  'session.end': 'a connection is a session: it ends with the connection',
  purge: 'it cannot be undone; update forgets, and a person purges',
  'models.remove': 'it cannot be undone',
  import: FILES,
  export: FILES,
  'import.works': FILES,
  'openalex.get': NETWORK,
  'openalex.search': NETWORK,
  'openalex.expand': NETWORK,
  overview: 'counts for plots; status tells an agent what there is',
  backup: FILES,
  embed: MAINTENANCE,
  optimize: MAINTENANCE,
} as const satisfies Partial<Record<OperationName, string>>

type Data = Readonly<Record<string, unknown>>

/** What the tools performed in all of these tests. */
const performed = new Set<string>()

/** A conversation whose operations are logged. */
async function watched() {
  const cairn = await libraryOf([])
  const log = createLog('debug', Date.now, (line) => {
    const { event, operation } = JSON.parse(line) as { event: string; operation?: string }
    if (event === 'mcp.perform' && operation !== undefined) performed.add(operation)
  })
  const open = async () => cairn
  const conversation = new Conversation(open, log, 'agent 1.0')
  const call = async (name: string, args: Data = {}): Promise<Data> => {
    const { signal } = new AbortController()
    const result = await callTool({ name, arguments: args }, { conversation, signal, log })
    const [first] = result.content
    expect(first?.type === 'text' && result.isError ? first.text : '').toBe('')
    return result.structuredContent as Data
  }
  const remember = async (text: string, more: Data = {}): Promise<string> => {
    const { records } = await call('remember', { text, ...more })
    return (records as { id: string }[])[0]?.id ?? ''
  }
  return { cairn, call, remember }
}

describe('[M1, D3] the tools of an agent', () => {
  test('find and read', async () => {
    const { call, remember } = await watched()
    const id = await remember('We deploy on Thursdays.')
    await call('search', { query: 'deploy' })
    await call('timeline', { since: '1d' })
    await call('get', { ids: [id] })
  })

  test('remember', async () => {
    const { remember } = await watched()
    const old = await remember('The port is 5432.')
    const fact = { subject: 'port', predicate: 'is', object: '6543' }
    await remember('The port is 6543 now.', { supersedes: old, facts: [fact] })
  })

  test('update', async () => {
    const { call, remember } = await watched()
    const update = (action: string, args: Data) => call('update', { action, ...args })
    const [one, two] = [await remember('The first thing.'), await remember('Another matter.')]
    await update('edit', { id: one, text: 'The first thing, mended.' })
    await update('undo', { id: one })
    await update('link', { id: one, to: two })
    await update('unlink', { id: one, to: two })
    await update('reinforce', { ids: [one] })
    await update('deemphasize', { ids: [one] })
    const stated = await update('add_fact', {
      id: one,
      fact: { subject: 'it', predicate: 'is', object: 'first' },
    })
    const factId = (stated.fact as { id: string }).id
    await update('reinforce_fact', { factId, amount: 0.5 })
    await update('end_fact', { factId })
    await update('supersede', { id: two, text: 'Another matter, as it is now.' })
    await update('forget', { id: one })
    await update('restore', { id: one })
    await update('save_lens', { name: 'newest', options: { lens: 'recent', limit: 3 } })
    await update('remove_lens', { name: 'newest' })
    await update('summarise', { text: 'Two things were said.' })
  })

  test('explore', async () => {
    const { cairn, call, remember } = await watched()
    const id = await remember('We deploy on Thursdays.')
    const { outcomes } = await cairn.works.import([
      work('The first work', { citationKey: 'first', references: ['10.1000/b', '10.1000/gone'] }),
      work('The second work', { doi: '10.1000/b', year: 1999 }),
    ])
    expect(outcomes).toHaveLength(2)
    const explore = (relation: string, of: string) => call('explore', { id: of, relation })
    for (const relation of ['similar', 'related', 'history', 'why']) await explore(relation, id)
    const cited = await explore('citations', 'first')
    expect(cited.reference).toContain('The first work')
    expect(cited.citations).toMatchObject([
      { direction: 'cites', title: 'The second work', year: 1999 },
      { direction: 'cites', reference: 'doi:10.1000/gone' },
    ])
    expect((await explore('citations', '10.1000/b')).citations).toMatchObject([
      { direction: 'cited by', title: 'The first work' },
    ])
    const near = await explore('around', 'first')
    expect(near.works).toMatchObject([{ hop: 0 }, { hop: 1, title: 'The second work' }])
    const asked = await explore('around', 'second work')
    expect((asked.works as { title: string }[])[0]?.title).toBe('The second work')
  })

  test('tell what is there', async () => {
    const { call, remember } = await watched()
    await remember('Priya prefers tabs.', {
      facts: [{ subject: 'Priya', predicate: 'prefers', object: 'tabs' }],
    })
    await call('search', { query: 'tabs' })
    const status = (of: string, args: Data = {}) => call('status', { of, ...args })
    await status('file')
    const { sessions } = await status('sessions')
    expect(sessions).toMatchObject([{ state: 'open', created: 1, recalled: 1 }])
    expect((await status('session')).records).toMatchObject([
      { usage: 'created', text: 'Priya prefers tabs.' },
      { usage: 'recalled' },
    ])
    expect((await status('facts', { about: 'priya' })).facts).toMatchObject([
      { fact: 'Priya prefers tabs' },
    ])
    expect((await status('facts', { about: 'nobody' })).facts).toEqual([])
    expect((await status('lenses')).lenses).toContainEqual(
      expect.objectContaining({ name: 'balanced', isBuiltIn: true }),
    )
    await status('lens', { name: 'recent' })
    expect((await status('health')).ok).toBe(true)
    expect((await status('replay')).queries).toMatchObject([{ query: 'tabs', moved: 0 }])
  })

  test('perform every operation, but for those that have a reason', () => {
    const names = OPERATIONS.map(({ name }) => name)
    expect([...performed, ...Object.keys(NOT_FOR_AGENTS)].toSorted()).toEqual(names.toSorted())
  })
})
