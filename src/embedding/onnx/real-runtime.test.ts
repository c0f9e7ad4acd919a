import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openCrossEncoder } from './cross-encoder.js'
import { openOnnx } from './onnx-embedder.js'
import { importPackage } from './session.js'
import { TINY_WIDTH, writeTinyCrossEncoder, writeTinyModel } from './tiny-model.fixture.js'

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
    const embedder = await openOnnx({ path: folder })
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

  test('[F2] similar texts have a high cosine, and a batch gives the same vectors as single texts', async () => {
    const embedder = await openOnnx({ path: folder })
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

describe.skipIf(!hasPackages)(
  'a small cross-encoder through the real runtime and tokenizer',
  () => {
    const signal = new AbortController().signal
    const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit))
    const path = join(folder, 'cross')
    writeTinyCrossEncoder(path)

    test('the score of a pair is the sigmoid of its logit', async () => {
      const encoder = await openCrossEncoder(path)
      expect(encoder.id).toMatch(/^onnx\/cross@[0-9a-f]{12}$/)
      // By hand: cat · (kitten + bank) = .9 + .03; cat · money = 0; (bank + money) · money = .8 + .04 + .64 + .16.
      const scores = await encoder.score('the cat', ['kittens bank', 'money', ''], signal)
      expect(scores.map((score) => score.toFixed(5))).toEqual(
        [0.93, 0, 0].map((logit) => sigmoid(logit).toFixed(5)),
      )
      const [other] = await encoder.score('bank money', ['money'], signal)
      expect(other).toBeCloseTo(sigmoid(1.64), 5)
      await encoder.close()
    })

    test('a long passage is cut at its end, and a long query to half the window', async () => {
      const encoder = await openCrossEncoder(path)
      const long = 'money '.repeat(5000)
      const [kept, cut] = await encoder.score('cat', [`kitten ${long}`, `${long} kitten`], signal)
      expect(kept).toBeCloseTo(sigmoid(0.93), 5)
      expect(cut).toBeCloseTo(0.5, 5)
      const [asked] = await encoder.score(`cat ${'the '.repeat(5000)}`, ['kitten'], signal)
      expect(asked).toBeCloseTo(sigmoid(0.93), 5)
      await encoder.close()
    })

    test('an embedding model is rejected as a cross-encoder', async () => {
      const encoder = await openCrossEncoder(folder)
      await expect(encoder.score('cat', ['kitten'], signal)).rejects.toMatchObject({
        code: 'bad_model',
        message: expect.stringContaining('is not a cross-encoder'),
      })
      await encoder.close()
    })

    test('no pair is scored after an abort', async () => {
      const encoder = await openCrossEncoder(path)
      await expect(encoder.score('cat', ['kitten'], AbortSignal.abort())).rejects.toThrow()
      await encoder.close()
    })
  },
)
