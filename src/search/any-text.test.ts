import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'

/** Set `FUZZ_RUNS=20000` for a long run. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 300)

const TEXTS = [
  'The deployment process runs on Thursdays; see foo-bar and user@host for v2026.4.10.',
  'C++ and C# are languages. "Quotes", (parentheses) and NEAR( here.',
  '東京都に住んでいます。 데이터베이스 백업. 我们在北京部署服务。',
  'naïve café Zoë — ½ 🎉 \u0000 control',
]

const syntax = fc.constantFrom(
  ...[
    '"',
    '(',
    ')',
    '*',
    '-',
    'AND',
    'OR',
    'NOT',
    'NEAR(',
    ',',
    ':',
    'title:',
    'tag:',
    'body:',
    'foo:',
  ],
  ...[
    '^',
    '+',
    '{',
    '}',
    "'",
    '\\',
    ';',
    '--',
    '\u0000',
    ' ',
    '  ',
    'a',
    '東',
    '京都',
    'deploy',
    'C++',
  ],
)
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.array(syntax, { maxLength: 20 }).map((parts) => parts.join('')),
  fc.array(syntax, { maxLength: 20 }).map((parts) => parts.join(' ')),
)

test('[D5, N2] any text is a query that the database answers', async () => {
  const cairn = await libraryOf(TEXTS, { cache: false })
  let tried = 0
  await fc.assert(
    fc.asyncProperty(anyText, fc.constantFrom('auto', 'all', 'any'), async (query, match) => {
      const answer = await cairn.search(query, { match: match as 'auto' })
      tried += 1
      expect(answer.hits.filter(({ weak }) => !weak).length).toBeLessThanOrEqual(answer.total.value)
      for (const { snippet, record, score } of answer.hits) {
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        if (snippet) expect(record.body.startsWith(snippet.text, snippet.start)).toBe(true)
      }
    }),
    { numRuns: RUNS },
  )
  expect(tried).toBeGreaterThanOrEqual(RUNS)
})

test('[D5] any text can be stored and read back unchanged, and the file stays sound', async () => {
  const cairn = await libraryOf([])
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async (body) => {
      if (body.trim() === '') return
      const { id } = await cairn.add({ body, title: body, tags: ['t'] })
      const [record] = (await cairn.get([id])).records
      expect(record?.body).toBe(body.toWellFormed())
    }),
    { numRuns: 80 },
  )
  expect((await cairn.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
})

test('[D5] every word of a text finds that text', async () => {
  const cairn = await libraryOf(TEXTS)
  for (const [i, text] of TEXTS.entries()) {
    for (const word of text
      .replaceAll('\u0000', ' ')
      .split(/\s+/)
      .filter((part) => /[\p{L}\p{N}]/u.test(part))) {
      const { hits } = await cairn.search(word)
      expect({ word, found: hits.some(({ record }) => record.body === TEXTS[i]) }).toEqual({
        word,
        found: true,
      })
    }
  }
})

test('[D5] huge queries are answered', async () => {
  const cairn = await libraryOf(TEXTS)
  const long = Array.from({ length: 5000 }, (_, i) => `w${i}`).join(' ')
  expect((await cairn.search(`deployment ${long}`)).hits).toHaveLength(1)
  expect((await cairn.search('x'.repeat(200_000))).hits).toEqual([])
  expect((await cairn.search(`${'('.repeat(5000)}deployment`)).hits).toHaveLength(1)
  expect((await cairn.search('東京都'.repeat(2000))).hits.length).toBeGreaterThan(0)
})

test('[D5, L2] an empty list of fields limits nothing', async () => {
  const cairn = await libraryOf(TEXTS)
  for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
    const { hits } = await cairn.search('deployment', { mode, fields: [], threshold: 0 })
    expect(hits[0]?.record.body).toBe(TEXTS[0])
  }
})
