/** What an agent is told about the tools is written down, and every mistake is answered with the next step. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { people, work } from '../../test/support/works.js'
import { silentLog } from '../core/log.js'
import { agent, idOf, talkTo } from './agent.fixture.js'
import { callTool, describeTools } from './call-tool.js'
import { Conversation } from './conversation.js'
import { type Data, describeHit } from './render.js'
import { INSTRUCTIONS } from './server.js'

test('a single passage is not shown again below the snippet', async () => {
  const { cairn } = await agent([`apple ${'word '.repeat(99)} apple`, 'one pear'])
  const count = async (query: string) => {
    const { hits } = await cairn.search(query, { passages: 2, mode: 'keyword' })
    return hits.map((hit) => (describeHit(hit).passages as unknown[] | undefined)?.length)
  }
  expect(await count('apple')).toEqual([2])
  expect(await count('pear')).toEqual([undefined])
})

describe('what a model reads', () => {
  test('the tools are as written down', () => {
    const lines = describeTools().map(({ name, description, inputSchema, annotations }) => {
      const properties = Object.entries(
        inputSchema.properties as Record<string, Record<string, unknown>>,
      ).map(([key, { description: about, ...type }]) => {
        const kind = JSON.stringify(type).replaceAll('"', '')
        return `  ${key} ${kind}  ${String(about ?? '')}`.trimEnd()
      })
      const hints = Object.entries(annotations).map(([hint, value]) => `${hint}: ${value}`)
      return `──── ${name} (${hints.join(', ')})\n${description}\n\n${properties.join('\n')}\n`
    })
    const text = `${INSTRUCTIONS}\n\n${lines.join('\n')}`
    const file = join(import.meta.dirname, '../../test/golden/mcp-tools.txt')
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, text)
    expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '(no golden file)')
  })

  test('every argument has its sentence, and every example is accepted', async () => {
    const { call } = await agent(['apple'])
    for (const { name, description, inputSchema } of describeTools()) {
      for (const [key, value] of Object.entries(inputSchema.properties as Record<string, Data>)) {
        expect({ name, key, said: value.description }).not.toMatchObject({ said: '' })
        expect(typeof value.description).toBe('string')
      }
      const examples = [...description.matchAll(/(?:^|or )(\{.*?\})(?= |$)(?! ")/gm)]
      expect(examples.length).toBeGreaterThan(0)
      for (const [, json = ''] of examples) {
        const { text, isError } = await call(name, JSON.parse(json))
        // The records of the examples are not there; everything else about them is right.
        if (isError) expect(text).toMatch(/^No (records?|work) |^There is no (fact|session|lens) /)
      }
    }
  })

  test('reading asks for no permission, and only forget hides something', () => {
    const hints = describeTools().map(({ name, annotations }) => [name, annotations] as const)
    for (const [name, { readOnlyHint, destructiveHint, openWorldHint }] of hints) {
      const writes = ['remember', 'update', 'forget'].includes(name)
      expect({ name, readOnlyHint, openWorldHint }).toEqual({
        name,
        readOnlyHint: !writes,
        openWorldHint: false,
      })
      if (writes) expect(destructiveHint).toBe(name === 'forget')
    }
  })

  test('all of it costs at most 2,200 tokens', () => {
    expect(JSON.stringify({ tools: describeTools() }).length / 4).toBeLessThanOrEqual(2200)
  })
})

describe('mistakes', () => {
  test('are answered in a sentence with the next step', async () => {
    const { cairn, call } = await agent(['We deploy on Thursdays.', 'The port is 5432.'])
    const id = await idOf(cairn, 'deploy')
    const port = await idOf(cairn, 'port')
    const sentences: [string, unknown, RegExp][] = [
      ['serch', {}, /^There is no tool "serch"\. Did you mean "search"\?/],
      ['add_memory', {}, /^There is no tool "add_memory"\. Did you mean "remember"\?/],
      ['search', { qurey: 'x' }, /^search has no argument "qurey"\. Did you mean "query"\?$/],
      ['search', { colour: 'x' }, /no argument "colour"\. There are query, limit/],
      ['search', { query: 'x', mode: 'fuzzy' }, /^mode must be one of hybrid, semantic, keyword/],
      [
        'search',
        { query: 'x', options: { rerank: 'onnx:/models' } },
        /^A client may not name a folder of the server\. Set search\.rerank/,
      ],
      ['search', { query: 'x', lens: 'wide' }, /^There is no lens "wide"\. Choose one of/],
      ['search', { query: 'x', since: 'soon' }, /"soon" is not a time; write 2026/],
      ['search', { query: 'x', budget: 3 }, /^budget must be at least 400/],
      ['search', { query: 'x', limit: 'many' }, /^limit must be a number, not "many"\.$/],
      ['search', ['x'], /^The arguments of search are an object/],
      ['get', {}, /^ids is missing\.$/],
      ['get', { ids: [] }, /^ids must not be empty/],
      ['get', { ids: ['01ZZZZZZZZ'] }, /^No record has the id "01ZZZZZZZZ"\. search and timeline/],
      ['get', { ids: [`${id.slice(0, 12)}ZZ`] }, new RegExp(`Did you mean .*${id.slice(0, 14)} `)],
      ['get', { ids: [{ id, offset: 5000 }] }, /has 23 characters; there is nothing at 5000/],
      ['remember', {}, /^text is missing\. Write \{"text"/],
      ['remember', { text: ' ' }, /^text must not be empty\.$/],
      ['remember', { text: 'x', records: [{ text: 'y' }] }, /^"records" stands alone/],
      ['remember', { text: 'x', importance: 7 }, /^importance must be at most 1/],
      ['remember', { text: 'x', supersedes: '01ZZZZZZZZ' }, /^No record has the id/],
      ['remember', { records: [{ text: 'y' }, { text: '' }] }, /text must not be empty/],
      ['update', { action: 'delete', id }, /^action must be one of edit, supersede, restore/],
      ['update', { action: 'edit', text: 'x' }, /^id is missing\. edit needs id\.$/],
      ['update', { action: 'forget', id, tags: ['x'] }, /^forget takes no "tags"/],
      [
        'update',
        { action: 'supersede', id },
        /^by is missing\. supersede needs id and by, or "text"/,
      ],
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
    expect((await cairn.stats()).records.memory).toBe(2)
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

  test('null leaves an argument out, or takes a title away', async () => {
    const { cairn, call } = await agent([{ body: 'apple', title: 'Fruit' }])
    const id = await idOf(cairn, 'apple')
    expect((await call('search', { query: 'apple', limit: null, tags: null })).isError).toBe(false)
    await call('update', { action: 'edit', id, title: null, tags: null })
    expect((await cairn.get([id])).records[0]?.title).toBeNull()
  })

  test('a fault is a result too', async () => {
    const { cairn, call } = await agent(['apple'])
    Object.defineProperty(cairn, 'timeline', { value: () => Promise.reject(new Error('boom')) })
    expect(await call('timeline')).toMatchObject({
      isError: true,
      text: expect.stringContaining('boom'),
    })
  })
})

describe('a hit', () => {
  test('names what identifies it, as text and as data, and a work by its year alone', async () => {
    const { cairn, call } = await agent([
      { body: '# Login\n\nTokens expire.', kind: 'document', metadata: { path: 'auth.md' } },
      { body: 'Which tokens leaked?', session: 's', people: ['Ann'] },
    ])
    const authors = people('Ada Stone')
    const parts = { authors, venue: 'Journal of Stones', year: 1999, citationKey: 'stone1999' }
    await cairn.works.import([work('Tokens of stone', parts)])
    const find = async (kind: string) => {
      const { text, data } = await call('search', { query: 'tokens', kinds: [kind], limit: 1 })
      return { line: text.split('\n')[1] ?? '', hit: data.hits[0] }
    }
    const found = await find('work')
    expect(found.line).toMatch(
      / work {2}1999 {2}@Ada Stone .* venue Journal of Stones {2}key stone/,
    )
    expect(found.hit).toMatchObject({
      ...{ year: 1999, people: ['Ada Stone'], venue: 'Journal of Stones', key: 'stone1999' },
    })
    expect(found.hit.time).toBeUndefined()
    const note = await find('document')
    expect(note.line).toMatch(/ path auth\.md {2}line 1 {2}heading Login$/)
    expect(note.hit).toMatchObject({ path: 'auth.md', line: 1, heading: 'Login' })
    const turn = await find('memory')
    expect(turn.line).toMatch(/ @Ann {2}conversation Which tokens leaked\?$/)
    expect(turn.hit).toMatchObject({ people: ['Ann'], conversation: 'Which tokens leaked?' })
  })

  test('that was only filtered has neither score nor match', async () => {
    const { call } = await agent([{ body: 'The kettle is blue.', tags: ['kitchen'] }])
    const { text, data } = await call('search', { query: '', tags: ['kitchen'], explain: true })
    expect(text).toMatch(/\n1\. {2}\w+ {2}memory .*\n {3}The kettle is blue\.$/)
    expect(data.hits[0]).not.toHaveProperty('score')
    expect(data.hits[0]).not.toHaveProperty('matchType')
  })

  test('that is missing is advised on in words of the tools', async () => {
    const { call } = await agent(['The kettle is blue.'])
    const args = { query: 'a blue pot', mode: 'semantic' }
    const { text } = await call('search', { ...args, threshold: 0.99 })
    const [, options = ''] = /"options": (\{"threshold": [\d.]+\}) includes it/.exec(text) ?? []
    expect(
      (await call('search', { ...args, options: JSON.parse(options) })).data.hits,
    ).toHaveLength(1)
    const { call: ask } = await agent()
    expect((await ask('search', { query: 'x' })).text).toMatch(/ Add one with remember, /)
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
    expect(text).toContain('changed 5432 → 6543')
    const [, json = ''] = /update (\{.*\})/.exec(text) ?? []
    expect((await call('update', JSON.parse(json))).data).toMatchObject({ superseded: old, by: id })
    const { data: found } = await call('search', { query: 'staging port' })
    expect(found.hits.map((hit: { id: string }) => hit.id)).toEqual([id])
  })

  test('[M8] memories of one session are its own, and nothing of one rubs off on another', async () => {
    const { cairn, call, read } = await agent()
    await call('remember', { text: 'We deploy on Thursdays, after the nightly backup.' })
    const { data } = await call('remember', { text: 'The staging database listens on port 5432.' })
    const [{ id, nearDuplicates = [] }] = data.records
    expect(nearDuplicates).toEqual([])
    const { data: found } = await call('search', { query: 'staging port', mode: 'keyword' })
    expect(found.hits).toHaveLength(1)
    const { id: session } = found.hits[0].session
    expect(await read('cairn://status')).toContain(`session: ${session}`)
    const within = await call('search', { query: '', sessions: [session] })
    expect(within.data.total.value).toBe(2)
    expect((await cairn.sessionContext(id))?.session.id).toBe(session)
  })

  test('[M14] the same text in another session is the same record', async () => {
    const { cairn, call } = await agent()
    const { data } = await call('remember', { text: 'The kettle is blue.' })
    const other = new Conversation(async () => cairn, silentLog, 'b')
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
    const { openCairn } = await import('../index.js')
    const pinned = await openCairn({ file: cairn.file, namespace: 'mine', pinned: true })
    const { call, read } = talkTo(pinned)
    const tryTo = async (name: string, args: unknown) => JSON.stringify(await call(name, args))
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
      ['forget', { ids: [theirs] }],
    ]
    for (const [name, args] of attempts) {
      const answer = await tryTo(name, args)
      expect(answer).not.toContain('apple elsewhere')
      expect(answer).not.toContain('secret')
    }
    expect(await tryTo('remember', { text: 'x', namespace: 'theirs' })).toContain(
      'Only the namespace',
    )
    for (const page of ['status', 'sessions', 'replay', 'lenses']) {
      expect(await read(`cairn://${page}`)).not.toMatch(/secret|theirs/)
    }
    await pinned.close()
    expect((await cairn.get([theirs])).records[0]?.body).toBe('apple elsewhere')
  })
})
