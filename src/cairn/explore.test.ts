import { describe, expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { work } from '../../test/support/works.js'
import { type Cairn, openCairn, type Work } from '../index.js'

/** Two works are found by their words; the others only by citations, one hop after the other. */
const GRAPH: readonly Work[] = [
  work('Kittens purr', { year: 2001, citationKey: 'start', references: ['key:cited', 'key:off'] }),
  work('Tomcats and their food', { year: 2002, citationKey: 'cited', references: ['key:far'] }),
  work('Central banks', { year: 2003, citationKey: 'citing', references: ['key:start'] }),
  work('Lions of the savannah', { year: 2004, citationKey: 'far', references: ['key:farther'] }),
  work('Tigers', { year: 2005, citationKey: 'farther' }),
  work('Interest rates', { year: 2006, citationKey: 'off', tags: ['money'] }),
]

async function graph(works: readonly Work[] = GRAPH): Promise<Cairn> {
  const cairn = await libraryOf([])
  await cairn.works.import(works)
  return cairn
}
const idOf = async (cairn: Cairn, key: string) => (await cairn.works.get(key))?.record.id ?? ''
const QUERY = { query: '"kittens purr"' }

async function hopsOf(
  cairn: Cairn,
  from: Parameters<Cairn['explore']>[0],
  options: Parameters<Cairn['explore']>[1] = {},
): Promise<Record<string, number>> {
  const { nodes } = await cairn.explore(from, options)
  const sorted = nodes.toSorted((a, b) => a.hop - b.hop || (a.year ?? 0) - (b.year ?? 0))
  return Object.fromEntries(sorted.map(({ title, hop }) => [title, hop]))
}

describe('from a question', () => {
  test('[L6] references and citations are followed for two hops, each work with the way it was reached', async () => {
    const cairn = await graph()
    const answer = await cairn.explore(QUERY)
    expect(await hopsOf(cairn, QUERY)).toEqual({
      'Kittens purr': 0,
      'Tomcats and their food': 1,
      'Central banks': 1,
      'Interest rates': 1,
      'Lions of the savannah': 2,
    })
    const [start, cited, citing, far] = await Promise.all(
      ['start', 'cited', 'citing', 'far'].map((key) => idOf(cairn, key)),
    )
    const node = (id: string | undefined) => answer.nodes.find((one) => one.id === id)
    expect(node(start)).toMatchObject({ hop: 0, via: null, year: 2001 })
    expect(node(cited)?.via).toEqual([{ from: start, direction: 'references' }])
    expect(node(citing)?.via).toEqual([{ from: start, direction: 'citations' }])
    expect(node(far)?.via).toEqual([{ from: cited, direction: 'references' }])
    expect(answer.edges).toHaveLength(4)
    expect(answer.edges).toContainEqual({ from: citing, to: start })
    expect(answer).toMatchObject({ endedBy: 'depth', leftOut: 0, start: QUERY })
  })

  test('[L6] relevance is the score that the search gives, and fades by hops', async () => {
    const cairn = await graph()
    const query = 'kittens and tomcats'
    const { nodes } = await cairn.explore({ query })
    const { hits } = await cairn.search(query, { kinds: 'work', limit: 10 })
    for (const { id, relevance, hop, score } of nodes) {
      const found = hits.find((hit) => hit.id === id)
      // Recency fades between the two.
      expect(relevance).toBeCloseTo(found?.score ?? 0, 5)
      expect(score).toBeCloseTo(relevance * 0.7 ** hop, 10)
    }
    expect(nodes.map(({ score }) => score)).toEqual(
      nodes.map(({ score }) => score).toSorted((a, b) => b - a),
    )
  })

  test('[L6] depth and cap hold, each direction can be switched off, and the answer gives the reason of its end', async () => {
    const cairn = await graph()
    expect(await hopsOf(cairn, QUERY, { depth: 0 })).toEqual({ 'Kittens purr': 0 })
    expect(Object.keys(await hopsOf(cairn, QUERY, { citations: false }))).not.toContain(
      'Central banks',
    )
    expect(await hopsOf(cairn, QUERY, { references: false })).toEqual({
      'Kittens purr': 0,
      'Central banks': 1,
    })
    const capped = await cairn.explore(QUERY, { maxWorks: 3 })
    expect(capped).toMatchObject({ endedBy: 'cap', leftOut: 1 })
    expect(capped.nodes).toHaveLength(3)
    expect(await cairn.explore(QUERY, { depth: 9 })).toMatchObject({ endedBy: 'exhausted' })
  })

  test('[L6] filters apply to the start and to all found works', async () => {
    const cairn = await graph()
    const options = { tags: { none: ['money'] } }
    expect(Object.keys(await hopsOf(cairn, QUERY, options))).not.toContain('Interest rates')
    expect(
      await hopsOf(cairn, QUERY, { since: '2000', until: '2002', dateField: 'published' }),
    ).toEqual({ 'Kittens purr': 0, 'Tomcats and their food': 1 })
    expect((await cairn.explore(QUERY, { namespaces: 'elsewhere' })).nodes).toEqual([])
  })

  test('deleted works are neither shown nor passed through', async () => {
    const cairn = await graph()
    await cairn.delete([await idOf(cairn, 'cited')])
    expect(Object.keys(await hopsOf(cairn, QUERY))).not.toContain('Lions of the savannah')
  })

  test('a question that finds nothing ends at once', async () => {
    const cairn = await graph()
    expect(await cairn.explore({ query: '"no such words"' })).toMatchObject({
      nodes: [],
      edges: [],
      endedBy: 'exhausted',
    })
  })

  test('[L6] works by keywords alone without vectors, and reports this', async () => {
    const cairn = await libraryOf([], { vectors: false })
    await cairn.works.import(GRAPH)
    const answer = await cairn.explore({ query: 'kittens' })
    expect(answer.nodes.map(({ hop }) => hop).sort()).toEqual([0, 1, 1, 1, 2])
    expect(answer.degraded?.reason).toBe('vectors_off')
    const fromWork = await cairn.explore({ id: 'start' })
    expect(fromWork.nodes[0]?.title).toBe('Kittens purr')
  })
})

describe('from a work', () => {
  test('[L6] relevance is the cosine to its vector, and it may be named in any way', async () => {
    const cairn = await graph()
    const answer = await cairn.explore({ id: 'start' })
    const id = await idOf(cairn, 'start')
    expect(answer.start).toEqual({ id })
    expect(answer.nodes[0]).toMatchObject({ id, hop: 0, relevance: 1, score: 1 })
    const { hits } = await cairn.similar(id, { threshold: -1, limit: 50 })
    for (const { id: other, relevance } of answer.nodes.slice(1)) {
      const similarity = hits.find((hit) => hit.id === other)?.similarity ?? 0
      expect(relevance).toBeCloseTo(Math.max(0, similarity), 3)
    }
    expect(answer.nodes.map(({ hop }) => hop).sort()).toEqual([0, 1, 1, 1, 2])
  })

  test('a work that is not there is named', async () => {
    const cairn = await graph()
    await expect(cairn.explore({ id: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'No work is known as "nobody".',
    })
    await expect(cairn.explore({ query: ' ' })).rejects.toMatchObject({ code: 'bad_input' })
  })
})

test('[L6, D2] a hop runs as many statements for one work as for a hundred', async () => {
  const count = async (width: number): Promise<number> => {
    let statements = 0
    const cairn = await openCairn({
      file: temporaryFile(),
      trace: () => {
        statements += 1
      },
    })
    const cited = Array.from({ length: width }, (_, i) =>
      work(`Cats number ${i}`, { citationKey: `c${i}` }),
    )
    const references = cited.map(({ citationKey }) => `key:${citationKey}`)
    await cairn.works.import([work('Kittens purr', { references }), ...cited])
    statements = 0
    const { nodes } = await cairn.explore(QUERY, { depth: 1, maxWorks: 200 })
    expect(nodes).toHaveLength(width + 1)
    await cairn.close()
    return statements
  }
  expect(await count(100)).toBe(await count(1))
})
