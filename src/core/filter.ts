/** Filters and boosts: which records a search may return, and which of them count more. */

import type { FactType } from './fact.js'
import type { RecordId } from './ids.js'
import type { Kind, Sector, Tier, Usage } from './record.js'

export const DATE_FIELDS = ['created', 'updated', 'occurred', 'published'] as const
/**
 * `occurred` falls back to the creation time if a record has no time of its own; `published` is the publication date of a
 * work, and no other record has one.
 */
export type DateField = (typeof DATE_FIELDS)[number]

/** From the first year to the last, both included. */
export type YearRange = readonly [first: number, last: number]

export const METADATA_SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
export type MetadataComparison = keyof typeof METADATA_SIGNS

/**
 * One test of a value in the metadata. The stored value decides how it is compared: text as text, a number as a number.
 * A list passes if one of its items does.
 */
export type MetadataTest = {
  /** The keys that lead to the value, joined by dots. */
  readonly path: string
  readonly test: 'is' | 'exists' | MetadataComparison
  /** Any number for `is`, one for a comparison, none for `exists`. */
  readonly values: readonly string[]
}

/** Tests of metadata, joined as a query tree joins its parts. */
export type MetadataFilter =
  | { readonly kind: 'metadata'; readonly test: MetadataTest }
  | { readonly kind: 'not'; readonly part: MetadataFilter }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly MetadataFilter[] }

/** Every part narrows; an absent part lets everything pass, an empty list of ids lets nothing pass. */
export type Filter = {
  readonly namespaces?: readonly string[]
  /** Adds memories of tier `global` from namespaces outside `namespaces`. */
  readonly includeGlobal?: boolean
  readonly kinds?: readonly Kind[]
  readonly sectors?: readonly Sector[]
  readonly tiers?: readonly Tier[]
  readonly tagsAny?: readonly string[]
  readonly tagsAll?: readonly string[]
  readonly tagsNone?: readonly string[]
  /** Part of a name, or a whole one in quotes. */
  readonly people?: readonly string[]
  /** Whole names of the journal or proceedings of a work. */
  readonly venues?: readonly string[]
  /** `notes/*` is all of a folder, `git:*` every source that begins with `git:`, `./*` the files without a folder. */
  readonly sources?: readonly string[]
  readonly dates?: {
    /** Null: when a work was published, and when anything else was created. */
    readonly field: DateField | null
    readonly sinceMs: number | null
    readonly untilMs: number | null
  }
  /** The year in UTC of the publication of a work; for other records, of their occurrence or else their creation. */
  readonly years?: readonly YearRange[]
  readonly sessions?: readonly string[]
  /** How those sessions used the record; absent: they created it. */
  readonly usages?: readonly Usage[]
  readonly where?: MetadataFilter
  readonly factTypes?: readonly FactType[]
  readonly minSalience?: Threshold
  /** The mean confidence of its facts at that time; 1 for a record without facts. */
  readonly minConfidence?: Threshold
  readonly idsIn?: readonly RecordId[]
  readonly idsOut?: readonly RecordId[]
  /** Searches the state at that time: the records that existed and were valid, with their text of then. */
  readonly asOfMs?: number
  readonly includeSuperseded?: boolean
  /** Superseded records pass whatever their facets are: they are not shown, but lead to their corrections. */
  readonly supersededLoosely?: boolean
  /** The caller is pinned to the namespace: it is no facet, and no count or suggestion comes from other namespaces. */
  readonly isPinned?: boolean
}

export type Threshold = { readonly least: number; readonly atMs: number; readonly decay: number }

/** The only namespace that the caller may know of; null if it may know all. */
export function getPinnedNamespace({ isPinned, namespaces }: Filter): string | null {
  return isPinned ? (namespaces?.[0] ?? null) : null
}

const NARROWS_NOTHING: ReadonlySet<string> = new Set<keyof Filter>([
  'includeSuperseded',
  'supersededLoosely',
])

export function isUnfiltered(filter: Filter): boolean {
  return Object.keys(filter).every((key) => NARROWS_NOTHING.has(key))
}

/** Removes the conditions on values that facets count, and on metadata. */
export function withoutFacets<F extends Filter>(filter: F): F {
  const { kinds, sectors, sources, years, factTypes, tagsAny, tagsAll, tagsNone, ...others } =
    filter
  const { where, people, venues, ...rest } = others
  const { namespaces, includeGlobal, ...open } = rest
  return (filter.isPinned ? rest : open) as F
}

export const BOOST_FIELDS = [
  'kind',
  'sector',
  'tier',
  'tag',
  'source',
  'namespace',
  'person',
] as const
export type BoostField = (typeof BOOST_FIELDS)[number]

/** Records whose field has this value count `factor` times: above 1 they rise, below it they sink. */
export type Boost = {
  readonly field: BoostField
  readonly value: string
  readonly factor: number
}

export const MOST_BOOST = 10
