import { describe, expect, test } from 'vitest'
import { bodiesFound, libraryOf as openLibrary } from '../../test/support/library.js'
import type { Cairn } from '../index.js'
import { RELAX_BELOW } from './candidates.js'

/** Keyword search: the same pipeline runs whenever there is no vector. */
const libraryOf: typeof openLibrary = (records, options = {}) =>
  openLibrary(records, { vectors: false, ...options })

const TEAM = [
  { body: 'The deployment process runs every Thursday on staging.', tags: ['release', 'ops'] },
  {
    body: 'Deployment to production needs two approvals.',
    title: 'Deployment rules',
    tags: ['release'],
  },
  { body: 'Authentication uses short-lived tokens.', people: ['Priya Nair'] },
  { body: 'The process for holidays: ask Zoë at the café.', tags: ['people'] },
]

describe('[F1] words, operators, phrases and prefixes', () => {
  test.each<[string, number[]]>([
    ['deployment process', [0]],
    ['"deployment process"', [0]],
    ['"process deployment"', []],
    ['deployment OR tokens', [0, 1, 2]],
    ['deployment NOT staging', [1]],
    ['deployment -staging', [1]],
    ['deploym*', [0, 1]],
    ['"deployment pro"*', [0]],
    ['(tokens OR holidays) AND process', [3]],
    ['title:deployment', [1]],
    ['body:deployment', [0, 1]],
    ['people:priya', [2]],
    ['author:nair', [2]],
    ['tag:release', [0, 1]],
    ['tag:RELEASE -tag:ops', [1]],
    ['tag:rel', []],
    ['NEAR(deployment thursday, 5)', [0]],
    ['NEAR(deployment thursday, 1)', []],
    ['cafe', [3]],
    ['ZOE', [3]],
  ])('%s', async (query, expected) => {
    const cairn = await libraryOf(TEAM)
    const bodies = await bodiesFound(cairn, query, { match: 'all' })
    expect(bodies.sort()).toEqual(expected.map((i) => TEAM[i]?.body).sort())
  })

  test('an empty query lists the records that pass the filters, newest first; without filters it gives a hint', async () => {
    const cairn = await libraryOf(TEAM)
    expect(await bodiesFound(cairn, '  ', { tags: ['release'] })).toEqual([
      TEAM[1]?.body,
      TEAM[0]?.body,
    ])
    const answer = await cairn.search('')
    expect(answer.hits).toEqual([])
    expect(answer.hint).toMatch(/Type some words/)
  })

  test('negations alone list all other records that pass the filters, newest first', async () => {
    const cairn = await libraryOf(TEAM)
    expect(await bodiesFound(cairn, '-deployment')).toEqual([TEAM[3]?.body, TEAM[2]?.body])
    expect(await bodiesFound(cairn, 'NOT deployment', { tags: ['people'] })).toEqual([
      TEAM[3]?.body,
    ])
    expect(await bodiesFound(cairn, '-tag:release -people:priya')).toEqual([TEAM[3]?.body])
  })

  test('deleted records never appear', async () => {
    const cairn = await libraryOf(TEAM)
    const { hits } = await cairn.search('staging')
    await cairn.delete(hits.map(({ id }) => id))
    expect(await bodiesFound(cairn, 'staging', { match: 'all' })).toEqual([])
    expect(await bodiesFound(cairn, '-nothing')).toHaveLength(3)
    expect(await bodiesFound(cairn, '', { tags: ['release'] })).toHaveLength(1)
  })
})

describe('[N2] a query is relaxed step by step and says so', () => {
  test('all words, then any word, then prefixes, each step ranked below the one before', async () => {
    const cairn = await libraryOf([
      'authorisation of the auth server',
      'auth alone',
      'server alone',
      'authentication by token',
    ])
    const answer = await cairn.search('auth server', { limit: 10 })
    expect(answer.hits.map(({ record, relaxed }) => [record.body, relaxed])).toEqual([
      ['authorisation of the auth server', null],
      ['auth alone', 'any'],
      ['server alone', 'any'],
      ['authentication by token', 'prefix'],
    ])
    expect(answer.query).toMatchObject({ relaxed: true, readAs: 'auth server', missingTerms: [] })
    expect(answer.total).toEqual({ value: 4, exact: true })
    const scores = answer.hits.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  test('a query that finds enough with all words is not relaxed, for any limit', async () => {
    const apples = Array.from({ length: RELAX_BELOW }, (_, i) => `red apple ${i}`)
    const cairn = await libraryOf([...apples, 'green apple'])
    for (const limit of [2, RELAX_BELOW, 20]) {
      const { query, total } = await cairn.search('red apple', { limit, mode: 'keyword' })
      expect(query.relaxed).toBe(false)
      expect(total).toEqual({ value: RELAX_BELOW, exact: true })
    }
    for (const limit of [2, 20]) {
      const { query, total } = await cairn.search('red apple 3', { limit, mode: 'keyword' })
      expect(query.relaxed).toBe(true)
      expect(total).toEqual({ value: RELAX_BELOW + 1, exact: true })
    }
  })

  test('pages of a relaxed answer are slices of one list', async () => {
    const bodies = Array.from(
      { length: 30 },
      (_, i) => `${i < 3 ? 'plum tart' : 'plum'} number${i}`,
    )
    const cairn = await libraryOf(bodies)
    const whole = (await cairn.search('plum tart', { limit: 10, offset: 0 })).total.value
    expect(whole).toBe(30)
    const paged: string[] = []
    for (let offset = 0; offset < 40; offset += 10) {
      const { hits, total } = await cairn.search('plum tart', { limit: 10, offset })
      expect(total.value).toBe(30)
      paged.push(...hits.map(({ record }) => record.body))
    }
    expect(new Set(paged).size).toBe(30)
    expect(paged.slice(0, 3).every((body) => body.includes('tart'))).toBe(true)
  })

  test.each(['deployment NOT staging', 'deployment -staging', 'deployment process -tag:ops'])(
    '%s returns no staging record in any step',
    async (query) => {
      const cairn = await libraryOf(TEAM)
      for (const match of ['auto', 'all', 'any'] as const) {
        const bodies = await bodiesFound(cairn, query, { match })
        expect(bodies.filter((body) => body.includes('staging'))).toEqual([])
      }
    },
  )

  test('phrases, fields and tags stay required while other words are relaxed', async () => {
    const cairn = await libraryOf(TEAM)
    expect(await bodiesFound(cairn, '"two approvals" zebra')).toEqual([TEAM[1]?.body])
    expect(await bodiesFound(cairn, 'title:rules zebra')).toEqual([TEAM[1]?.body])
    expect(await bodiesFound(cairn, 'tag:people zebra')).toEqual([TEAM[3]?.body])
    const { hits } = await cairn.search('tag:people zebra', { mode: 'keyword' })
    expect(hits.map(({ relaxed }) => relaxed)).toEqual(['none'])
    expect(await bodiesFound(cairn, '"no such phrase" deployment')).toEqual([])
  })

  test('a word that occurs nowhere is named and does not empty the answer', async () => {
    const cairn = await libraryOf(TEAM)
    const answer = await cairn.search('deployment zyzzyva')
    expect(answer.hits.length).toBe(2)
    expect(answer.query.missingTerms).toEqual(['zyzzyva'])
  })

  test('a question in plain English matches by its content words', async () => {
    const cairn = await libraryOf(TEAM)
    const [first] = await bodiesFound(cairn, 'What is the process for holidays?')
    expect(first).toBe(TEAM[3]?.body)
  })
})

describe('[F11] misspelt words', () => {
  const suggestionsFor = async (cairn: Cairn, query: string) =>
    (await cairn.search(query)).query.suggestions

  test.each([
    ['deploymnet', 'deployment'],
    ['authentcation', 'authentication'],
    ['stagin', null],
    ['prodction', 'production'],
    ['thrusday', 'thursday'],
    ['aproval', 'approvals'],
    ['qqqqqq', undefined],
  ])('%s suggests %s', async (typed, meant) => {
    const cairn = await libraryOf(TEAM)
    const suggestions = await suggestionsFor(cairn, typed)
    if (meant === null) return
    expect(suggestions).toEqual(meant === undefined ? [] : [{ term: typed, meant }])
  })

  test('suggestions include words written by other connections', async () => {
    const cairn = await libraryOf(['kubernetes'])
    expect(await suggestionsFor(cairn, 'grafanna')).toEqual([])
    await cairn.add({ body: 'a grafana board' })
    expect(await suggestionsFor(cairn, 'grafanna')).toEqual([
      { term: 'grafanna', meant: 'grafana' },
    ])
  })
})

describe('[L2] fields, column weights and highlights', () => {
  test('fields limit every word of the query', async () => {
    const cairn = await libraryOf([
      { title: 'Quantum computing', body: 'Qubits and gates' },
      { title: 'Gardening', body: 'Quantum leaps in computing' },
    ])
    expect(await bodiesFound(cairn, 'quantum computing', { fields: ['title'] })).toEqual([
      'Qubits and gates',
    ])
    expect(await bodiesFound(cairn, 'quantum computing', { fields: ['abstract'] })).toEqual([
      'Quantum leaps in computing',
    ])
  })

  test('a word in the title counts more than in the body', async () => {
    const cairn = await libraryOf([
      { title: 'On gardens', body: 'zebra' },
      { title: 'zebra', body: 'On gardens' },
      { title: 'filler', body: 'something else' },
      { title: 'more filler', body: 'else something' },
      { title: 'filler again', body: 'entirely different' },
    ])
    const [first] = (await cairn.search('zebra')).hits
    expect(first?.title).toBe('zebra')
  })

  test('highlights are positions in the original text, field by field', async () => {
    const body = 'Les cafés naïfs; Cafe\u0301 again. Deploying the deployment.'
    const cairn = await libraryOf([{ title: 'The Café', body }])
    const [hit] = (await cairn.search('cafe deploy', { match: 'any' })).hits
    const shown = hit?.highlights.body.map(({ start, end }) => body.slice(start, end))
    expect(shown).toEqual(['cafés', 'Cafe\u0301', 'Deploying'])
    expect(hit?.highlights.title).toEqual([{ start: 4, end: 8 }])
    expect(hit?.record.body).toBe(body)
  })

  test('the snippet is an exact substring of the body at the best passage', async () => {
    const filler = 'Nothing of interest happens in this sentence at all. '
    const body = `${filler.repeat(20)}The zebra crossed the river at noon. ${filler.repeat(20)}`
    const cairn = await libraryOf([body])
    const [hit] = (await cairn.search('zebra river')).hits
    const snippet = hit?.snippet
    if (!snippet) throw new Error('no snippet')
    expect(body.slice(snippet.start, snippet.start + snippet.text.length)).toBe(snippet.text)
    expect(snippet.highlights.map(({ start, end }) => snippet.text.slice(start, end))).toEqual([
      'zebra',
      'river',
    ])
  })

  test('a snippet is plain text; the other highlights are offsets of the original text', async () => {
    const cairn = await libraryOf(['<b>zebra</b> & a [zebra crossing](https://zebra.example)'])
    const [hit] = (await cairn.search('zebra')).hits
    expect(hit?.snippet).toMatchObject({
      text: 'zebra & a zebra crossing',
      highlights: [
        { start: 0, end: 5 },
        { start: 10, end: 15 },
      ],
    })
    expect(hit?.highlights.body[0]).toEqual({ start: 3, end: 8 })
  })

  test('a first line that repeats the title is not part of the snippet', async () => {
    const body = '# Deployment process\n\nEvery deployment merges to main first.'
    const cairn = await libraryOf([{ title: 'Deployment process', body }])
    const [hit] = (await cairn.search('deployment', { mode: 'keyword' })).hits
    expect(hit?.snippet).toMatchObject({
      text: 'Every deployment merges to main first.',
      start: body.indexOf('Every'),
      highlights: [{ start: 6, end: 16 }],
    })
  })

  test('three passages are returned if three are requested, each with its line and heading', async () => {
    const sections = ['Feeding', 'Housing', 'Travel'].map(
      (name) =>
        `## ${name}\n\n${'Other animals are not concerned here. '.repeat(12)}\n\nThe zebra needs ${name}.\n`,
    )
    const body = sections.join('\n')
    const cairn = await libraryOf([{ body, metadata: { path: 'zoo.md', bodyLine: 4 } }])
    const [hit] = (await cairn.search('zebra', { passages: 3, mode: 'keyword' })).hits
    expect(hit?.identity).toMatchObject({ path: 'zoo.md', heading: 'Feeding' })
    expect(hit?.passages.map(({ heading }) => heading)).toEqual(['Feeding', 'Housing', 'Travel'])
    for (const { text, line, start } of hit?.passages ?? []) {
      expect(text).toContain('zebra')
      expect(line).toBe(3 + body.slice(0, body.indexOf('zebra', start)).split('\n').length)
    }
  })

  test.each([
    ['after the code', '```\n\n'],
    ['in the code', ''],
  ])('a comment in a block of code is no heading: %s', async (_, end) => {
    const others = 'Other animals are not concerned here.\n'.repeat(12)
    const body = `# Setup\n\n\`\`\`sh\n# install it\n${others}${end}${others}The zebra is here.`
    const cairn = await libraryOf([{ body, metadata: { path: 'a.md' } }])
    const [hit] = (await cairn.search('zebra', { mode: 'keyword' })).hits
    expect(hit?.identity.heading).toBe('Setup')
  })

  test('highlights can be switched off', async () => {
    const cairn = await libraryOf(['zebra'])
    const [hit] = (await cairn.search('zebra', { highlight: false })).hits
    expect(hit).toMatchObject({ snippet: null, highlights: { title: [], body: [] } })
  })
})

describe('[A5] namespaces', () => {
  const records = [
    { body: 'apple one', namespace: 'a' },
    { body: 'apple two', namespace: 'b' },
    { body: 'apple three', namespace: 'c', tier: 'global' as const },
    { body: 'apple four' },
  ]

  test('a search covers all namespaces by default, and the answer names its namespaces', async () => {
    const cairn = await libraryOf(records)
    const all = await cairn.search('apple')
    expect(all.scope).toEqual({ namespaces: 'all' })
    expect(all.total.value).toBe(4)
    const some = await cairn.search('apple', { namespaces: ['a', 'b'] })
    expect(some.scope).toEqual({ namespaces: ['a', 'b'] })
    expect(some.total.value).toBe(2)
    expect(await bodiesFound(cairn, 'apple', { namespaces: 'default' })).toEqual(['apple four'])
  })

  test('includeGlobal adds global memories of other namespaces', async () => {
    const cairn = await libraryOf(records)
    const bodies = await bodiesFound(cairn, 'apple', { namespaces: ['a'], includeGlobal: true })
    expect(bodies.sort()).toEqual(['apple one', 'apple three'])
  })

  test('a pinned instance cannot leave its namespace', async () => {
    const cairn = await libraryOf([{ body: 'apple here' }], { namespace: 'mine', pinned: true })
    expect((await cairn.search('apple')).scope).toEqual({ namespaces: ['mine'] })
    await expect(cairn.search('apple', { namespaces: ['other'] })).rejects.toMatchObject({
      code: 'outside_namespace',
    })
    await expect(cairn.add({ body: 'x', namespace: 'other' })).rejects.toMatchObject({
      code: 'outside_namespace',
    })
    await expect(
      cairn.search('apple', { namespaces: ['mine'], includeGlobal: true }),
    ).rejects.toMatchObject({
      code: 'outside_namespace',
    })
  })
})

describe('[M1] options', () => {
  test('filters combine, and a date filter applies to the date it names', async () => {
    const cairn = await libraryOf([
      { body: 'fig one', kind: 'document', occurredAt: '2026-01-10', source: 'wiki' },
      { body: 'fig two', kind: 'document', occurredAt: '2026-02-10', people: ['Ada Lovelace'] },
      { body: 'fig three', kind: 'work', occurredAt: '2026-02-11' },
    ])
    const find = (options: Parameters<Cairn['search']>[1]) => bodiesFound(cairn, 'fig', options)
    expect(await find({ kinds: ['document'], since: '2026-02-01', dateField: 'occurred' })).toEqual(
      ['fig two'],
    )
    expect(await find({ until: '2026-01-10', dateField: 'occurred' })).toEqual(['fig one'])
    expect(await find({ since: '2026-02', dateField: 'created' })).toHaveLength(3)
    expect(await find({ people: 'lovelace' })).toEqual(['fig two'])
    expect(await find({ sources: ['wiki'] })).toEqual(['fig one'])
    expect(await find({ kinds: 'work' })).toEqual(['fig three'])
  })

  test('the default limit is ten, and offset skips hits', async () => {
    const cairn = await libraryOf(Array.from({ length: 15 }, (_, i) => `grape ${i}`))
    const answer = await cairn.search('grape')
    expect(answer.hits).toHaveLength(10)
    expect(answer.total).toEqual({ value: 15, exact: true })
    expect((await cairn.search('grape', { offset: 12 })).hits).toHaveLength(3)
    expect((await cairn.search('grape', { offset: 99 })).total.value).toBe(15)
  })

  test.each([
    [{ limit: 0 }, 'limit must be at least 1, not "0".'],
    [{ limit: 1.5 }, 'limit must be a whole number, not "1.5".'],
    [{ match: 'some' }, 'match must be one of auto, all, any, not "some".'],
    [{ since: 'soon' }, /"soon" is not a time; write 2026-06-01/],
    [{ colour: 'red' }, 'There is no option "colour".'],
    [{ kinds: ['poem'] }, /kinds/],
    [{ ids: { in: ['x'] } }, 'No record has the id "x".'],
  ])('a wrong option is named: %j', async (options, message) => {
    const cairn = await libraryOf([])
    await expect(cairn.search('x', options as never)).rejects.toThrow(message)
  })

  test('included and excluded ids narrow a search', async () => {
    const cairn = await libraryOf(['kiwi one', 'kiwi two', 'kiwi three'])
    const ids = (await cairn.search('kiwi')).hits.map(({ id }) => id)
    const [first] = ids
    if (first === undefined) throw new Error('no hit')
    expect((await cairn.search('kiwi', { ids: { in: [first] } })).hits.map(({ id }) => id)).toEqual(
      [first],
    )
    expect((await cairn.search('kiwi', { ids: { out: [first] } })).total.value).toBe(2)
    const [short] = await cairn.shorten([first])
    expect((await cairn.search('kiwi', { ids: { in: [short ?? ''] } })).total.value).toBe(1)
  })
})
