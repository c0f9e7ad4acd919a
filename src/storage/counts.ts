/** Converts counted rows of a database to facets, sizes and the overview. */

import {
  FACETS,
  type Facets,
  type FacetValue,
  OVERVIEW_STEPS,
  type Overview,
  type OverviewStep,
  WIDE_FACETS,
} from '../core/answer.js'
import { KINDS, SECTORS } from '../core/record.js'
import { DAY_MS } from '../core/time.js'
import { SIZE_PARTS, type SizePart } from './storage.js'

type Row = Readonly<Record<string, unknown>>

/** There may be as many authors as records; only the most frequent ones are listed. */
export const MAX_FACET_VALUES = 1000

/** Each row has a `facet`, its `value` and its count, `n`. */
export function toFacets(rows: readonly Row[], isWide: boolean): Facets {
  const names: readonly string[] = isWide ? [...FACETS, ...WIDE_FACETS] : FACETS
  const valuesOf = (facet: string): FacetValue[] => {
    const own = rows.filter((row) => row.facet === facet)
    const counts = own.map((row) => ({ value: String(row.value), count: Number(row.n) }))
    const all = facet === 'source' && isWide ? addParents(counts) : counts
    return all.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  }
  return Object.fromEntries(names.map((name) => [name, valuesOf(name)])) as unknown as Facets
}

/** A folder counts its subfolders too: `a/b/*` counts for `a/*`. */
function addParents(folders: readonly FacetValue[]): FacetValue[] {
  const counts = new Map<string, number>()
  for (const { value, count } of folders) {
    const isFolder = value.endsWith('/*') && value !== './*'
    const ends = isFolder ? [...value.matchAll(/[^:/]\//g)].map(({ index }) => index + 2) : []
    const paths = isFolder ? ends.map((end) => `${value.slice(0, end)}*`) : [value]
    for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + count)
  }
  return [...counts].map(([value, count]) => ({ value, count }))
}

/** The tables of each part, by the beginnings of their names; the first match counts. */
const PARTS: readonly (readonly [part: SizePart, tables: RegExp])[] = [
  ['fullText', /^((records|revisions)_ft|words|past_words|terms)/],
  ['past', /^revisions/],
  ['texts', /^record/],
  ['vectors', /^(vector|chunks|embed|models|waiting)/],
  ['works', /^work/],
  ['links', /^links/],
  ['facts', /^facts/],
  ['sessions', /^session/],
  ['recalls', /^recall/],
  ['imports', /^imports/],
]

/** Each row has a `table` and its `bytes`. */
export function sumParts(rows: readonly Row[]): Record<SizePart, number> {
  const sizes = toZeros(SIZE_PARTS)
  for (const { table, bytes } of rows) {
    const found = PARTS.find(([, tables]) => tables.test(String(table)))
    sizes[found?.[0] ?? 'other'] += Number(bytes)
  }
  return sizes
}

/** Recalls of this period are counted. */
export const RECALLS_MS = 366 * DAY_MS
export const SALIENCE_BINS = 10
export const MOST_CITED = 12
/** Above this number of steps, the overview uses longer steps. */
const MAX_STEPS = 120
const STEP_MS: Readonly<Record<OverviewStep, number>> = {
  day: DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
}

/** The shortest step that does not give too many steps between the times `first` and `last`. */
export function chooseStep(span: Row | undefined): OverviewStep {
  const ms = Number(span?.last ?? 0) - Number(span?.first ?? 0)
  return OVERVIEW_STEPS.find((step) => ms / STEP_MS[step] < MAX_STEPS) ?? 'year'
}

type CountedOverview = Pick<Overview, 'by'> & {
  readonly overTime: readonly Row[]
  readonly salience: readonly Row[]
  readonly mostCited: readonly Row[]
  readonly recalls: readonly Row[]
  readonly waiting: number
}

export function toOverview(counted: CountedOverview): Overview {
  const { by, overTime, waiting, mostCited, recalls } = counted
  const kinds = countBy(KINDS, overTime, 'kind')
  const salience = new Array<number>(SALIENCE_BINS).fill(0)
  for (const { bin, n } of counted.salience) salience[Number(bin)] = Number(n)
  return {
    by,
    // A year that the database cannot format is counted, but has no date.
    overTime: overTime.filter(({ at }) => at !== null) as unknown as Overview['overTime'],
    kinds,
    sectors: countBy(SECTORS, overTime, 'sector'),
    salience,
    coverage: {
      withVectors: Object.values(kinds).reduce((sum, n) => sum + n, 0) - waiting,
      waiting,
    },
    mostCited: mostCited as unknown as Overview['mostCited'],
    recalls: recalls as unknown as Overview['recalls'],
  }
}

function countBy<Name extends string>(
  names: readonly Name[],
  rows: readonly Row[],
  column: string,
): Record<Name, number> {
  const counts = toZeros(names)
  for (const row of rows) {
    const name = row[column] as Name
    if (name in counts) counts[name] += Number(row.count)
  }
  return counts
}

function toZeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}
