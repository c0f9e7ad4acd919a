/** Facets are one line each: the most frequent values that fit, and how many are left. */

import { FACETS, type FacetName, type Facets } from '../../core/answer.js'
import { oneLine, type Style, widthOf } from './style.js'

const NAMES: Readonly<Record<FacetName, string>> = {
  kind: 'kind',
  sector: 'sector',
  tag: 'tag',
  factType: 'fact type',
  source: 'source',
  namespace: 'namespace',
  year: 'year',
}
const WIDTH = Math.max(...Object.values(NAMES).map((name) => name.length))

/** Empty where nothing was found. */
export function renderFacets(facets: Facets, style: Style): string {
  return FACETS.filter((name) => facets[name].length > 0)
    .map((name) => {
      const values = facets[name].map(({ value, count }) => `${oneLine(value)} ${count}`)
      const columns = style.columns - WIDTH - 2
      return `${style.dim(NAMES[name].padEnd(WIDTH))}  ${joinFitting(values, columns)}`
    })
    .join('\n')
}

function joinFitting(values: readonly string[], columns: number): string {
  let line = ''
  for (const [i, value] of values.entries()) {
    const longer = line === '' ? value : `${line} · ${value}`
    const left = values.length - i
    // Room for the words that say what was left out; the first is shown whatever its length.
    if (i > 0 && widthOf(longer) + (left > 1 ? 12 : 0) > columns) return `${line} · ${left} more`
    line = longer
  }
  return line
}
