/** Promise: a search has the same options on every face, checked once, with every default written here. */

import { z } from 'zod'
import type { Filter } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { MATCHES } from '../query/steps.js'
import { FIELD_NAMES, type Field } from '../query/tree.js'
import * as field from './fields.js'

const tagFilter = z.union([
  field.list(field.label).transform((any) => ({ any, all: undefined, none: undefined })),
  z.strictObject({
    any: field.list(field.label).optional(),
    all: field.list(field.label).optional(),
    none: field.list(field.label).optional(),
  }),
])

/** What narrows a search or a list. */
export const filterShape = {
  namespaces: z
    .union([z.literal('all').transform(() => undefined), field.list(field.namespace)])
    .optional(),
  includeGlobal: z.boolean().default(false),
  kinds: field.list(field.kind).optional(),
  sectors: field.list(field.sector).optional(),
  tiers: field.list(field.tier).optional(),
  tags: tagFilter.optional(),
  people: field.list(field.label).optional(),
  sources: field.list(field.label).optional(),
  since: field.moment('start').optional(),
  until: field.moment('end').optional(),
  dateField: field.dateField.default('created'),
  ids: z
    .strictObject({ in: field.list(z.string()).optional(), out: field.list(z.string()).optional() })
    .optional(),
}

const searchField = z
  .enum(Object.keys(FIELD_NAMES) as (keyof typeof FIELD_NAMES)[])
  .transform((name): Field => FIELD_NAMES[name])

export const searchRequest = z.strictObject({
  query: z.string().default(''),
  ...filterShape,
  mode: z.enum(['keyword']).default('keyword'),
  match: z.enum(MATCHES).default('auto'),
  fields: field.list(searchField).optional(),
  highlight: z.boolean().default(true),
  explain: z.boolean().default(false),
  limit: field.limit.default(10),
  offset: field.offset.default(0),
})

export type SearchInput = z.input<typeof searchRequest>
export type SearchRequest = z.output<typeof searchRequest>

export type FilterRequest = Pick<SearchRequest, keyof typeof filterShape>

/** Ids as they were typed, and as they are once each is known to name one record. */
export type NamedIds = { readonly in?: readonly RecordId[]; readonly out?: readonly RecordId[] }

/** The filter a request asks for; parts that were not given are not there at all. */
export function filterOf(request: Omit<FilterRequest, 'ids'>, ids: NamedIds): Filter {
  const { since, until, tags } = request
  const parts: { [Key in keyof Filter]: Filter[Key] | undefined } = {
    namespaces: request.namespaces,
    includeGlobal: request.includeGlobal || undefined,
    kinds: request.kinds,
    sectors: request.sectors,
    tiers: request.tiers,
    tagsAny: tags?.any,
    tagsAll: tags?.all,
    tagsNone: tags?.none,
    people: request.people,
    sources: request.sources,
    dates:
      since === undefined && until === undefined
        ? undefined
        : { field: request.dateField, sinceMs: since ?? null, untilMs: until ?? null },
    idsIn: ids.in,
    idsOut: ids.out,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}
