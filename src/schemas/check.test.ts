import { expect, test } from 'vitest'
import { assertInput, check } from './check.js'
import { describeOptions } from './fields.js'
import { recordInput, recordPatch } from './record-requests.js'
import { searchRequest } from './search-request.js'

const NOW = Date.UTC(2026, 5, 15, 12)
const DAY = 86_400_000

test.each([
  [{ limit: 0 }, 'limit must be at least 1, not "0".'],
  [{ limit: 1.5 }, 'limit must be a whole number, not "1.5".'],
  [{ mode: 'best' }, 'mode must be one of hybrid, semantic, keyword, not "best".'],
  [{ tags: { any: [''] } }, 'tags.any must not be empty.'],
  [{ boosts: [{ field: 'tag', value: 'a' }] }, 'boosts.factor is missing.'],
  [{ colour: 'red' }, 'There is no option "colour".'],
  [{ since: 'soon' }, /^since: "soon" is not a time; write 2026-06-01/],
])('%j is refused in one sentence that names the option', (input, message) => {
  expect(() => assertInput(searchRequest, input)).toThrow(message)
})

test.each([
  [{ tags: [1] }, 'tags must be text, not "1".'],
  [{ tags: ['ops', ''] }, 'tags must not be empty.'],
  [{ tags: '' }, 'tags must not be empty.'],
  [{ people: {} }, 'people must be a list, not "{}".'],
  [{ tags: 'x'.repeat(501) }, 'tags is longer than 500 characters.'],
  [{ occurredAt: {} }, 'occurredAt must be text, not "{}".'],
])('%j is refused for the problem of the form that it is closest to', (given, sentence) => {
  expect(() => assertInput(recordInput, { body: 'text', ...given })).toThrow(sentence)
})

test('a time counts from the clock that is given, and a schema with times needs one', () => {
  const read = (input: object) => check(searchRequest, input, NOW)
  expect(read({ since: '7d' }).since).toBe(NOW - 7 * DAY)
  expect(read({ since: '2026-06-01T09:30:00Z' }).since).toBe(Date.UTC(2026, 5, 1, 9, 30))
  expect(read({ since: new Date(5) }).since).toBe(5)
  const [start, end] = [read({ since: 'today' }).since, read({ until: 'today' }).until]
  expect([start, end]).toEqual([new Date(NOW).setHours(0, 0, 0, 0), (start ?? 0) + DAY])
  expect(read({ asOf: 'today' }).asOf).toBe((end ?? 0) - 1)
  expect(() => check(searchRequest, { since: '7d' })).toThrow('without a clock')
})

test('a record gets its defaults, a patch only what was given', () => {
  expect(check(recordInput, { body: 'a', tags: 'one' }, NOW)).toMatchObject({
    body: 'a',
    kind: 'memory',
    tags: ['one'],
    importance: 0.5,
    occurredAt: null,
    extractFacts: false,
  })
  expect(check(recordPatch, { title: null }, NOW)).toEqual({ title: null })
})

test('a lone surrogate, which has no UTF-8 form, becomes a replacement character', () => {
  expect(check(recordInput, { body: 'a\ud800', title: '\udc00' }, NOW)).toMatchObject({
    body: 'a\ufffd',
    title: '\ufffd',
  })
})

test('help names the value and what applies without the option', () => {
  const { namespaces, threshold, explain, lens } = describeOptions(searchRequest)
  expect(namespaces).toEqual({ help: 'only from these projects', value: 'name', unset: 'all' })
  expect(threshold).toMatchObject({ value: 'cosine', unset: "the model's own" })
  expect(explain).toEqual({ help: 'show how each score was computed' })
  expect(lens?.suggestions).toContain('balanced')
})
