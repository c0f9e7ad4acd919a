import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openOnnx } from './onnx-embedder.js'
import { importPackage } from './session.js'
import { TINY_WIDTH, writeTinyModel } from './tiny-model.fixture.js'

const hasPackages = await Promise.all(
  ['onnxruntime-node', '@huggingface/tokenizers'].map((name) => importPackage(name)),
).then(
  () => true,
  () => false,
)

const folder = mkdtempSync(join(tmpdir(), 'cairn-tiny-onnx-'))
writeTinyModel(folder)
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(!hasPackages)('a small model through the real runtime and tokenizer', () => {
  test('[F2] a vector is the mean of its tokens over the attention mask, at length 1', async () => {
    const embedder = await openOnnx({ path: folder, threads: 1 })
    expect(embedder.model).toMatchObject({ dimensions: TINY_WIDTH, floor: 0.3 })
    const [one, padded] = await embedder.embed(['cat', 'the cats money'], { as: 'passage' })
    // By hand: [CLS] cat [SEP] sums to cat's own row; its length is √1.01.
    const length = Math.hypot(1, 0.1)
    expect([...(one ?? [])].map((x) => x.toFixed(5))).toEqual(
      [1 / length, 0.1 / length, 0, 0].map((x) => x.toFixed(5)),
    )
    // cat + money = (1, .1, .8, .4)
    const norm = Math.hypot(1, 0.1, 0.8, 0.4)
    expect([...(padded ?? [])].map((x) => x.toFixed(5))).toEqual(
      [1 / norm, 0.1 / norm, 0.8 / norm, 0.4 / norm].map((x) => x.toFixed(5)),
    )
    await embedder.close()
  })

  test('[F2] near texts have a high cosine, and a batch gives what each text gives alone', async () => {
    const embedder = await openOnnx({ path: folder, threads: 1 })
    const texts = ['the cat', 'kittens', 'bank money', 'the money of the bank']
    const together = await embedder.embed(texts, { as: 'passage' })
    const alone = await Promise.all(texts.map((text) => embedder.embed([text], { as: 'passage' })))
    expect(together).toEqual(alone.flat())
    const cosine = (a: number, b: number): number =>
      Array.from(together[a] ?? []).reduce((sum, x, i) => sum + x * (together[b]?.[i] ?? 0), 0)
    expect(cosine(0, 1)).toBeGreaterThan(0.9)
    expect(cosine(2, 3)).toBeGreaterThan(0.9)
    expect(cosine(0, 2)).toBeLessThan(0.1)
    await embedder.close()
  })

  test('[A3] tokens are counted with the model’s own tokenizer', async () => {
    const embedder = await openOnnx({ path: folder })
    expect(embedder.countTokens('')).toBe(2)
    expect(embedder.countTokens('the cats')).toBe(5)
    await embedder.close()
  })
})
