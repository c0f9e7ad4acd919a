/** Every operation is reached over HTTP as /openapi.json and docs/http.md say, or has a reason not to be. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { work } from '../../test/support/works.js'
import type { Cairn } from '../cairn/cairn.js'
import { openCairn } from '../cairn/open.js'
import { createToken } from '../cairn/tokens.js'
import { ERROR_CODES } from '../core/errors.js'
import { fixture, NOW, send, serve, stopServers } from '../literature/openalex/server.fixture.js'
import {
  OPERATIONS,
  type OperationName,
  operation,
  perform,
  toSmallAnswer,
} from '../operations/operations.js'
import type { HttpServing } from './listen.js'
import { describeApi } from './openapi.js'
import { REQUEST_STATUSES, STATUSES } from './problems.js'
import { type Endpoint, listEndpoints, ROUTES } from './routes.js'
import { startServer } from './server.js'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/http.md'), 'utf8')

const reached = OPERATIONS.flatMap((described) => {
  const { name } = described
  return listEndpoints(described).map((place) => ({
    name,
    described,
    place,
    at: `${place.method} ${place.path}`,
  }))
})

describe('the table', () => {
  test('has every operation; only two have no route', () => {
    expect(Object.keys(ROUTES).toSorted()).toEqual(OPERATIONS.map(({ name }) => name).toSorted())
    const leftOut = Object.entries(ROUTES).filter(([, route]) => route === null)
    expect(leftOut.map(([name]) => name)).toEqual(['import', 'mirror', 'backup', 'copy'])
  })

  test('has no address twice, and fills only options that the operation has', () => {
    const addresses = reached.map(({ at }) => at.replace(/\{\w+\}/g, '{}'))
    expect(new Set(addresses).size).toBe(addresses.length)
    for (const { name, place } of reached) {
      const { shape } = operation(name).schema
      for (const one of place.parameters) {
        expect(Object.keys(shape)).toContain(one.option)
      }
    }
  })

  test('reads by GET what only reads, and writes by no GET', () => {
    for (const { name, place } of reached) {
      if (place.method === 'GET') expect(operation(name).effect).toBe('reads')
    }
  })

  test('is the table of docs/http.md', () => {
    const rows = [...PAGE.matchAll(/^\| `([\w.]+)` \| (`[A-Z]+ \/api.*?) \|/gm)]
    const documented = Object.fromEntries(
      rows.map(([, name, at = '']) => [name, [...at.matchAll(/`([^`]+)`/g)].map(([, one]) => one)]),
    )
    const routes = Object.entries(ROUTES).flatMap(([name, route]) =>
      route === null ? [] : [[name, [...route]]],
    )
    expect(documented).toEqual(Object.fromEntries(routes))
  })

  test('every code of a refused request is documented with its status, and every error has a status', () => {
    for (const [code, status] of Object.entries(REQUEST_STATUSES)) {
      expect(PAGE).toMatch(new RegExp(`^\\| ${status} \\| .*\`${code}\``, 'm'))
    }
    expect(Object.keys(STATUSES).toSorted()).toEqual([...ERROR_CODES].toSorted())
  })
})

describe('/openapi.json', () => {
  test('is OpenAPI 3.1', async () => {
    const document = JSON.parse(JSON.stringify(describeApi({ hasToken: true })))
    const validator = new Validator()
    const { valid, errors } = await validator.validate(document)
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(validator.version).toBe('3.1')
    expect(document.security).toEqual([{ token: [] }])
  })

  test('describes every route and no other, each under a name of its own', async () => {
    const { paths } = describeApi({ hasToken: false })
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.toSorted()).toEqual(
      [
        ...reached.map(({ at }) => at),
        'POST /api/import',
        ...['/api/caller', '/api/backup', '/api/records/{id}/file'].map((path) => `GET ${path}`),
      ].sort(),
    )
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('says of each option what the help says, once: in the path, the query or the body', async () => {
    const { paths } = describeApi({ hasToken: false })
    for (const { name, place } of reached) {
      // biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
      const one: any = paths[place.path]?.[place.method.toLowerCase()]
      const body = one.requestBody?.content['application/json'].schema.properties ?? {}
      const given = one.parameters.map((parameter: { name: string }) => parameter.name)
      const named = [...given, ...Object.keys(body)]
      const wanted = Object.keys(operation(name).schema.shape).map(
        (option) => place.parameters.find((one) => one.option === option)?.name ?? option,
      )
      expect({ at: place, named: named.toSorted() }).toEqual({
        at: place,
        named: wanted.toSorted(),
      })
    }
    const search = paths['/api/search']?.post as unknown as {
      requestBody: { content: Record<string, { schema: { properties: object }; examples: object }> }
    }
    const { schema, examples } = search.requestBody.content['application/json'] ?? {}
    expect(schema?.properties).toMatchObject({
      limit: { type: 'integer', default: 10, description: 'How many at most.' },
    })
    expect(Object.values(examples ?? {})[0]).toEqual({ value: { query: 'when do we deploy?' } })
  })
})

/** Works on a file that has these records, each time anew. */
type Sample = (file: Filled) => Promise<Record<string, unknown>> | Record<string, unknown>
type Filled = {
  readonly cairn: Cairn
  readonly one: string
  readonly other: string
  readonly fresh: () => Promise<string>
  readonly session: () => Promise<string>
}

const SAMPLES: Readonly<
  Record<Exclude<OperationName, 'import' | 'mirror' | 'backup' | 'copy'>, Sample>
> = {
  search: () => ({ query: 'deploy', tags: ['release'], limit: 3, explain: true }),
  ask: () => ({ question: 'When do we deploy?', tags: ['release'], limit: 3 }),
  timeline: ({ one }) => ({ anchor: one, before: 2 }),
  briefing: () => ({ budget: 500 }),
  log: () => ({ since: '7d' }),
  list: () => ({ tags: { all: ['release'] }, limit: 5 }),
  add: () => ({ body: 'A note that was not there.', metadata: { from: 'a test' } }),
  'add.many': () => ({ records: [{ body: 'first of two' }, { body: 'second of two' }] }),
  get: ({ one }) => ({ ids: [one] }),
  edit: async ({ fresh }) => ({ id: await fresh(), tags: ['edited'], title: null }),
  delete: async ({ fresh }) => ({ ids: [await fresh()] }),
  restore: async ({ cairn, fresh }) => ({ ids: await cairn.delete([await fresh()]) }),
  purge: async ({ fresh }) => ({ ids: [await fresh()] }),
  history: ({ one }) => ({ id: one }),
  undo: async ({ cairn, fresh }) => {
    const id = await fresh()
    await cairn.edit(id, { body: 'changed' })
    return { id, revision: 1 }
  },
  similar: ({ one }) => ({ id: one, limit: 2, threshold: -1 }),
  links: ({ one }) => ({ id: one }),
  why: ({ one }) => ({ id: one }),
  supersede: async ({ fresh }) => ({ older: await fresh(), newer: await fresh(), note: 'newer' }),
  reinforce: ({ one }) => ({ ids: [one], amount: 0.1 }),
  deemphasize: ({ one }) => ({ ids: [one], amount: 0.1 }),
  link: ({ one, other }) => ({ from: one, to: other, type: 'DEPENDS_ON' }),
  unlink: async ({ cairn, one, other }) => {
    await cairn.links.add({ from: one, to: other, type: 'PART_OF' })
    return { from: one, to: other, type: 'PART_OF' }
  },
  'session.list': () => ({ state: 'open', limit: 5 }),
  'session.start': () => ({ title: 'Planning' }),
  'session.show': async ({ session }) => ({ id: await session() }),
  'session.end': async ({ session }) => ({ id: await session(), summary: 'Nothing was said.' }),
  'session.summarise': async ({ session }) => ({ id: await session(), summary: 'In short.' }),
  'fact.list': ({ one }) => ({ records: [one], minConfidence: 0.2 }),
  'fact.add': ({ one }) => ({ record: one, subject: 'we', predicate: 'deploy', object: 'often' }),
  'fact.reinforce': async (file) => ({ id: await factOf(file), amount: 0.3 }),
  'fact.remove': async (file) => ({ id: await factOf(file) }),
  replay: () => ({ limit: 5 }),
  'lens.list': () => ({}),
  'lens.show': () => ({ name: 'balanced' }),
  'lens.save': () => ({ name: 'mine', options: { kinds: ['work'], limit: 4 } }),
  'lens.remove': async ({ cairn }) => {
    await cairn.lenses.save('gone', { kinds: ['work'] })
    return { name: 'gone' }
  },
  'import.works': () => ({ works: [{ title: 'A third work', year: 2020 }], dryRun: true }),
  'works.duplicates': () => ({}),
  'works.merge': async ({ cairn }) => {
    await cairn.works.import([
      work('One', { doi: '10.1000/one' }),
      work('Two', { doi: '10.1000/two' }),
    ])
    return { id: '10.1000/one', other: '10.1000/two' }
  },
  cite: () => ({ ids: ['10.1000/a'], style: 'plain' }),
  citations: () => ({ id: '10.1000/a' }),
  export: () => ({ format: 'ris', works: ['10.1000/a'] }),
  explore: () => ({ from: '10.1000/a', depth: 1 }),
  'openalex.get': () => ({ ids: ['W2741809807'] }),
  'openalex.search': () => ({ query: 'open access', limit: 5 }),
  'openalex.expand': () => ({ id: '10.1000/a', limit: 5 }),
  stats: () => ({}),
  overview: () => ({ by: 'month' }),
  models: () => ({}),
  'models.remove': () => ({ id: 'nobody/nothing' }),
  embed: () => ({}),
  doctor: () => ({ repair: false }),
  optimize: () => ({ vacuum: false }),
  'token.list': () => ({}),
  'token.add': () => ({ name: 'ada', role: 'write', namespaces: ['shop'], expires: '90d' }),
  'token.revoke': async ({ cairn }) => {
    await cairn.tokens.add({ name: 'bo' })
    return { name: 'bo' }
  },
}

async function factOf({ cairn, one }: Filled): Promise<string> {
  const { id } = await cairn.facts.add({
    record: one,
    subject: 'we',
    predicate: 'deploy',
    object: `on day ${Math.random()}`,
  })
  return id
}

const TOKEN = createToken()
const authorization = `Bearer ${TOKEN}`

/** What differs from one run to the next. */
function steady(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => (key === 'tookMs' ? 0 : value))
}

describe('on a file', () => {
  let cairn: Cairn
  let serving: HttpServing
  let file: Filled
  beforeAll(async () => {
    const results = { meta: { count: 1, next_cursor: null }, results: [fixture('work')] }
    const openAlex = await serve((response, asked) =>
      send(asked.path.endsWith('/works') ? results : fixture('work'))(response, asked),
    )
    const { baseUrl } = openAlex
    cairn = await openCairn({
      file: ':memory:',
      cache: false,
      now: () => NOW,
      openAlex: { baseUrl },
    })
    const added = await cairn.addMany([
      { body: 'We deploy on Thursdays.', tags: ['release'] },
      { body: 'Deployment moved to Fridays.', tags: ['release'] },
    ])
    await perform(operation('import.works'), cairn, {
      works: [
        { title: 'The first work', doi: '10.1000/a', references: ['10.1000/b'], year: 2019 },
        { title: 'The second work', doi: '10.1000/b', year: 2018 },
      ],
    })
    serving = await startServer({ cairn, port: 0, token: TOKEN })
    const [one = '', other = ''] = added.map(({ id }) => id)
    file = {
      cairn,
      one,
      other,
      fresh: async () => (await cairn.add({ body: `A note, ${Math.random()}.` })).id,
      session: async () => (await cairn.sessions.start({})).id,
    }
  })
  afterAll(async () => {
    await serving.close()
    await cairn.close()
    await stopServers()
  })

  const call = async (place: Endpoint, input: Record<string, unknown>) => {
    const rest = { ...input }
    const path = place.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const key = place.parameters.find((one) => one.name === name)?.option ?? name
      delete rest[key]
      return encodeURIComponent([input[key]].flat().join())
    })
    const { method } = place
    if (place.hasBody) {
      const headers = { authorization, 'content-type': 'application/json' }
      return fetch(serving.url + path, { method, headers, body: JSON.stringify(rest) })
    }
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(rest)) {
      for (const one of [value].flat()) {
        query.append(key, typeof one === 'object' ? JSON.stringify(one) : String(one))
      }
    }
    return fetch(`${serving.url}${path}?${query}`, { method, headers: { authorization } })
  }

  test.each(reached.map((one) => [one.at, one] as const))(
    '%s gives what its operation gives',
    async (_, { name, described, place }) => {
      const input = await SAMPLES[name as keyof typeof SAMPLES](file)
      const response = await call(place, input)
      const answer = await response.json()
      if (name === 'models.remove') {
        expect({ status: response.status, answer }).toMatchObject({
          status: 404,
          answer: { error: { message: 'There is no model "nobody/nothing" in this file.' } },
        })
        return
      }
      expect({ answer, status: response.status }).toEqual({ answer, status: 200 })
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(Array.isArray(answer)).toBe(false)
      if (described.effect === 'reads' && name !== 'replay') {
        const whole = await perform(described, cairn, input)
        expect(steady(answer)).toEqual(steady(toSmallAnswer(described, whole, input)))
      }
    },
  )

  test('what was written is there', async () => {
    const saved = await (
      await fetch(`${serving.url}/api/lenses/mine`, { headers: { authorization } })
    ).json()
    expect(saved).toMatchObject({ name: 'mine', options: { kinds: ['work'], limit: 4 } })
    const { records } = await cairn.list({ tags: ['edited'] })
    expect(records).toHaveLength(1)
  })
})
