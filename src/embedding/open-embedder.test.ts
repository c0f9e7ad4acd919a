import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Embedder } from './embedder.js'
import { createFakeEmbedder } from './fake.js'
import { cacheQueries, type EmbedderConfig, openEmbedder } from './open-embedder.js'

test('[N1] the bundled model works without settings, key or network', async () => {
  const embedder = await openEmbedder({ provider: 'static' }, {})
  const [vector] = await embedder.embed(['hello world'], { as: 'query' })
  expect(embedder.model).toMatchObject({
    id: 'cairn/static@2',
    dimensions: 256,
    floor: 0.25,
    cascadeThreshold: 0.55,
  })
  expect(Math.hypot(...vector!)).toBeCloseTo(1, 5)
})

test.each([
  [{ provider: 'fake' }, 'fake/hash@64'],
  [{ provider: 'fake', dimensions: 16 }, 'fake/hash@16'],
  [{ provider: 'ollama' }, 'ollama/nomic-embed-text@768'],
  [{ provider: 'ollama', model: 'nomic-embed-text:v1.5' }, 'ollama/nomic-embed-text:v1.5@768'],
  [{ provider: 'openai' }, 'openai/text-embedding-3-small@1536'],
  [{ provider: 'openai', dimensions: 512 }, 'openai/text-embedding-3-small@512'],
] satisfies readonly [EmbedderConfig, string][])('[A3] %o opens as %s', async (config, id) => {
  const embedder = await openEmbedder(config, { OPENAI_API_KEY: 'k' })
  expect(embedder.model.id).toBe(id)
})

test.each([
  [{ provider: 'magic' }, /no embedding provider "magic"/],
  [{ provider: 'onnx' }, /needs the folder of its model/],
  [{ provider: 'ollama', dimensions: 0 }, /vectorSearch\.dimensions is 0/],
  [{ provider: 'ollama', timeoutMs: 1.5 }, /vectorSearch\.timeoutMs is 1\.5/],
])('%o is refused with a sentence that names the setting', async (config, message) => {
  const opening = openEmbedder(config as EmbedderConfig, {})
  await expect(opening).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(message),
  })
})

function counted(): { readonly embedder: Embedder; readonly asked: string[] } {
  const fake = createFakeEmbedder(8)
  const asked: string[] = []
  const embedder: Embedder = {
    ...fake,
    embed: (texts, options) => {
      asked.push(...texts)
      return fake.embed(texts, options)
    },
  }
  return { embedder, asked }
}

test('[L9] a repeated query is embedded once', async () => {
  const { embedder, asked } = counted()
  const cached = cacheQueries(embedder)
  const first = await cached.embed(['lock', 'lock'], { as: 'query' })
  const again = await cached.embed(['lock'], { as: 'query' })
  expect(asked).toEqual(['lock'])
  expect([first[1], again[0]]).toEqual([first[0], first[0]])
})

test('[L9] the least recently used query is evicted first', async () => {
  const { embedder, asked } = counted()
  const cached = cacheQueries(embedder, 2)
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.embed([text], { as: 'query' })
  expect(asked).toEqual(['a', 'b', 'c', 'b'])
})

test('passages and very long queries are not cached', async () => {
  const { embedder, asked } = counted()
  const cached = cacheQueries(embedder)
  const long = 'x'.repeat(5000)
  for (const _ of [1, 2]) {
    await cached.embed(['a'], { as: 'passage' })
    await cached.embed([long], { as: 'query' })
  }
  expect(asked).toEqual(['a', long, 'a', long])
})

test('a caller that changes its vector does not change the cached one', async () => {
  const cached = cacheQueries(createFakeEmbedder(8))
  const [first] = await cached.embed(['lock'], { as: 'query' })
  const before = first!.slice()
  first!.fill(9)
  expect((await cached.embed(['lock'], { as: 'query' }))[0]).toEqual(before)
})

test('a failure is not cached', async () => {
  const fake = createFakeEmbedder(8)
  let isDown = true
  const cached = cacheQueries({
    ...fake,
    embed: (texts, options) =>
      isDown ? Promise.reject(new Error('down')) : fake.embed(texts, options),
  })
  await expect(cached.embed(['a'], { as: 'query' })).rejects.toThrow('down')
  isDown = false
  expect(await cached.embed(['a'], { as: 'query' })).toHaveLength(1)
})

test('[L9] cached and uncached answers never differ', async () => {
  const plain = createFakeEmbedder(8)
  const cached = cacheQueries(createFakeEmbedder(8), 3)
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(texts, async (list) => {
      const options = { as: 'query' } as const
      expect(await cached.embed(list, options)).toEqual(await plain.embed(list, options))
    }),
  )
})
