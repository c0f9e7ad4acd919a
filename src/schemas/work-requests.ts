/** What is imported, cited and explored is checked once, and every default is written here. */

import * as z from 'zod/mini'
import { NO_DETAILS, WORK_TYPES } from '../core/work.js'
import * as field from './fields.js'
import { filterShape } from './search-request.js'

/** In one line, whatever line breaks a file had in it. */
const line = z.pipe(
  z.string(),
  z.transform((text: string) => text.replace(/\s+/g, ' ').trim().toWellFormed()),
)
const detail = z._default(z.nullable(line), null)
const people = z._default(
  z.array(z.strictObject({ family: line, given: z._default(z.nullable(line), null) })),
  [],
)

export const workInput = z.strictObject({
  title: line,
  abstract: z._default(
    z.nullable(
      z.pipe(
        z
          .string()
          .check(
            z.refine(
              (text) => text.length <= field.MAX_BODY_CHARS,
              `abstract is longer than ${field.MAX_BODY_CHARS} characters.`,
            ),
          ),
        z.transform((text: string) => (text.trim() === '' ? null : text.toWellFormed())),
      ),
    ),
    null,
  ),
  tags: z._default(z.array(field.label), []),
  references: z._default(z.array(line), []),
  type: z._default(z.enum(WORK_TYPES), NO_DETAILS.type),
  authors: people,
  editors: people,
  venue: detail,
  year: z._default(z.nullable(field.year), null),
  published: detail,
  doi: detail,
  openAlexId: detail,
  arxivId: detail,
  isbn: detail,
  issn: detail,
  url: detail,
  citationKey: detail,
  volume: detail,
  issue: detail,
  pages: detail,
  publisher: detail,
  place: detail,
  series: detail,
  edition: detail,
  institution: detail,
  language: detail,
  note: detail,
})

export const importRequest = z.strictObject({
  namespace: z.optional(field.namespace),
  /** Added to the tags of each work. */
  tags: z._default(field.list(field.label), []),
  /** Where the works come from; a work keeps the source it has. */
  source: z._default(z.nullable(field.label), null),
  /** How many works are written in one transaction. */
  batch: z._default(z.int().check(z.minimum(1), z.maximum(10_000)), 1000),
  /** Says what would be done, and does nothing. */
  dryRun: z._default(z.boolean(), false),
})

export const MAX_DEPTH = 10
export const MAX_WORKS = 1000

const { kinds: _, ids: __, includeDocuments: ___, ...narrowing } = filterShape

export const exploreRequest = z.strictObject({
  ...narrowing,
  depth: z._default(z.int().check(z.minimum(0), z.maximum(MAX_DEPTH)), 2),
  /** A hard cap on all works, those at the start included. */
  maxWorks: z._default(z.int().check(z.minimum(1), z.maximum(MAX_WORKS)), 100),
  references: z._default(z.boolean(), true),
  citations: z._default(z.boolean(), true),
  lens: z._default(z.string(), 'balanced'),
  /** What remains of the relevance for each hop away from the start. */
  decay: z._default(z.number().check(z.gt(0), z.maximum(1)), 0.7),
  /** Asks OpenAlex on the way, and keeps what it tells. */
  online: z._default(z.boolean(), false),
})
export type ExploreInput = z.input<typeof exploreRequest>

export const MAX_ONLINE = 1000
const onlineLimit = (byDefault: number) =>
  z._default(z.int().check(z.minimum(1), z.maximum(MAX_ONLINE)), byDefault)

export const onlineSearch = z.strictObject({
  limit: onlineLimit(25),
  /** Published then or later: `2019`, `2019-07` or `2019-07-28`. */
  since: z.optional(z.string()),
})
export type OnlineSearchInput = z.input<typeof onlineSearch>

export const onlineExpand = z.strictObject({
  references: z._default(z.boolean(), true),
  citations: z._default(z.boolean(), true),
  /** Of each direction. */
  limit: onlineLimit(50),
})
export type OnlineExpandInput = z.input<typeof onlineExpand>

export const exploreStart = z.union([
  z.strictObject({ query: z.string().check(z.trim(), z.minLength(1)) }),
  z.strictObject({ id: z.string().check(z.trim(), z.minLength(1)) }),
])
export type ExploreStart = z.input<typeof exploreStart>
