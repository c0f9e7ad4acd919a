/** Any JSON can be asked for anything, and what is not there or of another kind is null or empty. */

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

/** A text that says something, or null. Numbers are taken as written: volumes come as either. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path)
  const text = typeof found === 'number' ? String(found) : typeof found === 'string' ? found : ''
  return text.trim() === '' ? null : text.trim().toWellFormed()
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}
