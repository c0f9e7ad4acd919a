/** A program's own embedder embeds the records and queries of its file, and its mistakes are reported. */

import { expect, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { openCairn } from '../cairn/open.js'
import { loadEmbedder } from './open-embedder.js'
import { adaptEmbedder, checkOwnEmbedder, type OwnEmbedder } from './own-embedder.js'

/** One dimension for each of three words. */
const own: OwnEmbedder = {
  id: 'words@1',
  dimensions: 3,
  embed: async (texts) =>
    texts.map((text) => ['cat', 'dog', 'tide'].map((word) => (text.includes(word) ? 2 : 0))),
}

test('a file made with an own embedder is searched with it, or by keywords if it is missing', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file, embedder: own })
  await cairn.addMany([{ body: 'A cat sleeps.' }, { body: 'The tide rises.' }])
  const { hits } = await cairn.search('the cat and the dog', { mode: 'semantic' })
  expect(hits.map(({ record }) => record.body)).toEqual(['A cat sleeps.'])
  await cairn.close()

  const without = await openCairn({ file })
  const answer = await without.search('cat')
  expect(answer.degraded).toMatchObject({ reason: 'embedder_unavailable' })
  expect(answer.degraded?.message).toContain('words@1')
  expect(answer.hits).toHaveLength(1)
  await without.close()
})

test('an existing file can switch to an own embedder', async () => {
  const file = temporaryFile()
  const first = await openCairn({ file })
  await first.add({ body: 'A dog barks.' })
  await first.close()
  const cairn = await openCairn({ file, embedder: own })
  await cairn.embed({ provider: 'own', model: own.id })
  const { models } = await cairn.models()
  expect(models.find(({ state }) => state === 'active')?.id).toBe('own/words@1')
  await cairn.close()
})

test('an invalid embedder is rejected when the file is opened', async () => {
  for (const [given, problem] of [
    [{ ...own, id: ' ' }, 'needs an id'],
    [{ ...own, dimensions: 1.5 }, 'needs dimensions'],
    [{ ...own, dimensions: 1e9 }, 'needs dimensions'],
    [{ ...own, timeoutMs: 0 }, 'needs a timeoutMs'],
    [{ ...own, timeoutMs: Number.POSITIVE_INFINITY }, 'needs a timeoutMs'],
    [{ id: 'x', dimensions: 3 }, 'needs a function embed'],
    [null, 'must be an object'],
  ] as const)
    expect(() => checkOwnEmbedder(given as unknown as OwnEmbedder)).toThrow(problem)
})

test('an embedder that hangs costs its time limit once, then searches use keywords for a minute', async () => {
  let now = Date.parse('2026-05-01T10:00:00Z')
  let calls = 0
  const embed = (): Promise<never> => {
    calls += 1
    return new Promise(() => {})
  }
  const file = temporaryFile()
  const cairn = await openCairn({
    ...{ file, now: () => now },
    embedder: {
      ...own,
      timeoutMs: 30,
      embed: (texts, role) => (hangs ? embed() : own.embed(texts, role)),
    },
  })
  let hangs = false
  await cairn.add({ body: 'A cat sleeps.' })
  hangs = true
  const messageOf = async (query: string) => (await cairn.search(query)).degraded?.message
  expect(await messageOf('cat')).toBe(
    'The embedder "words@1" failed: no answer within 30 ms. These are matches by words, and so are those of the next minute. Check its function embed(texts, role).',
  )
  expect(await messageOf('a cat')).toContain(
    'The embedder did not answer; it is asked again in 60 s.',
  )
  expect((await cairn.add({ body: 'A dog barks.' })).created).toBe(true)
  expect(calls).toBe(1)
  now += 61_000
  hangs = false
  expect(await messageOf('cat and dog')).toContain('1 of 2 records (50 %) have no vectors')
  await cairn.close()
})

test('an error of the embedder names it, and so does an answer that is none', async () => {
  for (const [embed, problem] of [
    [async () => Promise.reject(new Error('boom.')), 'The embedder "words@1" failed: boom.'],
    [async () => undefined, 'must return 3 finite numbers'],
  ] as const) {
    const broken = adaptEmbedder({ ...own, embed: embed as never })
    await expect(broken.embed(['cat'], { as: 'query' })).rejects.toThrow(problem)
  }
})

test('a model of Cairn can be loaded alone, and given back as an own one', async () => {
  const bundled = await loadEmbedder()
  const [vector] = await bundled.embed(['a cat'], 'query')
  expect(vector).toHaveLength(bundled.dimensions)
  const cairn = await openCairn({ file: temporaryFile(), embedder: bundled })
  await cairn.add({ body: 'The kitten sleeps.' })
  const { hits } = await cairn.search('a cat asleep', { mode: 'semantic' })
  expect(hits).toHaveLength(1)
  await cairn.close()
  await bundled.close()
})

test('vectors are normalised, and an invalid one is an error', async () => {
  const [vector] = await adaptEmbedder(own).embed(['cat'], { as: 'query' })
  expect([...(vector ?? [])]).toEqual([1, 0, 0])
  const broken = adaptEmbedder({ ...own, embed: async () => [[1, Number.NaN, 0]] })
  await expect(broken.embed(['cat'], { as: 'query' })).rejects.toMatchObject({
    code: 'dimension_mismatch',
  })
})
