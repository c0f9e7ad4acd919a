import { beforeAll, describe, expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { type Cairn, createLog, openCairn, type RecordId, type SearchInput } from '../index.js'
import { searchRequest } from '../schemas/search-request.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 64 } } as const
const DAY = 86_400_000

/** One library in which every option makes a difference. */
let cairn: Cairn
let ids: Readonly<Record<string, RecordId>>
let now = Date.UTC(2026, 0, 1)
let edited = 0

beforeAll(async () => {
  cairn = await openCairn({ file: ':memory:', ...FAKE, now: () => now })
  const notes = {
    plain: {
      body: 'wren in the hedge',
      tags: ['a', 'b'],
      people: ['Ada'],
      source: 'diary',
      metadata: { state: 'seen' },
    },
    tagged: { body: 'wren wren sings', tags: ['b', 'c'], title: 'Wren', tier: 'global' as const },
    document: { body: 'wren handbook of birds', kind: 'document' as const },
    work: { body: 'wren studies', kind: 'work' as const, occurredAt: '2020-05-01T00:00:00Z' },
    elsewhere: { body: 'wren of another place', namespace: 'b', tier: 'global' as const },
    hidden: { body: 'wren of a third place', namespace: 'b' },
    strong: { body: 'wren remembered well', salience: 1, sector: 'reflective' as const },
    turn: { body: 'wren said in a talk', session: 'talk', occurredAt: '2026-01-01T10:00:00Z' },
    next: { body: 'and then silence', session: 'talk', occurredAt: '2026-01-01T10:01:00Z' },
    doubtful: { body: 'wren perhaps' },
    old: { body: 'wren of yesterday' },
    newer: { body: 'a robin instead' },
    edited: { body: 'wren before the edit' },
    prefix: { body: 'wrenlike birds' },
  }
  const added = await cairn.addMany(Object.values(notes))
  ids = Object.fromEntries(Object.keys(notes).map((name, i) => [name, added[i]?.id as RecordId]))
  await cairn.facts.add({
    record: ids.doubtful ?? '',
    type: 'state',
    subject: 'wren',
    predicate: 'is',
    object: 'there',
    confidence: 0.05,
  })
  await cairn.facts.add({
    record: ids.plain ?? '',
    subject: 'hedge',
    predicate: 'is',
    object: 'tall',
  })
  await cairn.supersede(ids.old ?? '', ids.newer ?? '')
  edited = now
  now += DAY
  await cairn.edit(ids.edited ?? '', { body: 'a finch after it' })
  return () => cairn.close()
})

async function find(options: SearchInput): Promise<Set<string>> {
  const { hits } = await cairn.search({
    query: 'wren',
    limit: 100,
    mode: 'keyword',
    match: 'all',
    ...options,
  })
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  return new Set(hits.map(({ id }) => names.get(id) ?? id))
}

const DEFAULT = [
  'plain',
  'doubtful',
  'tagged',
  'document',
  'work',
  'elsewhere',
  'hidden',
  'strong',
  'turn',
  'newer',
]

/** The names of the records that pass each option; `newer` supersedes `old`. */
const FILTERS: readonly (readonly [keyof SearchInput, SearchInput, readonly string[]])[] = [
  ['query', { query: 'hedge' }, ['plain']],
  ['namespaces', { namespaces: 'b' }, ['elsewhere', 'hidden']],
  ['includeGlobal', { namespaces: 'x', includeGlobal: true }, ['tagged', 'elsewhere']],
  ['kinds', { kinds: ['document', 'work'] }, ['document', 'work']],
  ['sectors', { sectors: 'reflective' }, ['strong', 'doubtful']],
  ['tiers', { tiers: 'global' }, ['tagged', 'elsewhere']],
  ['tags', { tags: 'b' }, ['plain', 'tagged']],
  ['tags', { tags: { all: ['b', 'c'] } }, ['tagged']],
  ['tags', { tags: { any: ['b'], none: ['c'] } }, ['plain']],
  ['people', { people: 'ada' }, ['plain']],
  ['sources', { sources: 'diary' }, ['plain']],
  ['since', { since: '2026-01-01T09:00:00Z', dateField: 'occurred', kinds: 'memory' }, ['turn']],
  ['until', { until: '2020-06-01', dateField: 'occurred' }, ['work']],
  ['dateField', { until: '2021-01-01', dateField: 'published' }, ['work']],
  ['dateField', { until: '2021-01-01', dateField: 'created' }, []],
  ['years', { years: 2020 }, ['work']],
  ['sessions', { sessions: 'talk' }, ['turn']],
  ['where', { where: { state: 'seen' } }, ['plain']],
  ['where', { where: { state: { exists: false } } }, DEFAULT.filter((name) => name !== 'plain')],
  ['factTypes', { factTypes: 'kv' }, ['plain']],
  ['minSalience', { minSalience: 0.9 }, ['strong']],
  ['minConfidence', { minConfidence: 0.1 }, DEFAULT.filter((name) => name !== 'doubtful')],
  ['includeDocuments', { includeDocuments: false }, DEFAULT.filter((name) => name !== 'document')],
  ['includeSuperseded', { includeSuperseded: true }, [...DEFAULT, 'old']],
  ['match', { query: 'wren hedge', match: 'any' }, DEFAULT],
  ['match', { query: 'wren hedge', match: 'all' }, ['plain']],
  ['fields', { fields: 'title' }, ['tagged']],
  ['sort', { sort: 'oldest', limit: 1 }, ['work']],
  ['limit', { limit: 1, tags: 'c' }, ['tagged']],
  ['offset', { offset: 1, tags: 'c' }, []],
]

describe('every option of a search has an effect', () => {
  test('[M1] the hits without any option', async () => {
    expect(await find({})).toEqual(new Set(DEFAULT))
  })

  test.each(FILTERS)('[M1] %s filters by the given values: %o', async (_, options, expected) => {
    expect(await find(options)).toEqual(new Set(expected))
  })

  test('[M1] included and excluded ids', async () => {
    const { plain = '', tagged = '' } = ids
    expect(await find({ ids: { in: [plain, tagged] } })).toEqual(new Set(['plain', 'tagged']))
    expect(await find({ ids: { in: [plain, tagged], out: [tagged] } })).toEqual(new Set(['plain']))
  })

  test('[M1, M7] asOf searches the state at that time', async () => {
    expect(await find({ asOf: edited, query: 'before edit' })).toEqual(new Set(['edited']))
    expect(await find({ query: 'before edit' })).toEqual(new Set())
  })

  test('[M1] mode, useVector and threshold choose the retrievers', async () => {
    const search = (options: SearchInput) => cairn.search('wren', { limit: 100, ...options })
    const types = async (options: SearchInput) =>
      new Set((await search(options)).hits.map(({ matchType }) => matchType))
    expect(await types({ mode: 'keyword' })).toEqual(new Set(['keyword']))
    expect(await types({ mode: 'semantic', threshold: -1 })).toEqual(new Set(['semantic']))
    expect(await types({ threshold: -1 })).toEqual(new Set(['both', 'semantic']))
    expect(await types({ threshold: 1 })).toEqual(new Set(['keyword']))
    const off = await search({ useVector: false })
    expect(off.degraded?.reason).toBe('vectors_off')
    const near = await search({ mode: 'semantic', threshold: 0.3 })
    // A correction that did not match by itself has no similarity.
    const cosines = near.hits.flatMap(({ similarity }) => similarity ?? [])
    expect(Math.min(...cosines)).toBeGreaterThanOrEqual(0.3)
    expect((await search({ alpha: 0 })).hits.every(({ similarity }) => similarity === null)).toBe(
      true,
    )
    expect(
      (await search({ alpha: 1, threshold: -1 })).hits.every(({ bm25 }) => bm25 === null),
    ).toBe(true)
  })

  const WEIGHTS: readonly (readonly [string, SearchInput, SearchInput])[] = [
    ['lens', { lens: 'balanced' }, { lens: 'memory' }],
    ['alpha', { alpha: 0.4 }, { alpha: 0.6 }],
    ['k', { k: 1 }, { k: 60 }],
    ['keywordWeight', { keywordWeight: 0.2 }, { keywordWeight: 0.8 }],
    ['vectorWeight', { vectorWeight: 0.2 }, { vectorWeight: 0.8 }],
    ['recencyWeight', { recencyWeight: 0 }, { recencyWeight: 0.5 }],
    ['salienceWeight', { salienceWeight: 0 }, { salienceWeight: 0.2 }],
    ['boosts', {}, { boosts: [{ field: 'tag', value: 'B', factor: 0.5 }] }],
  ]
  test.each(WEIGHTS)(
    '[M1, N5] %s changes scores, and the explanation shows it',
    async (_, one, other) => {
      const scores = async (options: SearchInput) => {
        const { hits } = await cairn.search('wren sings', { explain: true, limit: 100, ...options })
        return hits.map(({ id, score }) => `${id} ${score.toFixed(6)}`).sort()
      }
      expect(await scores(one)).not.toEqual(await scores(other))
    },
  )

  test('[M1] highlight, explain, facets, includeFacts and context add their parts to the answer', async () => {
    const first = async (options: SearchInput) => {
      const { hits, facets } = await cairn.search('wren', { limit: 1, ...options })
      return { hit: hits[0], facets }
    }
    expect((await first({ tags: 'a' })).hit).toMatchObject({
      snippet: { text: 'wren in the hedge' },
      highlights: { body: [{ start: 0, end: 4 }] },
      facts: [{ object: 'tall' }],
      explanation: null,
      context: null,
    })
    expect((await first({ tags: 'a', highlight: false })).hit).toMatchObject({
      snippet: null,
      highlights: { title: [], body: [] },
    })
    expect((await first({ tags: 'a', marks: true })).hit?.snippet?.text).toBe(
      '<mark>wren</mark> in the hedge',
    )
    expect((await first({ explain: true })).hit?.explanation).not.toBeNull()
    expect((await first({ facets: true })).facets?.kind.length).toBeGreaterThan(1)
    expect((await first({})).facets).toBeNull()
    expect((await first({ tags: 'a', includeFacts: false })).hit?.facts).toEqual([])
    const around = (await first({ sessions: 'talk', context: 1, mode: 'keyword' })).hit?.context
    expect(around).toMatchObject({ before: [], after: [{ body: 'and then silence' }] })
  })

  test('[M1] every option has a test here', () => {
    const tested = new Set<string>([
      ...FILTERS.map(([name]) => name),
      ...WEIGHTS.map(([name]) => name),
      ...['ids', 'asOf', 'mode', 'useVector', 'threshold', 'highlight', 'explain', 'facets'],
      'passages',
      // In time-preference.test.ts.
      'time',
      ...['includeFacts', 'context', 'marks'],
      // In facets.test.ts.
      ...['venues', 'wideFacets'],
      // In src/cairn/rerank.test.ts.
      'rerank',
      // In recalls.test.ts and session-filter.test.ts.
      ...['recallSession', 'usages'],
    ])
    expect(Object.keys(searchRequest.shape).filter((name) => !tested.has(name))).toEqual([])
  })

  test('[M2, F4] a hit has every field', async () => {
    const { hits } = await cairn.search('wren', {
      ids: { in: [ids.turn ?? '', ids.plain ?? ''] },
      explain: true,
      context: 1,
      threshold: -1,
    })
    for (const hit of hits) {
      expect(Object.keys(hit).sort()).toEqual(
        [
          ...[
            'bm25',
            'chunks',
            'context',
            'effectiveConfidence',
            'explanation',
            'facts',
            'highlights',
            'identity',
          ],
          ...[
            'id',
            'isSuperseded',
            'kind',
            'matchType',
            'pages',
            'passages',
            'record',
            'relatedCount',
            'relaxed',
            'score',
          ],
          ...['session', 'similarity', 'snippet', 'supersededBy', 'title', 'weak'],
        ].sort(),
      )
      expect(hit.bm25).toBeLessThan(0)
      expect(hit.similarity).toEqual(expect.any(Number))
      const [chunk] = hit.chunks
      expect(chunk?.text).toBe(hit.record.body.slice(chunk?.start, chunk?.end))
      expect(chunk).toMatchObject({ index: 0, similarity: expect.any(Number) })
    }
    const turn = hits.find(({ id }) => id === ids.turn)
    expect(turn?.session).toMatchObject({ id: 'talk', namespace: 'default', summary: null })
  })
})

describe('confidence', () => {
  test('[F7] multiplies in rank and memory, is bounded in balanced, and is in every hit', async () => {
    const library = await libraryOf([], FAKE)
    const sure = await library.add({ body: 'egret by the pond' })
    const unsure = await library.add({ body: 'egret by the pond', namespace: 'b' })
    const certainty = { subject: 'egret', predicate: 'is', object: 'white' }
    await library.facts.add({ record: unsure.id, ...certainty, confidence: 0.2 })
    const scores = async (options: SearchInput) => {
      const { hits } = await library.search('egret', { recencyWeight: 0, ...options })
      const scoreOf = (id: string) => hits.find((hit) => hit.id === id)
      const [a, b] = [scoreOf(sure.id), scoreOf(unsure.id)]
      expect(a?.effectiveConfidence).toBe(1)
      expect(b?.effectiveConfidence).toBeCloseTo(0.2, 4)
      return (b?.score ?? 0) / (a?.score ?? 1)
    }
    expect(await scores({ lens: 'memory' })).toBeCloseTo(0.2, 3)
    expect(await scores({ lens: 'rank', k: 1_000_000 })).toBeCloseTo(0.2, 3)
    expect(await scores({ lens: 'balanced' })).toBeGreaterThanOrEqual(0.8)
    expect(await scores({ lens: 'memory', includeFacts: false })).toBeCloseTo(0.2, 3)
  })

  test('[F6, F7] contradicting facts say which is newer and which is more certain', async () => {
    const library = await libraryOf([], { ...FAKE, now: () => now })
    const one = await library.add({ body: 'the egret nests in May' })
    const two = await library.add({ body: 'the egret nests in June' })
    const about = { subject: 'The egret', predicate: 'nests in' }
    await library.facts.add({ record: one.id, ...about, object: 'May', confidence: 0.9 })
    now += 1000
    await library.facts.add({
      record: two.id,
      subject: 'egret',
      predicate: 'Nests in',
      object: 'June',
      confidence: 0.4,
    })
    const { hits } = await library.search('egret')
    const factOf = (id: string) => hits.find((hit) => hit.id === id)?.facts[0]?.contradictedBy
    expect(factOf(one.id)).toMatchObject([{ object: 'June', isNewer: true, isMoreCertain: false }])
    expect(factOf(two.id)).toMatchObject([{ object: 'May', isNewer: false, isMoreCertain: true }])
  })
})

describe('logs', () => {
  test('[M13] level info writes no queries, texts or facts; level debug writes the query', async () => {
    const lines: string[] = []
    const atLevel = async (level: 'info' | 'debug') => {
      lines.length = 0
      const log = createLog(
        level,
        () => 0,
        (line) => lines.push(line),
      )
      const library = await openCairn({ file: ':memory:', ...FAKE, log })
      const { id } = await library.add({
        body: 'bodysecret here',
        title: 'titlesecret',
        tags: ['tagsecret'],
      })
      const { id: other } = await library.add({ body: 'bodysecret there' })
      await library.facts.add({
        record: id,
        subject: 'factsecret',
        predicate: 'is',
        object: 'objectsecret',
      })
      await library.sessions.start({ id: 's', title: 'sessiontitle' })
      await library.supersede(other, id)
      for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
        const options = {
          mode,
          recallSession: 's',
          facets: true,
          explain: true,
          asOf: Date.now() + DAY,
        }
        await library.search('querysecret bodysecret', options)
        await library.searchDocuments('querysecret', { mode })
      }
      await library.similar(id)
      await library.replay()
      await library.sessions.end('s')
      await library.close()
      return lines.join('')
    }
    const written = await atLevel('info')
    expect(written).not.toMatch(/secret|sessiontitle/)
    expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
      expect.objectContaining({
        event: 'search',
        queryChars: 22,
        mode: 'hybrid',
        hits: 1,
        total: 1,
      }),
    )
    expect(await atLevel('debug')).toContain('querysecret bodysecret')
  })
})
