/** Every operation is performed by some tool of an agent, except for a short list with reasons. */

import { describe, expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { work } from '../../test/support/works.js'
import { createLog } from '../core/log.js'
import { OPERATIONS, type OperationName } from '../operations/operations.js'
import { searchRequest } from '../schemas/search-request.js'
import { talkTo } from './agent.fixture.js'

const NETWORK = 'it uses the network, which a person decides'
const FILES = 'it reads or writes paths of the machine, which an agent has its own tools for'
const MAINTENANCE = 'it maintains the whole file, which belongs to its owner'

const TOKENS = 'an admin decides who may use a server'

/** The operations that an agent cannot perform, each with the reason. */
const NOT_FOR_AGENTS = {
  ask: 'an agent is a language model itself: the prompt ask gives it the passages',
  list: 'search with an empty query lists, within the budget of a reply',
  'add.many': 'remember stores up to a hundred, one by one, and names what each nearly repeats',
  'session.start': 'a connection is a session: it starts when it first writes',
  'session.end': 'a connection is a session: it ends with the connection',
  purge: 'it cannot be undone; update forgets, and a person purges',
  'models.remove': 'it cannot be undone',
  'works.duplicates': 'a person decides which works are the same',
  'works.merge': 'a person decides which works are the same',
  import: FILES,
  mirror: FILES,
  export: FILES,
  'import.works': FILES,
  'openalex.get': NETWORK,
  'openalex.search': NETWORK,
  'openalex.expand': NETWORK,
  'lens.show': 'the resource lenses shows them all',
  log: 'a person asks who did what; why tells an agent who wrote a record',
  overview: 'counts for plots; the resource status tells an agent what there is',
  backup: FILES,
  copy: FILES,
  embed: MAINTENANCE,
  optimize: MAINTENANCE,
  'token.add': TOKENS,
  'token.list': TOKENS,
  'token.revoke': TOKENS,
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
  const { call: send, read } = talkTo(cairn, log)
  const call = async (name: string, args: Data = {}): Promise<Data> => {
    const { text, isError, data } = await send(name, args)
    expect(isError ? text : '').toBe('')
    return data
  }
  const remember = async (text: string, more: Data = {}): Promise<string> => {
    const { records } = await call('remember', { text, ...more })
    return (records as { id: string }[])[0]?.id ?? ''
  }
  return { cairn, call, read, remember }
}

describe('[M1, D3] the tools of an agent', () => {
  test('find and read', async () => {
    const { call, remember } = await watched()
    const id = await remember('We deploy on Thursdays.')
    await call('search', { query: 'deploy' })
    await call('timeline', { since: '1d' })
    await call('briefing')
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
    await call('forget', { ids: [one] })
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
    const { call, read, remember } = await watched()
    await remember('Priya prefers tabs.', {
      facts: [{ subject: 'Priya', predicate: 'prefers', object: 'tabs' }],
    })
    await call('search', { query: 'tabs' })
    const explore = (relation: string, id: string) => call('explore', { id, relation })
    expect((await explore('session', 'this')).records).toMatchObject([
      { usage: 'created', text: 'Priya prefers tabs.' },
      { usage: 'recalled' },
    ])
    expect((await explore('facts', 'priya')).facts).toMatchObject([{ fact: 'Priya prefers tabs' }])
    expect((await explore('facts', 'nobody')).facts).toEqual([])
    expect(await read('cairn://status')).toMatch(/^version: .*\n[\s\S]*records: memory 1, /)
    expect(await read('cairn://sessions')).toMatch(/created 1 {2}recalled 1/)
    expect(await read('cairn://lenses')).toContain('\n- balanced')
    expect(await read('cairn://health')).toMatch(/^ok: true\n/)
    expect(await read('cairn://replay')).toContain('query tabs')
  })

  test('with marks, a snippet is HTML and has no others', async () => {
    const { call: send } = talkTo(await libraryOf(['The staging port is 6543 < 7000.']))
    const { text } = await send('search', { query: 'port', options: { marks: true } })
    expect(text).toContain('The staging <mark>port</mark> is 6543 &lt; 7000.')
  })

  test('[M1] know every option of their operations, and describe it in a resource', async () => {
    const { call, read } = await watched()
    const told = await read('cairn://options')
    for (const option of Object.keys(searchRequest.shape)) {
      if (option !== 'recallSession') expect(told).toMatch(new RegExp(`\\n- ${option} \\(`))
    }
    const options = { mode: 'keyword', explain: true, facets: true, k: 60, sector: 'semantic' }
    expect(await call('search', { query: 'x', options })).toMatchObject({ mode: 'keyword' })
    expect(await call('search', { query: 'x', mode: 'keyword' })).toMatchObject({ mode: 'keyword' })
  })

  test('perform every operation, but for those that have a reason', () => {
    const names = OPERATIONS.map(({ name }) => name)
    expect([...performed, ...Object.keys(NOT_FOR_AGENTS)].toSorted()).toEqual(names.toSorted())
  })
})
