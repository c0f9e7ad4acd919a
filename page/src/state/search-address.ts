/** Converts a search to its URL and back. */

import type { FacetName, WideFacetName } from '../../../src/core/answer.js'
import type { SearchInput } from '../../../src/schemas/search-request.js'
import { addressOf } from './addresses.js'

export const MODES = ['hybrid', 'keyword', 'semantic'] as const
export type Mode = (typeof MODES)[number]

export const SORTS = ['relevance', 'newest', 'oldest', 'title'] as const
export type Sort = (typeof SORTS)[number]

/** Months are shown as a histogram, and filter by since and until. */
export type PageFacet = FacetName | Exclude<WideFacetName, 'month'>

/** The facets, by the name each has in the address. */
const FACET_KEYS = {
  kind: 'kind',
  tag: 'tag',
  author: 'author',
  person: 'person',
  venue: 'venue',
  source: 'source',
  namespace: 'project',
  sector: 'sector',
  factType: 'fact',
  year: 'year',
} as const satisfies Record<PageFacet, string>

export const FACET_NAMES = Object.keys(FACET_KEYS) as readonly PageFacet[]

export type SearchChoices = {
  readonly q: string
  readonly mode: Mode
  readonly lens: string
  readonly sort: Sort
  readonly since: string
  readonly until: string
  /** Only what was stored or changed since this moment: what an import brought. */
  readonly arrived: string
  readonly withSuperseded: boolean
  readonly facets: Readonly<Record<PageFacet, readonly string[]>>
}

export const DEFAULT_LENS = 'balanced'

export function readSearch(params: URLSearchParams): SearchChoices {
  const mode = MODES.find((one) => one === params.get('mode')) ?? 'hybrid'
  const facets = Object.fromEntries(
    FACET_NAMES.map((name) => [name, [...new Set(params.getAll(FACET_KEYS[name]))]]),
  ) as Record<PageFacet, string[]>
  return {
    q: params.get('q') ?? '',
    mode,
    lens: params.get('lens') ?? DEFAULT_LENS,
    sort: SORTS.find((one) => one === params.get('sort')) ?? 'relevance',
    since: params.get('since') ?? '',
    until: params.get('until') ?? '',
    arrived: params.get('arrived') ?? '',
    withSuperseded: params.get('superseded') === '1',
    facets,
  }
}

/** Leaves out whatever has its default. */
export function writeSearch(choices: SearchChoices): URLSearchParams {
  const params = new URLSearchParams()
  if (choices.q !== '') params.set('q', choices.q)
  if (choices.mode !== 'hybrid') params.set('mode', choices.mode)
  if (choices.lens !== DEFAULT_LENS) params.set('lens', choices.lens)
  if (choices.sort !== 'relevance') params.set('sort', choices.sort)
  if (choices.since !== '') params.set('since', choices.since)
  if (choices.until !== '') params.set('until', choices.until)
  if (choices.arrived !== '') params.set('arrived', choices.arrived)
  if (choices.withSuperseded) params.set('superseded', '1')
  for (const name of FACET_NAMES) {
    for (const value of choices.facets[name]) params.append(FACET_KEYS[name], value)
  }
  return params
}

export const searchAddress = (choices: SearchChoices): string =>
  addressOf('/', writeSearch(choices))

export const tagAddress = (tag: string): string => addressOf('/', { tag })

/** A value is chosen, or no longer. */
export function toggleFacet(choices: SearchChoices, name: PageFacet, value: string): SearchChoices {
  const chosen = choices.facets[name]
  const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]
  return { ...choices, facets: { ...choices.facets, [name]: next } }
}

export const hasFilters = ({ facets, since, until, arrived }: SearchChoices): boolean =>
  since !== '' ||
  until !== '' ||
  arrived !== '' ||
  FACET_NAMES.some((name) => facets[name].length > 0)

export const withoutFilters = (choices: SearchChoices): SearchChoices => ({
  ...readSearch(new URLSearchParams()),
  q: choices.q,
  mode: choices.mode,
  lens: choices.lens,
  sort: choices.sort,
})

/** Neither words nor filters: there is nothing to search for. */
export const isBlank = (choices: SearchChoices): boolean =>
  choices.q.trim() === '' && !hasFilters(choices)

/** The day that a hit shows: when it happened, else when it was stored. */
const DATE_FIELD = 'occurred'

/** The options of a search that a lens may keep; values of one facet are alternatives. */
export function toLensOptions(choices: SearchChoices) {
  const { kind, sector, tag, factType, source, namespace, year, venue } = choices.facets
  return {
    query: choices.q,
    mode: choices.mode,
    lens: choices.lens,
    sort: choices.sort,
    kinds: some(kind) ?? kindsOfPeople(choices),
    sectors: some(sector),
    tags: tag.length === 0 ? undefined : { any: [...tag] },
    factTypes: some(factType),
    sources: some(source),
    namespaces: some(namespace),
    years: some(year)?.map(Number),
    ...(choices.arrived === ''
      ? {
          since: choices.since || undefined,
          until: choices.until || undefined,
          dateField: DATE_FIELD,
        }
      : { since: choices.arrived, dateField: 'updated' }),
    people: some([...choices.facets.author, ...choices.facets.person].map((name) => `"${name}"`)),
    venues: some(venue),
    includeSuperseded: choices.withSuperseded,
  }
}

/** Authors are counted among works, persons among everything else. */
function kindsOfPeople({ facets: { author, person } }: SearchChoices): string[] | undefined {
  if (author.length > 0) return person.length > 0 ? undefined : ['work']
  return person.length > 0 ? ['memory', 'document'] : undefined
}

/** The search that a saved lens stands for, with its filters where they can be seen and taken away. */
export function fromLens(name: string, options: Readonly<Record<string, unknown>>): SearchChoices {
  const list = (key: string): string[] =>
    options[key] === undefined ? [] : [options[key]].flat().map(String)
  const text = (key: string): string => (options[key] === undefined ? '' : String(options[key]))
  const { tags } = options as { tags?: { any?: string[]; all?: string[] } }
  const params = new URLSearchParams([
    ['lens', name],
    ...['mode', 'sort', 'since', 'until'].map((key) => [key, text(key)]),
    ['q', text('query')],
    ['superseded', options.includeSuperseded === true ? '1' : ''],
    ...Object.entries(LENS_LISTS).flatMap(([key, facet]) =>
      list(key).map((value) => [facet, value]),
    ),
    ...(Array.isArray(tags) ? tags : (tags?.any ?? [])).map((tag) => ['tag', tag]),
  ])
  const names = list('people').flatMap((person) => /^"(.*)"$/.exec(person)?.[1] ?? [])
  const isAuthor = list('kinds').join() === 'work'
  for (const person of names) params.append(isAuthor ? 'author' : 'person', person)
  return readSearch(params)
}

const LENS_LISTS = {
  kinds: 'kind',
  sectors: 'sector',
  factTypes: 'fact',
  sources: 'source',
  namespaces: 'project',
  years: 'year',
  venues: 'venue',
} as const

export function toSearchInput(choices: SearchChoices, limit: number, offset = 0): SearchInput {
  const isFirst = offset === 0
  const page = { explain: true, facets: isFirst, wideFacets: isFirst, limit, offset }
  // The address is free text: the server checks it, and says in a sentence what is wrong.
  return { ...toLensOptions(choices), ...page } as SearchInput
}

const some = (values: readonly string[]): string[] | undefined =>
  values.length === 0 ? undefined : [...values]
