import { expect, test } from 'vitest'
import { assertInput, check } from './check.js'
import { describeOptions } from './fields.js'
import { recordInput, recordPatch } from './record-requests.js'
import { searchRequest } from './search-request.js'
import { workInput } from './work-requests.js'

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
  expect(namespaces).toEqual({ help: 'only from these namespaces', value: 'name', unset: 'all' })
  expect(threshold).toMatchObject({ value: 'cosine', unset: "the model's own" })
  expect(explain).toEqual({ help: 'show how each score was computed' })
  expect(lens?.suggestions).toContain('balanced')
})

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic
const deep = JSON.parse(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`)
/** Each level holds the one below it twice: thirty levels are a billion values. */
const doubling = Array.from({ length: 30 }).reduce<unknown>((below) => [below, below], 'x')

test.each([
  ['title', 'k'.repeat(2001), 'title is longer than 2000 characters.'],
  ['tags', Array(10_001).fill('x'), 'tags has more than 10000 items.'],
  ['people', 'x'.repeat(501), 'people is longer than 500 characters.'],
  ['occurredAt', '1'.repeat(101), 'occurredAt is longer than 100 characters.'],
  ['metadata', deep, 'metadata is nested deeper than 100 levels.'],
  ['metadata', cyclic, 'metadata is nested deeper than 100 levels.'],
  ['metadata', { big: 1n }, 'metadata must not contain a BigInt, which JSON cannot hold.'],
  ['metadata', { a: 'x'.repeat(1_000_000) }, 'metadata is longer than 1000000 characters as JSON.'],
  [
    'metadata',
    { a: new Uint8Array(2_000_000) },
    'metadata is longer than 1000000 characters as JSON.',
  ],
  ['metadata', { doubling }, 'metadata is longer than 1000000 characters as JSON.'],
  ['body', cyclic, 'body must be text, not "{…}".'],
  ['importance', 1n, 'importance must be a number, not "1".'],
  ['x'.repeat(1000), 1, `There is no option "${'x'.repeat(60)}…".`],
])('%s beyond its limit is refused in one sentence', (option, value, sentence) => {
  const refused = () => assertInput(recordInput, { body: 'text', [option]: value })
  expect(refused).toThrow(expect.objectContaining({ code: 'bad_input', message: sentence }))
})

test('a misspelt option is named before the one that is missing for it', () => {
  expect(() => assertInput(recordInput, { boddy: 'text' })).toThrow('There is no option "boddy".')
})

test('one thing for a list is taken in the singular, and a number stays a number', () => {
  expect(assertInput(searchRequest, { sector: 'semantic', passage: 2 })).toMatchObject({
    sectors: ['semantic'],
    passages: 2,
  })
})

test('inputs at their limits are taken', () => {
  const metadata = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`)
  const input = { body: 'text', title: 'k'.repeat(2000), tags: Array(10_000).fill('x'), metadata }
  expect(check(recordInput, input, NOW)).toMatchObject({ title: input.title, metadata })
})

test('a work is refused for a long field, and its note may be longer', () => {
  const refusal = (work: object) => () => assertInput(workInput, { title: 'x', ...work })
  expect(refusal({ title: 'k'.repeat(2001) })).toThrow('title is longer than 2000 characters.')
  expect(refusal({ venue: 'k'.repeat(10_001) })).toThrow('venue is longer than 10000 characters.')
  expect(refusal({ note: 'k'.repeat(100_001) })).toThrow('note is longer than 100000 characters.')
  expect(refusal({ note: 'k'.repeat(100_000) })).not.toThrow()
})
