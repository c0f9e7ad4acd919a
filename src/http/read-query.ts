/** A query string is read as the schema of an operation says; what does not fit stays text, for the schema to refuse. */

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
  const forms = formsOf(schema)
  const [first = ''] = texts
  const whole = texts.length === 1 && forms.some(isNested) ? readJson(first) : undefined
  if (whole !== undefined) return whole
  const list = forms.find(({ type }) => type === 'array')
  if (list === undefined) return texts.length > 1 ? texts : readText(first, schema)
  return texts.map((text) => readText(text, (list.items ?? {}) as JsonSchema))
}

function readText(text: string, schema: JsonSchema): unknown {
  const forms = formsOf(schema)
  const types = new Set(forms.flatMap(({ type }) => [type ?? []].flat()))
  if (forms.some(isNested)) return readJson(text) ?? text
  if (types.has('string')) return text
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if ((types.has('number') || types.has('integer')) && isNumber(text)) return Number(text)
  return text
}

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)
}

/** A list or an object; undefined where the text is none. */
function readJson(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
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

function isNested({ type }: JsonSchema): boolean {
  return type === 'object' || type === 'array'
}

function propertiesOf({ properties = {} }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object.assign(Object.create(null), properties)
}
