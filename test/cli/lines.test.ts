/** A line that help shows means the input it was made from, whatever the input. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Command } from '../../src/cli/command.js'
import { COMMANDS } from '../../src/cli/commands.js'
import type { FlagParser } from '../../src/cli/flag-parser.js'
import { parseFlags } from '../../src/cli/parse-flags.js'
import { argumentsOf, quoted } from '../../src/cli/shell-line.js'
import { type JsonSchema, toPlainSchema } from '../../src/mcp/tool.js'
import { operation } from '../../src/operations/operations.js'
import { check } from '../../src/schemas/check.js'

type Performing = Command & { readonly speech: FlagParser }

const PERFORMING = COMMANDS.filter(
  (command): command is Performing => command.speech !== undefined && !!command.performs,
).map((command) => {
  const [first] = command.performs ?? []
  if (first === undefined) throw new Error('a command performs something')
  return [command.name, { command, described: operation(first) }] as const
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

/** From one moment on: an age such as 7d is read against the clock. */
beforeAll(() => void vi.useFakeTimers({ now: Date.UTC(2026, 5, 15), toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

describe('each line that is made from an example of the operation', () => {
  test.each(PERFORMING)('cairn %s', async (name, { command, described }) => {
    const schema = await described.schema()
    for (const [i, example] of described.examples.entries()) {
      const line = command.examples[i] ?? ''
      expect(line).toMatch(new RegExp(`^cairn ${name}( |$)`))
      const args = splitLine(line).slice(1 + name.split(' ').length)
      const input = command.speech.read(parseFlags(command, args))
      expect(check(schema, input)).toEqual(check(schema, example))
    }
  })
})

test('every line of help names commands and flags that there are', () => {
  for (const { examples } of COMMANDS) {
    for (const line of examples) {
      // Alone, after a pipe, or in what one shell runs for another.
      const within = /[$<]\((cairn [^)]*)\)/.exec(line)?.[1]
      const bare = /(?:^|\| )(cairn [^|>]*)/.exec(line.replaceAll(/'[^']*'/g, 'x'))?.[1]
      const typed = within ?? bare ?? ''
      const [, first = '', second = '', ...rest] = splitLine(typed)
      const longer = COMMANDS.find(({ name }) => name === `${first} ${second}`)
      const command = longer ?? COMMANDS.find(({ name }) => name === first)
      if (command === undefined) throw new Error(`no command in: ${line}`)
      const args = longer === undefined ? [second, ...rest].filter(Boolean) : rest
      expect(() => parseFlags(command, args)).not.toThrow()
    }
  }
})

test('see also names commands that there are', () => {
  const names = COMMANDS.map(({ name }) => name)
  for (const { seeAlso = [] } of COMMANDS)
    expect(names).toEqual(expect.arrayContaining([...seeAlso]))
})

/** Texts that can stand on a line, with what shells, flags and pairs make trouble of. */
const text = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.constantFrom('-x', '--json', "it's", 'a "b"', '$HOME', 'k=v', '1', 'true', 'a:b=c', 'é 漢'),
  )
  .filter((one) => one.trim() !== '' && !one.includes('\u0000'))

const figure = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0)

/** Values by what the schema says of them. */
function arbitraryOf(given: unknown): fc.Arbitrary<unknown> {
  const schema = given as JsonSchema
  if (schema.anyOf !== undefined) {
    return arbitraryOf((schema.anyOf as JsonSchema[]).find(({ type }) => type === 'object'))
  }
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as string[]))
  if (schema.properties !== undefined) {
    return recordOf(schema.properties as object, schema.required as string[] | undefined)
  }
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: Number(schema.minimum ?? 0), max: Number(schema.maximum ?? 100) })
    case 'number':
      return figure
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(arbitraryOf(schema.items), { minLength: 1, maxLength: 3 })
    case 'object':
      return fc.dictionary(
        text.filter((key) => !key.includes('=')),
        fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
      )
    default:
      return text
  }
}

function recordOf(properties: object, requiredKeys: string[] = []): fc.Arbitrary<PlainInput> {
  const parts = Object.entries(properties).map(([key, one]) => [key, arbitraryOf(one)])
  return fc.record(Object.fromEntries(parts), { requiredKeys })
}

type PlainInput = Readonly<Record<string, unknown>>

describe('[M1] an input, written as a line and read again, is the same input', () => {
  test.each(PERFORMING)('cairn %s', async (_, { command, described }) => {
    const { speech } = command
    const { properties = {} } = toPlainSchema(await described.schema())
    const said = Object.entries(properties as object).filter(
      ([key]) => speech.nameOf([key]) !== null,
    )
    const needed = said.map(([key]) => key).filter((key) => isNeeded(command, key))
    fc.assert(
      fc.property(recordOf(Object.fromEntries(said), needed), (any) => {
        const input = sayable(speech, any)
        // Whoever leaves out both directions asks for nothing, and there is no way to say that.
        fc.pre(command.name !== 'openalex expand' || !isOff(input, 'references', 'citations'))
        const args = argumentsOf(speech.write(input))
        expect(splitLine(args.map(quoted).join(' '))).toEqual(args)
        expect(speech.read(parseFlags(command, args))).toEqual(input)
      }),
      { numRuns: 60 },
    )
  })
})

function isOff(input: PlainInput, ...keys: string[]): boolean {
  return keys.every((key) => input[key] === false)
}

/** Without it the line is refused; the options of a lens are there even where none is set. */
function isNeeded({ words, speech }: Performing, key: string): boolean {
  const name = speech.nameOf([key])
  return key === 'options' || words.some((word) => word.name === name && !word.isOptional)
}

/** Without what only repeats what holds anyway: a switch that is not thrown, an object with nothing in it. */
function sayable(speech: FlagParser, input: PlainInput): PlainInput {
  const isSaid = (part: PlainInput) => argumentsOf(speech.write(part)).length > 0
  const kept = Object.entries(input).flatMap(([key, value]) => {
    if (key !== 'options') return isSaid({ [key]: value }) ? [[key, value]] : []
    const within = Object.entries(value as PlainInput)
    const said = within.filter(([name, one]) => isSaid({ options: { [name]: one } }))
    return [[key, Object.fromEntries(said)]]
  })
  return Object.fromEntries(kept)
}
