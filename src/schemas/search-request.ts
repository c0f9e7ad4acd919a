/** A search has the same options on every face, checked once, with every default written here. */

import * as z from 'zod/mini'
import { FACT_TYPES } from '../core/fact.js'
import { BOOST_FIELDS, type DateField, type Filter, MOST_BOOST } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { KINDS, type Kind } from '../core/record.js'
import { toUtcDay } from '../core/time.js'
import { MATCHES } from '../query/steps.js'
import { FIELD_NAMES, type Field } from '../query/tree.js'
import * as field from './fields.js'

const tagFilter = z.union([
  z.pipe(
    field.list(field.label),
    z.transform((any: string[]) => ({ any, all: undefined, none: undefined })),
  ),
  z.strictObject({
    any: z.optional(field.list(field.label)),
    all: z.optional(field.list(field.label)),
    none: z.optional(field.list(field.label)),
  }),
])

const allNamespaces = z.pipe(
  z.literal('all'),
  z.transform(() => undefined),
)

/** What narrows a search or a list. */
export const filterShape = {
  namespaces: z.optional(z.union([allNamespaces, field.list(field.namespace)])),
  includeGlobal: z._default(z.boolean(), false),
  kinds: z.optional(field.list(field.kind)),
  sectors: z.optional(field.list(field.sector)),
  tiers: z.optional(field.list(field.tier)),
  tags: z.optional(tagFilter),
  people: z.optional(field.list(field.label)),
  sources: z.optional(field.list(field.label)),
  since: z.optional(field.moment('start')),
  until: z.optional(field.moment('end')),
  dateField: z._default(field.dateField, 'created'),
  years: z.optional(field.list(field.year)),
  sessions: z.optional(field.list(field.label)),
  factTypes: z.optional(field.list(z.enum(FACT_TYPES))),
  minSalience: z.optional(field.share),
  includeDocuments: z._default(z.boolean(), true),
  includeSuperseded: z._default(z.boolean(), false),
  ids: z.optional(
    z.strictObject({
      in: z.optional(field.list(z.string())),
      out: z.optional(field.list(z.string())),
    }),
  ),
}

const searchField = z.pipe(
  z.enum(Object.keys(FIELD_NAMES) as (keyof typeof FIELD_NAMES)[]),
  z.transform((name: keyof typeof FIELD_NAMES): Field => FIELD_NAMES[name]),
)

/** Records whose facts are believed less than this are left out. */
export const DEFAULT_MIN_CONFIDENCE = 0.1
export const MAX_CONTEXT = 20

const boost = z.strictObject({
  field: z.enum(BOOST_FIELDS),
  value: field.label,
  factor: z.number().check(z.minimum(0), z.maximum(MOST_BOOST)),
})

export const MODES = ['hybrid', 'semantic', 'keyword'] as const
export type Mode = (typeof MODES)[number]

export const searchRequest = z.strictObject({
  query: z._default(z.string(), ''),
  ...filterShape,
  mode: z._default(z.enum(MODES), 'hybrid'),
  lens: z._default(z.string(), 'balanced'),
  alpha: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  k: z.optional(z.number().check(z.minimum(0))),
  keywordWeight: z.optional(z.number().check(z.minimum(0))),
  vectorWeight: z.optional(z.number().check(z.minimum(0))),
  recencyWeight: z.optional(z.number().check(z.minimum(0))),
  salienceWeight: z.optional(z.number().check(z.minimum(0))),
  boosts: z._default(z.array(boost), []),
  minConfidence: z._default(field.share, DEFAULT_MIN_CONFIDENCE),
  asOf: z.optional(field.moment('last')),
  useVector: z._default(z.boolean(), true),
  threshold: z.optional(z.number().check(z.minimum(-1), z.maximum(1))),
  match: z._default(z.enum(MATCHES), 'auto'),
  fields: z.optional(field.list(searchField)),
  highlight: z._default(z.boolean(), true),
  explain: z._default(z.boolean(), false),
  facets: z._default(z.boolean(), false),
  includeFacts: z._default(z.boolean(), true),
  /** Turns before and after a hit of a session. */
  context: z._default(z.int().check(z.minimum(0), z.maximum(MAX_CONTEXT)), 0),
  /** The session that this search is a recall in; without one nothing is written. */
  recallSession: z.optional(field.label),
  limit: z._default(field.limit, 10),
  offset: z._default(field.offset, 0),
})

export type SearchInput = z.input<typeof searchRequest>

/** What a search takes from whoever opened the file, where neither it nor its lens says otherwise. */
export const searchDefaults = z.partial(
  z.pick(searchRequest, { lens: true, mode: true, match: true, limit: true, threshold: true }),
)
export type SearchDefaults = z.input<typeof searchDefaults>
export type SearchRequest = z.output<typeof searchRequest>

export type FilterRequest = Pick<SearchRequest, keyof typeof filterShape>

/** Ids as they were typed, and as they are once each is known to name one record. */
export type NamedIds = { readonly in?: readonly RecordId[]; readonly out?: readonly RecordId[] }

/** How strongly things are remembered, and when that is asked. */
export type SalienceClock = { readonly nowMs: number; readonly decay: number }

/** The filter a request asks for; parts that were not given are not there at all. */
export function filterOf(
  request: Omit<FilterRequest, 'ids'> & Partial<Pick<SearchRequest, 'minConfidence' | 'asOf'>>,
  ids: NamedIds,
  { nowMs, decay }: SalienceClock,
): Filter {
  const { since, until, tags, minSalience, minConfidence, asOf } = request
  const atLeast = (least: number | undefined) =>
    least === undefined ? undefined : { least, atMs: asOf ?? nowMs, decay }
  const parts: { [Key in keyof Filter]: Filter[Key] | undefined } = {
    namespaces: request.namespaces,
    includeGlobal: request.includeGlobal || undefined,
    kinds: request.includeDocuments ? request.kinds : withoutDocuments(request.kinds),
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
        : datesOf(request.dateField, since ?? null, until ?? null),
    years: request.years,
    sessions: request.sessions,
    factTypes: request.factTypes,
    minSalience: atLeast(minSalience),
    minConfidence: atLeast(minConfidence),
    asOfMs: asOf,
    includeSuperseded: request.includeSuperseded || undefined,
    idsIn: ids.in,
    idsOut: ids.out,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}

function datesOf(field: DateField, since: number | null, until: number | null): Filter['dates'] {
  const read = (ms: number | null) => (ms === null || field !== 'published' ? ms : toUtcDay(ms))
  return { field, sinceMs: read(since), untilMs: read(until) }
}

function withoutDocuments(kinds: readonly Kind[] | undefined): Kind[] {
  return (kinds ?? KINDS).filter((kind) => kind !== 'document')
}
