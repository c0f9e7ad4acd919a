/** Reads and prints a test of the metadata: `meta.status:active`, `meta.year:>=2020`, `meta.due:*`. */

import { METADATA_SIGNS, type MetadataComparison, type MetadataTest } from '../core/filter.js'

const COMPARISONS = new Map(
  Object.entries(METADATA_SIGNS).map(([test, sign]) => [
    sign as string,
    test as MetadataComparison,
  ]),
)

/** Null if no test starts at this index of the text. */
export function readMetadataTest(text: string, at: number) {
  if (text.slice(at, at + 5).toLowerCase() !== 'meta.') return null
  const pattern =
    /meta\.((?:[\p{L}\p{N}_-]+\.)*[\p{L}\p{N}_-]+):(>=|<=|>|<)?(?:"((?:[^"]|"")*)"|([^\s"()<>=][^\s"()]*))/iuy
  pattern.lastIndex = at
  const [whole, path, sign, quoted, word = ''] = pattern.exec(text) ?? []
  if (whole === undefined || path === undefined) return null
  const comparison = COMPARISONS.get(sign ?? '')
  const isAny = word === '*' && comparison === undefined
  const test: MetadataTest = {
    path,
    test: isAny ? 'exists' : (comparison ?? 'is'),
    values: isAny ? [] : [quoted?.replaceAll('""', '"') ?? word],
  }
  return { test, end: at + whole.length }
}

export function printMetadataTest({ path, test, values }: MetadataTest): string {
  const sign = test === 'is' || test === 'exists' ? '' : METADATA_SIGNS[test]
  const [value = ''] = values
  const isPlain = /^[^\s"()<>=][^\s"()]*$/.test(value) && value !== '*'
  const written = isPlain ? value : `"${value.replaceAll('"', '""')}"`
  return `meta.${path}:${sign}${test === 'exists' ? '*' : written}`
}
