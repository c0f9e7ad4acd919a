/** Whatever was wrong with an input is said in one sentence that names the part and what it may be. */

import type * as z from 'zod/mini'
import { badInput, CairnError } from '../core/errors.js'

/** The checked input with its defaults, or an error for the person who wrote it. */
export function check<S extends z.ZodMiniType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw issue === undefined ? badInput('The input cannot be read.') : describe(issue, input)
}

function describe(issue: z.core.$ZodIssue, input: unknown): CairnError {
  const path = issue.path.filter((part) => typeof part === 'string')
  const name = path.join('.') || 'the input'
  if (issue.code === 'unrecognized_keys') {
    const where = path.length > 0 ? ` in ${name}` : ''
    return badInput(`There is no option "${issue.keys.join('", "')}"${where}.`)
  }
  const problem = problemOf(issue, name, input)
  const option = path.length > 0 ? { option: { path, problem } } : {}
  return new CairnError('bad_input', { message: name + problem, ...option })
}

/** What is wrong, to be read after the name of the part. */
function problemOf(issue: Issue, name: string, input: unknown): string {
  const given = quoteGiven(valueAt(input, issue.path))
  switch (issue.code) {
    case 'invalid_value':
      return ` must be one of ${issue.values.map(String).join(', ')}, not ${given}.`
    case 'too_small':
      return issue.origin === 'string'
        ? ' must not be empty.'
        : ` must be at least ${issue.minimum}, not ${given}.`
    case 'too_big':
      return issue.origin === 'string'
        ? ` is longer than ${issue.maximum} characters.`
        : ` must be at most ${issue.maximum}, not ${given}.`
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined
        ? ' is missing.'
        : ` must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${given}.`
    case 'invalid_union':
      return problemOf(nearestIssue(issue), name, input)
    default:
      if (issue.message.startsWith('must ')) return ` ${issue.message}`
      return issue.message.startsWith(name)
        ? issue.message.slice(name.length)
        : `: ${issue.message}`
  }
}

type Issue = Exclude<z.core.$ZodIssue, { code: 'unrecognized_keys' }>

/** Of the forms that a value may have, what is wrong with the one that it comes nearest to: one of another type is farthest. */
function nearestIssue({ errors, path }: Extract<Issue, { code: 'invalid_union' }>): Issue {
  const firsts = errors.flatMap(([first]) => (first === undefined ? [] : [first as Issue]))
  const isOfType = (issue: Issue): number => Number(issue.code !== 'invalid_type')
  const [nearest] = firsts.toSorted(
    (a, b) => b.path.length - a.path.length || isOfType(b) - isOfType(a),
  )
  if (nearest === undefined)
    return { code: 'custom', path, message: 'it has no form that is known.' }
  return { ...nearest, path: [...path, ...nearest.path] }
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function quoteGiven(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
}
