/** The schema of an operation as JSON Schema, worked out once, with a line of help for each option. */

import * as z from 'zod/mini'
import type { AnyOperation, Option } from '../operations/operation.js'
import type { JsonSchema } from './read-query.js'

const known = new Map<string, Promise<JsonSchema>>()

export function schemaOf(operation: AnyOperation): Promise<JsonSchema> {
  const { name } = operation
  const schema = known.get(name) ?? describe(operation)
  known.set(name, schema)
  return schema
}

async function describe({ schema, options }: AnyOperation): Promise<JsonSchema> {
  const json = z.toJSONSchema(await schema(), { io: 'input', unrepresentable: 'any' })
  const { $schema: _, ...object } = tidy(json) as JsonSchema
  const properties = Object.entries(object.properties ?? {}).map(([name, property]) => [
    name,
    { ...(property as JsonSchema), description: sentenceOf(options[name]) },
  ])
  return { ...object, properties: Object.fromEntries(properties) }
}

function sentenceOf(option: Option | undefined): string {
  const { help = '', unset } = option ?? {}
  return `${help.charAt(0).toUpperCase()}${help.slice(1)}${unset === undefined ? '' : ` (if absent: ${unset})`}.`
}

/** Without what says nothing: the bounds of every whole number, and "anything" (a Date) beside a text. */
function tidy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidy)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    const isBound = key === 'minimum' || key === 'maximum'
    if (isBound && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER) return []
    if (key === 'anyOf') return [[key, (tidy(value) as object[]).filter(isSaying)]]
    return [[key, key === 'default' ? value : tidy(value)]]
  })
  return Object.fromEntries(entries)
}

function isSaying(form: object): boolean {
  return Object.keys(form).length > 0
}
