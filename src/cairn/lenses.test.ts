import { describe, expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { openCairn, type SearchInput } from '../index.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const

describe('lenses of one’s own', () => {
  test('[F9] a saved lens gives its options to every search through it, and the request goes first', async () => {
    const cairn = await libraryOf(
      [
        { body: 'tern one', tags: ['x'], namespace: 'a' },
        { body: 'tern two', tags: ['y'], namespace: 'a' },
        { body: 'tern three', tags: ['x'], namespace: 'b' },
      ],
      FAKE,
    )
    await cairn.lenses.save(
      'mine',
      { tags: 'x', lens: 'rank', limit: 1, explain: true, mode: 'hybrid' },
      'Mine.',
    )
    const answer = await cairn.search('tern', { lens: 'mine' })
    expect(answer.query.lens).toBe('mine')
    expect(answer.hits).toHaveLength(1)
    expect(answer.hits[0]?.record.tags).toEqual(['x'])
    expect(JSON.stringify(answer.hits[0]?.explanation)).toContain('rank fusion')
    const wider = await cairn.search('tern', {
      lens: 'mine',
      limit: 5,
      tags: 'y',
      explain: undefined,
    } as SearchInput)
    expect(wider.hits.map(({ record }) => record.body)).toEqual(['tern two'])
    expect(wider.hits[0]?.explanation).not.toBeNull()
    expect((await cairn.search('tern', { lens: 'rank' })).hits).toHaveLength(3)
    expect(await cairn.lenses.show('mine')).toMatchObject({ isBuiltIn: false, sentence: 'Mine.' })
    await cairn.lenses.save('mine', { tags: 'y' })
    expect((await cairn.search('tern', { lens: 'mine' })).hits).toHaveLength(1)
    expect((await cairn.searchDocuments('tern', { lens: 'mine' })).hits).toEqual([])
  })

  test('[F9] every search option but offset, session and time can be saved; a saved query applies if the search has none', async () => {
    const cairn = await libraryOf([], FAKE)
    for (const wrong of [{ offset: 2 }, { recallSession: 's' }, { asOf: 1 }, { nonsense: 1 }]) {
      await expect(cairn.lenses.save('mine', wrong as object)).rejects.toMatchObject({
        code: 'bad_input',
      })
    }
    await expect(cairn.lenses.save('balanced', {})).rejects.toMatchObject({ code: 'bad_input' })
    await expect(cairn.lenses.save('two words', {})).rejects.toMatchObject({ code: 'bad_input' })
    await expect(cairn.lenses.save('mine', { lens: 'nobody' })).rejects.toMatchObject({
      code: 'bad_input',
    })
    await expect(cairn.lenses.remove('balanced')).rejects.toMatchObject({ code: 'bad_input' })
    await expect(cairn.lenses.remove('nobody')).rejects.toMatchObject({ code: 'bad_input' })
    await cairn.addMany([{ body: 'a tern' }, { body: 'a gull' }])
    await cairn.lenses.save('birds', { query: 'tern', mode: 'keyword' })
    for (const [query, found] of [
      ['', 'a tern'],
      ['gull', 'a gull'],
    ] as const) {
      const { hits } = await cairn.search({ query, lens: 'birds' })
      expect(hits.map(({ record }) => record.body)).toEqual([found])
    }
    await cairn.lenses.save('früh', { alpha: 0.3, since: '7d', minSalience: 0.2, facets: true })
    const error = await cairn.search('tern', { lens: 'nobody' }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      message: 'There is no lens "nobody".',
      hint: expect.stringMatching(/balanced.*früh/),
    })
  })

  test('[F9] lenses survive closing, and are removed for good', async () => {
    const file = temporaryFile()
    const first = await openCairn({ file, ...FAKE })
    await first.add({ body: 'tern' })
    await first.lenses.save('mine', { kinds: 'document' })
    await first.close()
    const second = await openCairn({ file, ...FAKE })
    expect((await second.search('tern', { lens: 'mine' })).hits).toEqual([])
    await second.lenses.remove('mine')
    expect((await second.lenses.list()).every(({ isBuiltIn }) => isBuiltIn)).toBe(true)
    await second.close()
  })

  test.each(['keyword', 'semantic', 'hybrid'] as const)(
    '[F9, N5] in %s mode a boost lifts what it names, and stands in the explanation',
    async (mode) => {
      const cairn = await libraryOf(
        [
          { body: 'tern tern tern' },
          { body: 'tern tern', people: ['Ada'] },
          { body: 'tern and something else entirely', tags: ['Fav'], sector: 'reflective' },
        ],
        FAKE,
      )
      const boosts = [
        { field: 'tag', value: 'fav', factor: 5 },
        { field: 'sector', value: 'reflective', factor: 1.5 },
        { field: 'person', value: 'ada', factor: 0.1 },
      ] as const
      await cairn.lenses.save('mine', { boosts: [...boosts] })
      const options = { mode, threshold: -1, explain: true, lens: 'mine' }
      const { hits } = await cairn.search('tern', options)
      expect(hits[0]?.record.tags).toEqual(['Fav'])
      expect(hits[2]?.record.people).toEqual(['Ada'])
      expect(JSON.stringify(hits[0]?.explanation)).toContain('boost tag:fav')
      expect(JSON.stringify(hits[2]?.explanation)).toContain('boost person:ada')
      for (const { score } of hits) expect(score).toBeLessThanOrEqual(1)
      const pages = await Promise.all(
        [0, 1, 2].map((offset) => cairn.search('tern', { ...options, limit: 1, offset })),
      )
      expect(pages.flatMap((page) => page.hits.map(({ id }) => id))).toEqual(
        hits.map(({ id }) => id),
      )
      const plain = await cairn.search('tern', { mode, threshold: -1 })
      expect(plain.hits[0]?.record.tags).toEqual([])
    },
  )
})
