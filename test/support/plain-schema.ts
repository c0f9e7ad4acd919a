/** The schema of an input with one form for each option, for tests that make inputs at random. */

import * as z from 'zod/mini'

export type JsonSchema = { [key: string]: unknown }

function listProperties(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>
}

/** A schema in few words: each argument has one form, though the checks accept more. */
export function toPlainSchema(schema: z.ZodMiniType): JsonSchema {
  return simplify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
}

/** Leaves out what the checks accept besides: a single thing for a list of one, null for nothing, a Date. */
function simplify(schema: JsonSchema): JsonSchema {
  const { $schema, minLength, maxLength, propertyNames, anyOf, ...rest } = schema
  if (Array.isArray(anyOf)) {
    const forms = (anyOf as JsonSchema[]).map(simplify).filter(({ type }) => type !== 'null')
    return dropEmptyParts({ ...(chooseForm(forms) ?? { anyOf: forms }), ...rest })
  }
  if (rest.items !== undefined) rest.items = simplify(rest.items as JsonSchema)
  if (rest.properties !== undefined) {
    rest.properties = Object.fromEntries(
      Object.entries(listProperties(rest)).map(([name, value]) => [name, simplify(value)]),
    )
  }
  return dropEmptyParts(rest)
}

/** A list rather than one thing, a text rather than a Date. */
function chooseForm(forms: readonly JsonSchema[]): JsonSchema | null {
  if (forms.length === 1) return forms[0] ?? null
  const list = forms.find(({ type }) => type === 'array')
  if (list !== undefined && !forms.some(({ type }) => type === 'object')) return list
  const hasDate = forms.some((form) => Object.keys(form).length === 0)
  return hasDate ? { type: 'string' } : null
}

/** The bounds of every integer, a default of nothing and "anything else" say nothing. */
function dropEmptyParts({ type, ...schema }: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([key, value]) => {
    if (key === 'default') return value !== null && value !== ''
    if (key === 'additionalProperties') return value === false
    const isBound = key === 'minimum' || key === 'maximum'
    return !(isBound && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER)
  })
  const kind = Array.isArray(type) ? type.find((one) => one !== 'null') : type
  return { ...(kind !== undefined && { type: kind }), ...Object.fromEntries(entries) }
}
