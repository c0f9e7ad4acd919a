import { describe, expect, test } from 'vitest'
import { bodiesFound, libraryOf as openLibrary } from '../../test/support/library.js'

/** Keyword search: the same pipeline runs whenever there is no vector. */
const libraryOf: typeof openLibrary = (records, options = {}) =>
  openLibrary(records, { vectors: false, ...options })

describe('[D5] odd words are found where they occur', () => {
  test.each([
    'C++',
    'C#',
    'foo-bar',
    'user@host',
    'v2026.4.10',
    'AND',
    'NEAR(',
    'foo:bar',
    'f(x)',
    "don't",
    '100%',
    'a/b/c.txt',
    '_private_name',
    '🎉',
    '->',
    '"',
    '½',
  ])('%s', async (word) => {
    const body = `before ${word} after`
    const cairn = await libraryOf([body, 'something else entirely, 12 words long', 'C sharp'])
    expect((await bodiesFound(cairn, word))[0]).toBe(body)
  })

  test('C++ is not C', async () => {
    const cairn = await libraryOf(['written in C++', 'written in C', 'written in C#'])
    expect(await bodiesFound(cairn, 'C++')).toEqual(['written in C++'])
    expect(await bodiesFound(cairn, 'c#')).toEqual(['written in C#'])
    expect((await bodiesFound(cairn, 'C'))[0]).toBe('written in C')
  })
})

describe('[N6] Chinese, Japanese and Korean', () => {
  const TEXTS = [
    '東京都に住んでいます',
    '我们在北京部署服务',
    '데이터베이스 백업은 매일',
    'iPhone手机壳 sale',
  ]

  test.each([
    ['東', 0],
    ['京都', 0],
    ['住', 0],
    ['東京都', 0],
    ['北京', 1],
    ['部署', 1],
    ['务', 1],
    ['백업', 2],
    ['베이스', 2],
    ['일', 2],
    ['手机', 3],
    ['iphone', 3],
    ['sale 手机', 3],
  ])('%s is found', async (query, index) => {
    const cairn = await libraryOf(TEXTS)
    const bodies = await bodiesFound(cairn, query, { match: 'all' })
    expect(bodies).toContain(TEXTS[index])
  })

  test('a query without spaces finds a text that shares words with it', async () => {
    const cairn = await libraryOf(TEXTS)
    expect((await bodiesFound(cairn, '北京的服务怎么部署'))[0]).toBe(TEXTS[1])
  })

  test('highlights are exactly the matched characters', async () => {
    const cairn = await libraryOf(TEXTS)
    const marked = async (query: string) => {
      const [hit] = (await cairn.search(query, { match: 'all' })).hits
      return hit?.highlights.body.map(({ start, end }) => hit.record.body.slice(start, end))
    }
    expect(await marked('京都')).toEqual(['京都'])
    expect(await marked('東京都')).toEqual(['東京都'])
    expect(await marked('住')).toEqual(['住'])
    expect(await marked('手机')).toEqual(['手机'])
  })
})
