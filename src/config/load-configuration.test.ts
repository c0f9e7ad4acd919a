/** What is configured is what happens, in a program and for an agent, and nothing is unless it was asked for. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/library.js'
import { terminal } from '../../test/support/terminal.js'
import { loadConfiguration, openCairn } from '../index.js'
import { describeTools } from '../mcp/call-tool.js'
import { searchRequest } from '../schemas/search-request.js'
import { SETTINGS } from './settings.js'

/** A folder with this `cairn.json`, and an environment without any settings. */
function project(settings: unknown) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'cairn.json'), JSON.stringify(settings))
  const at = (name: string): string => join(folder, name)
  const env = {
    XDG_CONFIG_HOME: at('config'),
    XDG_DATA_HOME: at('data'),
    XDG_CACHE_HOME: at('cache'),
  }
  return { folder, env, at }
}

test('[A4] a program opens its file as the command would', async () => {
  const { folder, env, at } = project({
    db: 'notes.cairn',
    namespace: 'shop',
    search: { limit: 1, mode: 'keyword' },
    log: { level: 'info', file: 'cairn.log' },
  })
  const inside = join(folder, 'src')
  mkdirSync(inside)
  const cairn = await openCairn(loadConfiguration({ folder: inside, env }))
  onTestFinished(() => cairn.close())
  await cairn.addMany([{ body: 'red apple' }, { body: 'green apple' }])
  const { hits, query } = await cairn.search('apple')
  expect(hits.map(({ record }) => record.namespace)).toEqual(['shop'])
  expect(query.mode).toBe('keyword')
  expect((await cairn.search('apple', { limit: 2 })).hits).toHaveLength(2)
  expect(existsSync(at('notes.cairn'))).toBe(true)
  expect(readFileSync(at('cairn.log'), 'utf8')).toContain('"event":"search"')
  const typed = await terminal('', { folder: inside, home: folder, env })('stats', '--json')
  expect(JSON.parse(typed.out)).toMatchObject({ namespaces: { shop: 2 } })
})

test('a program that does not ask reads no settings', async () => {
  const { folder, at } = project({ namespace: 'shop' })
  const before = process.cwd()
  process.env.CAIRN_NAMESPACE = 'variable'
  process.chdir(folder)
  onTestFinished(() => {
    delete process.env.CAIRN_NAMESPACE
    process.chdir(before)
  })
  const cairn = await openCairn({ file: at('x.cairn') })
  onTestFinished(() => cairn.close())
  const { id } = await cairn.add({ body: 'an apple' })
  expect((await cairn.get([id])).records[0]?.namespace).toBe('default')
})

test('[A4] the threshold of a project holds for searches by meaning and for what is similar', async () => {
  const { folder, env } = project({ db: 'x.cairn', vectorSearch: { threshold: 0.999 } })
  const cairn = await openCairn(loadConfiguration({ folder, env }))
  onTestFinished(() => cairn.close())
  const { id } = await cairn.add({ body: 'We deploy every Thursday.' })
  await cairn.add({ body: 'Releases go out each week.' })
  const ask = async (threshold?: number) =>
    (await cairn.search('shipping software', { mode: 'semantic', threshold })).hits.length
  expect([await ask(), await ask(-1)]).toEqual([0, 2])
  const near = async (threshold?: number) => (await cairn.similar(id, { threshold })).hits.length
  expect([await near(), await near(-1)]).toEqual([0, 1])
})

test('[A4] what memory is set to is what recalls add', async () => {
  const { folder, env } = project({ db: 'x.cairn', memory: { reinforcement: 0.5, decay: 0 } })
  const cairn = await openCairn(loadConfiguration({ folder, env }))
  const { id } = await cairn.add({ body: 'an apple', salience: 0.5 })
  const session = await cairn.sessions.start({ id: 'talk' })
  await cairn.search('apple', { recallSession: session.id })
  await cairn.close()
  const again = await openCairn(loadConfiguration({ folder, env }))
  onTestFinished(() => again.close())
  expect((await again.get([id])).records[0]?.salience).toBeCloseTo(0.75)
})

test('default options that cannot be are refused when the file is opened', async () => {
  const file = join(temporaryFolder(), 'x.cairn')
  await expect(openCairn({ file, search: { limit: 0 } })).rejects.toThrow(
    'limit must be at least 1',
  )
})

test('what the settings call a default is what holds without them', () => {
  const { lens, mode, match } = searchRequest.parse({})
  expect(SETTINGS['search.lens'].default).toBe(lens)
  expect(SETTINGS['search.mode'].default).toBe(mode)
  expect(SETTINGS['search.match'].default).toBe(match)
})

test('[A4] an agent is served with the settings of the folder, its budget included', async () => {
  const { folder, env } = project({ db: 'x.cairn', namespace: 'shop', mcp: { budget: 400 } })
  const cli = join(import.meta.dirname, '../../dist/cairn.cjs')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp'],
    cwd: folder,
    env: { ...env, PATH: process.env.PATH ?? '' },
  })
  const client = new Client({ name: 'test-client', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const records = Array.from({ length: 12 }, (_, i) => ({
    text: `Decision ${i}: ${'the apples of this harvest stay in the barn until spring. '.repeat(4)}`,
  }))
  await client.callTool({ name: 'remember', arguments: { records } })
  const lengthOf = async (args: Record<string, unknown>): Promise<number> => {
    const { content } = await client.callTool({
      name: 'search',
      arguments: { query: 'apples', ...args },
    })
    const [first] = content as { text: string }[]
    return first?.text.length ?? 0
  }
  expect(await lengthOf({})).toBeLessThanOrEqual(1600)
  expect(await lengthOf({ budget: 4000 })).toBeGreaterThan(1600)
  const { tools } = await client.listTools()
  const described = tools.find(({ name }) => name === 'search')
  expect(described?.inputSchema.properties?.budget).toMatchObject({ default: 400 })
  const { hits } = JSON.parse(
    (await terminal('', { folder, home: folder, env })('search', 'apples', '--json')).out,
  ) as { hits: { record: { namespace: string } }[] }
  expect(hits[0]?.record.namespace).toBe('shop')
})

test('a budget changes what tools say of it and nothing else', () => {
  const [usual, larger] = [describeTools(), describeTools(7777)]
  expect(JSON.stringify(larger).replaceAll('7,777', '2,000').replaceAll('7777', '2000')).toBe(
    JSON.stringify(usual),
  )
})
