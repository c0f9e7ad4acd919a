/** An expression over whole scripts is built when it is first needed: building one takes milliseconds. */

export function lazyPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | null = null
  return () => {
    pattern ??= new RegExp(source, flags)
    return pattern
  }
}
