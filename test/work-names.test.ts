/** Wherever an id is taken, on every interface, the other names of a work are taken too. */

import { expect, test } from 'vitest'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { OPERATIONS, type OperationName, perform } from '../src/operations/operations.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFile } from './support/library.js'
import { terminal } from './support/terminal.js'
import { people, work } from './support/works.js'

const PAGERANK = work('The PageRank Citation Ranking', {
  authors: people('Lawrence Page'),
  year: 1999,
  doi: '10.1145/362384.362685',
  arxivId: '1706.03762',
  openAlexId: 'W2741809807',
  citationKey: 'page1999pagerank',
})
const NAMES = [
  'page1999pagerank',
  '10.1145/362384.362685',
  'doi:10.1145/362384.362685',
  'doi.acm.org/10.1145/362384.362685',
  'https://doi.org/10.1145/362384.362685',
  'arXiv:1706.03762v2',
  'https://openalex.org/W2741809807',
]

async function openWithWork(file = temporaryFile()) {
  const cairn = await libraryOf(['a note beside'], {
    file,
    vectors: { provider: 'fake', dimensions: 8 },
  })
  const { outcomes } = await cairn.works.import([PAGERANK])
  const note = (await cairn.list({ kinds: ['memory'] })).records[0]?.id ?? ''
  return { cairn, id: outcomes[0]?.id ?? '', note }
}

test.each(NAMES)('every operation that takes an id takes %s', async (name) => {
  const { cairn, id, note } = await openWithWork()
  const run = (operation: OperationName, input: object) => {
    const found = OPERATIONS.find((one) => one.name === operation)
    return found && perform(found, cairn, input)
  }
  const steps: readonly (readonly [OperationName, object])[] = [
    ['get', { ids: [name] }],
    ['similar', { id: name, threshold: -1 }],
    ['cite', { ids: [name] }],
    ['explore', { from: name }],
    ['edit', { id: name, tags: ['ranking'] }],
    ['link', { from: note, to: name }],
    ['links', { id: name }],
    ['why', { id: name }],
    ['history', { id: name }],
    ['reinforce', { ids: [name] }],
    ['search', { ids: { in: [name] } }],
    ['delete', { ids: [name] }],
    ['why', { id: name }],
    ['restore', { ids: [name] }],
    ['undo', { id: name }],
  ]
  for (const [operation, input] of steps) {
    expect(JSON.stringify(await run(operation, input)), operation).toContain(id)
  }
})

test('HTTP, MCP and the command line take them too', async () => {
  const file = temporaryFile()
  const { cairn, id } = await openWithWork(file)
  const { send } = await serve([], { cairn })
  const { call } = talkTo(cairn)
  const run = terminal(file)
  for (const name of NAMES) {
    const path = `/api/records/${encodeURIComponent(name)}`
    expect((await send(path)).json.records[0].id).toBe(id)
    expect((await send(path, { method: 'PATCH', body: { tags: ['a'] } })).json.id).toBe(id)
    expect((await send(`${path}/why`)).json.record.id).toBe(id)
    const got = await call('get', { ids: [name, { id: name, offset: 0 }] })
    expect(got.data).toMatchObject({ records: [{ id }, { id }], missing: [] })
    const found = await call('explore', { id: name, relation: 'similar' })
    expect(found.data).toMatchObject({ id })
    for (const command of ['get', 'cite', 'similar', 'why', 'history']) {
      const { code, out, err } = await run(command, name, '--json')
      expect({ command, code, err }).toEqual({ command, code: 0, err: '' })
      expect(out).toContain(id)
    }
  }
})

test('a prefix that is too short says so', async () => {
  const { cairn, id } = await openWithWork()
  const short = id.slice(0, 5)
  const message = `"${short}" is too short for an id.`
  await expect(cairn.why(short)).rejects.toMatchObject({ code: 'not_found', message })
  const { send } = await serve([], { cairn })
  expect((await send(`/api/records/${short}`)).json.error.message).toBe(message)
  expect((await talkTo(cairn).call('get', { ids: [short] })).text).toContain('8 characters')
})

test('a key that two works share is not decided for the caller', async () => {
  const cairn = await libraryOf([])
  await cairn.works.import([
    work('One', { citationKey: 'same', doi: '10.1000/1' }),
    work('Two', { citationKey: 'same', doi: '10.1000/2' }),
  ])
  await expect(cairn.delete(['same'])).rejects.toMatchObject({ code: 'ambiguous_id' })
  expect((await cairn.get(['10.1000/2'])).records[0]?.title).toBe('Two')
})
