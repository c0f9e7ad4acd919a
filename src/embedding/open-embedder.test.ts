/** Every provider opens by its name, and a wrong name or number is explained. */

import { expect, test } from 'vitest'
import { type EmbedderConfig, openEmbedder } from './open-embedder.js'

test('[N1] the bundled model opens without a setting, a key or a network and embeds', async () => {
  const embedder = await openEmbedder({ provider: 'static' }, {})
  const [vector] = await embedder.embed(['hello world'], { as: 'query' })
  expect(embedder.model).toMatchObject({
    id: 'cairn/static@1',
    dimensions: 256,
    floor: 0.25,
    cascadeThreshold: 0.5,
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
