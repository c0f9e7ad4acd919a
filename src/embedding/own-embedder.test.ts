/** A program's own embedder embeds the records and queries of its file, and its mistakes are reported. */

import { expect, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { openCairn } from '../cairn/open.js'
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
    [{ id: 'x', dimensions: 3 }, 'needs a function embed'],
    [null, 'must be an object'],
  ] as const)
    expect(() => checkOwnEmbedder(given as unknown as OwnEmbedder)).toThrow(problem)
})

test('vectors are normalised, and an invalid one is an error', async () => {
  const [vector] = await adaptEmbedder(own).embed(['cat'], { as: 'query' })
  expect([...(vector ?? [])]).toEqual([1, 0, 0])
  const broken = adaptEmbedder({ ...own, embed: async () => [[1, Number.NaN, 0]] })
  await expect(broken.embed(['cat'], { as: 'query' })).rejects.toMatchObject({
    code: 'dimension_mismatch',
  })
})
