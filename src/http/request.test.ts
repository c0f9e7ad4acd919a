/** A query string can say everything that JSON can, and means the same. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operation } from '../operations/operations.js'
import { describeInput } from './openapi.js'
import { readQuery } from './request.js'

const schema = describeInput(operation('search'))
const read = (text: string) => readQuery(new URLSearchParams(text), schema)

describe('a query string', () => {
  test.each([
    ['', {}],
    ['query=pool&limit=5&explain=true', { query: 'pool', limit: 5, explain: true }],
    ['query=5&alpha=.5&k=6e1', { query: '5', alpha: 0.5, k: 60 }],
    ['tags=a&tags=b', { tags: ['a', 'b'] }],
    ['tags=a', { tags: ['a'] }],
    ['tags=[draft]&query={x', { tags: ['[draft]'], query: '{x' }],
    ['tags.all=a&tags.none=b&tags.none=c', { tags: { all: ['a'], none: ['b', 'c'] } }],
    ['tags={"all":["a"]}', { tags: { all: ['a'] } }],
    ['years=2019&years=2020..2022', { years: ['2019', '2020..2022'] }],
    ['ids.in=01K9ZQ3F', { ids: { in: ['01K9ZQ3F'] } }],
    [
      'boosts=[{"field":"tag","value":"a","factor":2}]',
      { boosts: [{ field: 'tag', value: 'a', factor: 2 }] },
    ],
    [
      'boosts={"field":"tag","value":"a","factor":2}&boosts={"field":"tag","value":"b","factor":1}',
      {
        boosts: [
          { field: 'tag', value: 'a', factor: 2 },
          { field: 'tag', value: 'b', factor: 1 },
        ],
      },
    ],
    ['since=2026-06-01&asOf=yesterday', { since: '2026-06-01', asOf: 'yesterday' }],
  ])('%s is read as the schema says', (text, input) => {
    expect(read(text)).toEqual(input)
  })

  test('what does not fit stays as it was written, for the schema to refuse', () => {
    expect(read('limit=many&explain=yes&nobody=1')).toEqual({
      limit: 'many',
      explain: 'yes',
      nobody: '1',
    })
    expect(read('limit=1&limit=2')).toEqual({ limit: ['1', '2'] })
    expect(read('limit=')).toEqual({ limit: '' })
    expect(read('limit=Infinity&k=0x10')).toEqual({ limit: 'Infinity', k: '0x10' })
  })

  test('names that objects have of themselves are names like any other', () => {
    const input = read('__proto__.polluted=1&constructor=2&__proto__=3&tags.__proto__=x')
    expect(Object.keys(input).sort()).toEqual(['__proto__', 'constructor', 'tags'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('any search can be asked for so, and any text can be its query', () => {
    const words = fc.array(
      fc.string({ minLength: 1 }).filter((one) => !/^[[{]/.test(one)),
      {
        minLength: 1,
      },
    )
    const input = fc.record(
      {
        query: fc.string(),
        limit: fc.integer({ min: 1, max: 1000 }),
        alpha: fc.double({ min: 0, max: 1, noNaN: true }).filter((one) => !Object.is(one, -0)),
        facets: fc.boolean(),
        people: words,
        sessions: words,
        years: fc.array(fc.integer({ min: -9999, max: 9999 }).map(String), { minLength: 1 }),
        tags: fc.record({ any: words, none: words }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(input, (given) => {
        const query = new URLSearchParams()
        const write = (key: string, value: unknown): void => {
          if (Array.isArray(value)) for (const one of value) query.append(key, String(one))
          else if (typeof value === 'object' && value !== null) {
            for (const [inner, one] of Object.entries(value)) write(`${key}.${inner}`, one)
          } else query.append(key, String(value))
        }
        for (const [key, value] of Object.entries(given)) write(key, value)
        expect(readQuery(new URLSearchParams(query.toString()), schema)).toEqual({ ...given })
      }),
    )
  })

  test('no text at all makes it fail', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => read(text)).not.toThrow()
      }),
    )
  })
})
