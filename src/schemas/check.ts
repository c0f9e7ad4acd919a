/** Checks an input with its schema. An error is one sentence that names the option and its valid values. */

import type * as z from 'zod/mini'
import { badInput, CairnError } from '../core/errors.js'
import { WrittenTime } from './fields.js'
import { describeJsonProblem } from './limits.js'
import { resolveNames, suggestName } from './names.js'

/** The input with its defaults. Ages such as `7d` count from `nowMs`; a schema with times needs it. */
export function check<S extends z.ZodMiniType>(schema: S, input: unknown, nowMs?: number) {
  const data = assertInput(schema, input)
  if (typeof data !== 'object' || data === null) return data
  const fields = data as Record<string, unknown>
  for (const key in fields) {
    const value = fields[key]
    if (value instanceof WrittenTime) fields[key] = value.toMs(nowMs)
  }
  return data
}

/** Refuses an input that is not valid. For callers that pass the input on as it is. */
export function assertInput<S extends z.ZodMiniType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const renamed = resolveNames(schema, input)
  if (renamed !== input) return assertInput(schema, renamed)
  const { issues } = result.error
  // An option that is missing may be the one that is misspelt.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (issue === undefined) throw badInput('The input is not valid.')
  throw explainIssue(issue, input, schema)
}

/** For the arguments of the library that stand before its options: JavaScript may pass anything. */
export function assertText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw wrongArgument(name, describeType('text', value))
}

export function assertPath(name: string, value: unknown): void {
  assertText(name, value)
  if (value === '') throw wrongArgument(name, ' must not be empty.')
}

export function assertList(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw wrongArgument(name, describeType('a list', value))
}

function wrongArgument(name: string, problem: string): CairnError {
  return new CairnError('bad_input', { message: name + problem, option: { path: [name], problem } })
}

function describeType(expected: string, value: unknown): string {
  return value === undefined ? ' is missing.' : ` must be ${expected}, not ${quote(value)}.`
}

/** Refuses options that do not exist. For inputs that have no schema because they hold functions. */
export function assertNames(input: object, known: readonly string[]): void {
  const unknown = Object.keys(input).filter((key) => !known.includes(key))
  if (unknown.length > 0) throw noOption(unknown, known)
}

const MAX_KEYS_NAMED = 5

function noOption(keys: readonly string[], known: readonly string[], within = ''): CairnError {
  const [first = ''] = keys
  const named = keys.slice(0, MAX_KEYS_NAMED).map(quote).join(', ')
  if (within !== '') return badInput(`There is no option ${named} in ${within}.`)
  return badInput(`There is no option ${named}.`, suggestName(first, known))
}

function explainIssue(issue: z.core.$ZodIssue, input: unknown, schema: z.ZodMiniType): CairnError {
  const path = issue.path.filter((part) => typeof part === 'string')
  const name = path.join('.') || 'the input'
  if (issue.code === 'unrecognized_keys') {
    const { shape = {} } = schema as z.ZodMiniObject
    return noOption(issue.keys, Object.keys(shape), path.length > 0 ? name : '')
  }
  const problem = describeProblem(issue, name, input)
  const option = path.length > 0 ? { option: { path, problem } } : {}
  return new CairnError('bad_input', { message: name + problem, ...option })
}

/** The rest of the sentence that begins with the name of the option. */
function describeProblem(issue: Issue, name: string, input: unknown): string {
  const value = readPath(input, issue.path)
  const given = quote(value)
  const isText = 'origin' in issue && issue.origin === 'string'
  const isList = 'origin' in issue && issue.origin === 'array'
  switch (issue.code) {
    case 'invalid_value':
      return ` must be one of ${issue.values.map(String).join(', ')}, not ${given}.`
    case 'too_small':
      return isText || isList
        ? ' must not be empty.'
        : ` must be at least ${issue.minimum}, not ${given}.`
    case 'too_big':
      if (isText) return ` is longer than ${issue.maximum} characters.`
      return isList
        ? ` has more than ${issue.maximum} items.`
        : ` must be at most ${issue.maximum}, not ${given}.`
    case 'invalid_type':
      return describeType(EXPECTED[issue.expected] ?? issue.expected, value)
    case 'invalid_union':
      return describeProblem(chooseIssue(issue), name, input)
    default:
      if (/^(?:must|is) /.test(issue.message)) return ` ${issue.message}`
      return issue.message.startsWith(name)
        ? issue.message.slice(name.length)
        : `: ${issue.message}`
  }
}

type Issue = Exclude<z.core.$ZodIssue, { code: 'unrecognized_keys' }>

/** A value may have several forms: chooses the problem of the closest one. A wrong type is the farthest. */
function chooseIssue({ errors, path }: Extract<Issue, { code: 'invalid_union' }>): Issue {
  const firsts = errors.flatMap(([first]) => (first === undefined ? [] : [first as Issue]))
  const hasRightType = (issue: Issue): number => Number(issue.code !== 'invalid_type')
  const [closest] = firsts.toSorted(
    (a, b) => b.path.length - a.path.length || hasRightType(b) - hasRightType(a),
  )
  if (closest === undefined) return { code: 'custom', path, message: 'must have a known form.' }
  return { ...closest, path: [...path, ...closest.path] }
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function readPath(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    value = Object(value)[part]
  }
  return value
}

function quote(value: unknown): string {
  const text = print(value)
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
}

function print(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'bigint') return String(value)
  if (describeJsonProblem(value) !== null) return Array.isArray(value) ? '[…]' : '{…}'
  return JSON.stringify(value) ?? 'nothing'
}
