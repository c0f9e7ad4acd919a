import { describe, expect, test } from 'vitest'
import type { FlagValues } from '../../src/interfaces/cli/command.js'
import { COMMANDS } from '../../src/interfaces/cli/commands.js'
import {
  FILTER_OPTIONS,
  LENS_OPTIONS,
  SEARCH_OPTIONS,
  searchParts,
} from '../../src/interfaces/cli/search-options.js'
import { lensOptions } from '../../src/requests/lens-request.js'
import { filterShape, searchRequest } from '../../src/requests/search-request.js'

const flagsOf = (name: string) => COMMANDS.find((command) => command.name === name)?.flags ?? {}

/** What `parseFlags` would give for a flag that was given once. */
const GIVEN = { text: 'x', number: 1, switch: true, list: ['1'] } as const

describe('[M1] the command line has every option of a search', () => {
  test('each key of the request has its flags, and no other key has', () => {
    const keys = Object.keys(searchRequest.shape).filter((key) => key !== 'query')
    expect(Object.keys(SEARCH_OPTIONS).sort()).toEqual(keys.sort())
    expect(Object.keys(FILTER_OPTIONS).sort()).toEqual(Object.keys(filterShape).sort())
    expect(Object.keys(LENS_OPTIONS).sort()).toEqual(Object.keys(lensOptions.shape).sort())
  })

  test('each of these flags is one of the command, and says what it was made for', () => {
    for (const [key, option] of Object.entries(SEARCH_OPTIONS)) {
      for (const [name, flag] of Object.entries(option.flags)) {
        expect(Object.keys(flagsOf('search'))).toContain(name)
        const value = name === 'boost' ? ['tag:release=1.5'] : GIVEN[flag.type]
        const given: FlagValues = { [name]: value }
        expect({ name, keys: Object.keys(searchParts(given)) }).toEqual({ name, keys: [key] })
      }
    }
    expect(searchParts({})).toEqual({})
  })

  test('lists and lenses have those that they take', () => {
    const of = (options: typeof SEARCH_OPTIONS | typeof FILTER_OPTIONS | typeof LENS_OPTIONS) =>
      Object.values(options).flatMap(({ flags }) => Object.keys(flags))
    expect(Object.keys(flagsOf('list'))).toEqual(expect.arrayContaining(of(FILTER_OPTIONS)))
    expect(Object.keys(flagsOf('similar'))).toEqual(expect.arrayContaining(of(FILTER_OPTIONS)))
    expect(Object.keys(flagsOf('lens save'))).toEqual(expect.arrayContaining(of(LENS_OPTIONS)))
  })

  test('flags become the values that the request wants', () => {
    expect(
      searchParts({
        tag: ['a'],
        'no-tag': ['b'],
        id: ['01ABCDEF'],
        year: ['2026', '-44'],
        boost: ['tag:a:b=c=1.5'],
        'no-documents': true,
        'no-facts': true,
        'no-vector': true,
        'no-highlight': true,
      }),
    ).toEqual({
      tags: { any: ['a'], none: ['b'] },
      ids: { in: ['01ABCDEF'] },
      years: [2026, -44],
      boosts: [{ field: 'tag', value: 'a:b=c', factor: 1.5 }],
      includeDocuments: false,
      includeFacts: false,
      useVector: false,
      highlight: false,
    })
  })
})
