import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { work } from '../../test/support/works.js'
import type { Cairn } from '../index.js'
import { MODES, SORTS } from '../schemas/search-request.js'

async function makeLibrary(): Promise<Cairn> {
  const cairn = await libraryOf([])
  for (const title of ['wren c', 'Wren a', 'wren d', 'wren b']) {
    await cairn.add({ title, body: `A wren sings in ${title}.` })
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await cairn.works.import([
    work('wren e', { year: 1999, abstract: 'The wren.' }),
    work('wren f', { abstract: 'A wren without a date.' }),
  ])
  return cairn
}

const titles = async (cairn: Cairn, query: string, options: object) => {
  const { hits, total } = await cairn.search(query, options)
  return { total: total.value, titles: hits.map(({ title }) => title?.slice(-1)).join('') }
}

test('[M1] hits are sorted by date or by title, over all records found, in every mode', async () => {
  const cairn = await makeLibrary()
  for (const mode of MODES) {
    for (const [sort, expected] of [
      ['newest', 'bdacef'],
      ['oldest', 'ecadbf'],
      ['title', 'abcdef'],
    ]) {
      const request = { mode, sort, threshold: -1 }
      expect(await titles(cairn, 'wren', request)).toEqual({ total: 6, titles: expected })
      const pages = [0, 2, 4].map(async (offset) =>
        titles(cairn, 'wren', { ...request, limit: 2, offset }),
      )
      expect((await Promise.all(pages)).map((page) => page.titles).join('')).toBe(expected)
      expect((await titles(cairn, '', { sort, kinds: ['memory', 'work'] })).titles).toBe(expected)
    }
  }
})

test('a sorted hit has the scores of its match, and a correction is sorted too', async () => {
  const cairn = await makeLibrary()
  for (const sort of SORTS) {
    const { hits } = await cairn.search('wren', { mode: 'keyword', sort })
    expect(hits.every(({ bm25 }) => bm25 !== null && bm25 < 0)).toBe(true)
  }
  const [old] = (await cairn.search('title:wren d')).hits
  const { id } = await cairn.add({ title: 'aa', body: 'Nothing of the kind.' })
  await cairn.supersede(String(old?.id), id)
  expect((await titles(cairn, 'wren', { mode: 'keyword', sort: 'title' })).titles.length).toBe(6)
})
