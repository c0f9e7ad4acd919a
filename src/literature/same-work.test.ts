import { describe, expect, test } from 'vitest'
import { chooseSame, listKeys } from './same-work.js'
import { makeWork } from './works.fixture.js'

const SOME = makeWork({})
const known = (...identities: string[]) => ({ identities, work: SOME })

describe('chooseSame', () => {
  test('the surest key decides, and what shares another is told', () => {
    const byArxiv = known('arxiv:1')
    const byDoi = known('doi:a')
    expect(chooseSame(SOME, ['doi:a', 'arxiv:1', 'title:t|1|x'], [byArxiv, byDoi])).toEqual({
      same: byDoi,
      others: [byArxiv],
      isUnclear: false,
    })
  })

  test('a title joins where no identifier speaks against it', () => {
    const stored = known('doi:a', 'title:t|1|x')
    expect(chooseSame(SOME, ['title:t|1|x'], [stored]).same).toBe(stored)
    expect(chooseSame(SOME, ['arxiv:1', 'title:t|1|x'], [stored]).same).toBe(stored)
    expect(chooseSame(SOME, ['doi:10.48550/arxiv.1', 'title:t|1|x'], [stored]).same).toBe(stored)
    expect(chooseSame(SOME, ['doi:b', 'title:t|1|x'], [stored]).same).toBeNull()
    expect(
      chooseSame(SOME, ['openalex:W1', 'title:t'], [known('openalex:W2', 'title:t')]).same,
    ).toBeNull()
  })

  test('a title that fits several is unclear, and an identifier is not', () => {
    const [one, two] = [known('doi:a', 'title:t'), known('doi:b', 'title:t')]
    expect(chooseSame(SOME, ['title:t'], [one, two])).toMatchObject({ same: one, isUnclear: true })
    expect(chooseSame(SOME, ['doi:b', 'title:t'], [one, two])).toEqual({
      same: two,
      others: [],
      isUnclear: false,
    })
  })

  test('a citation key alone never tells works together', () => {
    expect(chooseSame(SOME, ['key:k'], [known('key:k')]).same).toBeNull()
  })

  test('[L1] a talk and its article, each with a key and a venue of its own, are two works', () => {
    const talk = makeWork({ citationKey: 'a', venue: 'Proceedings of X' })
    const stored = { identities: ['title:t', 'key:a'], work: talk }
    const same = (citationKey: string | null, venue: string | null) =>
      chooseSame(makeWork({ citationKey, venue }), ['title:t'], [stored]).same
    expect(same('b', 'Journal of Y')).toBeNull()
    expect(same('b', 'PROCEEDINGS of x')).toBe(stored)
    expect(same('a', 'Journal of Y')).toBe(stored)
    expect(same(null, 'Journal of Y')).toBe(stored)
    expect(same('b', null)).toBe(stored)
  })
})

describe('keysOf', () => {
  test('a title alone is a key only where there is no better one', () => {
    expect(listKeys(makeWork({ title: 'On Cairns' }))).toEqual(['title:oncairns||'])
    expect(listKeys(makeWork({ title: 'On Cairns', year: 1999 }))).toEqual(['title:oncairns|1999|'])
    expect(listKeys(makeWork({ title: 'On Cairns', doi: '10.1000/a' }))).toEqual(['doi:10.1000/a'])
  })

  test('without a title the abstract speaks, and a title of signs is one', () => {
    expect(listKeys(makeWork({ title: '', abstract: 'Stones.' }))).toEqual(['title:|||stones'])
    expect(listKeys(makeWork({ title: '∂∂' }))).toEqual(['title:∂∂||'])
    expect(listKeys(makeWork({ title: '' }))).toEqual([])
  })
})
