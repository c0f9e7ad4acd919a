import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonSchema, toPlainSchema } from '../../test/support/plain-schema.js'
import { OPERATIONS, operation } from '../operations/operations.js'
import { assertInput } from '../schemas/check.js'
import type { Command, FlagValues, PlainInput } from './command.js'
import {
  nameOption,
  parseCommandLine,
  quoteForShell,
  readInput,
  writeArguments,
} from './command-line.js'
import { COMMANDS, NO_COMMAND } from './commands.js'

const command = (name: string): Command => {
  const found = COMMANDS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no command ${name}`)
  return found
}

const read = (name: string, flags: FlagValues, positionals: string[] = []) =>
  readInput(command(name), { positionals, flags })

const PERFORMING = COMMANDS.flatMap((one) => {
  const [first] = one.performs ?? []
  return first === undefined ? [] : [[one.name, one, operation(first)] as const]
})

test('options.generated.ts is what the schemas say', () => {
  const script = join(import.meta.dirname, '../../scripts/generate-options.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('[M1] every operation has a command, or a reason why not', () => {
  const performed = new Set(COMMANDS.flatMap(({ performs = [] }) => performs))
  const absent = OPERATIONS.map(({ name }) => name).filter((name) => !performed.has(name))
  expect(absent).toEqual(Object.keys(NO_COMMAND))
})

describe('[M1] flags become the input of the operation', () => {
  test('of a search', () => {
    const flags = {
      tag: ['a'],
      'no-tag': ['b'],
      id: ['01ABCDEF'],
      year: ['2026', '-44'],
      boost: ['tag:a:b=c=1.5'],
      where: ['status=a', 'status=b', 'year>=2020', 'year<2023', 'due', 'to=x>y'],
      'no-documents': true,
      'no-facts': true,
      'no-vector': true,
      'no-highlight': true,
    }
    expect(read('search', flags)).toEqual({
      tags: { any: ['a'], none: ['b'] },
      ids: { in: ['01ABCDEF'] },
      years: [2026, -44],
      boosts: [{ field: 'tag', value: 'a:b=c', factor: 1.5 }],
      where: {
        status: ['a', 'b'],
        year: { gte: 2020, lt: 2023 },
        due: { exists: true },
        to: 'x>y',
      },
      includeDocuments: false,
      includeFacts: false,
      useVector: false,
      highlight: false,
    })
    for (const where of ['=a', 'year>', 'year<= ', 'year!=2021']) {
      expect(() => read('search', { where: [where] })).toThrow(`not "${where}"`)
    }
    expect(read('search', {})).toEqual({})
    expect(read('search', {}, ['two', 'words'])).toEqual({ query: 'two words' })
    expect(read('search', {}, ['  '])).toEqual({})
  })

  test('of a record, whose tags can be removed', () => {
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
  })

  test('of both directions, of one, or by both flags of both', () => {
    const expand = (flags: FlagValues) => read('openalex expand', flags, ['x'])
    expect(expand({})).toEqual({ id: 'x' })
    expect(expand({ citations: true })).toEqual({ id: 'x', references: false })
    expect(expand({ references: true, citations: true })).toEqual({ id: 'x' })
  })

  test('of a switch that is on, off or not given', () => {
    expect(read('import', { prune: true }, ['x'])).toEqual({ path: 'x', prune: true })
    expect(read('import', { 'no-prune': true }, ['x'])).toEqual({ path: 'x', prune: false })
    expect(read('import', {}, ['x'])).toEqual({ path: 'x' })
    expect(() => read('import', { prune: true, 'no-prune': true }, ['x'])).toThrow(/Both --prune/)
  })
})

test('an error names an option as it is typed', () => {
  const nameIn = (name: string, ...path: string[]) => nameOption(command(name), path)
  expect(nameIn('search', 'asOf')).toBe('--as-of')
  expect(nameIn('search', 'tags', 'none')).toBe('--no-tag')
  expect(nameIn('search', 'tags')).toBe('--tag')
  expect(nameIn('search', 'boosts', 'field')).toBe('the field of --boost')
  expect(nameIn('lens save', 'options', 'alpha')).toBe('--alpha')
  expect(nameIn('watch', 'batch')).toBe('--batch')
  expect(nameIn('add', 'body')).toBe('TEXT')
  expect(nameIn('similar', 'mode')).toBeNull()
})

/** The arguments that a shell makes of a line. */
function splitLine(line: string): string[] {
  const args: string[] = []
  for (const [, run = ''] of line.matchAll(/((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+)/g)) {
    args.push(
      run.replace(
        /'([^']*)'|"([^"]*)"|\\(.)/g,
        (_, single, double, one) => single ?? double ?? one,
      ),
    )
  }
  return args
}

test('every example names commands and flags that exist, and gives a valid input', () => {
  for (const { examples } of COMMANDS) {
    for (const line of examples) {
      // Alone, after a pipe, or inside a substitution.
      const within = /[$<]\((cairn [^)]*)\)/.exec(line)?.[1]
      const typed = within ?? /(?:^|\| )(cairn (?:'[^']*'|[^|>'])*)/.exec(line)?.[1] ?? ''
      const [, first = '', second = '', ...rest] = splitLine(typed)
      const longer = COMMANDS.find(({ name }) => name === `${first} ${second}`)
      const used = longer ?? command(first)
      const args = longer === undefined ? [second, ...rest].filter(Boolean) : rest
      const given = parseCommandLine(used, args)
      const [performed] = used.performs ?? []
      if (performed === undefined || used.name === 'add') continue
      const input = readInput(used, given)
      expect(() => assertInput(operation(performed).schema, input)).not.toThrow()
    }
  }
})

test('see also names commands that exist', () => {
  for (const { seeAlso = [] } of COMMANDS) for (const name of seeAlso) command(name)
})

/** Texts that can stand on a line, with what makes trouble in shells, flags and pairs. */
const text = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.constantFrom('-x', '--json', "it's", 'a "b"', '$HOME', 'k=v', '1', 'true', 'a:b=c', 'é 漢'),
  )
  .filter((one) => one.trim() !== '' && !one.includes('\u0000'))

/** Values that fit a schema. */
function arbitraryOf(given: unknown): fc.Arbitrary<unknown> {
  const schema = given as JsonSchema
  if (schema.anyOf !== undefined) {
    const forms = schema.anyOf as JsonSchema[]
    return arbitraryOf(forms.find(({ type }) => type === 'object') ?? forms[0])
  }
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as string[]))
  if (schema.properties !== undefined) {
    return recordOf(schema.properties as object, schema.required as string[] | undefined)
  }
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: Number(schema.minimum ?? 0), max: Number(schema.maximum ?? 100) })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0)
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(arbitraryOf(schema.items), { minLength: 1, maxLength: 3 })
    case 'object':
      return fc.dictionary(
        text.filter((key) => !/[<>=]|!$/.test(key)),
        fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
        { minKeys: 1 },
      )
    default:
      return text
  }
}

function recordOf(properties: object, requiredKeys: string[] = []): fc.Arbitrary<PlainInput> {
  const parts = Object.entries(properties).map(([key, one]) => [key, arbitraryOf(one)])
  return fc.record(Object.fromEntries(parts), { requiredKeys })
}

describe('[M1] an input, written as a line and read again, is the same input', () => {
  test.each(PERFORMING)('cairn %s', (_, one, { schema }) => {
    const { properties = {} } = toPlainSchema(schema)
    const named = Object.entries(properties as object).filter(
      ([key]) => nameOption(one, [key]) !== null,
    )
    const needed = one.positionals.flatMap(({ key, isOptional }) => (isOptional ? [] : (key ?? [])))
    fc.assert(
      fc.property(recordOf(Object.fromEntries(named), needed), (any) => {
        const input = withoutUnset(one, any)
        // Leaving out both directions asks for nothing, and no flags say that.
        fc.pre(
          one.name !== 'openalex expand' || input.references !== false || input.citations !== false,
        )
        const args = writeArguments(one, input)
        expect(splitLine(args.map(quoteForShell).join(' '))).toEqual(args)
        expect(readInput(one, parseCommandLine(one, args))).toEqual(input)
      }),
      { numRuns: 30 },
    )
  })
})

/** Without the values that no flag says: a switch in its usual position, an object without parts. */
function withoutUnset(one: Command, input: PlainInput): PlainInput {
  const isWritten = (part: PlainInput) => writeArguments(one, part).length > 0
  const kept = Object.entries(input).flatMap(([key, value]): [string, unknown][] => {
    if (key !== 'options' && key !== 'work') {
      return isWritten({ [key]: value }) ? [[key, value]] : []
    }
    const parts = Object.entries(value as PlainInput)
    // An author is a name on the command line, never an object.
    const written = parts.filter(
      ([name, part]) => name !== 'authors' && isWritten({ [key]: { [name]: part } }),
    )
    return written.length === 0 ? [] : [[key, Object.fromEntries(written)]]
  })
  return Object.fromEntries(kept)
}
