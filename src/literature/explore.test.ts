/** Exploring stays under its cap, takes shortest ways, and can show each of them. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CitationEdge,
  type CitationGraph,
  type Direction,
  type ExploreOptions,
  explore as exploreWith,
  type Scored,
} from './explore.js'

const DEFAULTS = { depth: 2, maxWorks: 100, references: true, citations: true, decay: 0.7 }

const explore = (
  graph: CitationGraph,
  start: readonly Scored[],
  options: Partial<ExploreOptions> = {},
) => exploreWith(graph, start, { ...DEFAULTS, ...options })

type Call = { readonly ids: readonly string[]; readonly direction: Direction }

/** A graph in memory that notes what it was asked. */
function createGraph(
  edges: readonly CitationEdge[],
  relevance: Readonly<Record<string, number>> = {},
) {
  const calls: Call[] = []
  const rated: (readonly string[])[] = []
  const graph: CitationGraph = {
    neighbours: async (ids, direction) => {
      calls.push({ ids, direction })
      const end = direction === 'references' ? 'from' : 'to'
      return edges.filter((edge) => ids.includes(edge[end]))
    },
    relevance: async (ids) => {
      rated.push(ids)
      return new Map(ids.flatMap((id) => (id in relevance ? [[id, relevance[id]!] as const] : [])))
    },
  }
  return { graph, calls, rated }
}

/** "a>b" is a cites b. */
const edgesOf = (text: string): CitationEdge[] =>
  text.split(' ').map((pair) => {
    const [from = '', to = ''] = pair.split('>')
    return { from, to }
  })
const startAt = (...ids: readonly string[]): Scored[] => ids.map((id) => ({ id, relevance: 1 }))

describe('exploring', () => {
  test('follows references and citations, and every work has the steps that led to it', async () => {
    const { graph } = createGraph(edgesOf('a>b c>a b>d'), { b: 0.5, c: 0.8, d: 1 })
    const { works, edges, endedBy } = await explore(graph, startAt('a'), { depth: 2, decay: 0.5 })
    expect(works).toEqual([
      { id: 'a', hop: 0, relevance: 1, score: 1, via: null },
      { id: 'c', hop: 1, relevance: 0.8, score: 0.4, via: [{ from: 'a', direction: 'citations' }] },
      {
        id: 'b',
        hop: 1,
        relevance: 0.5,
        score: 0.25,
        via: [{ from: 'a', direction: 'references' }],
      },
      { id: 'd', hop: 2, relevance: 1, score: 0.25, via: [{ from: 'b', direction: 'references' }] },
    ])
    expect(edges).toEqual(edgesOf('a>b b>d c>a'))
    expect(endedBy).toBe('depth')
  })

  test('a work found by two steps at its first hop has both, and no later step', async () => {
    const { graph } = createGraph(edgesOf('a>x b>x x>b a>y y>x'))
    const { works } = await explore(graph, [
      { id: 'a', relevance: 0.1 },
      { id: 'b', relevance: 0.9 },
    ])
    expect(works.find(({ id }) => id === 'x')?.via).toEqual([
      { from: 'b', direction: 'references' },
      { from: 'b', direction: 'citations' },
      { from: 'a', direction: 'references' },
    ])
  })

  test('the cap keeps the most relevant of the hop that it cuts, ties by id', async () => {
    const { graph } = createGraph(edgesOf('a>b a>c a>d a>e'), { b: 0.1, c: 0.9, d: 0.5, e: 0.5 })
    const { works, endedBy, leftOut } = await explore(graph, startAt('a'), { maxWorks: 3 })
    expect(works.map(({ id }) => id)).toEqual(['a', 'c', 'd'])
    expect({ endedBy, leftOut }).toEqual({ endedBy: 'cap', leftOut: 2 })
  })

  test('the cap counts the start, and a start beyond it is cut as well', async () => {
    const start = ['c', 'b', 'a'].map((id, i) => ({ id, relevance: i < 2 ? 0.5 : 0.4 }))
    const { graph, calls } = createGraph(edgesOf('a>d b>c'))
    const answer = await explore(graph, start, { maxWorks: 2 })
    expect(answer.works.map(({ id }) => id)).toEqual(['b', 'c'])
    expect(answer).toMatchObject({ endedBy: 'cap', leftOut: 1, edges: edgesOf('b>c') })
    expect(calls).toHaveLength(1)
    expect((await explore(graph, start, { maxWorks: 0 })).works).toEqual([])
  })

  test('each hop asks once for each direction, with the whole frontier, the most relevant first', async () => {
    const relevance = { b: 0.1, c: 0.9, d: 0.5 }
    const { graph, calls, rated } = createGraph(edgesOf('a>b a>c a>d b>e c>f'), relevance)
    await explore(graph, startAt('a'), { depth: 2 })
    expect(calls).toEqual([
      { ids: ['a'], direction: 'references' },
      { ids: ['a'], direction: 'citations' },
      { ids: ['c', 'd', 'b'], direction: 'references' },
      { ids: ['c', 'd', 'b'], direction: 'citations' },
      { ids: ['e', 'f'], direction: 'references' },
    ])
    expect(rated).toEqual([
      ['b', 'c', 'd'],
      ['e', 'f'],
    ])
  })

  test('citations among the works of the last hop are found too', async () => {
    const { graph } = createGraph(edgesOf('a>b a>c b>c'))
    const { edges } = await explore(graph, startAt('a'), { depth: 1 })
    expect(edges).toEqual(edgesOf('a>b a>c b>c'))
    const backwards = createGraph(edgesOf('b>a c>a b>c')).graph
    const only = await explore(backwards, startAt('a'), { depth: 1, references: false })
    expect(only.edges).toEqual(edgesOf('b>a b>c c>a'))
  })

  test('cycles, self-citations, doubled edges, strangers and unknown works do no harm', async () => {
    const { graph } = createGraph(edgesOf('a>a a>b a>b b>a b>b'))
    const odd: CitationGraph = {
      ...graph,
      neighbours: async (...asked) => [
        ...(await graph.neighbours(...asked)),
        { from: 'x', to: 'y' },
      ],
      relevance: async (ids) => new Map(ids.map((id) => [id, Number.NaN])),
    }
    const start = [...startAt('a', 'a'), { id: 'nobody', relevance: Number.NaN }]
    const { works, edges, endedBy } = await explore(odd, start, { depth: 9 })
    expect(works.map(({ id, hop, score }) => [id, hop, score])).toEqual([
      ['a', 0, 1],
      ['nobody', 0, 0],
      ['b', 1, 0],
    ])
    expect(works.find(({ id }) => id === 'b')?.via).toEqual([
      { from: 'a', direction: 'references' },
      { from: 'a', direction: 'citations' },
    ])
    expect(edges).toEqual(edgesOf('a>b b>a'))
    expect(endedBy).toBe('exhausted')
  })

  test('nothing to start from, no depth and no direction are answers, not errors', async () => {
    const { graph, calls } = createGraph(edgesOf('a>b'))
    const nothing = { works: [], edges: [], endedBy: 'exhausted', leftOut: 0 }
    expect(await explore(graph, [])).toEqual(nothing)
    expect((await explore(graph, startAt('a', 'b'), { depth: 0 })).edges).toEqual(edgesOf('a>b'))
    expect(calls).toHaveLength(1)
    const still = await explore(graph, startAt('a'), { references: false, citations: false })
    expect(still).toMatchObject({ works: [{ id: 'a' }], edges: [], endedBy: 'exhausted' })
    expect(calls).toHaveLength(1)
  })
})

const ids = fc.constantFrom(...'abcdefghij')
const anyEdges = fc.array(fc.record({ from: ids, to: ids }), { maxLength: 30 })
const anyRelevance = fc.dictionary(ids, fc.constantFrom(0, 0.25, 0.5, 1))
const anyStart = fc.array(fc.record({ id: ids, relevance: fc.constantFrom(0, 0.5, 1) }), {
  maxLength: 4,
})
const anyOptions = fc.record({
  depth: fc.integer({ min: 0, max: 5 }),
  maxWorks: fc.integer({ min: 0, max: 12 }),
  references: fc.boolean(),
  citations: fc.boolean(),
  decay: fc.constantFrom(0, 0.5, 0.7, 1),
})

/** The obvious twin: repeat over all edges until nothing comes nearer. */
function distances(
  edges: readonly CitationEdge[],
  start: readonly Scored[],
  { references, citations }: ExploreOptions,
): Map<string, number> {
  const known = new Map(start.map(({ id }) => [id, 0]))
  const relax = (from: string, to: string): boolean => {
    const through = (known.get(from) ?? Number.POSITIVE_INFINITY) + 1
    if (through >= (known.get(to) ?? Number.POSITIVE_INFINITY)) return false
    known.set(to, through)
    return true
  }
  for (let moved = true; moved; ) {
    moved = false
    for (const { from, to } of edges) {
      if (references && relax(from, to)) moved = true
      if (citations && relax(to, from)) moved = true
    }
  }
  return known
}

describe('any graph', () => {
  const check = (
    run: (
      edges: readonly CitationEdge[],
      relevance: Readonly<Record<string, number>>,
      start: readonly Scored[],
      options: ExploreOptions,
    ) => Promise<void>,
  ) =>
    fc.assert(fc.asyncProperty(anyEdges, anyRelevance, anyStart, anyOptions, run), { numRuns: 200 })

  test('there are never more works than the cap, each once, and no work goes deeper than asked', () =>
    check(async (edges, relevance, start, options) => {
      const { works } = await explore(createGraph(edges, relevance).graph, start, options)
      expect(works.length).toBeLessThanOrEqual(options.maxWorks)
      expect(new Set(works.map(({ id }) => id)).size).toBe(works.length)
      for (const { hop } of works) expect(hop).toBeLessThanOrEqual(options.depth)
    }))

  test('without a cap, all reachable works are found and each hop is the shortest distance', () =>
    check(async (edges, relevance, start, options) => {
      const { graph } = createGraph(edges, relevance)
      const { works } = await explore(graph, start, { ...options, maxWorks: 1000 })
      const expected = [...distances(edges, start, options)].filter(
        ([, hop]) => hop <= options.depth,
      )
      expect(new Map(works.map(({ id, hop }) => [id, hop]))).toEqual(new Map(expected))
    }))

  test('every step is an edge of the graph, from the hop before, in a direction that is on', () =>
    check(async (edges, relevance, start, options) => {
      const { graph, calls } = createGraph(edges, relevance)
      const { works } = await explore(graph, start, options)
      const hops = new Map(works.map(({ id, hop }) => [id, hop]))
      for (const { id, hop, via } of works) {
        expect(via === null).toBe(hop === 0)
        if (via !== null) expect(via.length).toBeGreaterThan(0)
        for (const { from, direction } of via ?? []) {
          expect(hops.get(from)).toBe(hop - 1)
          expect(options[direction]).toBe(true)
          const edge = direction === 'references' ? { from, to: id } : { from: id, to: from }
          expect(edges).toContainEqual(edge)
        }
      }
      for (const { direction } of calls) expect(options[direction]).toBe(true)
    }))

  test('the edges are those of the graph among the works, each once', () =>
    check(async (edges, relevance, start, options) => {
      const answer = await explore(createGraph(edges, relevance).graph, start, options)
      const found = new Set(answer.works.map(({ id }) => id))
      const isOn = options.references || options.citations
      const expected = edges
        .filter(({ from, to }) => isOn && from !== to && found.has(from) && found.has(to))
        .map(({ from, to }) => `${from}>${to}`)
      expect(answer.edges.map(({ from, to }) => `${from}>${to}`)).toEqual(
        [...new Set(expected)].sort(),
      )
    }))

  test('the order of the graph and of the start makes no difference', () =>
    check(async (edges, relevance, start, options) => {
      const one = await explore(createGraph(edges, relevance).graph, start, options)
      const other = await explore(
        createGraph(edges.toReversed(), relevance).graph,
        start.toReversed(),
        options,
      )
      expect(other).toEqual(one)
    }))
})
