import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText, quoted } from './json-text.js'

/** Texts that JSON escapes: halves of pairs, quotes, control characters. */
const awkward = fc.constantFrom(
  ...[
    '"',
    '\\',
    '\n',
    '\u0000',
    '\u001f',
    '\u007f',
    '\u2028',
    '\ud800',
    '\udfff',
    ' ',
    'é',
    '𝄞',
    '[]',
  ],
)
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: awkward }))

test('any text is quoted as JSON quotes it', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(quoted(one)).toBe(JSON.stringify(one))
    }),
  )
})

test('any JSON is written as JSON writes it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(jsonText(value)).toBe(JSON.stringify(value))
    }),
    { numRuns: 1000 },
  )
})

test('what is undefined is left out of objects and null in lists, and a date is a text', () => {
  for (const value of [[undefined, 1], { a: undefined, b: [undefined] }, [[], {}], [new Date(0)]]) {
    expect(jsonText(value)).toBe(JSON.stringify(value))
  }
})
