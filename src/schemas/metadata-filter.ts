/** The filter by metadata: `{ status: 'active', year: { gte: 2020 } }` becomes tests. */

import * as z from 'zod/mini'
import type { MetadataFilter, MetadataTest } from '../core/filter.js'
import { MAX_LABEL_CHARS, MAX_LIST_ITEMS, MAX_METADATA_KEYS } from './limits.js'

const metadataValue = z.union([
  z.string().check(z.maxLength(MAX_LABEL_CHARS)),
  z.number(),
  z.boolean(),
])
const metadataTest = z.union([
  metadataValue,
  z.array(metadataValue).check(z.maxLength(MAX_LIST_ITEMS)),
  z.strictObject({
    gt: z.optional(metadataValue),
    gte: z.optional(metadataValue),
    lt: z.optional(metadataValue),
    lte: z.optional(metadataValue),
    exists: z.optional(z.boolean()),
  }),
])
/** SQLite has no way to write a quotation mark inside a path. */
function isPath(path: string): boolean {
  return path.length <= MAX_LABEL_CHARS && /^[^."\p{Cc}]+(\.[^."\p{Cc}]+)*$/u.test(path)
}

export const metadataFilter = z.pipe(
  z.record(z.string(), metadataTest).check(
    z.refine(
      (tests) => Object.keys(tests).every(isPath),
      'must name keys of metadata, joined by dots and without quotation marks.',
    ),
    z.refine(
      (tests) => Object.keys(tests).length <= MAX_METADATA_KEYS,
      `must have at most ${MAX_METADATA_KEYS} keys.`,
    ),
  ),
  z.transform((tests) => buildWhere(tests)),
)

function buildWhere(
  tests: Readonly<Record<string, z.output<typeof metadataTest>>>,
): MetadataFilter | undefined {
  const parts = Object.entries(tests).flatMap(([path, given]): MetadataFilter[] => {
    if (typeof given !== 'object' || Array.isArray(given)) {
      const values = [given].flat().map(String)
      return [{ kind: 'metadata', test: { path, test: 'is', values } }]
    }
    return Object.entries(given).map(([name, wanted]): MetadataFilter => {
      const test = name as MetadataTest['test']
      const values = test === 'exists' ? [] : [String(wanted)]
      const part: MetadataFilter = { kind: 'metadata', test: { path, test, values } }
      return wanted === false && test === 'exists' ? { kind: 'not', part } : part
    })
  })
  return parts.length === 0 ? undefined : { kind: 'and', parts }
}
