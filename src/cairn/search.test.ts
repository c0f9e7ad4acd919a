import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import type { SearchAnswer } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { SearchInput } from '../schemas/search-request.js'
import type { EmbeddedQuery } from '../storage/vectors.js'
import { searchWithModel } from './search.js'

const forgotten = () => new CairnError('embedder_unavailable', { message: 'The model is gone.' })
const read = async (): Promise<EmbeddedQuery> => ({ kind: 'none', degraded: null })

/** An answer that tells how its question was read. */
async function answerBy(reader: typeof read): Promise<SearchAnswer> {
  const { degraded } = (await reader()) as { degraded: SearchAnswer['degraded'] }
  return { degraded } as SearchAnswer
}

test('[N10] a model that was forgotten in the middle is asked for anew', async () => {
  let tries = 0
  const { degraded } = await searchWithModel(read, async (reader) => {
    tries += 1
    if (tries < 3) throw forgotten()
    return answerBy(reader as typeof read)
  })
  expect({ tries, degraded }).toEqual({ tries: 3, degraded: null })
})

test('[A1, N10] if no model stays, the answer is by keywords and reports this', async () => {
  const { degraded } = await searchWithModel(read, async (reader) => {
    if (reader === read) throw forgotten()
    return answerBy(reader as typeof read)
  })
  expect(degraded).toEqual({
    reason: 'embedder_unavailable',
    message: 'The model is gone. These are matches by words.',
  })
})

test('any other error is not tried again', async () => {
  let tries = 0
  const asked = searchWithModel(read, async () => {
    tries += 1
    throw new CairnError('locked', { message: 'Another program is writing.' })
  })
  await expect(asked).rejects.toMatchObject({ code: 'locked' })
  expect(tries).toBe(1)
})

test('options are understood in the singular, documents by position, and marks are HTML', async () => {
  const cairn = await libraryOf([
    { body: 'a <heron> stands', namespace: 'a', sector: 'episodic', tags: ['bird'] },
    { body: 'a heron flies', namespace: 'b', sector: 'semantic' },
    { body: 'a heron in a document', namespace: 'b', kind: 'document' },
    { body: 'another heron in a document', namespace: 'b', kind: 'document' },
  ])
  const idsOf = ({ hits }: SearchAnswer) => hits.map(({ id }) => id).toSorted()
  const same: [SearchInput, SearchInput][] = [
    [{ namespace: 'a' }, { namespaces: ['a'] }],
    [{ sector: 'semantic' }, { sectors: ['semantic'] }],
    [
      { tag: 'bird', kind: 'memory' },
      { tags: ['bird'], kinds: ['memory'] },
    ],
  ]
  for (const [singular, plural] of same) {
    const found = idsOf(await cairn.search('heron', singular))
    expect(found).toHaveLength(1)
    expect(found).toEqual(idsOf(await cairn.search('heron', plural)))
  }
  // Without a cast: the types know them too.
  expect((await cairn.list({ namespace: 'a', sector: 'episodic' })).records).toHaveLength(1)
  expect((await cairn.timeline({ namespace: 'b', kind: 'document' })).entries).toHaveLength(2)
  expect((await cairn.briefing({ namespace: 'b' })).lines).toEqual([])
  expect((await cairn.add({ body: 'an egret', tag: 'bird' })).created).toBe(true)
  await cairn.lenses.save('birds', { tag: 'bird' })
  expect((await cairn.search('egret', { lens: 'birds' })).hits).toHaveLength(1)
  expect((await cairn.searchDocuments('heron', 'b')).hits).toHaveLength(2)
  expect((await cairn.searchDocuments('heron', 'b', 1)).hits).toHaveLength(1)
  expect((await cairn.searchDocuments('heron', 'a')).hits).toEqual([])
  expect((await cairn.searchDocuments('heron', undefined, 1)).hits).toHaveLength(1)
  expect((await cairn.searchDocuments('heron', null, 1)).hits).toHaveLength(1)
  const [marked] = (await cairn.search('heron', { namespace: 'a', marks: true })).hits
  expect(marked?.snippet?.text).toBe('a &lt;<mark>heron</mark>&gt; stands')
})

test.each([
  [{ q: 'heron' }, 'Did you mean "query"?'],
  [{ quary: 'heron' }, 'Did you mean "query"?'],
  [{ top_k: 3 }, 'Did you mean "limit"?'],
])('the unknown option of %j is answered with the one that is meant', async (input, hint) => {
  const cairn = await libraryOf([])
  await expect(cairn.search(input as object)).rejects.toMatchObject({ code: 'bad_input', hint })
})

test('[M13] a search logs one line at info, and the times of its stages at debug', async () => {
  const lines: { level: string; event: string; fields: Record<string, unknown> }[] = []
  const cairn = await libraryOf(['a heron stands', 'a heron flies', 'the sea'], {
    cache: false,
    log: (level, event, fields = {}) => void lines.push({ level, event, fields }),
  })
  for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
    lines.length = 0
    const { tookMs } = await cairn.search('heron', { mode })
    const infos = lines.filter(({ level }) => level === 'info')
    expect(infos.map(({ event }) => event)).toEqual(['search'])
    const { model, cached, ...times } =
      lines.find(({ event }) => event === 'search.stages')?.fields ??
      ({} as Record<string, unknown>)
    expect(Object.keys(times)).toEqual(['embedding', 'words', 'vectors', 'fusion', 'page'])
    const sum = Object.values(times).reduce((total: number, ms) => total + Number(ms), 0)
    expect(sum).toBeLessThanOrEqual(tookMs + 0.1)
    expect(sum).toBeGreaterThan(0)
    expect(Object.values(times).every((ms) => Number(ms) >= -0.01)).toBe(true)
    expect(model === null).toBe(mode === 'keyword')
    expect(cached).toBe(false)
    expect(Number(times.vectors) > 0).toBe(mode !== 'keyword')
    expect(Number(times.words) > 0).toBe(mode !== 'semantic')
  }
})
