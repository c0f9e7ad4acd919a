import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { golden, jsonOf, NOW, steady, terminal } from '../../../test/support/terminal.js'
import { people, work } from '../../../test/support/works.js'
import { openCairn, type Work } from '../../index.js'
import {
  type Answer,
  page,
  send,
  serve,
  stopServers,
} from '../../literature/openalex/server.fixture.js'

afterEach(stopServers)

const WORKS: readonly Work[] = [
  work('On Cairns', {
    authors: people('Ada Stone', 'Bo Berg'),
    abstract: 'Piles of stones show the way over a pass.',
    type: 'article',
    venue: 'Journal of Stones',
    volume: '3',
    issue: '2',
    pages: '10-20',
    year: 1999,
    doi: '10.5555/cairns',
    citationKey: 'stone1999cairns',
    references: ['key:rock1970', 'doi:10.5555/unknown'],
  }),
  work('Rocks and "Walls"', { year: 1970, citationKey: 'rock1970', abstract: 'Walls of stones.' }),
  work('The Way Over the Pass', {
    year: 2005,
    citationKey: 'way2005',
    abstract: 'Who passed left stones.',
    references: ['key:stone1999cairns'],
  }),
]

async function libraryFile(works: readonly Work[] = WORKS): Promise<string> {
  const file = temporaryFile()
  const cairn = await openCairn({ file, now: () => NOW })
  await cairn.works.import(works)
  await cairn.close()
  return file
}

describe('works', () => {
  test('get, cite, explore and similar show them as written down', async () => {
    const cairn = terminal(await libraryFile())
    const { nodes } = await jsonOf(cairn)<{ nodes: { id: string }[] }>('explore', 'way2005')
    const lines: string[] = []
    for (const args of [
      ['cite', 'stone1999cairns', '10.5555/CAIRNS', 'rock1970'],
      ['cite', 'stone1999cairns', '--style', 'bibtex'],
      ['citations', 'stone1999cairns'],
      ['citations', 'way2005'],
      ['explore', 'way2005'],
      ['explore', 'way2005', '--dot'],
      ['explore', 'piles of stones', '--no-citations', '--max', '2'],
      ['get', nodes[1]?.id ?? ''],
      ['similar', nodes[1]?.id ?? '', '--threshold', '0'],
      ['list'],
    ]) {
      const { code, out, err } = await cairn(...args)
      expect({ args, code, err }).toEqual({ args, code: 0, err: '' })
      lines.push(`$ cairn ${args.join(' ')}\n\n${out}`)
    }
    golden('literature.txt', steady(lines.join('\n')))
  })

  test('citations gives what a work cites, what cites it and what is not stored', async () => {
    const cairn = terminal(await libraryFile())
    expect(await jsonOf(cairn)('citations', '10.5555/cairns')).toEqual({
      id: expect.any(String),
      references: [{ id: expect.any(String), title: 'Rocks and "Walls"', year: 1970 }],
      citedBy: [{ id: expect.any(String), title: 'The Way Over the Pass', year: 2005 }],
      unresolved: ['doi:10.5555/unknown'],
    })
  })

  test('[L6] explore gives nodes with hop, score and way, and the edges among them', async () => {
    const cairn = terminal(await libraryFile())
    const answer = await jsonOf(cairn)<{ nodes: { title: string }[] }>('explore', '10.5555/cairns')
    expect(answer).toMatchObject({
      start: { id: expect.any(String) },
      nodes: [
        { title: 'On Cairns', hop: 0, score: 1, via: null },
        { hop: 1, via: [{ direction: expect.any(String) }] },
        { hop: 1, year: expect.any(Number) },
      ],
      edges: [{}, {}],
      online: null,
      endedBy: 'exhausted',
    })
    const { nodes } = await jsonOf(cairn)<{ nodes: { hop: number; score: number }[] }>(
      'explore',
      'stone1999cairns',
      '--decay',
      '0.1',
      '--no-references',
    )
    expect(nodes).toHaveLength(2)
    expect(nodes[1]?.score).toBeLessThanOrEqual(0.1)
  })

  test('[N7] memories, documents and works answer one question, in one query language', async () => {
    const cairn = terminal(await libraryFile())
    await cairn('add', 'We marked the pass with piles of stones.', '--tag', 'trip')
    await cairn('add', 'How to build a wall of stones.', '--kind', 'document', '--title', 'Walls')
    const { hits } = await jsonOf(cairn)<{ hits: { kind: string }[] }>('search', 'stones')
    expect([...new Set(hits.map(({ kind }) => kind))].sort()).toEqual([
      'document',
      'memory',
      'work',
    ])
    const one = await jsonOf(cairn)<{ hits: { kind: string; title: string | null }[] }>(
      'search',
      'title:walls OR tag:trip stones',
      '--mode',
      'keyword',
    )
    expect(one.hits.map(({ kind }) => kind).sort()).toEqual(['document', 'memory', 'work'])
  })

  test('get as JSON has the details of the work', async () => {
    const cairn = terminal(await libraryFile())
    const { references } = await jsonOf(cairn)<{ references: { id: string }[] }>('cite', 'rock1970')
    expect(await jsonOf(cairn)('get', references[0]?.id ?? '')).toMatchObject({
      records: [{ kind: 'work', work: { citationKey: 'rock1970', year: 1970 } }],
    })
  })
})

/** An OpenAlex that knows three works: 1 cites 2, and 3 cites 1. */
const told = (id: number, cites: readonly number[], doi: string | null = null) => ({
  id: `https://openalex.org/W${id}`,
  doi: doi === null ? null : `https://doi.org/${doi}`,
  title: `Work ${id} of stones`,
  publication_year: 2000 + id,
  referenced_works: cites.map((one) => `https://openalex.org/W${one}`),
})
const CENTRE = told(1, [2], '10.5555/cairns')
const KNOWN = [CENTRE, told(2, []), told(3, [1])]

const openAlex: Answer = (response, asked) => {
  const filter = asked.params.get('filter') ?? ''
  if (asked.path.startsWith('/works/')) {
    const name = decodeURIComponent(asked.path.slice('/works/'.length))
    const found = KNOWN.find(
      ({ id, doi }) => id.endsWith(`/${name}`) || `doi:${doi?.slice(16)}` === name,
    )
    return found ? send(found)(response, asked) : send({ error: 'none' }, 404)(response, asked)
  }
  if (filter.startsWith('cites:W1')) return page([KNOWN[2]])(response, asked)
  if (filter.startsWith('cites:')) return page([])(response, asked)
  const wanted = filter.replace(/^[\w.]+:/, '').split('|')
  const listed = KNOWN.filter(({ id }) => wanted.some((value) => id.endsWith(`/${value}`)))
  return page(asked.params.has('search') ? KNOWN : listed)(response, asked)
}

async function online(file: string) {
  const server = await serve(openAlex)
  const cache = temporaryFolder()
  const env = { CAIRN_DB: file, CAIRN_OPENALEX_URL: server.baseUrl, XDG_CACHE_HOME: cache }
  return { server, cairn: terminal(file, { env }), cache }
}

describe('over the network', () => {
  test('openalex get, search and expand import works once', async () => {
    const { server, cairn } = await online(temporaryFile())
    const json = jsonOf(cairn)
    expect(await json('openalex', 'get', '10.5555/cairns', '--tag', 'new')).toMatchObject({
      works: [{ title: 'Work 1 of stones', openAlexId: 'W1', state: 'created', year: 2001 }],
      created: 1,
      missing: [],
      asked: { requests: 1, fromCache: 0 },
    })
    expect(await json('openalex', 'get', 'W1')).toMatchObject({ created: 0, unchanged: 1 })
    expect(await json('openalex', 'search', 'stones', '--limit', '2')).toMatchObject({ created: 1 })
    expect(server.asked.at(-1)?.params.get('search')).toBe('stones')
    expect(await json('openalex', 'expand', '10.5555/cairns')).toMatchObject({ created: 1 })
    const only = await json<{ works: unknown[] }>('openalex', 'expand', 'W1', '--citations')
    expect(only.works).toHaveLength(2)
    const { out } = await cairn('openalex', 'expand', 'W1', '--references')
    expect(steady(out)).toContain('unchanged  2002  Work 2 of stones')
    expect(await json('stats')).toMatchObject({ records: { work: 3 } })
    const missing = await cairn('openalex', 'get', 'W404')
    expect(missing).toMatchObject({ code: 1, err: 'cairn: OpenAlex knows no work as "W404".\n' })
  })

  test('a question that was asked lately is answered from the cache of the user', async () => {
    const { server, cairn } = await online(temporaryFile())
    await cairn('openalex', 'get', 'W1')
    const again = await jsonOf(cairn)('openalex', 'get', 'W1')
    expect(again).toMatchObject({ asked: { requests: 0, fromCache: 1 } })
    expect(server.asked).toHaveLength(1)
  })

  test('[L6] explore --online asks OpenAlex on the way, and what it tells is stored', async () => {
    const file = await libraryFile([work('On Cairns', { doi: '10.5555/cairns', year: 2001 })])
    const { server, cairn } = await online(file)
    const json = jsonOf(cairn)
    const near = await json<{ nodes: unknown[] }>('explore', '10.5555/cairns', '--online')
    expect(near).toMatchObject({ online: { created: 2 }, degraded: null })
    expect(near.nodes).toHaveLength(3)
    const asked = server.asked.length
    expect(asked).toBeGreaterThan(0)
    const offline = await json<{ nodes: unknown[] }>('explore', '10.5555/cairns')
    expect(offline).toMatchObject({ online: null })
    expect(offline.nodes).toHaveLength(3)
    expect(server.asked).toHaveLength(asked)
  })

  test('[L6] without the flag nothing goes out', async () => {
    const file = await libraryFile()
    const { server, cairn } = await online(file)
    for (const args of [
      ['explore', '10.5555/cairns'],
      ['explore', 'stones'],
      ['search', 'stones'],
      ['cite', 'stone1999cairns'],
      ['export'],
    ]) {
      expect((await cairn(...args)).code).toBe(0)
    }
    expect(server.asked).toEqual([])
  })

  test('explore goes on with what is stored where OpenAlex refuses, and says so', async () => {
    const server = await serve(send({ error: 'no' }, 403))
    const file = await libraryFile()
    const cairn = terminal(file, { env: { CAIRN_DB: file }, home: join(temporaryFolder()) })
    const args = ['explore', '10.5555/cairns', '--online', '--base-url', server.baseUrl]
    const answer = await jsonOf(cairn)<{ nodes: unknown[] }>(...args)
    expect(answer).toMatchObject({ degraded: { reason: 'service_unavailable' } })
    expect(answer.nodes).toHaveLength(3)
    expect((await cairn(...args)).out).toContain('The rest comes from what is stored.')
  })
})
