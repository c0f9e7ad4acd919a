import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJsonPlaces, removeJsonMember, setJsonMember } from './json-edit.js'

/** JSON with one or two characters removed, doubled or inserted; sometimes still valid. */
const nearlyJson = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom('', ',', '"', '}', '0', ' ', '\\', '.', '-', '\n', 'é', '\u2028'),
  )
  .map(([json, at, cut, sign]) => {
    const place = at % (json.length + 1)
    return json.slice(0, place) + sign + json.slice(place + cut)
  })

describe('reading', () => {
  test('a text is invalid exactly if JSON.parse refuses it', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.string()), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        expect(readJsonPlaces(text).kind).toBe(isJson ? 'read' : 'broken')
      }),
      { numRuns: 300 },
    )
  })

  test('an error has the line and column where the text stops being JSON', () => {
    const broken = (text: string) => readJsonPlaces(text)
    expect(broken('{"a": tru}')).toEqual({ kind: 'broken', line: 1, column: 7 })
    expect(broken('{\n  "a": 1\n  "b": 2\n}')).toEqual({ kind: 'broken', line: 3, column: 3 })
    expect(broken('{\r\n  "a": 1,\r\n}')).toEqual({ kind: 'broken', line: 3, column: 1 })
    expect(broken('')).toEqual({ kind: 'broken', line: 1, column: 1 })
    expect(broken('{"a": 1')).toEqual({ kind: 'broken', line: 1, column: 8 })
  })

  test('comments and trailing commas are accepted only with the option', () => {
    const text = '{ // one\n "a": [1, 2,], /* two */ }'
    expect(readJsonPlaces(text).kind).toBe('broken')
    expect(readJsonPlaces(text, { comments: true }).kind).toBe('read')
  })
})

describe('changing', () => {
  const rootOf = (text: string) => {
    const read = readJsonPlaces(text)
    if (read.kind === 'broken') throw new Error(`not JSON: ${text}`)
    return read.root
  }
  const names = fc.constantFrom('a', 'b', 'c"d', '')
  const objects = fc.dictionary(
    names,
    fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue())),
  )

  test('a member that is set has the new value, and everything else stays unchanged', () => {
    fc.assert(
      fc.property(
        objects,
        names,
        fc.jsonValue(),
        fc.constantFrom(0, 2),
        (object, name, value, n) => {
          const text = JSON.stringify(object, null, n)
          const after = setJsonMember(text, rootOf(text), [name], value)
          const plain = JSON.parse(JSON.stringify({ ...object, [name]: value })) as unknown
          expect(JSON.parse(after ?? '')).toEqual(plain)
        },
      ),
    )
  })

  test('a removed member is gone, and everything else stays unchanged', () => {
    fc.assert(
      fc.property(objects, names, fc.constantFrom(0, 2), (object, name, n) => {
        const text = JSON.stringify(object, null, n)
        const after = removeJsonMember(text, rootOf(text), [name])
        const { [name]: _, ...rest } = JSON.parse(text) as Record<string, unknown>
        expect(JSON.parse(after)).toEqual(rest)
      }),
    )
  })

  test('a path enters objects, creates missing ones, and fails at other values', () => {
    const text = '{\n    "a": { "b": 1 }\n}\n'
    const root = rootOf(text)
    expect(setJsonMember(text, root, ['a', 'b'], 2)).toBe('{\n    "a": { "b": 2 }\n}\n')
    expect(setJsonMember(text, root, ['c', 'd'], 3)).toBe(
      '{\n  "c": {\n    "d": 3\n  },\n    "a": { "b": 1 }\n}\n',
    )
    expect(setJsonMember(text, root, ['a', 'b', 'c'], 2)).toBeNull()
    expect(removeJsonMember(text, root, ['a', 'b'])).toBe('{\n    "a": { }\n}\n')
    expect(removeJsonMember(text, root, ['x', 'y'])).toBe(text)
  })
})
