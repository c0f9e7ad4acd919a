/** What is joined into a body is split into the same parts again, whatever is edited between. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinTexts, keepTexts, splitTexts } from './full-text.js'

const texts = fc.uniqueArray(
  fc.record({
    path: fc.string({ minLength: 1 }),
    text: fc.string({ minLength: 1 }),
    pages: fc.constant([]),
  }),
  { selector: ({ path }) => path, maxLength: 3 },
)
const paged = texts.map((all) =>
  all.map((one) => ({ ...one, pages: [{ page: 1, start: 0, end: one.text.length }] })),
)
const metadata = fc.dictionary(
  fc.string().filter((key) => !['files', 'path', 'pages', '__proto__'].includes(key)),
  fc.integer(),
)

test('abstract, texts and metadata come back as they were', () => {
  fc.assert(
    fc.property(fc.string(), paged, metadata, (abstract, attached, own) => {
      const joined = joinTexts(abstract, attached, own)
      expect(splitTexts(joined)).toEqual({ abstract, texts: attached, metadata: own })
      const edited = keepTexts(joined, { body: 'New.', metadata: { x: 1 } })
      expect(splitTexts({ ...joined, ...edited })).toEqual({
        abstract: 'New.',
        texts: attached,
        metadata: { x: 1 },
      })
    }),
  )
})

test('a body that was read and written back is not doubled', () => {
  const attached = [{ path: 'a.pdf', text: 'The text.', pages: [] }]
  const joined = joinTexts('Short.', attached, {})
  const edited = keepTexts(joined, { body: `Quite ${joined.body}` })
  expect(edited.body).toBe(`Quite ${joined.body}`)
  expect(splitTexts({ ...joined, ...edited }).abstract).toBe('Quite Short.')
})
