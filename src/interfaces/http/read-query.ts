/** Promise: a query string is read as the schema of an operation says; what does not fit stays text, for the schema to refuse. */

export type JsonSchema = { readonly [key: string]: unknown }

/**
 * `limit=5&tags=a&tags=b&ids.in=01K9` as an input: numbers and switches become what they are, repeated keys lists, a dot
 * leads into an object, and whatever else begins as JSON is read as JSON.
 */
export function readQuery(query: URLSearchParams, schema: JsonSchema): Record<string, unknown> {
  const input = new Map<string, unknown>()
  const inner = new Map<string, URLSearchParams>()
  const properties = propertiesOf(schema)
  for (const key of new Set(query.keys())) {
    const values = query.getAll(key)
    const dot = key.indexOf('.')
    const own = properties[key]
    if (own === undefined && dot > 0) {
      const [outer, rest] = [key.slice(0, dot), key.slice(dot + 1)]
      const parts = inner.get(outer) ?? new URLSearchParams()
      for (const value of values) parts.append(rest, value)
      inner.set(outer, parts)
    } else input.set(key, readValues(values, own ?? {}))
  }
  for (const [outer, parts] of inner) {
    input.set(outer, readQuery(parts, objectForm(properties[outer] ?? {})))
  }
  return Object.fromEntries(input)
}

function readValues(texts: readonly string[], schema: JsonSchema): unknown {
  const list = formsOf(schema).find(({ type }) => type === 'array')
  const [first = ''] = texts
  if (list === undefined) return texts.length > 1 ? texts : readText(first, schema)
  if (texts.length === 1 && first.startsWith('[')) return readJson(first)
  const items = (list.items ?? {}) as JsonSchema
  const read = texts.map((text) => readText(text, items))
  // One thing that is written as an object stands for itself: `tags={"all":["a"]}`.
  const [only] = read
  return read.length === 1 && typeof only === 'object' && formsOf(items).every(isNoObject)
    ? only
    : read
}

function readText(text: string, schema: JsonSchema): unknown {
  const types = new Set(formsOf(schema).flatMap(({ type }) => [type ?? []].flat()))
  if (/^[[{]/.test(text) && !isOnlyText(types)) return readJson(text)
  if (types.has('string')) return text
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if ((types.has('number') || types.has('integer')) && isNumber(text)) return Number(text)
  return text
}

function isOnlyText(types: ReadonlySet<unknown>): boolean {
  return types.has('string') && !types.has('object') && !types.has('array')
}

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The ways in which a value may be written. */
function formsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf } = schema
  return Array.isArray(anyOf) ? (anyOf as JsonSchema[]).flatMap(formsOf) : [schema]
}

function objectForm(schema: JsonSchema): JsonSchema {
  return formsOf(schema).find(({ type }) => type === 'object') ?? {}
}

function isNoObject({ type }: JsonSchema): boolean {
  return type !== 'object'
}

function propertiesOf({ properties = {} }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object.assign(Object.create(null), properties)
}
