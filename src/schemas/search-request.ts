/** The inputs that find records: filters, search, similar and lenses. */

import * as z from 'zod/mini'
import { badInput } from '../core/errors.js'
import { FACT_TYPES } from '../core/fact.js'
import { BOOST_FIELDS, type DateField, type Filter, MOST_BOOST } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import { KINDS, type Kind, USAGES } from '../core/record.js'
import { toUtcDay } from '../core/time.js'
import { MATCHES } from '../query/steps.js'
import { FIELD_NAMES, type Field } from '../query/tree.js'
import * as field from './fields.js'
import { flag, nullable, optional, options, required, withDefault, withHelp } from './fields.js'
import { MAX_LIST_ITEMS, MAX_NAME_CHARS } from './limits.js'
import { metadataFilter } from './metadata-filter.js'
import type { WithSingular } from './names.js'

const tagFilter = () =>
  z.union([
    z.pipe(
      field.labels,
      z.transform((any: string[]) => ({ any, all: undefined, none: undefined })),
    ),
    z.strictObject({
      any: z.optional(field.labels),
      all: z.optional(field.labels),
      none: z.optional(field.labels),
    }),
  ])

const allNamespaces = z.pipe(
  z.literal('all'),
  z.transform(() => undefined),
)

export const filterOptions = options(() => ({
  namespaces: optional(
    z.union([allNamespaces, field.list(field.namespace)]),
    '<name> only from these namespaces (default: all)',
  ),
  includeGlobal: flag('with namespaces: also global memories of other namespaces'),
  kinds: optional(field.list(field.kind), '<kind> only these kinds of record'),
  sectors: optional(field.list(field.sector), '<sector> only these sectors of memory'),
  tiers: optional(field.list(field.tier), '<tier> only memories of these tiers'),
  tags: optional(tagFilter(), '<tag> by tags: any of them, all of them, none of them'),
  people: optional(
    field.labels,
    '<name> a person whose name contains this; in quotes, the whole name',
  ),
  venues: optional(field.labels, '<name> works of this journal or conference, by its whole name'),
  sources: optional(field.labels, 'only from these sources; notes/* is all of a folder'),
  since: field.since,
  until: field.until,
  dateField: optional(
    field.dateField,
    '<which> the date that since and until apply to (default: published for works, created for others)',
  ),
  years: optional(
    field.list(field.years),
    '<year> published or happened in 2026, or in 2018..2022',
  ),
  sessions: optional(
    field.labels,
    '<id> created in this session; with usages: used there in one of these ways',
  ),
  usages: optional(
    field.list(z.enum(USAGES)),
    '<usage> with sessions: how the session used the record (default: created)',
  ),
  where: optional(
    metadataFilter,
    '<key=value> by metadata: a value, a list of values, or { gt, gte, lt, lte, exists }; a.b is the key b inside a',
  ),
  factTypes: optional(field.list(z.enum(FACT_TYPES)), '<type> has a fact of this type'),
  minSalience: optional(field.share, '<0..1> the minimum salience now'),
  includeDocuments: withDefault(z.boolean(), true, 'include documents'),
  includeSuperseded: flag('include superseded records'),
  ids: optional(
    z.strictObject({
      in: z.optional(field.list(field.anyName)),
      out: z.optional(field.list(field.anyName)),
    }),
    '<id> only these records, or without these',
  ),
}))

const searchField = z.pipe(
  z.enum(Object.keys(FIELD_NAMES) as (keyof typeof FIELD_NAMES)[]),
  z.transform((name: keyof typeof FIELD_NAMES): Field => FIELD_NAMES[name]),
)

const boost = options(() => ({
  field: z.enum(BOOST_FIELDS),
  value: field.label,
  factor: field.range(0, MOST_BOOST),
}))

const MAX_QUESTION_CHARS = 2000

export const SORTS = ['relevance', 'newest', 'oldest', 'title'] as const

export const MODES = ['hybrid', 'semantic', 'keyword'] as const
export type Mode = (typeof MODES)[number]

/** The lenses that are built in; `search/lenses.ts` defines them. */
export const LENS_NAMES = ['balanced', 'rank', 'memory', 'literature', 'cascade', 'recent', 'exact']

export const reranker = z.string().check(
  z.maxLength(MAX_NAME_CHARS),
  z.refine(
    (name) => /^(?:off|llm|onnx:.+)$/s.test(name),
    'must be off, llm or onnx: and the folder of a cross-encoder.',
  ),
)

function weight(help: string) {
  return optional(z.number().check(z.minimum(0)), `${help} (default: the lens's own)`)
}

export const searchRequest = options(() => ({
  query: withDefault(
    z.string(),
    '',
    'words, a question, "a phrase", prefix*, title:word, tag:name, meta.key:value, NEAR(a b, 5), AND, OR, NOT, -word',
  ),
  ...filterOptions.shape,
  mode: withDefault(
    z.enum(MODES),
    'hybrid',
    '<mode> search by keywords and vectors, by vectors alone, or by keywords alone',
  ),
  lens: withHelp(
    z._default(field.anyName, 'balanced'),
    `<name> how to rank: ${LENS_NAMES.join(', ')}, or a saved one`,
    LENS_NAMES,
  ),
  alpha: optional(field.share, '<0..1> fuse by rank: 0 is keywords alone, 1 vectors alone'),
  k: optional(
    z.number().check(z.minimum(0)),
    'fuse by rank: a rank counts 1 / (k + rank) (default: 60)',
  ),
  keywordWeight: weight('how much keyword matches count'),
  vectorWeight: weight('how much vector similarity counts'),
  recencyWeight: weight('how much recency counts'),
  salienceWeight: weight('how much salience counts'),
  boosts: withDefault(
    z.array(boost).check(z.maxLength(MAX_LIST_ITEMS)),
    [],
    `<field:value=factor> multiply the score of records that have a value (${BOOST_FIELDS.join(', ')}); below 1 demotes`,
  ),
  time: withDefault(
    z.enum(['auto', 'off']),
    'auto',
    '<how> whether "last week" or "in 2021" in the query prefers records of that time',
  ),
  /** Records whose facts are less certain than this are left out; without it they only rank lower. */
  minConfidence: optional(field.share, '<0..1> the minimum confidence now'),
  asOf: optional(
    field.time('last'),
    '<time> search the records and facts as they were at this time (default: now)',
  ),
  useVector: withDefault(z.boolean(), true, 'use vectors'),
  threshold: optional(
    field.range(-1, 1),
    "<cosine> lowest similarity of a vector match (default: the model's own)",
  ),
  match: withDefault(
    z.enum(MATCHES),
    'auto',
    '<how> which words must match; auto tries all, then any, then prefixes',
  ),
  fields: optional(field.list(searchField), '<field> search only these fields of a record'),
  highlight: withDefault(z.boolean(), true, 'mark matched words and cut snippets'),
  marks: flag('snippets as HTML: matched words in <mark>, the rest escaped'),
  passages: withDefault(field.whole(1, 3), 1, 'how many passages to show of a hit'),
  explain: flag('show how each score was computed'),
  facets: flag('count the hits by kind, sector, tag, fact type, source, namespace, year'),
  /** For the page: the other values of a facet keep their counts when one is chosen. */
  wideFacets: flag(
    'with facets: count each without its own filter, sources by folder, and authors, venues, people, months',
  ),
  includeFacts: withDefault(z.boolean(), true, 'show facts'),
  context: withDefault(field.whole(0, 20), 0, 'how many turns to show around a hit'),
  /** Without it a search writes nothing. */
  recallSession: optional(field.label, '<session> log the hits as recalled in this session'),
  rerank: withDefault(
    reranker,
    'off',
    '<model> rank the best 30 hits again with a cross-encoder (onnx:FOLDER) or the language model (llm)',
  ),
  sort: withDefault(
    z.enum(SORTS),
    'relevance',
    '<order> the order of the hits; newest and oldest use the date that since and until use',
  ),
  limit: field.limitOf(10),
  offset: withDefault(field.offset, 0, 'how many to skip'),
}))
export type SearchInput = WithSingular<z.input<typeof searchRequest>>

/** An option of the interfaces alone: the library always returns the texts. */
const wholeTexts = () => ({ body: flag('whole texts of the hits, not only snippets') })
export const searchOperationRequest = options(() => ({ ...searchRequest.shape, ...wholeTexts() }))
export type SearchRequest = z.output<typeof searchRequest>

/** Defaults for the searches of an open file, unless the search or its lens sets the option. */
export const searchDefaults = options(() => {
  const { lens, mode, match, limit, threshold, rerank } = searchRequest.shape
  return z.partial(z.strictObject({ lens, mode, match, limit, threshold, rerank })).shape
})
export type SearchDefaults = z.input<typeof searchDefaults>

/** Around a record, by its vector alone: how words count does not matter here. */
export const similarRequest = options(() => {
  const { threshold, minConfidence, asOf, explain, includeFacts, context, ...rest } =
    searchRequest.shape
  const { limit, offset } = rest
  return {
    ...{ id: field.id, ...filterOptions.shape, threshold, minConfidence, asOf },
    ...{ explain, includeFacts, context, limit, offset, ...wholeTexts() },
  }
})

export const askRequest = options(() => ({
  question: required(
    z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_QUESTION_CHARS)),
    'the question, in your own words',
  ),
  ...filterOptions.shape,
  asOf: searchRequest.shape.asOf,
  limit: withDefault(field.whole(1, 20), 8, 'how many passages the model gets'),
  dryRun: flag('show what would be sent to the model, and send nothing'),
}))
export type AskInput = WithSingular<z.input<typeof askRequest>>

/** Checked as a search would be; stored as given, so that later defaults apply to it too. */
export const lensOptions = options(() => {
  const { offset, recallSession, asOf, marks, wideFacets, rerank, ...lensShape } =
    searchRequest.shape
  return z.partial(z.strictObject(lensShape)).shape
})
export type LensOptions = WithSingular<z.input<typeof lensOptions>>

const lensName = () =>
  field.label.check(
    z.refine(
      (name) => /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(name),
      'the name of a lens is one word.',
    ),
  )
export const namedLens = options(() => ({
  name: required(lensName(), '<name> the name of the lens, one word'),
}))
export const lensSaveRequest = options(() => ({
  ...namedLens.shape,
  sentence: nullable(field.label, 'what the lens is for'),
  options: required(lensOptions, '<options> the search options to save'),
}))
export const oneLens = options(() => ({ name: required(field.name, '<name> the name of a lens') }))

export type FilterRequest = Pick<SearchRequest, keyof typeof filterOptions.shape>

/** Turns the options of a request into a filter without those that were not given. `ids` each name one record. */
export function buildFilter(
  request: Omit<FilterRequest, 'ids'> & Partial<Pick<SearchRequest, 'minConfidence' | 'asOf'>>,
  ids: { readonly in?: readonly RecordId[]; readonly out?: readonly RecordId[] },
  { nowMs, decay }: { readonly nowMs: number; readonly decay: number },
): Filter {
  const { since, until, tags, minSalience, minConfidence, asOf } = request
  const { namespaces, sectors, tiers, people, venues, sources, years } = request
  const { sessions, where, factTypes } = request
  if (request.usages !== undefined && sessions === undefined) {
    throw badInput('usages needs sessions: it says how a session used a record.')
  }
  const atLeast = (least: number | undefined) =>
    least === undefined ? undefined : { least, atMs: asOf ?? nowMs, decay }
  const parts: { [Key in keyof Filter]: Filter[Key] | undefined } = {
    ...{ namespaces, sectors, tiers, people, venues, sources, years, sessions, where, factTypes },
    usages: request.usages,
    includeGlobal: request.includeGlobal || undefined,
    kinds: request.includeDocuments ? request.kinds : withoutDocuments(request.kinds),
    tagsAny: tags?.any,
    tagsAll: tags?.all,
    tagsNone: tags?.none,
    dates: buildDates(request.dateField, since, until),
    minSalience: atLeast(minSalience),
    minConfidence: atLeast(minConfidence),
    asOfMs: asOf,
    includeSuperseded: request.includeSuperseded || undefined,
    idsIn: ids.in,
    idsOut: ids.out,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}

function buildDates(field: DateField | null = null, since?: number, until?: number) {
  if (since === undefined && until === undefined) return undefined
  const [sinceMs = null, untilMs = null] = [since, until].map((ms) =>
    ms === undefined || field !== 'published' ? ms : toUtcDay(ms),
  )
  return { field, sinceMs, untilMs }
}

function withoutDocuments(kinds: readonly Kind[] | undefined): Kind[] {
  return (kinds ?? KINDS).filter((kind) => kind !== 'document')
}
