/** The bundled model gives the vectors it was published with, for any text, on any machine, offline. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { findBundledModel } from './model-file.js'
import { StaticEmbedder } from './static-embedder.js'

type Reference = {
  readonly text: string
  readonly tokens: readonly number[]
  readonly vector: readonly number[]
}

const folder = findBundledModel()
const reference: readonly Reference[] = JSON.parse(
  readFileSync(join(folder, 'reference.json'), 'utf8'),
)
const embedder = new StaticEmbedder()
const plain = new StaticEmbedder({ wasm: false })
const scratch = mkdtempSync(join(tmpdir(), 'cairn-static-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const one = (text: string, by = embedder): Float32Array => by.embedSync([text])[0]!
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0)
const widest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0)

describe('the bundled model', () => {
  test.each(reference)('[N1] reads "$text" as published', ({ text, tokens, vector }) => {
    expect(embedder.idsOf(text)).toEqual(tokens)
    expect(widest(vector, one(text))).toBeLessThan(1e-5)
    expect(widest(vector, one(text, plain))).toBeLessThan(1e-5)
  })

  test('[N1] texts that mean the same are nearer than texts that share nothing', () => {
    const question = one('how do we ship code to production')
    const answer = one('Our deployment process: tag a release, wait for CI, promote the build.')
    const unrelated = cosine(question, one('The cat sat on the mat.'))
    expect(unrelated).toBeLessThan(embedder.model.floor)
    expect(cosine(question, answer)).toBeGreaterThan(unrelated + 0.1)
  })

  test('any text gives a unit vector or no opinion, the same one every time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const vector = one(text)
        const length = Math.hypot(...vector)
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true)
        expect(one(text)).toEqual(vector)
      }),
      { numRuns: 120 },
    )
  })

  // Weights of 16 bits err by some hundred-thousandths; a vector has numbers of about a sixteenth.
  const near = 5e-5

  test('the fast loops and the plain loops agree on any words', () => {
    const words = fc.array(
      fc.constantFrom('search', 'engine', 'Paris', 'getUserById', '12', 'xyzzy', 'the', 'virus'),
    )
    fc.assert(
      fc.property(words, (list) => {
        const text = list.join(' ')
        expect(widest(one(text), one(text, plain))).toBeLessThan(near)
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    ['one more row than is added up in one go', 513],
    ['as many rows as are added up in two goes', 1024],
    ['the whole vocabulary', 32_000],
  ])('the fast loops and the plain loops agree on %s', (_, count) => {
    const vocabulary = readFileSync(join(folder, 'vocab.txt'), 'utf8').split('\n')
    const text = vocabulary.slice(-count).join(' ')
    expect(widest(one(text), one(text, plain))).toBeLessThan(near)
  })

  test('a word that is said a hundred thousand times does not drown ten thousand others', () => {
    const vocabulary = readFileSync(join(folder, 'vocab.txt'), 'utf8').split('\n')
    const text = 'virus '.repeat(100_000) + vocabulary.slice(10_000, 20_000).join(' ')
    expect(widest(one(text), one(text, plain))).toBeLessThan(near)
  })

  // Work that grew with the square of the length would run into the time limit of the suite.
  test.each([
    ['one word', 'search '.repeat(150_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['one letter without a break', 'a'.repeat(1_000_000)],
    ['capitals', 'aB'.repeat(500_000)],
    ['CJK', '東京都'.repeat(333_000)],
    ['Hangul', '한국 '.repeat(333_000)],
    ['accents', 'é́ '.repeat(333_000)],
    ['distinct numbers', Array.from({ length: 150_000 }, (_, i) => i).join(' ')],
  ])('a megabyte of %s is read to its end', (_, text) => {
    const length = Math.hypot(...one(text))
    expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true)
  })

  test('a word counts its pieces, and a word it cannot read still takes room', () => {
    expect(embedder.countTokens('')).toBe(0)
    expect(embedder.countTokens('The cat sat on the mat.')).toBe(6)
    expect(embedder.countTokens('東京都東京都東京都')).toBe(3)
  })

  test('embed keeps the order of its texts and stops when asked', async () => {
    const texts = ['cat', 'dog', 'x '.repeat(300_000), 'cat']
    expect(await embedder.embed(texts, { as: 'passage' })).toEqual(embedder.embedSync(texts))
    const signal = AbortSignal.abort()
    await expect(embedder.embed(texts, { as: 'query', signal })).rejects.toThrow(/abort/i)
  })

  test('a closed embedder says that it is closed', async () => {
    const closed = new StaticEmbedder()
    await closed.close()
    await expect(closed.embed(['cat'], { as: 'query' })).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('the model file', () => {
  const model = readFileSync(join(folder, 'model.safetensors'))
  const brokenModel = (bytes: Uint8Array, vocabulary?: string): StaticEmbedder => {
    const at = mkdtempSync(join(scratch, 'model-'))
    writeFileSync(join(at, 'model.safetensors'), bytes)
    writeFileSync(join(at, 'vocab.txt'), vocabulary ?? readFileSync(join(folder, 'vocab.txt')))
    return new StaticEmbedder({ folder: at })
  }

  test.each([
    ['empty', new Uint8Array(0)],
    ['cut inside its header', model.subarray(0, 100)],
    ['cut inside its table', model.subarray(0, 1_000_000)],
    ['not a model', new TextEncoder().encode('\x10\0\0\0\0\0\0\0this is no json!')],
  ])('a file that is %s is refused as a bad model', (_, bytes) => {
    expect(() => one('cat', brokenModel(bytes))).toThrow(
      expect.objectContaining({ code: 'bad_model', hint: 'Install cairn-search again.' }),
    )
  })

  test('a vocabulary of another size is refused', () => {
    expect(() => one('cat', brokenModel(model, 'a\nb\n'))).toThrow(/no usable tensor "table"/)
  })

  test('a missing folder is refused', () => {
    expect(() => one('cat', new StaticEmbedder({ folder: join(scratch, 'nowhere') }))).toThrow(
      expect.objectContaining({ code: 'bad_model' }),
    )
  })

  test('[N1] the model is found from a bundle in dist as from the sources', () => {
    mkdirSync(join(scratch, 'package/models/cairn-static-v1'), { recursive: true })
    const inPackage = join(scratch, 'package/models/cairn-static-v1')
    writeFileSync(join(inPackage, 'model.safetensors'), '')
    expect(findBundledModel(join(scratch, 'package/dist/chunks/a.js'))).toBe(inPackage)
    expect(() => findBundledModel(join(scratch, 'elsewhere/dist/a.js'))).toThrow(/not there/)
  })
})
