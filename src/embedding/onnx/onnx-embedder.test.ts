/** The files of an ONNX folder configure the model, and MiniLM gives its published vectors. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Embedder } from '../embedder.js'
import { openOnnx } from './onnx-embedder.js'
import { type ImportPackage, importPackage, poolTokens } from './session.js'

const scratch = mkdtempSync(join(tmpdir(), 'cairn-onnx-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A fake model whose tokens are letters: 1 is the start marker, 2 the end marker, and each token has its own dimension. */
const letters = {
  Tokenizer: class {
    encode(text: string, { add_special_tokens = true } = {}): { ids: number[] } {
      const plain = [...text].map((letter) => 3 + (letter.charCodeAt(0) % 5))
      return { ids: add_special_tokens ? [1, ...plain, 2] : plain }
    }
  },
}

type Feeds = Record<string, { data: BigInt64Array; dims: readonly number[] }>

function counting(width: number, { isSwayed = false } = {}) {
  const seen: Feeds[] = []
  const runtime = {
    Tensor: class {
      readonly data: BigInt64Array
      readonly dims: readonly number[]
      constructor(_type: string, data: BigInt64Array, dims: readonly number[]) {
        this.data = data
        this.dims = dims
      }
    },
    InferenceSession: {
      create: async () => ({
        inputNames: ['input_ids', 'attention_mask', 'token_type_ids'],
        outputNames: ['last_hidden_state'],
        release: async () => {},
        run: async (feeds: Feeds) => {
          seen.push(feeds)
          const { data, dims } = feeds.input_ids!
          const output = new Float32Array(data.length * width)
          for (const [at, id] of data.entries()) output[at * width + (Number(id) % width)] = 1
          if (isSwayed) output[0] = dims[0]!
          return { last_hidden_state: { dims: [...dims, width], data: output } }
        },
      }),
    },
  }
  const load: ImportPackage = async (name) => (name === 'onnxruntime-node' ? runtime : letters)
  return { seen, load }
}

function modelFolder(files: Record<string, object> = {}): string {
  const folder = mkdtempSync(join(scratch, 'model-'))
  mkdirSync(join(folder, '1_Pooling'))
  writeFileSync(join(folder, 'model_int8.onnx'), 'weights')
  for (const [name, content] of Object.entries({ 'tokenizer.json': {}, ...files })) {
    writeFileSync(join(folder, name), JSON.stringify(content))
  }
  return folder
}

describe('an ONNX folder', () => {
  test('vectors come back in the order of the texts, although batches are sorted by length', async () => {
    const { seen, load } = counting(8)
    const path = modelFolder({ 'config.json': { hidden_size: 8 } })
    const embedder = await openOnnx({ path, importPackage: load })
    expect(seen).toHaveLength(0)
    const texts = Array.from({ length: 40 }, (_, i) => 'abcde'.repeat(1 + ((i * 7) % 40)))
    const together = await embedder.embed(texts, { as: 'passage' })
    const widths = seen.slice(2).map((feeds) => feeds.input_ids!.dims[1]!)
    expect(widths).toEqual([...widths].sort((a, b) => a - b))
    const alone = await Promise.all(texts.map((text) => embedder.embed([text], { as: 'passage' })))
    expect(together).toEqual(alone.flat())
  })

  test('a model whose vectors depend on the batch gets one text at a time', async () => {
    const { seen, load } = counting(8, { isSwayed: true })
    const embedder = await openOnnx({ path: modelFolder(), importPackage: load })
    await embedder.embed(['a', 'b', 'c'], { as: 'passage' })
    expect(seen.slice(2).map((feeds) => feeds.input_ids!.dims[0])).toEqual([1, 1, 1])
  })

  test('a long text is cut to the window and keeps its end marker', async () => {
    const { seen, load } = counting(8)
    const path = modelFolder({ 'config.json': { hidden_size: 8 } })
    const embedder = await openOnnx({ path, importPackage: load })
    await embedder.embed(['a'.repeat(5000)], { as: 'passage' })
    const ids = seen.at(-1)!.input_ids!.data
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([256, 1n, 2n])
    expect(embedder.countTokens('abc')).toBe(5)
  })

  test('blank texts get zero vectors and are not sent to the model', async () => {
    const { seen, load } = counting(8)
    const embedder = await openOnnx({ path: modelFolder(), importPackage: load })
    const [blank] = await embedder.embed([' \n'], { as: 'query' })
    expect(blank).toEqual(new Float32Array(8))
    expect(seen).toHaveLength(2)
  })

  test('a probe finds the dimensions that no file gives', async () => {
    const { load } = counting(8)
    const embedder = await openOnnx({ path: modelFolder(), importPackage: load })
    expect(embedder.model).toMatchObject({ dimensions: 8, floor: 0.3, cascadeThreshold: 0.7 })
    expect(embedder.model.id).toMatch(/^onnx\/model-\w+@[0-9a-f]{12}$/)
  })

  test('dimensions that differ from the files are an error at the first text', async () => {
    const { load } = counting(8)
    const path = modelFolder({ 'config.json': { hidden_size: 384 } })
    const embedder = await openOnnx({ path, importPackage: load })
    await expect(embedder.embed(['a'], { as: 'query' })).rejects.toMatchObject({
      code: 'dimension_mismatch',
      message: expect.stringContaining('makes vectors of 8 numbers; 384 were expected'),
    })
  })

  test('the files of the export give the window, the prefixes and the pooling', async () => {
    const { seen, load } = counting(8)
    const path = modelFolder({
      'sentence_bert_config.json': { max_seq_length: 512 },
      'config.json': { hidden_size: 8, max_position_embeddings: 300 },
      'config_sentence_transformers.json': { prompts: { query: 'qq', passage: 'ppp' } },
      '1_Pooling/config.json': { pooling_mode_cls_token: true, word_embedding_dimension: 8 },
    })
    const embedder = await openOnnx({ path, importPackage: load })
    expect(embedder.model.maxTokens).toBe(300)
    const [vector] = await embedder.embed(['a'], { as: 'query' })
    expect(seen.at(-1)!.input_ids!.dims).toEqual([1, 5])
    await embedder.embed(['a'], { as: 'passage' })
    expect(seen.at(-1)!.input_ids!.dims).toEqual([1, 6])
    expect([...vector!]).toEqual([0, 1, 0, 0, 0, 0, 0, 0])
  })

  test('another pooling of the same weights gives another model id', async () => {
    const { load } = counting(8)
    const open = (files: Record<string, object>) =>
      openOnnx({ path: modelFolder(files), name: 'same', importPackage: load })
    const mean = await open({})
    const cls = await open({ '1_Pooling/config.json': { pooling_mode_cls_token: true } })
    expect(mean.model.id).not.toBe(cls.model.id)
    expect((await open({})).model.id).toBe(mean.model.id)
  })

  test.each([
    ['no model', () => scratch, /has no model\.onnx/],
    [
      'a pooling nobody knows',
      () => modelFolder({ '1_Pooling/config.json': { pooling_mode_weightedmean_tokens: true } }),
      /pooling_mode_weightedmean_tokens/,
    ],
  ])('a folder with %s is rejected', async (_, path, message) => {
    const { load } = counting(8)
    const opening = openOnnx({ path: path(), importPackage: load })
    await expect(opening).rejects.toMatchObject({
      code: 'bad_model',
      message: expect.stringMatching(message),
    })
  })

  test('[A3] if the optional packages are missing, the hint is the command that installs them', async () => {
    const load: ImportPackage = () => Promise.reject(new Error('not found'))
    await expect(openOnnx({ path: modelFolder(), importPackage: load })).rejects.toMatchObject({
      code: 'embedder_missing',
      hint: 'Run: npm install --ignore-scripts onnxruntime-node @huggingface/tokenizers',
    })
  })

  test('a closed embedder reports that it is closed', async () => {
    const { load } = counting(8)
    const embedder = await openOnnx({ path: modelFolder(), importPackage: load })
    await embedder.close()
    await expect(embedder.embed(['a'], { as: 'query' })).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('pooling', () => {
  const data = [3, 0, 0, 4, 9, 9]
  test.each([
    ['mean', [0.6, 0.8]],
    ['mean_sqrt_len', [0.6, 0.8]],
    ['max', [0.6, 0.8]],
    ['cls', [1, 0]],
  ] as const)('%s ignores padding and gives length 1', (pooling, expected) => {
    const vector = poolTokens({ data, start: 0, tokens: 2, width: 2 }, pooling)
    for (const [i, value] of expected.entries()) expect(vector[i]).toBeCloseTo(value, 6)
  })
})

const shared = [process.env.CAIRN_SHARED, join(import.meta.dirname, '../../../../shared')]
const miniLm = shared
  .flatMap((base) => (base === undefined ? [] : [join(base, 'models/all-MiniLM-L6-v2')]))
  .find((folder) => existsSync(join(folder, 'model_int8.onnx')))
const hasPackages = await Promise.all(
  ['onnxruntime-node', '@huggingface/tokenizers'].map(importPackage),
).then(
  () => true,
  () => false,
)
const reason =
  miniLm === undefined
    ? 'skipped: the folder all-MiniLM-L6-v2 is not there'
    : hasPackages
      ? ''
      : 'skipped: the optional packages are not installed'

describe.skipIf(reason !== '')(`MiniLM ${reason}`, () => {
  type Reference = { readonly text: string; readonly vector: readonly number[] }
  const path = miniLm ?? ''
  let opened: Promise<Embedder> | undefined
  const open = () => {
    opened ??= openOnnx({ path })
    return opened
  }
  const read = (): Reference[] => JSON.parse(readFileSync(join(path, 'reference.json'), 'utf8'))
  const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0)
  afterAll(async () => (await opened)?.close())

  test('[F2] each text has its published vector of 384 numbers', async () => {
    const embedder = await open()
    expect(embedder.model).toMatchObject({ dimensions: 384, maxTokens: 256 })
    for (const { text, vector } of read()) {
      const [ours] = await embedder.embed([text], { as: 'passage' })
      expect(Math.hypot(...ours!)).toBeCloseTo(1, 5)
      expect(cosine(ours!, vector)).toBeGreaterThan(0.9999)
    }
  })

  test('[F2] a text has the same vector alone and in a batch', async () => {
    const embedder = await open()
    const texts = read().map(({ text }) => text)
    const together = await embedder.embed(texts, { as: 'passage' })
    const alone = await Promise.all(texts.map((text) => embedder.embed([text], { as: 'passage' })))
    expect(together).toEqual(alone.flat())
  })

  test('[L3] tokens are counted by the model itself, with both markers', async () => {
    const embedder = await open()
    expect(embedder.countTokens('')).toBe(2)
    expect(embedder.countTokens('how we ship code to production')).toBe(8)
  })
})
