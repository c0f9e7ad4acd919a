import { describe, expect, test } from 'vitest'
import { chooseSame, keysOf } from './same-work.js'
import { makeWork } from './works.fixture.js'

const known = (...identities: string[]) => ({ identities })

describe('chooseSame', () => {
  test('the surest key decides, and what shares another is told', () => {
    const byArxiv = known('arxiv:1')
    const byDoi = known('doi:a')
    expect(chooseSame(['doi:a', 'arxiv:1', 'title:t|1|x'], [byArxiv, byDoi])).toEqual({
      same: byDoi,
      others: [byArxiv],
      isUnclear: false,
    })
  })

  test('a title joins where no identifier speaks against it', () => {
    const stored = known('doi:a', 'title:t|1|x')
    expect(chooseSame(['title:t|1|x'], [stored]).same).toBe(stored)
    expect(chooseSame(['arxiv:1', 'title:t|1|x'], [stored]).same).toBe(stored)
    expect(chooseSame(['doi:10.48550/arxiv.1', 'title:t|1|x'], [stored]).same).toBe(stored)
    expect(chooseSame(['doi:b', 'title:t|1|x'], [stored]).same).toBeNull()
    expect(
      chooseSame(['openalex:W1', 'title:t'], [known('openalex:W2', 'title:t')]).same,
    ).toBeNull()
  })

  test('a title that fits several is unclear, and an identifier is not', () => {
    const [one, two] = [known('doi:a', 'title:t'), known('doi:b', 'title:t')]
    expect(chooseSame(['title:t'], [one, two])).toMatchObject({ same: one, isUnclear: true })
    expect(chooseSame(['doi:b', 'title:t'], [one, two])).toEqual({
      same: two,
      others: [],
      isUnclear: false,
    })
  })

  test('a citation key never tells works apart or together', () => {
    expect(chooseSame(['key:k'], [known('key:k')]).same).toBeNull()
  })
})

describe('keysOf', () => {
  test('a title alone is a key only where there is no better one', () => {
    expect(keysOf(makeWork({ title: 'On Cairns' }))).toEqual(['title:oncairns||'])
    expect(keysOf(makeWork({ title: 'On Cairns', year: 1999 }))).toEqual(['title:oncairns|1999|'])
    expect(keysOf(makeWork({ title: 'On Cairns', doi: '10.1000/a' }))).toEqual(['doi:10.1000/a'])
  })

  test('without a title the abstract speaks, and a title of signs is one', () => {
    expect(keysOf(makeWork({ title: '', abstract: 'Stones.' }))).toEqual(['title:|||stones'])
    expect(keysOf(makeWork({ title: '∂∂' }))).toEqual(['title:∂∂||'])
    expect(keysOf(makeWork({ title: '' }))).toEqual([])
  })
})
