import { expect, test } from 'vitest'
import { summaryOf } from './summary.js'

test('a short text is its own summary, in one line', () => {
  expect(summaryOf('')).toBe('')
  expect(summaryOf(' one\n\n two\tthree ')).toBe('one two three')
})

test('a long text is cut after a hundred characters, and never inside one', () => {
  expect(summaryOf('x'.repeat(101))).toBe('x'.repeat(100))
  expect(summaryOf('🗼'.repeat(101))).toBe('🗼'.repeat(100))
  expect(summaryOf(`a${'🗼'.repeat(200)}`)).toBe(`a${'🗼'.repeat(99)}`)
  expect(summaryOf('東'.repeat(300))).toBe('東'.repeat(100))
})

test('a cut before a space leaves no trailing space', () => {
  expect(summaryOf(`${'x'.repeat(99)} y`)).toBe('x'.repeat(99))
})
