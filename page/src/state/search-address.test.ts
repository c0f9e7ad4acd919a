/** Every search survives its address. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  FACET_NAMES,
  isBlank,
  MODES,
  readSearch,
  type SearchChoices,
  SORTS,
  searchAddress,
  toggleFacet,
  toSearchInput,
  withoutFilters,
  writeSearch,
} from './search-address.js'

const values = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 3 })
const choices = fc.record({
  q: fc.string({ unit: 'binary' }),
  mode: fc.constantFrom(...MODES),
  lens: fc.string({ minLength: 1 }),
  sort: fc.constantFrom(...SORTS),
  since: fc.constantFrom('', '7d', '2026-01-01'),
  until: fc.constantFrom('', '2026-02-01'),
  arrived: fc.constantFrom('', '2026-02-01T10:00:00.000Z'),
  withSuperseded: fc.boolean(),
  facets: fc.record(
    Object.fromEntries(FACET_NAMES.map((name) => [name, values])) as Record<
      (typeof FACET_NAMES)[number],
      typeof values
    >,
  ),
})

test('what is written to an address is read from it again', () => {
  fc.assert(
    fc.property(choices, (before: SearchChoices) => {
      expect(readSearch(writeSearch(before))).toEqual(before)
    }),
  )
})

test('a value chosen twice is not chosen', () => {
  fc.assert(
    fc.property(choices, fc.constantFrom(...FACET_NAMES), fc.string(), (before, name, value) => {
      fc.pre(!before.facets[name].includes(value))
      const after = toggleFacet(toggleFacet(before, name, value), name, value)
      expect(after).toEqual(before)
    }),
  )
})

test('an empty address is a blank search, and a blank search has an empty address', () => {
  const blank = readSearch(new URLSearchParams())
  expect(isBlank(blank)).toBe(true)
  expect(searchAddress(blank)).toBe('/')
  expect(isBlank(readSearch(new URLSearchParams('tag=x')))).toBe(false)
})

test('values of one facet are alternatives, years are numbers, and names are whole', () => {
  const asked = readSearch(
    new URLSearchParams('q=a&tag=x&tag=y&year=2026&project=team&author=Ada+Lovelace'),
  )
  expect(toSearchInput(asked, 20)).toMatchObject({
    query: 'a',
    tags: { any: ['x', 'y'] },
    years: [2026],
    namespaces: ['team'],
    people: ['"Ada Lovelace"'],
    kinds: ['work'],
    facets: true,
    wideFacets: true,
    dateField: 'occurred',
  })
  expect(toSearchInput(asked, 20, 20)).toMatchObject({ offset: 20, facets: false })
})

test('taking all filters away leaves the question', () => {
  const asked = readSearch(new URLSearchParams('q=a&lens=memory&tag=x&since=7d&superseded=1'))
  expect(searchAddress(withoutFilters(asked))).toBe('/?q=a&lens=memory')
})
