import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { findBundledModel, listChangedFiles } from './model-file.js'
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

test('[D1] a changed bit of the weights or a changed vocabulary is detected', () => {
  expect(listChangedFiles()).toEqual([])
  const copy = join(scratch, 'changed')
  cpSync(folder, copy, { recursive: true })
  const weights = join(copy, 'model.safetensors')
  const bytes = readFileSync(weights)
  bytes.writeUInt8((bytes[bytes.length - 5] ?? 0) ^ 1, bytes.length - 5)
  writeFileSync(weights, bytes)
  expect(listChangedFiles(copy)).toEqual(['model.safetensors'])
  writeFileSync(join(copy, 'vocab.txt'), '')
  expect(listChangedFiles(copy)).toEqual(['model.safetensors', 'vocab.txt'])
})

describe('the bundled model', () => {
  test.each(reference)('[N1] embeds "$text" as published', ({ text, tokens, vector }) => {
    expect(embedder.listIds(text)).toEqual(tokens)
    // The published numbers have six decimals, and floating-point sums have rounding errors.
    expect(widest(vector, one(text))).toBeLessThan(1e-6)
    expect(widest(vector, one(text, plain))).toBeLessThan(1e-6)
  })

  test('reading only the needed rows gives the same vectors as reading the whole table', () => {
    const whole = new StaticEmbedder()
    const pieces = readFileSync(join(folder, 'vocab.txt'), 'utf8').split('\n', 2000)
    one(pieces.join(' '), whole)
    const few = new StaticEmbedder()
    for (const text of ['wind energy', 'wind power', 'a cat', 'a cat, wind energy and power']) {
      expect(one(text, few)).toEqual(one(text, whole))
    }
    expect(one(pieces.join(' '), few)).toEqual(one(pieces.join(' '), whole))
  })

  test('[N1] texts with the same meaning have a higher cosine than unrelated texts', () => {
    const question = one('how do we ship code to production')
    const answer = one('Our deployment process: tag a release, wait for CI, promote the build.')
    const unrelated = cosine(question, one('The cat sat on the mat.'))
    expect(unrelated).toBeLessThan(embedder.model.floor)
    expect(cosine(question, answer)).toBeGreaterThan(unrelated + 0.1)
  })

  test('any text gives a unit vector or zero, the same every time', () => {
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

  const near = 1e-6

  test('WebAssembly and JavaScript give the same vectors for any words', () => {
    const words = fc.array(
      fc.constantFrom('search', 'engine', 'Paris', 'getUserById', '12', 'xyzzy', 'the', 'virus'),
    )
    fc.assert(
      fc.property(words, (list) => {
        const text = list.join(' ')
        expect(widest(one(text), one(text, plain))).toBeLessThan(near)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['one more id than one call takes', 4097],
    ['the whole vocabulary', 40_000],
  ])('WebAssembly and JavaScript give the same vectors for %s', (_, count) => {
    const vocabulary = readFileSync(join(folder, 'vocab.txt'), 'utf8').split('\n')
    const text = `${'virus '.repeat(1000)}${vocabulary.slice(-count).join(' ')}`
    expect(widest(one(text), one(text, plain))).toBeLessThan(near)
  })

  // Quadratic time would exceed the time limit of the suite.
  test.each([
    ['one word', 'search '.repeat(150_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['one letter without a break', 'a'.repeat(1_000_000)],
    ['capitals', 'aB'.repeat(500_000)],
    ['CJK', '東京都'.repeat(333_000)],
    ['Hangul', '한국 '.repeat(333_000)],
    ['accents', 'é́ '.repeat(333_000)],
    ['distinct numbers', Array.from({ length: 150_000 }, (_, i) => i).join(' ')],
  ])('a megabyte of %s is embedded in linear time', (_, text) => {
    const length = Math.hypot(...one(text))
    expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true)
  })

  test('a word counts as its pieces, and an unknown word still counts as tokens', () => {
    expect(embedder.countTokens('')).toBe(0)
    expect(embedder.countTokens('The cat sat on the mat.')).toBe(6)
    expect(embedder.countTokens('東京都東京都東京都')).toBe(3)
  })

  test('embed keeps the order of its texts and can be aborted', async () => {
    const texts = ['cat', 'dog', 'x '.repeat(300_000), 'cat']
    expect(await embedder.embed(texts, { as: 'passage' })).toEqual(embedder.embedSync(texts))
    const signal = AbortSignal.abort()
    await expect(embedder.embed(texts, { as: 'query', signal })).rejects.toThrow(/abort/i)
  })

  test('a closed embedder reports that it is closed', async () => {
    const closed = new StaticEmbedder()
    await closed.close()
    await expect(closed.embed(['cat'], { as: 'query' })).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('a prepared text', () => {
  const pieces =
    "wind Tunnel getUserById XMLHttp É e\u0301 ﬁne ΟΔΟΣ . ' - 東京都 👨‍👩‍👧 ½ C++ 3.14 \u0301 \ud800"
  const piece = fc.constantFrom(
    ...pieces.split(' '),
    ...['a'.repeat(70), ' ', ' ', '\n', '\t', '\u00a0'],
  )
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 80 }),
  )

  test('any range has the same tokens and vector as the range alone', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, a, b) => {
        const [start = 0, end = 0] = [a % (text.length + 1), b % (text.length + 1)].sort(
          (x, y) => x - y,
        )
        const part = text.slice(start, end)
        const prepared = embedder.prepare(text)
        expect(prepared?.countTokens(start, end)).toBe(embedder.countTokens(part))
        expect(prepared?.embed(start, end)).toEqual(one(part))
      }),
      { numRuns: 300 },
    )
  })

  test('every range of plain and camelCase text has the same tokens as the range alone', () => {
    const text = 'The HTTPServer reads aB1C2, XYz and naïve words-with dashes.\nNext  line'
    const prepared = embedder.prepare(text)
    for (let start = 0; start <= text.length; start++) {
      for (let end = start; end <= text.length; end++) {
        expect(prepared?.countTokens(start, end)).toBe(embedder.countTokens(text.slice(start, end)))
      }
    }
  })

  test('a huge text is not prepared', () => {
    expect(embedder.prepare('wind '.repeat(50_000))).toBeNull()
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
  ])('a file that is %s is rejected as a bad model', (_, bytes) => {
    expect(() => one('cat', brokenModel(bytes))).toThrow(
      expect.objectContaining({ code: 'bad_model', hint: 'Install cairn-search again.' }),
    )
  })

  test('a vocabulary of another size is rejected', () => {
    expect(() => one('cat', brokenModel(model, 'a\nb\n'))).toThrow(/no usable tensor "table"/)
  })

  test('a missing folder is rejected', () => {
    expect(() => one('cat', new StaticEmbedder({ folder: join(scratch, 'nowhere') }))).toThrow(
      expect.objectContaining({ code: 'bad_model' }),
    )
  })

  test('[N1] the model is found from the sources and from a bundle in dist', () => {
    mkdirSync(join(scratch, 'package/models/cairn-static-v2'), { recursive: true })
    const inPackage = join(scratch, 'package/models/cairn-static-v2')
    writeFileSync(join(inPackage, 'model.safetensors'), '')
    expect(findBundledModel(join(scratch, 'package/dist/chunks/a.js'))).toBe(inPackage)
    expect(() => findBundledModel(join(scratch, 'elsewhere/dist/a.js'))).toThrow(/missing/)
  })
})
