import fc from 'fast-check'
import { expect, test } from 'vitest'
import { libraryOf } from '../../../test/support/library.js'

const PLAIN = { file: ':memory:', vectors: false } as const
const WORDS = ['fox', 'foxglove', 'hen', 'red', 'blue', 'egg'] as const

type Text = { readonly title: string; readonly body: string }
type Leaf = { readonly words: readonly string[]; readonly isPrefix: boolean }

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 })
const texts = fc.array(
  fc.record({ title: words, body: words }).map(({ title, body }) => ({
    title: title.slice(0, 4).join(' '),
    body: body.join(' '),
  })),
  { minLength: 2, maxLength: 12 },
)

/** What a query asks for, as text and as leaves; a row has to hold any of them. */
const queries = fc.constantFrom<{ text: string; leaves: Leaf[]; rankedBy: string }>(
  { text: 'fox OR red', leaves: [leaf('fox'), leaf('red')], rankedBy: 'postings' },
  { text: '"red hen" OR egg', leaves: [leaf('red hen'), leaf('egg')], rankedBy: 'postings' },
  { text: 'fo* OR blue', leaves: [leaf('fo', true), leaf('blue')], rankedBy: 'sql' },
  { text: '(egg AND zzz) OR fox', leaves: [leaf('egg'), leaf('fox')], rankedBy: 'sql' },
)

function leaf(text: string, isPrefix = false): Leaf {
  return { words: text.split(' '), isPrefix }
}

function count(text: string, { words, isPrefix }: Leaf): number {
  const all = text.split(' ')
  return all.filter((_, at) =>
    words.every((word, i) => (isPrefix ? all[at + i]?.startsWith(word) : all[at + i] === word)),
  ).length
}

function scorePlainly(all: readonly Text[], one: Text, leaves: readonly Leaf[]): number {
  const length = `${one.title} ${one.body}`.split(' ').length
  return leaves.reduce((sum, own) => {
    const holding = all.filter(({ title, body }) => count(title, own) + count(body, own) > 0).length
    const idf = Math.log((all.length + 2) / (holding + 1))
    const frequency = 1.25 * count(one.title, own) + count(one.body, own)
    return sum - (idf * frequency * 1.9) / (frequency + 0.9 * (0.4 + 0.6 * (length / 100)))
  }, 0)
}

test('BM25 of a hit is that of a plain loop over all texts, whichever way it was ranked', async () => {
  await fc.assert(
    fc.asyncProperty(texts, queries, async (made, { text, leaves, rankedBy }) => {
      const all = [...new Map(made.map((one) => [JSON.stringify(one), one])).values()]
      const cairn = await libraryOf(all, PLAIN)
      const options = { mode: 'keyword', match: 'all', limit: 50, explain: true } as const
      const answer = await cairn.search(text, options)
      await cairn.close()
      expect(answer.query.rankedBy).toBe(rankedBy)
      for (const { record, bm25 } of answer.hits) {
        const own = { title: record.title ?? '', body: record.body }
        expect(bm25).toBeCloseTo(scorePlainly(all, own, leaves), 9)
      }
      const scores = answer.hits.map(({ bm25 }) => bm25 ?? 0)
      expect(scores).toEqual(scores.toSorted((a, b) => a - b))
    }),
    { numRuns: 30 },
  )
})

test('what a length is worth does not depend on what else is stored', async () => {
  const long = `The fox came. ${'Nothing else happened that day. '.repeat(30)}`
  const titles = Array.from({ length: 200 }, (_, i) => `Title ${i}`)
  const cairn = await libraryOf([long, ...titles], PLAIN)
  const [hit] = (await cairn.search('fox', { mode: 'keyword' })).hits
  // 153 words; by hand: 0.9 · (0.4 + 0.6 · 1.53) = 1.186, and ln(203 / 2) · 1.9 / (1 + 1.186) = 4.015.
  expect(hit?.bm25).toBeCloseTo(-4.015, 2)
})
