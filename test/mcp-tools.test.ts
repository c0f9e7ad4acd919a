/** What an agent is told about the tools is written down, and every mistake is answered with the next step. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../src/core/log.js'
import type { Cairn, OpenOptions, RecordInput } from '../src/index.js'
import { Conversation } from '../src/mcp/conversation.js'
import { callTool, describeTools, INSTRUCTIONS } from '../src/mcp/server.js'
import { searchRequest } from '../src/schemas/search-request.js'
import { libraryOf } from './support/library.js'
import type { Answer } from './support/mcp.js'

/** The tools without a connection around them. */
async function agent(
  records: readonly (string | RecordInput)[] = [],
  options: Partial<OpenOptions> = {},
) {
  const cairn = await libraryOf(records, options)
  const conversation = new Conversation({
    open: async () => cairn,
    client: () => 'agent 1.0',
    log: silentLog,
  })
  const call = async (name: string, args: unknown = {}): Promise<Answer> => {
    const { signal } = new AbortController()
    const result = await callTool(
      { name, arguments: args },
      { conversation, signal, log: silentLog },
    )
    const [first] = result.content
    return {
      text: first?.type === 'text' ? first.text : '',
      isError: result.isError === true,
      data: result.structuredContent,
    }
  }
  return { cairn, call }
}

const idOf = async (cairn: Cairn, query: string): Promise<string> =>
  (await cairn.search({ query, mode: 'keyword' })).hits[0]?.id ?? ''

describe('what a model reads', () => {
  test('the tools are as written down', () => {
    const lines = describeTools().map(({ name, title, description, inputSchema, annotations }) => {
      const properties = Object.entries(
        inputSchema.properties as Record<string, Record<string, unknown>>,
      ).map(([key, { description: about, ...type }]) => {
        const kind = JSON.stringify(type).replaceAll('"', '')
        return `  ${key} ${kind}\n    ${String(about ?? '')}`.trimEnd()
      })
      const hint = annotations.readOnlyHint ? ', read only' : ''
      return `──── ${name} (${title}${hint})\n${description}\n\n${properties.join('\n')}\n`
    })
    const text = `${INSTRUCTIONS}\n\n${lines.join('\n')}`
    const file = join(import.meta.dirname, 'golden/mcp-tools.txt')
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, text)
    expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '(no golden file)')
  })

  test('every argument has its sentence, and every example is accepted', async () => {
    const { call } = await agent(['apple'])
    for (const { name, description, inputSchema } of describeTools()) {
      for (const [key, value] of Object.entries(inputSchema.properties as Record<string, object>)) {
        const isEditable = name === 'update' && !('description' in value)
        expect({ name, key, said: 'description' in value || isEditable }).toEqual({
          name,
          key,
          said: true,
        })
      }
      const examples = description.split('\n').filter((line) => line.startsWith('{'))
      expect(examples.length).toBeGreaterThan(0)
      for (const line of examples) {
        const [json = '{}'] = line.split(/ {3}/)
        const { text, isError } = await call(name, JSON.parse(json))
        // The records of the examples are not there; everything else about them is right.
        if (isError) expect(text).toMatch(/^No (records?|work) |^There is no (fact|session|lens) /)
      }
    }
  })

  test('[M1] search has every option of the library but the session it is in', () => {
    const search = describeTools().find(({ name }) => name === 'search')
    const known = Object.keys(search?.inputSchema.properties as object)
    const wanted = Object.keys(searchRequest.shape).filter((name) => name !== 'recallSession')
    expect(wanted.filter((name) => !known.includes(name))).toEqual([])
  })

  test('all of it costs less than 6,000 tokens', () => {
    const told = describeTools().map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }))
    expect(JSON.stringify(told).length / 4).toBeLessThan(6000)
  })
})

describe('mistakes', () => {
  test('are answered in a sentence with the next step', async () => {
    const { cairn, call } = await agent(['We deploy on Thursdays.', 'The port is 5432.'])
    const id = await idOf(cairn, 'deploy')
    const port = await idOf(cairn, 'port')
    const sentences: [string, unknown, RegExp][] = [
      ['serch', {}, /^There is no tool "serch"\. Did you mean "search"\?/],
      ['search', { qurey: 'x' }, /^search has no argument "qurey"\. Did you mean "query"\?$/],
      ['search', { sector: 'semantic' }, /Did you mean "sectors"\?/],
      ['search', { colour: 'x' }, /no argument "colour"\. It takes query, namespaces/],
      ['search', { query: 'x', mode: 'fuzzy' }, /^mode must be one of hybrid, semantic, keyword/],
      ['search', { query: 'x', lens: 'wide' }, /^There is no lens "wide"\. Choose one of/],
      ['search', { query: 'x', since: 'soon' }, /"soon" is not a time; write 2026/],
      ['search', { query: 'x', budget: 3 }, /^budget must be at least 400/],
      ['search', { query: 'x', limit: 'many' }, /^limit must be a number, not "many"\.$/],
      ['search', ['x'], /^The arguments of search are an object/],
      ['get', {}, /^ids is missing\.$/],
      ['get', { ids: [] }, /^ids must be at least 1/],
      ['get', { ids: ['01ZZZZZZZZ'] }, /^No record has the id "01ZZZZZZZZ"\. search and timeline/],
      ['get', { ids: [`${id.slice(0, 12)}ZZ`] }, new RegExp(`Did you mean .*${id.slice(0, 14)} `)],
      ['get', { ids: [{ id, offset: 5000 }] }, /has 23 characters; there is nothing at 5000/],
      ['remember', {}, /^text is missing\. Write \{"text"/],
      ['remember', { text: ' ' }, /^text must not be empty\.$/],
      ['remember', { text: 'x', records: [{ text: 'y' }] }, /^"records" stands alone/],
      ['remember', { text: 'x', importance: 7 }, /^importance must be at most 1/],
      ['remember', { text: 'x', supersedes: '01ZZZZZZZZ' }, /^No record has the id/],
      ['remember', { records: [{ text: 'y' }, { text: '' }] }, /text must not be empty/],
      ['update', { action: 'delete', id }, /^action must be one of edit, supersede, forget/],
      ['update', { action: 'edit', text: 'x' }, /^id is missing\. edit needs id\.$/],
      ['update', { action: 'forget', id, tags: ['x'] }, /^forget takes no "tags"/],
      ['update', { action: 'supersede', id }, /^supersede needs "by"/],
      ['update', { action: 'supersede', id, by: id }, /go round in a circle/],
      ['update', { action: 'restore', id }, /is not deleted/],
      ['update', { action: 'unlink', id, to: port }, /explore \{"id"/],
      ['update', { action: 'undo', id }, /was never edited/],
      ['update', { action: 'end_fact', factId: '01ZZ' }, /^There is no fact "01ZZ"\. explore with/],
      [
        'update',
        { action: 'link', id, to: port, type: 'SUPERSEDES' },
        /update \{"action": "supersede"/,
      ],
      ['explore', { id }, /^relation must be one of similar, related/],
      ['explore', { id, relation: 'friends' }, /^relation must be one of similar, related/],
      ['timeline', { anchor: id, since: '7d' }, /not both/],
    ]
    for (const [name, args, expected] of sentences) {
      const { text, isError } = await call(name, args)
      expect({ name, args, text, isError }).toEqual({
        name,
        args,
        text: expect.stringMatching(expected),
        isError: true,
      })
      expect(text).not.toContain('`cairn ')
    }
    const { data } = await call('status')
    expect(data.records).toBe(2)
  })

  test('what a model wrote as text is read as what it means', async () => {
    const { call } = await agent([{ body: 'apple', tags: ['fruit'] }, 'apple tree'])
    const { data } = await call('search', {
      query: 'apple',
      limit: '5',
      tags: '["fruit"]',
      recall: 'false',
    })
    expect(data.total.value).toBe(1)
  })

  test('a fault is a result too', async () => {
    const { cairn, call } = await agent(['apple'])
    Object.defineProperty(cairn, 'stats', { value: () => Promise.reject(new Error('boom')) })
    expect(await call('status')).toMatchObject({
      isError: true,
      text: expect.stringContaining('boom'),
    })
  })
})

describe('remember', () => {
  test('[M14] names what says nearly the same, with what changed, and how to supersede it', async () => {
    const { cairn, call } = await agent(['The staging database listens on port 5432.'])
    const old = await idOf(cairn, 'staging')
    const { text, data } = await call('remember', {
      text: 'The staging database listens on port 6543.',
    })
    const [{ id, nearDuplicates }] = data.records
    expect(nearDuplicates).toMatchObject([{ id: old, changed: ['5432 → 6543'] }])
    expect(text).toContain('differs in 5432 → 6543')
    const [, json = ''] = /update (\{.*\})/.exec(text) ?? []
    expect((await call('update', JSON.parse(json))).data).toMatchObject({ superseded: old, by: id })
    const { data: found } = await call('search', { query: 'staging port' })
    expect(found.hits.map((hit: { id: string }) => hit.id)).toEqual([id])
  })

  test('[M8] memories of one session are its own, and nothing of one rubs off on another', async () => {
    const { cairn, call } = await agent()
    await call('remember', { text: 'We deploy on Thursdays, after the nightly backup.' })
    const { data } = await call('remember', { text: 'The staging database listens on port 5432.' })
    const [{ id, nearDuplicates = [] }] = data.records
    expect(nearDuplicates).toEqual([])
    const { data: found } = await call('search', { query: 'staging port', mode: 'keyword' })
    expect(found.hits).toHaveLength(1)
    const { session } = (await call('status')).data
    expect(found.hits[0].session.id).toBe(session)
    const within = await call('search', { query: '', sessions: [session] })
    expect(within.data.total.value).toBe(2)
    expect((await cairn.sessionContext(id))?.session.id).toBe(session)
  })

  test('[M14] the same text in another session is the same record', async () => {
    const { cairn, call } = await agent()
    const { data } = await call('remember', { text: 'The kettle is blue.' })
    const other = new Conversation({ open: async () => cairn, client: () => 'b', log: silentLog })
    const { signal } = new AbortController()
    const args = { name: 'remember', arguments: { text: 'The kettle is blue.' } }
    const again = await callTool(args, { conversation: other, signal, log: silentLog })
    expect(again.structuredContent).toMatchObject({
      records: [{ id: data.records[0].id, created: false }],
    })
    const { sessions } = await cairn.sessions.list()
    expect(sessions.map(({ counts }) => counts.created + counts.reinforced)).toEqual([1, 1])
  })

  test('[M7] a correction takes the place of what it corrects, in one step', async () => {
    const { cairn, call } = await agent(['The kettle is blue.'])
    const old = await idOf(cairn, 'kettle')
    const { data } = await call('remember', { text: 'The kettle is green.', supersedes: old })
    expect(data.records[0]).toMatchObject({ created: true, supersedes: old })
    const again = await call('remember', { text: 'The kettle is red.', supersedes: old })
    expect(again.text).toMatch(/is superseded already\. explore/)
    const third = await call('update', { action: 'supersede', id: old, text: 'The kettle is red.' })
    expect(third.text).toMatch(/is superseded already\. explore/)
    const itself = data.records[0].id
    const same = await call('remember', { text: 'The kettle is green.', supersedes: itself })
    expect(same.text).toMatch(/^Known already as \w+; it is remembered more strongly now\.$/)
    const { data: found } = await call('search', { query: 'kettle', includeSuperseded: true })
    expect(found.hits.map((hit: { isSuperseded?: true }) => hit.isSuperseded ?? false)).toEqual([
      false,
      true,
    ])
  })

  test('takes several at once, all of them or none', async () => {
    const { call } = await agent()
    const records = [
      { text: 'apple', tags: ['fruit'] },
      { text: 'pear', extractFacts: true },
    ]
    expect((await call('remember', { records })).data.records).toHaveLength(2)
    const bad = [{ text: 'plum' }, { text: 'fig', kind: 'fruit' }]
    expect((await call('remember', { records: bad })).isError).toBe(true)
    expect((await call('search', { query: 'plum' })).data.total.value).toBe(0)
  })
})

describe('the pin', () => {
  test('[A5] keeps an agent in its namespace, whatever it tries', async () => {
    const { cairn } = await agent([
      { body: 'apple here', namespace: 'mine' },
      { body: 'apple elsewhere', namespace: 'theirs', tags: ['secret'] },
    ])
    const theirs = (await cairn.search('elsewhere')).hits[0]?.id ?? ''
    const { openCairn } = await import('../src/index.js')
    const { file } = await cairn.stats()
    const pinned = await openCairn({ file, namespace: 'mine', pinned: true })
    const conversation = new Conversation({
      open: async () => pinned,
      client: () => null,
      log: silentLog,
    })
    const tryTo = async (name: string, args: unknown) => {
      const { signal } = new AbortController()
      const result = await callTool(
        { name, arguments: args },
        { conversation, signal, log: silentLog },
      )
      return JSON.stringify(result)
    }
    const attempts: [string, object][] = [
      ['search', { query: 'apple' }],
      ['search', { query: 'apple', namespaces: ['theirs'] }],
      ['search', { query: 'apple', includeGlobal: true }],
      ['search', { query: 'apple', ids: { in: [theirs] } }],
      ['timeline', {}],
      ['timeline', { namespaces: ['theirs'] }],
      ['timeline', { anchor: theirs }],
      ['get', { ids: [theirs] }],
      ['explore', { id: theirs, relation: 'why' }],
      ['explore', { id: theirs, relation: 'similar' }],
      ['update', { action: 'edit', id: theirs, text: 'mine now' }],
      ['update', { action: 'forget', ids: [theirs] }],
      ['status', {}],
    ]
    for (const [name, args] of attempts) {
      const answer = await tryTo(name, args)
      expect(answer).not.toContain('apple elsewhere')
      expect(answer).not.toContain('secret')
    }
    expect(await tryTo('remember', { text: 'x', namespace: 'theirs' })).toContain(
      'Only the namespace',
    )
    expect(await tryTo('status', {})).toContain('"records":1')
    await pinned.close()
    expect((await cairn.get([theirs])).records[0]?.body).toBe('apple elsewhere')
  })
})

describe('budgets', () => {
  const long = (i: number) =>
    `Note ${i} about the harbour. ${`It was windy that day, and "nobody" went out\n`.repeat(i * 3)}`

  test('[D3] no reply of any layer is longer, as text or as data', async () => {
    const { cairn, call } = await agent(
      Array.from({ length: 30 }, (_, i) => ({
        body: long(i),
        title: `Harbour ${'x'.repeat(i * 9)}`,
        tags: Array.from({ length: i % 12 }, (_, t) => `tag-${t}-${'y'.repeat(t * 7)}`),
        people: ['Ada', 'Grace'],
        metadata: { pad: 'z'.repeat(i * 60) },
        session: `chat-${i % 3}`,
      })),
    )
    const ids = (await cairn.list({ limit: 30 })).records.map(({ id }) => id)
    const [anchor = ''] = ids.slice(12)
    const calls: fc.Arbitrary<[string, Record<string, unknown>]> = fc.oneof(
      fc
        .record({
          query: fc.constantFrom('harbour', 'windy day', '', 'harbuor nobody'),
          limit: fc.integer({ min: 1, max: 30 }),
          explain: fc.boolean(),
          facets: fc.boolean(),
          context: fc.integer({ min: 0, max: 3 }),
          recall: fc.constant(false),
        })
        .map((args): [string, Record<string, unknown>] => ['search', args]),
      fc
        .subarray(ids, { minLength: 1 })
        .map((some): [string, Record<string, unknown>] => ['get', { ids: some }]),
      fc.constantFrom<[string, Record<string, unknown>]>(
        ['timeline', {}],
        ['timeline', { anchor, before: 10, after: 10 }],
        ['explore', { id: anchor, relation: 'similar', limit: 20 }],
        ['explore', { id: anchor, relation: 'why' }],
      ),
    )
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 400, max: 3000 }), async ([name, args], budget) => {
        const { text, data, isError } = await call(name, { ...args, budget })
        expect({ name, args, isError, text: isError ? text : '' }).toEqual({
          name,
          args,
          isError: false,
          text: '',
        })
        expect(text.length / 4).toBeLessThanOrEqual(budget)
        expect(JSON.stringify(data).length / 4).toBeLessThanOrEqual(budget)
      }),
      { numRuns: 80 },
    )
  })

  test('what search left out comes with the offset it names', async () => {
    const { call } = await agent(
      Array.from({ length: 40 }, (_, i) => `harbour note ${i} ${'and more '.repeat(20)}`),
    )
    const seen = new Set<string>()
    for (let offset = 0; ; ) {
      const { text, data } = await call('search', {
        query: 'harbour',
        limit: 20,
        offset,
        budget: 400,
      })
      for (const { id } of data.hits) seen.add(id)
      const [, next] = /"offset": (\d+)/.exec(text) ?? []
      if (next === undefined) break
      expect(Number(next)).toBe(offset + data.hits.length)
      offset = Number(next)
    }
    expect(seen.size).toBe(40)
  })

  test('[M4] only what was shown is recalled', async () => {
    const { cairn, call } = await agent(
      Array.from({ length: 10 }, (_, i) => `harbour note ${i} ${'and more '.repeat(20)}`),
    )
    const { data } = await call('search', { query: 'harbour', budget: 400 })
    expect(data.left).toBeGreaterThan(0)
    await cairn.why(data.hits[0].id)
    const [session] = (await cairn.sessions.list()).sessions
    expect(session?.counts.recalled).toBe(data.hits.length)
    const { queries } = await cairn.replay()
    expect(queries[0]).toMatchObject({ query: 'harbour', hits: data.hits.length })
  })

  test('a long text is read to its end by the offsets that get names', async () => {
    const body = Array.from(
      { length: 300 },
      (_, i) => `Sentence number ${i} says "something".`,
    ).join(' ')
    const { cairn, call } = await agent([body])
    const id = await idOf(cairn, 'sentence')
    let read = ''
    for (let offset = 0; ; ) {
      const { text, data } = await call('get', { ids: [{ id, offset }], budget: 500 })
      const [record] = data.records
      read += record.text
      if (record.left === 0) break
      expect(record.text).toMatch(/\.$/)
      expect(text).toContain(`${record.left} characters left`)
      expect(record.nextOffset).toBe(offset + record.text.length)
      offset = record.nextOffset
    }
    expect(read).toBe(body)
  })

  test('a timeline goes on with the cursor it names, and shows at most 100 characters of each', async () => {
    const { call } = await agent(
      Array.from({ length: 60 }, (_, i) => `note ${i} ${'and so on '.repeat(30)}`),
    )
    const seen: string[] = []
    for (let cursor: string | null = null; ; ) {
      const { data } = await call('timeline', { limit: 40, budget: 600, ...(cursor && { cursor }) })
      for (const { id, summary } of data.entries) {
        expect(summary.length).toBeLessThanOrEqual(100)
        seen.push(id)
      }
      cursor = data.next
      if (cursor === null) break
    }
    expect(new Set(seen).size).toBe(60)
    expect(seen).toHaveLength(60)
  })

  test('[A1] without a model the reply says that words alone were searched', async () => {
    const { call } = await agent(['apple tree'], { vectors: false })
    const { text, data } = await call('search', { query: 'apple' })
    expect(data.hits).toHaveLength(1)
    expect(data.degraded.reason).toBeTruthy()
    expect(text).toContain(data.degraded.message.slice(0, 40))
  })

  test('[N5] an explanation in the data still adds up to the score', async () => {
    const { call } = await agent(['apple tree', 'apple pie'])
    const { data } = await call('search', { query: 'apple tree', explain: true })
    type Node = { score: number; op?: string; parts?: Node[] }
    const worth = ({ score, op, parts = [] }: Node): number =>
      parts.length === 0
        ? score
        : parts.map(worth).reduce((a, b) => (op === 'sum' ? a + b : a * b), op === 'sum' ? 0 : 1)
    for (const { score, explanation } of data.hits)
      expect(worth(explanation)).toBeCloseTo(score, 10)
  })
})
