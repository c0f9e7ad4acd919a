import { describe, expect, test } from 'vitest'
import type { Command } from '../../src/cli/command.js'
import { COMMANDS } from '../../src/cli/commands.js'
import { type JsonSchema, toPlainSchema } from '../../src/mcp/tool.js'
import { operation } from '../../src/operations/operations.js'

/** Defaults that are the terminal's own. */
const OWN_DEFAULTS: Readonly<Record<string, string>> = {
  'search --limit': 'a screen holds more than an agent wants to read',
}

const command = (name: string): Command => {
  const found = COMMANDS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no command ${name}`)
  return found
}

const read = (name: string, flags: Command['flags'] | object, words: string[] = []) =>
  command(name).speech?.read({ words, flags: flags as Record<string, never> })

/** Each part of an input that flags say, with its schema: `tags.any`, `options.limit`. */
function partsOf(schema: JsonSchema, path: readonly string[] = []): [string[], JsonSchema][] {
  const forms = (schema.anyOf ?? [schema]) as JsonSchema[]
  const { properties } = forms.find(({ type }) => type === 'object') ?? schema
  if (properties === undefined) return [[[...path], schema]]
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([key, part]) =>
    partsOf(part, [...path, key]),
  )
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'switch',
  array: 'list',
  object: 'list',
}

const performing = COMMANDS.filter(({ performs }) => performs !== undefined)

describe('what a flag takes is what the schema of its operation takes', () => {
  test.each(performing.map((one) => [one.name, one] as const))('cairn %s', async (name, one) => {
    const [first] = one.performs ?? []
    if (first === undefined) throw new Error('a command performs something')
    const { schema, options } = operation(first)
    for (const [path, part] of partsOf(toPlainSchema(await schema()))) {
      const flag = one.flags[one.speech?.nameOf(path)?.replace(/^--/, '') ?? '']
      if (flag === undefined) continue
      const which = `${name} ${one.speech?.nameOf(path)}`
      expect({ which, type: flag.type }).toEqual({ which, type: TYPES[String(part.type)] })
      const choices = part.enum ?? (part.items as JsonSchema | undefined)?.enum
      expect({ which, choices: flag.choices }).toEqual({ which, choices })
      if (which in OWN_DEFAULTS || path.length > 1) continue
      const unset = options[path[0] as keyof typeof options] as { unset?: string }
      const byDefault = shownDefault(part.default) ?? unset.unset
      const isOff = part.default === true
      if (!isOff) expect({ which, default: flag.default }).toEqual({ which, default: byDefault })
    }
  })
})

/** An empty list, no switch and nothing at all are no defaults worth a word. */
function shownDefault(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

describe('[M1] flags become the values that a request wants', () => {
  test('of a search', () => {
    expect(
      read('search', {
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
    expect(read('search', {})).toEqual({})
    expect(read('search', {}, ['two', 'words'])).toEqual({ query: 'two words' })
    expect(read('search', {}, ['  '])).toEqual({})
  })

  test('of a record, whose tags can be taken away', () => {
    const flags = { tag: [''], person: ['Ada'], meta: ['n=1', 'text=one=1', 'list=[1]', 'gone='] }
    expect(read('edit', flags, ['01ABCDEF', 'text'])).toEqual({
      id: '01ABCDEF',
      body: 'text',
      tags: [],
      people: ['Ada'],
      metadata: { n: 1, text: 'one=1', list: [1], gone: '' },
    })
  })

  test('of a lens, which holds the options of a search', () => {
    expect(read('lens save', { alpha: 0.5, 'no-facts': true, sentence: 'mine' }, ['x'])).toEqual({
      name: 'x',
      sentence: 'mine',
      options: { alpha: 0.5, includeFacts: false },
    })
    expect(read('lens save', {}, ['x'])).toEqual({ name: 'x', options: {} })
  })

  test('of what is wanted of both directions, of one, or by both flags of both', () => {
    expect(read('openalex expand', {}, ['x'])).toEqual({ id: 'x' })
    expect(read('openalex expand', { citations: true }, ['x'])).toEqual({
      id: 'x',
      references: false,
    })
    expect(read('openalex expand', { references: true, citations: true }, ['x'])).toEqual({
      id: 'x',
    })
  })

  test('of what may be said, denied or left open', () => {
    expect(read('import', { prune: true }, ['x'])).toEqual({ path: 'x', prune: true })
    expect(read('import', { 'no-prune': true }, ['x'])).toEqual({ path: 'x', prune: false })
    expect(read('import', {}, ['x'])).toEqual({ path: 'x' })
    expect(() => read('import', { prune: true, 'no-prune': true }, ['x'])).toThrow(/Both --prune/)
  })
})

test('what is wrong is called as it is typed', () => {
  const nameIn = (name: string, ...path: string[]) => command(name).speech?.nameOf(path)
  expect(nameIn('search', 'asOf')).toBe('--as-of')
  expect(nameIn('search', 'tags', 'none')).toBe('--no-tag')
  expect(nameIn('search', 'boosts', 'field')).toBe('the field of --boost')
  expect(nameIn('lens save', 'options', 'alpha')).toBe('--alpha')
  expect(nameIn('watch', 'batch')).toBe('--batch')
  expect(nameIn('add', 'body')).toBe('TEXT')
  expect(nameIn('similar', 'mode')).toBeNull()
})
