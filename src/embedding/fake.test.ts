/** The fake embedder behaves like a model: deterministic, of unit length, similar for texts that share words. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFakeEmbedder } from './fake.js'

const embedder = createFakeEmbedder()
const one = async (text: string) => (await embedder.embed([text], { as: 'query' }))[0]!
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

test('the same text always has the same vector, of length 1 or zero', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      const length = Math.hypot(...(await one(text)))
      expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true)
      expect(await one(text)).toEqual(await one(text))
    }),
  )
})

test('texts that share words have a higher cosine than texts that do not', async () => {
  const query = await one('sqlite write lock')
  expect(cosine(query, await one('the write lock of sqlite'))).toBeGreaterThan(0.5)
  expect(Math.abs(cosine(query, await one('puppy weekend camping')))).toBeLessThan(0.4)
})

test('a closed embedder reports that it is closed', async () => {
  const closed = createFakeEmbedder(8)
  await closed.close()
  await expect(closed.embed(['a'], { as: 'query' })).rejects.toMatchObject({ code: 'closed' })
})
