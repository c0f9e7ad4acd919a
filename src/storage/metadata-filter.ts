/** Compiles tests of the metadata; each backend supplies the SQL of one test. */

import type { MetadataFilter, MetadataTest } from '../core/filter.js'

/** Passes `compileTest` a distinct prefix for the names of its values. */
export function compileMetadata<V>(
  filter: MetadataFilter,
  compileTest: (test: MetadataTest, name: string) => { sql: string; values: Record<string, V> },
): { readonly sql: string; readonly values: Readonly<Record<string, V>> } {
  const values: Record<string, V> = {}
  const compile = (part: MetadataFilter): string => {
    if (part.kind === 'not') return `NOT ${compile(part.part)}`
    if (part.kind !== 'metadata') {
      return `(${part.parts.map(compile).join(part.kind === 'and' ? ' AND ' : ' OR ')})`
    }
    const { sql, values: own } = compileTest(part.test, `where${Object.keys(values).length}`)
    Object.assign(values, own)
    return sql
  }
  return { sql: compile(filter), values }
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Reads the texts that are numbers. */
export function readNumbers(texts: readonly string[]): number[] {
  return texts.filter((text) => NUMBER.test(text)).map(Number)
}
