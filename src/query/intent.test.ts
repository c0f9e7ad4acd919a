import { expect, test } from 'vitest'
import { asksForWords } from './intent.js'
import { parseQuery } from './parse.js'

test.each([
  ['how do we ship code', false],
  ['deployment', false],
  ['retryWithJitter', true],
  ['v2026.4.10', true],
  ['foo_bar', true],
  ['"solid state" lasers', true],
  ['title:laser', true],
  ['cats OR dogs', true],
  ['cats -dogs', true],
  ['', true],
])('[A2] %j asks for words: %s', (text, expected) => {
  expect(asksForWords(parseQuery(text))).toBe(expected)
})
