/** Reads fields of JSON whose shape is unknown: what is missing or of another type is null or empty. */

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

/** A text that is not blank, or null; a number becomes text. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path)
  const text = typeof found === 'number' ? String(found) : found
  return typeof text === 'string' && text.trim() !== '' ? text.toWellFormed() : null
}

/** The object without the members that are undefined, so that they do not replace what is set. */
export function omitUndefined<T extends object>(parts: T) {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [Key in keyof T]?: Exclude<T[Key], undefined> }
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}
