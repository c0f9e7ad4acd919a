/** Wrong arguments are answered with the one that is wrong, what it may be and the nearest right one. */

import type * as z from 'zod/mini'
import { badInput } from '../core/errors.js'
import { check } from '../schemas/check.js'
import { nearestName } from '../text/nearest-name.js'
import { type JsonSchema, plainSchemaOf, propertiesOf } from './schema.js'

/** The arguments as the library takes them; what a model wrote as text and is none is read first. */
export function readArguments(
  tool: { readonly name: string; readonly input: z.ZodMiniType },
  given: unknown,
): Record<string, unknown> {
  const args = given ?? {}
  if (typeof args !== 'object' || Array.isArray(args)) {
    throw badInput(`The arguments of ${tool.name} are an object of names and values.`)
  }
  const schema = plainSchemaOf(tool.input)
  assertKnown(tool.name, Object.keys(args), schema)
  const straight = Object.fromEntries(
    Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, straighten(value, propertiesOf(schema)[name] ?? {})]),
  )
  check(tool.input, straight)
  return straight
}

function assertKnown(tool: string, names: readonly string[], schema: JsonSchema): void {
  const known = Object.keys(propertiesOf(schema))
  const wrong = names.find((name) => !known.includes(name))
  if (wrong === undefined) return
  const near = nearestName(wrong, known)
  throw badInput(
    `${tool} has no argument "${wrong}".${near === null ? '' : ` Did you mean "${near}"?`}`,
    near === null ? `It takes ${known.join(', ')}.` : undefined,
  )
}

/** Models write `"[\"a\"]"`, `"5"` and `"true"` now and then, where a list, a number and a switch are wanted. */
function straighten(value: unknown, { type, anyOf }: JsonSchema): unknown {
  if (typeof value !== 'string') return value
  const isWanted = (kind: string) => type === kind || (Array.isArray(anyOf) && kind !== 'string')
  const looksLike = /^\s*\[/.test(value) ? 'array' : /^\s*\{/.test(value) ? 'object' : null
  if (looksLike !== null && isWanted(looksLike)) return readJson(value)
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  if ((type === 'number' || type === 'integer') && /^-?\d+(\.\d+)?$/.test(value)) {
    return Number(value)
  }
  return value
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
