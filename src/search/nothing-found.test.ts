import { describe, expect, test } from 'vitest'
import { bodiesFound, libraryOf } from '../../test/support/library.js'
import type { Cairn } from '../index.js'

const PUPPY = 'I adopted a puppy last weekend.'
const RELEASE = 'Our deployment process: tag a release, wait for CI, promote the build.'
/** Twenty unrelated everyday notes. */
const NOTES = [
  PUPPY,
  RELEASE,
  'Interest rates were raised by the central bank to slow inflation.',
  'A recipe for bread: flour, water, yeast and salt, then a hot oven.',
  'The tomatoes need water twice a week in July.',
  'The train to Lisbon leaves at seven from platform four.',
  'The landlord raised the rent by forty euros.',
  'Violin lessons are on Tuesday afternoons.',
  'The dentist moved the appointment to the ninth.',
  'The lamp in the hallway flickers when it rains.',
  'The marathon route passes the old harbour.',
  'Our insurance covers broken windows.',
  'The museum is closed on Mondays.',
  'The printer is out of yellow ink.',
  'Grandmother was born in Trieste in 1931.',
  'The tax return is due at the end of May.',
  'The ferry takes bicycles for two euros.',
  'The attic smells of cedar and dust.',
  'The election results come in after eight.',
  'The choir sings Bach at Easter.',
]

const find = async (cairn: Cairn, query: string, options = {}) => {
  const answer = await cairn.search(query, options)
  return { ...answer, bodies: answer.hits.map(({ record }) => record.body) }
}

describe('[N2] a search without hits', () => {
  test.each(['hybrid', 'semantic', 'keyword'] as const)(
    'gibberish finds nothing and says so, in %s mode',
    async (mode) => {
      const cairn = await libraryOf(NOTES)
      const { hits, total, degraded, hint } = await find(cairn, 'zzzqqq xkcdfoo', { mode })
      expect(hits).toEqual([])
      expect(total).toEqual({ value: 0, exact: true })
      expect(hint).toBe('Try other words, or fewer of them.')
      if (mode !== 'keyword') expect(degraded?.reason).toBe('no_known_word')
    },
  )

  test('a word that only the records know is also searched by its vector', async () => {
    const cairn = await libraryOf([...NOTES, 'The zzzqqq gateway forwards requests.'])
    const { degraded, hits } = await find(cairn, 'zzzqqq')
    expect(degraded).toBeNull()
    expect(hits[0]?.matchType).toBe('both')
  })

  test('[F11] a misspelt word is not searched by the meaning of its pieces, nor by its beginning', async () => {
    const cairn = await libraryOf([...NOTES, 'We use authentication by token.', 'Another cat.'])
    await cairn.add({ body: 'The annotation of treebanks.' })
    for (const [word, meant, body] of [
      ['authenticaton', 'authentication', 'We use authentication by token.'],
      ['anotation', 'annotation', 'The annotation of treebanks.'],
    ] as const) {
      const { query, hits } = await find(cairn, word)
      expect(query).toMatchObject({ suggestions: [{ term: word, meant }], searchedFor: meant })
      expect(hits[0]?.record.body).toBe(body)
    }
    for (const gibberish of ['zzz', 'aaaaaa'])
      expect((await find(cairn, gibberish)).hits).toEqual([])
  })

  test('no record at all, or none that passes the filters, is said', async () => {
    const cairn = await libraryOf([])
    expect((await find(cairn, 'hello')).hint).toMatch(/^There is no record yet\./)
    await cairn.add({ body: NOTES[0] ?? '' })
    expect((await find(cairn, 'hello')).hint).toMatch(/^No record has a similarity of/)
    const filtered = await find(cairn, 'hello', { tags: ['none'] })
    expect(filtered.hint).toBe('No record passes these filters. Remove one of them.')
  })

  test('[F11] a stop word such as "on" is never suggested', async () => {
    const cairn = await libraryOf(NOTES)
    expect((await find(cairn, 'own')).query.suggestions).toEqual([])
  })

  test.each(['hybrid', 'semantic'] as const)(
    '[F11] a misspelt word gets a suggestion and its hits, labelled, in %s mode',
    async (mode) => {
      const cairn = await libraryOf(NOTES)
      const { query, bodies, total } = await find(cairn, 'deploymnet', { mode })
      expect(query.suggestions).toEqual([{ term: 'deploymnet', meant: 'deployment' }])
      expect(query).toMatchObject({ text: 'deploymnet', readAs: 'deploymnet' })
      expect(query.searchedFor).toBe('deployment')
      expect(bodies[0]).toBe(RELEASE)
      expect(total.value).toBe(1)
      const asWritten = await find(cairn, 'deploymnet', { mode, match: 'all' })
      const byWords = await find(cairn, 'deploymnet', { mode: 'keyword' })
      expect(byWords).toMatchObject({ hits: [], hint: 'Did you mean deployment?' })
      expect([asWritten.hits, asWritten.query.searchedFor]).toEqual([[], null])
    },
  )

  test('a misspelt word beside known words gets a suggestion in semantic mode too, a rare word does not', async () => {
    const cairn = await libraryOf(NOTES)
    const suggest = async (query: string) =>
      (await find(cairn, query, { mode: 'semantic' })).query.suggestions
    expect(await suggest('deploymnet day')).toEqual([{ term: 'deploymnet', meant: 'deployment' }])
    expect(await suggest('employment day')).toEqual([])
  })

  test('the hint names a threshold that is too high, and one that includes the nearest record', async () => {
    const cairn = await libraryOf(NOTES)
    const { hits, hint } = await find(cairn, 'a pet dog', { threshold: 0.9 })
    expect(hits).toEqual([])
    const [, lower] =
      /^No record has a similarity of 0.90 or more.*`threshold: (\S+)` /.exec(hint ?? '') ?? []
    const again = await find(cairn, 'a pet dog', { threshold: Number(lower) })
    expect(again.bodies).toContain(PUPPY)
  })
})

describe('[N2] a quoted phrase that no record has', () => {
  const PHRASE = '"adopted puppy"'

  test.each(['hybrid', 'semantic'] as const)(
    'is searched as plain words, and the answer says so, in %s mode',
    async (mode) => {
      const cairn = await libraryOf(NOTES)
      const { query, bodies, hint, total } = await find(cairn, `who ${PHRASE}`, { mode })
      expect(bodies[0]).toBe(PUPPY)
      expect(total.value).toBeGreaterThan(0)
      expect(query).toMatchObject({ text: `who ${PHRASE}`, readAs: PHRASE })
      expect(query.searchedFor).toBe('who adopted puppy')
      expect(hint).toBe(`No record has ${PHRASE}. Searched without the quotation marks.`)
    },
  )

  test('stays required in keyword mode', async () => {
    const cairn = await libraryOf(NOTES)
    const { hits, query, hint } = await find(cairn, PHRASE, { mode: 'keyword' })
    expect([hits, query.searchedFor]).toEqual([[], null])
    expect(hint).toBe(`No record has ${PHRASE}. Remove the quotation marks.`)
  })

  test('stays required with match all and match any', async () => {
    const cairn = await libraryOf(NOTES)
    for (const match of ['all', 'any'] as const) {
      const { hits, query } = await find(cairn, PHRASE, { match })
      expect([hits, query.searchedFor]).toEqual([[], null])
    }
  })

  test('loses only its own quotation marks: other phrases, negations and filters still hold', async () => {
    const cairn = await libraryOf(NOTES)
    const search = async (query: string, options = {}) => {
      const { hits, bodies, query: read } = await find(cairn, query, options)
      return [bodies, read.searchedFor, hits.length]
    }
    expect(await search(`${PHRASE} "tag a release"`)).toEqual([
      [RELEASE],
      'adopted puppy "tag a release"',
      1,
    ])
    const refusing = await find(cairn, `${PHRASE} "tag" -release -"hot oven"`)
    expect(refusing.bodies).toEqual([])
    const both = await find(cairn, `${PHRASE} water -"hot oven"`)
    expect(both.query.searchedFor).toBe('adopted puppy water -"hot oven"')
    expect(both.bodies).toContain(PUPPY)
    expect(both.bodies.some((body) => body.includes('hot oven'))).toBe(false)
    expect(await search('title:"adopted puppy"')).toEqual([[], null, 0])
    expect(await search(PHRASE, { kinds: 'work' })).toEqual([[], null, 0])
  })

  test('stays required if it occurs, even if no other word of the query does', async () => {
    const cairn = await libraryOf(NOTES)
    const { bodies, query } = await find(cairn, '"a puppy" xkcdfoo')
    expect([bodies, query.searchedFor]).toEqual([[PUPPY], null])
    const together = await find(cairn, '"a puppy" "tag a release"')
    expect([together.bodies, together.query.searchedFor]).toEqual([[], null])
  })

  test('becomes plain words even if its text looks like an operator, a field or a prefix', async () => {
    const cairn = await libraryOf([...NOTES, 'Title: to be or not to be, near the end.'])
    const { query, bodies } = await find(cairn, '"-title: NEAR(be, OR NOT) end*"')
    expect(query.searchedFor).toBe('title NEAR be, or not end')
    expect(bodies[0]).toBe('Title: to be or not to be, near the end.')
  })
})

describe('weak hits', () => {
  test.each([
    ['which pets does she own, a dog?', PUPPY],
    ['how we ship code', RELEASE],
  ])('%s shows its note', async (question, note) => {
    const cairn = await libraryOf(NOTES)
    const { hits, bodies, total, facets } = await find(cairn, question, { facets: true })
    expect(bodies).toContain(note)
    const strong = hits.filter(({ weak }) => !weak)
    expect(hits.length - strong.length).toBeLessThanOrEqual(3)
    expect(total).toEqual({ value: strong.length, exact: true })
    expect(facets?.kind[0]?.count ?? 0).toBe(strong.length)
    // Weak hits follow the other hits, the nearest first.
    expect(hits.map(({ weak }) => weak)).toEqual(hits.map((_, i) => i >= strong.length))
    const weak = hits.slice(strong.length).map(({ similarity }) => similarity ?? 0)
    expect(weak).toEqual(weak.toSorted((a, b) => b - a))
    for (const similarity of weak) expect(similarity).toBeGreaterThanOrEqual(0.12)
  })

  test('respect the page, the filters and the negations', async () => {
    const cairn = await libraryOf(NOTES)
    const question = 'how we ship code'
    expect((await find(cairn, question, { limit: 1 })).hits).toHaveLength(1)
    expect((await find(cairn, question, { offset: 5 })).hits).toEqual([])
    expect((await find(cairn, `${question} -release`)).bodies).not.toContain(RELEASE)
    expect((await find(cairn, question, { kinds: 'work' })).hits).toEqual([])
    expect((await find(cairn, question, { mode: 'keyword' })).hits).toEqual([])
  })

  test('are absent if a search finds enough', async () => {
    const cairn = await libraryOf(NOTES)
    const { hits } = await find(cairn, 'the')
    expect(hits.length).toBeGreaterThan(3)
    expect(hits.some(({ weak }) => weak)).toBe(false)
  })
})

test('a word that is missing in its field is named with the field', async () => {
  const cairn = await libraryOf([
    { title: 'Approvals', body: 'Two approvals are enough for a deployment.' },
  ])
  const { query } = await cairn.search('approvals title:deployment year:abcd', { mode: 'keyword' })
  expect(query.missingTerms).toEqual(['title:deployment', 'year:abcd'])
  expect(query.suggestions.map(({ term }) => term)).not.toContain('abcd')
})

test('a citation key or a DOI is not relaxed into its pieces', async () => {
  const cairn = await libraryOf([
    'see niu-cai-2019-label',
    'label 2019',
    'cai writes a foo-bar',
    'foo',
  ])
  expect(await bodiesFound(cairn, 'niu-cai-2019-label', { mode: 'keyword' })).toEqual([
    'see niu-cai-2019-label',
  ])
  expect(await bodiesFound(cairn, 'foo-bar')).toEqual(['cai writes a foo-bar', 'foo'])
})

test('fields limit the marks as they limit the search', async () => {
  const cairn = await libraryOf([{ title: 'A puppy', body: 'The puppy sleeps.' }])
  const { hits } = await cairn.search('puppy', { fields: ['title'] })
  expect(hits[0]?.highlights).toEqual({ title: [{ start: 2, end: 7 }], body: [] })
})
