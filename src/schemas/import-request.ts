/** What an import is asked for is checked once, and every default is written here. */

import * as z from 'zod/mini'
import * as field from './fields.js'

export const importRequest = z.strictObject({
  /** How to read it; without it the path and its beginning decide. */
  format: z.optional(z.string()),
  namespace: z.optional(field.namespace),
  /** Added to the tags of every record. */
  tags: z._default(field.list(field.label), []),
  /** The name under which it is remembered; without one its format and path. */
  source: z.optional(field.label),
  dryRun: z._default(z.boolean(), false),
  /** Deletes what is gone from the source; without it, for folders of notes, texts and PDFs. */
  prune: z.optional(z.boolean()),
  /** How many records are written at once. */
  batch: z._default(z.int().check(z.minimum(1), z.maximum(10_000)), 1000),
})
export type ImportInput = z.input<typeof importRequest>
export type ImportRequest = z.output<typeof importRequest>

export const watchRequest = z.strictObject({
  /** How long it must be quiet before a change is read. */
  debounceMs: z._default(z.int().check(z.minimum(0), z.maximum(60_000)), 300),
  /** How often to look for changes that nobody announced. */
  pollMs: z._default(z.int().check(z.minimum(50), z.maximum(3_600_000)), 30_000),
})
export type WatchInput = z.input<typeof watchRequest>
