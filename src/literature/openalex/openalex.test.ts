/** Works, lists, references and citations come back complete, in few requests. */

import { afterEach, describe, expect, test } from 'vitest'
import { NO_DETAILS, type Work } from '../../core/work.js'
import { createOpenAlex } from './openalex.js'
import { type Answer, fixture, page, send, serve, stopServers } from './server.fixture.js'

afterEach(stopServers)

const titled = (id: number, doi: string | null = null) => ({
  id: `https://openalex.org/W${id}`,
  doi: doi === null ? null : `https://doi.org/${doi}`,
  title: `Work ${id}`,
})
const idsOf = (works: readonly Work[]) => works.map(({ openAlexId }) => openAlexId)
const makeWork = (parts: Partial<Work>): Work => ({
  ...NO_DETAILS,
  title: 'On Cairns',
  abstract: null,
  tags: [],
  references: [],
  ...parts,
})

/** Answers a filter by ids as OpenAlex does: with the works it knows, in an order of its own. */
const byFilter =
  (...known: readonly ReturnType<typeof titled>[]): Answer =>
  (response, asked) => {
    const wanted = (asked.params.get('filter') ?? '').replace(/^[\w.]+:/, '').split('|')
    const found = known.filter(({ id, doi }) =>
      wanted.some((value) => id.endsWith(`/${value}`) || doi === `https://doi.org/${value}`),
    )
    page(found.toReversed())(response, asked)
  }

describe('one work', () => {
  test.each([
    ['10.5555/Cairn.2021.17', '/works/doi:10.5555/cairn.2021.17'],
    ['doi:10.5555/cairn.2021.17', '/works/doi:10.5555/cairn.2021.17'],
    ['https://doi.org/10.5555/cairn.2021.17', '/works/doi:10.5555/cairn.2021.17'],
    ['W4000000001', '/works/W4000000001'],
    ['https://openalex.org/W4000000001', '/works/W4000000001'],
    ['arXiv:1904.00003v2', '/works/doi:10.48550/arxiv.1904.00003'],
    ['cs/0112017', '/works/doi:10.48550/arxiv.cs/0112017'],
    [
      '10.1002/(SICI)1:2<3::AID>3.0.CO;2-#',
      '/works/doi:10.1002/(sici)1%3A2%3C3%3A%3Aaid%3E3.0.co%3B2-%23',
    ],
  ])('named %j is asked for at %j', async (id, path) => {
    const server = await serve(send(fixture('work')))
    const work = await server.connect().work(id)
    expect(work?.openAlexId).toBe('W4000000001')
    expect(server.asked.map((asked) => asked.path)).toEqual([path])
  })

  test('that OpenAlex does not know is null, and asked for once', async () => {
    const server = await serve(send({ error: 'not found' }, 404))
    expect(await server.connect().work('W404')).toBeNull()
    expect(server.asked).toHaveLength(1)
  })

  test('without a title is null, and counted', async () => {
    const server = await serve(send(fixture('untitled-work')))
    const openAlex = server.connect()
    expect(await openAlex.work('W4000000005')).toBeNull()
    expect(openAlex.counts()).toEqual({ requests: 1, fromCache: 0, skipped: 1 })
  })

  test('a text that names no work is refused before anything is sent', async () => {
    const server = await serve(send({}))
    const openAlex = server.connect()
    await expect(openAlex.work('on cairns')).rejects.toMatchObject({
      code: 'bad_input',
      message: '"on cairns" is not a DOI, OpenAlex id or arXiv id.',
    })
    expect(await openAlex.work('10.5555/a/../../../authors/A1')).toBeNull()
    expect(server.asked).toEqual([])
  })

  test('that was merged into another is found by its redirect', async () => {
    const server = await serve(
      send({}, 301, { location: '/works/W4000000001' }),
      send(fixture('work')),
    )
    const work = await server.connect({ mailto: 'me@example.org' }).work('W4000000099')
    expect(work?.openAlexId).toBe('W4000000001')
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/works/W4000000099',
      '/works/W4000000001',
    ])
    expect(server.asked[1]?.params.get('mailto')).toBe('me@example.org')
  })
})

describe('a request', () => {
  test('carries the mail address, the key, the fields and who is asking', async () => {
    const server = await serve(send(fixture('work')))
    const options = { mailto: 'me+x@example.org', apiKey: 'k1' }
    await server.connect(options).work('W1')
    const [asked] = server.asked
    expect(asked?.params.get('mailto')).toBe('me+x@example.org')
    expect(asked?.params.get('api_key')).toBe('k1')
    expect(asked?.params.get('select')).toContain('abstract_inverted_index')
    expect(asked?.agent).toMatch(/^cairn-search\/\d/)
  })

  test('does not happen when a client is created', async () => {
    const server = await serve(send({}))
    server.connect({ cacheDir: '/nowhere/that/exists' })
    await new Promise((done) => setTimeout(done, 20))
    expect(server.asked).toEqual([])
  })

  test.each([
    ['an address of another kind', { baseUrl: 'file:///etc' }],
    ['an address with a password', { baseUrl: 'https://me:secret@host' }],
    ['a mail address that is none', { mailto: 'me' }],
    ['a key with a line break', { apiKey: 'secret\nkey' }],
  ])('is not even prepared with %s', (_, wrong) => {
    const create = () => createOpenAlex({ mailto: null, cacheDir: null, ...wrong })
    expect(create).toThrow(expect.objectContaining({ code: 'bad_input' }))
    expect(create).not.toThrow(/secret/)
  })
})

describe('a search', () => {
  test('follows the cursor, and leaves out works without a title and repeated works', async () => {
    const server = await serve(send(fixture('first-page')), send(fixture('last-page')))
    const openAlex = server.connect()
    const works = await openAlex.search('  fog and\nstones ', { limit: 50 })
    expect(idsOf(works)).toEqual(['W4000000002', 'W4000000003', 'W4000000006'])
    expect(works.map(({ type }) => type)).toEqual(['book', 'preprint', 'conference'])
    expect(server.asked.map(({ params }) => [params.get('search'), params.get('cursor')])).toEqual([
      ['fog and stones', '*'],
      ['fog and stones', 'IlsxLjAsICdXMiddIg=='],
    ])
    expect(openAlex.counts()).toEqual({ requests: 2, fromCache: 0, skipped: 1 })
  })

  test('asks for no more than it needs, and stops at the limit', async () => {
    const server = await serve(page([titled(1), titled(2), titled(3)], 'more'))
    expect(idsOf(await server.connect().search('fog', { limit: 2 }))).toEqual(['W1', 'W2'])
    expect(server.asked.map(({ params }) => params.get('per-page'))).toEqual(['2'])
  })

  test('of many works asks for pages of the largest size there is', async () => {
    const pageFrom = (first: number, next: string | null) =>
      page(
        Array.from({ length: 100 }, (_, i) => titled(first + i)),
        next,
      )
    const server = await serve(pageFrom(1, 'a'), pageFrom(101, 'b'), pageFrom(201, 'c'))
    expect(await server.connect().search('fog', { limit: 250 })).toHaveLength(250)
    expect(server.asked.map(({ params }) => params.get('per-page'))).toEqual(['100', '100', '100'])
  })

  test.each([
    ['comes back', [page([titled(1)], 'same'), page([titled(2)], 'same')], 2],
    ['stays at its beginning', [page([titled(1)], '*')], 1],
    [
      'brings the same works for ever',
      [page([titled(1)], 'a'), page([titled(1)], 'b'), page([titled(1)], 'c')],
      2,
    ],
    ['leads to nothing', [page([titled(1)], 'a'), page([], 'b')], 2],
  ])('ends where a cursor %s', async (_, answers, requests) => {
    const server = await serve(...answers)
    const works = await server.connect().search('fog', { limit: 10 })
    expect(new Set(idsOf(works)).size).toBe(works.length)
    expect(server.asked).toHaveLength(requests)
  })

  test('is limited to works from a date on', async () => {
    const server = await serve(page([]))
    await server.connect().search('fog', { limit: 5, fromDate: '2019-07' })
    expect(server.asked[0]?.params.get('filter')).toBe('from_publication_date:2019-07-01')
  })

  test.each([
    ['nothing', '  ', { limit: 5 }],
    ['a date that is none', 'fog', { limit: 5, fromDate: 'last year' }],
  ])('for %s is refused before anything is sent', async (_, query, options) => {
    const server = await serve(page([]))
    await expect(server.connect().search(query, options)).rejects.toMatchObject({
      code: 'bad_input',
    })
    expect(server.asked).toEqual([])
  })
})

describe('references', () => {
  test('come in the order of their ids, each once, and the unknown are left out', async () => {
    const known = [
      titled(1),
      titled(2),
      titled(3, '10.5555/c'),
      titled(4, '10.48550/arxiv.1904.00003'),
    ]
    const server = await serve(byFilter(...known))
    const ids = ['10.5555/C', 'W2', 'arXiv:1904.00003', 'W9', 'W1', 'https://openalex.org/W2']
    expect(idsOf(await server.connect().references(makeWork({ references: ids }), 50))).toEqual([
      'W3',
      'W2',
      'W4',
      'W1',
    ])
    expect(server.asked.map(({ params }) => params.get('filter'))).toEqual([
      'ids.openalex:W2|W9|W1',
      'doi:10.5555/c|10.48550/arxiv.1904.00003',
    ])
  })

  test('are requested fifty at a time, and fewer if the ids are long', async () => {
    const server = await serve(page([]))
    const openAlex = server.connect()
    const many = Array.from({ length: 120 }, (_, i) => `W${i + 1}`)
    await openAlex.references(makeWork({ references: many }), 500)
    const sizes = server.asked.map(({ params }) => params.get('filter')?.split('|').length)
    expect(sizes).toEqual([50, 50, 20])
    server.asked.length = 0
    const long = Array.from({ length: 20 }, (_, i) => `10.5555/${'x'.repeat(400)}${i}`)
    await openAlex.references(makeWork({ references: long }), 500)
    expect(server.asked).toHaveLength(3)
  })

  test('a DOI with the signs that filters are made of is asked for alone', async () => {
    const server = await serve(byFilter(titled(1)), send(titled(2, '10.5555/a,b')))
    const references = ['10.5555/a,b', 'W1']
    const works = await server.connect().references(makeWork({ references }), 9)
    expect(idsOf(works)).toEqual(['W2', 'W1'])
    expect(server.asked[1]?.path).toBe('/works/doi:10.5555/a%2Cb')
  })

  test('a DOI that OpenAlex has twice gives one work, an id that was merged gives the one that remains', async () => {
    const twice = [titled(1, '10.5555/a'), titled(2, '10.5555/a')]
    const server = await serve(page(twice), page([titled(7)]))
    const openAlex = server.connect()
    expect(idsOf(await openAlex.references(makeWork({ references: ['10.5555/a'] }), 9))).toEqual([
      'W1',
    ])
    expect(idsOf(await openAlex.references(makeWork({ references: ['W6'] }), 9))).toEqual(['W7'])
  })

  test('a list that is not there is an error, not an empty list', async () => {
    const server = await serve(send({}, 404))
    const work = makeWork({ references: ['W1'] })
    await expect(server.connect().references(work, 9)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: 'OpenAlex answered with status 404 where its lists of works are.',
    })
  })

  test('citation keys of a file are not requested', async () => {
    const server = await serve(byFilter(titled(1), titled(2, '10.5555/b')))
    const references = ['openalex:W1', 'key:stone2019', 'doi:10.5555/b']
    const works = await server.connect().references(makeWork({ references }), 10)
    expect(idsOf(works)).toEqual(['W1', 'W2'])
    expect(server.asked).toHaveLength(2)
  })

  test('only as many batches are requested as the limit needs', async () => {
    const references = Array.from({ length: 200 }, (_, i) => `openalex:W${i + 1}`)
    const known = references.map((_, i) => titled(i + 1))
    const server = await serve(byFilter(...known))
    const works = await server.connect().references(makeWork({ references }), 60)
    expect(idsOf(works)).toEqual(known.slice(0, 60).map(({ id }) => id.split('/').at(-1)))
    expect(server.asked).toHaveLength(2)
  })

  test('citations are requested by the OpenAlex id', async () => {
    const server = await serve(page([titled(8)]))
    const openAlex = server.connect()
    expect(idsOf(await openAlex.citations(makeWork({ openAlexId: 'W1' }), 5))).toEqual(['W8'])
    expect(server.asked.map(({ path, params }) => [path, params.get('filter')])).toEqual([
      ['/works', 'cites:W1'],
    ])
  })
})
