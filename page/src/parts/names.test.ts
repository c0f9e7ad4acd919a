/** What has no title is named by its text, and nothing is said twice. */

import { expect, test } from 'vitest'
import { detailOf, firstLine, nameOf, readable, wholeWords } from './names.js'

test('a record without a title is named by its first line', () => {
  expect(nameOf({ title: null, body: '\n  We deploy.\nOn Thursdays.' })).toBe('We deploy.')
  expect(nameOf({ title: 'Deploying', body: 'We deploy.' })).toBe('Deploying')
  expect(firstLine('')).toBe('Untitled')
  expect(firstLine('## We **deploy** with `make`\n')).toBe('We deploy with make')
  expect(firstLine('x'.repeat(200))).toHaveLength(91)
})

test('below a title stands what the title does not say', () => {
  expect(detailOf({ title: 'A walk', body: '# A walk\n\nTo the hut.' })).toBe('To the hut.')
  expect(detailOf({ title: 'A walk', body: 'A walk' })).toBeNull()
  expect(detailOf({ title: null, body: 'A walk' })).toBeNull()
})

test('a summary that was cut within a word ends with the word before', () => {
  const cut = `${'word '.repeat(19)}half`
  expect(wholeWords(cut)).toBe(`${'word '.repeat(19).trimEnd()}…`)
  expect(wholeWords('Short.')).toBe('Short.')
})

test('a type of link reads like words', () => {
  expect(readable('DEPENDS_ON')).toBe('depends on')
})
