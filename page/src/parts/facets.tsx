/** Counts of the result set; pressing one filters. */

import { useState } from 'preact/hooks'
import type { FacetName, Facets, FacetValue } from '../../../src/core/answer.js'
import { FACET_NAMES, type SearchChoices } from '../state/search-address.js'
import { Icon } from './icon.js'
import { shortCount } from './numbers.js'

export const FACET_TITLES: Readonly<Record<FacetName, string>> = {
  kind: 'Kind',
  sector: 'Sector',
  tag: 'Tag',
  factType: 'Fact',
  source: 'Source',
  namespace: 'Project',
  year: 'Year',
}

const SHOWN_AT_FIRST = 6

export function FacetPanel({
  facets,
  choices,
  onToggle,
}: {
  readonly facets: Facets
  readonly choices: SearchChoices
  readonly onToggle: (name: FacetName, value: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <aside class="facets" aria-label="Narrow the results">
      <button
        type="button"
        class="button facets-button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="filter" size={16} /> Narrow
      </button>
      <div class={isOpen ? 'facet-groups is-open' : 'facet-groups'}>
        {FACET_NAMES.map((name) => (
          <FacetGroup
            key={name}
            name={name}
            values={facets[name]}
            chosen={choices.facets[name]}
            onToggle={(value) => onToggle(name, value)}
          />
        ))}
      </div>
    </aside>
  )
}

function FacetGroup({
  name,
  values,
  chosen,
  onToggle,
}: {
  readonly name: FacetName
  readonly values: readonly FacetValue[]
  readonly chosen: readonly string[]
  readonly onToggle: (value: string) => void
}) {
  const [isWhole, setWhole] = useState(false)
  // One value that everything has narrows nothing.
  if (values.length === 0 || (values.length === 1 && chosen.length === 0)) return null
  const most = values[0]?.count ?? 1
  const shown = isWhole ? values : values.slice(0, SHOWN_AT_FIRST)
  return (
    <section class="facet">
      <h2>{FACET_TITLES[name]}</h2>
      <ul>
        {shown.map(({ value, count }) => (
          <li key={value}>
            <button
              type="button"
              class="facet-value"
              aria-pressed={chosen.includes(value)}
              onClick={() => onToggle(value)}
            >
              <span class="facet-bar" style={{ width: `${(count / most) * 100}%` }} />
              <bdi class="facet-name">{value}</bdi>
              <span class="facet-count">{shortCount(count)}</span>
            </button>
          </li>
        ))}
      </ul>
      {values.length > SHOWN_AT_FIRST && (
        <button type="button" class="text-button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'fewer' : `${values.length - SHOWN_AT_FIRST} more`}
        </button>
      )}
    </section>
  )
}
