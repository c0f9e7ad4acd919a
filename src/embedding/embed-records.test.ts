import fc from 'fast-check'
import { expect, test } from 'vitest'
import { averageVectors, embedRecords } from './embed-records.js'
import type { Embedder } from './embedder.js'
import { StaticEmbedder } from './static/static-embedder.js'

const quick = new StaticEmbedder()
const slow: Embedder = {
  model: quick.model,
  embed: (texts, options) => quick.embed(texts, options),
  countTokens: (text) => quick.countTokens(text),
  close: async () => {},
}

const word = fc.constantFrom(
  ...[
    'The',
    'boundary',
    'layer',
    'separates',
    'from',
    'HTTPServer',
    'naïve',
    'e\u0301t',
    '東京都、',
    '***',
    '3.14',
  ],
  ...[
    'Dr.',
    'ends.',
    'why?',
    '\n',
    '\n\n',
    '\n# Part\n',
    '\n- item',
    '\n```\ncode()\n```\n',
    'x'.repeat(90),
  ],
)
const text = (maxLength: number) =>
  fc.array(word, { minLength: 1, maxLength, size: 'max' }).map((words) => words.join(' '))

test('a prepared text has the same chunks and vectors as its passages embedded alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.option(text(200)), text(900), async (title, body) => {
      const texts = [{ title, body, context: null }]
      expect(await embedRecords(quick, texts, null)).toEqual(await embedRecords(slow, texts, null))
    }),
    { numRuns: 20 },
  )
})

test('a mix of turns with context and texts without keeps its order', async () => {
  const texts = ['alpha wind', 'beta wind', 'gamma wind', 'delta wind'].map((body, i) => ({
    title: null,
    body,
    context: i % 2 === 0 ? null : 'what the neighbour said',
  }))
  const read = await embedRecords(quick, texts, null)
  expect(read.map(({ of }) => of)).toEqual(texts)
  expect(read).toEqual(await embedRecords(slow, texts, null))
})

test.each([quick, slow])(
  'a text of characters that the model does not know has no chunks',
  async (embedder) => {
    const texts = [
      { title: null, body: '\u0001\u0002', context: null },
      { title: null, body: 'wind', context: null },
    ]
    const [signs, wind] = await embedRecords(embedder, texts, null)
    expect(signs).toEqual({ of: texts[0], chunks: [], whole: null })
    expect(wind?.chunks).toHaveLength(1)
  },
)

test('the first chunk starts at 0, even if the text begins with white space', async () => {
  for (const title of [null, 'Wind']) {
    const [read] = await embedRecords(quick, [{ title, body: '  blew.', context: null }], null)
    expect(read?.chunks).toMatchObject([{ start: 0, end: 7 }])
  }
})

test.each([quick, slow])('a title that fills many chunks is embedded once', async (embedder) => {
  const title = Array.from({ length: 400 }, (_, i) => `wind${i}`).join(' ')
  const texts = ['', 'blew.'].map((body) => ({ title, body, context: null }))
  const [alone, titled] = await embedRecords(embedder, texts, null)
  expect(alone?.chunks).toMatchObject([{ start: 0, end: 0 }])
  expect(titled?.chunks).toMatchObject([{ start: 0, end: 5 }])
})

test('the average of vectors lies between them and has length 1', () => {
  const half = Math.fround(Math.SQRT1_2)
  const average = (...vectors: number[][]) =>
    averageVectors(vectors.map((values) => Float32Array.from(values)))
  expect([...average([1, 0], [0, 1])]).toEqual([half, half])
  expect([...average([2, 0, 0], [0, 1, 0], [0, 1, 0])]).toEqual([half, half, 0])
})
