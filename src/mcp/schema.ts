/** A tool's arguments are described to a model by the schema that checks them, in few words. */

import * as z from 'zod/mini'

export type JsonSchema = { [key: string]: unknown }

export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>
}

const known = new WeakMap<z.ZodMiniType, JsonSchema>()

/** One way to write each thing; worked out once. */
export function plainSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const plain =
    known.get(schema) ??
    simplify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
  known.set(schema, plain)
  return plain
}

/** As a model reads it: with a sentence on each argument. */
export function inputSchemaOf(
  schema: z.ZodMiniType,
  about: Readonly<Record<string, string>>,
): JsonSchema & { type: 'object' } {
  const plain = plainSchemaOf(schema)
  const properties = Object.entries(propertiesOf(plain))
  return {
    ...plain,
    type: 'object',
    properties: Object.fromEntries(
      properties.map(([name, value]) => [
        name,
        about[name] === undefined ? value : { ...value, description: about[name] },
      ]),
    ),
  }
}

export function outputSchemaOf(schema: z.ZodMiniType): JsonSchema & { type: 'object' } {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
  }) as JsonSchema
  return { ...plain, type: 'object' }
}

/** What the checks accept besides is not told: a single thing for a list of one, null for nothing, a Date. */
function simplify(schema: JsonSchema): JsonSchema {
  const { $schema, minLength, maxLength, propertyNames, anyOf, ...rest } = schema
  if (Array.isArray(anyOf)) {
    const forms = (anyOf as JsonSchema[]).map(simplify).filter(({ type }) => type !== 'null')
    const chosen = chooseForm(forms)
    return withoutEmptyWords(chosen === null ? { ...rest, anyOf: forms } : { ...chosen, ...rest })
  }
  const entries = Object.entries(rest).map(([key, value]) => {
    if (key === 'properties') return [key, mapValues(value as Record<string, JsonSchema>)]
    if (key === 'items') return [key, simplify(value as JsonSchema)]
    return [key, value]
  })
  return withoutEmptyWords(Object.fromEntries(entries) as JsonSchema)
}

/** One of several forms where the others say the same: a list before one thing, a text before a moment. */
function chooseForm(forms: readonly JsonSchema[]): JsonSchema | null {
  if (forms.length === 1) return forms[0] ?? null
  const objects = forms.filter(({ type }) => type === 'object')
  const list = forms.find(({ type }) => type === 'array')
  if (list !== undefined && objects.length === 0) return list
  const isMoment = forms.some((form) => Object.keys(form).length === 0)
  return isMoment ? { type: 'string' } : null
}

function mapValues(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, simplify(value)]),
  )
}

/** The bounds of every whole number, a default of nothing and "anything else" say nothing. */
function withoutEmptyWords({ type, ...schema }: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (key === 'default') return value !== null && value !== ''
    if (key === 'additionalProperties') return value === false
    const isBound = key === 'minimum' || key === 'maximum'
    return !(isBound && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER)
  })
  const kind = Array.isArray(type) ? type.find((one) => one !== 'null') : type
  return { ...(kind !== undefined && { type: kind }), ...Object.fromEntries(kept) }
}
