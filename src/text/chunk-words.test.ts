/** Words are the same whichever side of a text they are looked at from. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endOfWord, isSpace, skipSpace, skipSpaceBack, startOfWord } from './chunk-words.js'

const WORD = /[^\s、，；：]+[、，；：]*|[、，；：]+/g
const unit = fc.constantFrom(
  'a',
  'Z',
  '9',
  '.',
  ' ',
  '\n',
  '\u00a0',
  '\u3000',
  '、',
  '，',
  '中',
  '😀',
)

test('white space is what a pattern takes for it', () => {
  const codes = Array.from({ length: 0x10000 }, (_, code) => code)
  const matched = codes.filter((code) => /\s/.test(String.fromCharCode(code)))
  expect(codes.filter(isSpace)).toEqual(matched)
})

test('words stand between white space, and each keeps the wide commas after it', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const words = text.match(WORD) ?? []
      const { length } = text
      const forward: string[] = []
      for (let at = skipSpace(text, 0, length); at < length; ) {
        const end = endOfWord(text, at, length)
        forward.push(text.slice(at, end))
        at = skipSpace(text, end, length)
      }
      const backward: string[] = []
      for (let end = skipSpaceBack(text, 0, length); end > 0; ) {
        const at = startOfWord(text, 0, end)
        backward.unshift(text.slice(at, end))
        end = skipSpaceBack(text, 0, at)
      }
      expect(forward).toEqual(words)
      expect(backward).toEqual(words)
    }),
  )
})
