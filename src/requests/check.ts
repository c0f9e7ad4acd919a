/** Promise: whatever was wrong with an input is said in one sentence that names the part and what it may be. */

import type * as z from 'zod/mini'
import { badInput } from '../core/errors.js'

/** The checked input with its defaults, or an error for the person who wrote it. */
export function check<S extends z.ZodMiniType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw badInput(issue === undefined ? 'The input cannot be read.' : describe(issue, input))
}

function describe(issue: z.core.$ZodIssue, input: unknown): string {
  const name = issue.path.filter((part) => typeof part === 'string').join('.') || 'the input'
  const given = quoteGiven(valueAt(input, issue.path))
  switch (issue.code) {
    case 'unrecognized_keys':
      return `There is no option "${issue.keys.join('", "')}"${issue.path.length > 0 ? ` in ${name}` : ''}.`
    case 'invalid_value':
      return `${name} must be one of ${issue.values.map(String).join(', ')}, not ${given}.`
    case 'too_small':
      return issue.origin === 'string'
        ? `${name} must not be empty.`
        : `${name} must be at least ${issue.minimum}, not ${given}.`
    case 'too_big':
      return issue.origin === 'string'
        ? `${name} is longer than ${issue.maximum} characters.`
        : `${name} must be at most ${issue.maximum}, not ${given}.`
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined
        ? `${name} is missing.`
        : `${name} must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${given}.`
    default:
      if (issue.message.startsWith('must ')) return `${name} ${issue.message}`
      return issue.message.startsWith(name) ? issue.message : `${name}: ${issue.message}`
  }
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
