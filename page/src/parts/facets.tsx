/** Counts of the result set; pressing values filters, and their siblings keep their counts. */

import { useId, useState } from 'preact/hooks'
import type { Facets, FacetValue } from '../../../src/core/answer.js'
import { FACET_NAMES, type PageFacet, type SearchChoices } from '../state/search-address.js'
import { Button, TextButton } from './button.js'
import { labelOfFolder, toFolders } from './folders.js'
import { Icon } from './icon.js'
import { KIND_NAMES } from './names.js'
import { shortCount } from './numbers.js'
import { TimeHistogram } from './time-histogram.js'

export const FACET_TITLES: Readonly<Record<PageFacet, string>> = {
  kind: 'Kind',
  tag: 'Tag',
  author: 'Author',
  person: 'Person',
  venue: 'Journal or conference',
  source: 'Source',
  namespace: 'Project',
  sector: 'Sector of memory',
  factType: 'Type of fact',
  year: 'Year',
}

/** What a value is called on the page. */
export function nameOfValue(name: PageFacet, value: string): string {
  if (name === 'kind') return KIND_NAMES[value as keyof typeof KIND_NAMES] ?? value
  return name === 'source' ? labelOfFolder(value) : value
}

const SHOWN_AT_FIRST = 6
const SHOWN_AT_MOST = 200

export function FacetPanel({
  facets,
  choices,
  onToggle,
  onTime,
}: {
  readonly facets: Facets
  readonly choices: SearchChoices
  readonly onToggle: (name: PageFacet, value: string) => void
  readonly onTime: (days: { readonly since: string; readonly until: string }) => void
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <aside class="facets" aria-label="Filters">
      <Button class="facets-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="filter" size={16} /> Filters
      </Button>
      <div class={isOpen ? 'facet-groups is-open' : 'facet-groups'}>
        <TimeHistogram
          months={facets.month ?? []}
          since={choices.since}
          until={choices.until}
          onChange={onTime}
        />
        {FACET_NAMES.filter((name) => name !== 'year').map((name) => (
          <FacetGroup
            key={name}
            name={name}
            values={facets[name] ?? []}
            chosen={choices.facets[name]}
            onToggle={(value) => onToggle(name, value)}
          />
        ))}
      </div>
    </aside>
  )
}

type Row = FacetValue & { readonly label: string; readonly depth: number }

/** Chosen values stay, also where nothing has them any more. */
function rowsOf(name: PageFacet, values: readonly FacetValue[], chosen: readonly string[]): Row[] {
  const gone = chosen.filter((value) => values.every((one) => one.value !== value))
  const all = [...values, ...gone.map((value) => ({ value, count: 0 }))]
  if (name === 'source') return toFolders(all)
  return all.map((one) => ({ ...one, label: nameOfValue(name, one.value), depth: 0 }))
}

function FacetGroup({
  name,
  values,
  chosen,
  onToggle,
}: {
  readonly name: PageFacet
  readonly values: readonly FacetValue[]
  readonly chosen: readonly string[]
  readonly onToggle: (value: string) => void
}) {
  const id = useId()
  const [isWhole, setWhole] = useState(false)
  const [sought, setSought] = useState('')
  const rows = rowsOf(name, values, chosen)
  // One value that everything has narrows nothing.
  if (rows.length === 0 || (rows.length === 1 && chosen.length === 0)) return null
  const most = Math.max(1, ...rows.map(({ count }) => count))
  const wanted = sought.trim().toLowerCase()
  const found = rows.filter(({ label }) => label.toLowerCase().includes(wanted))
  const shown = isWhole
    ? found.slice(0, SHOWN_AT_MOST)
    : found.filter(({ value }, i) => i < SHOWN_AT_FIRST || chosen.includes(value))
  return (
    <section class="facet" aria-labelledby={id}>
      <h2 id={id}>{FACET_TITLES[name]}</h2>
      {isWhole && (
        <input
          type="search"
          class="facet-find"
          placeholder="Find a value"
          aria-label={`Find a value: ${FACET_TITLES[name]}`}
          value={sought}
          onInput={({ currentTarget }) => setSought(currentTarget.value)}
        />
      )}
      <ul>
        {shown.map((row) => (
          <FacetItem
            key={row.value}
            row={row}
            share={row.count / most}
            isChosen={chosen.includes(row.value)}
            onToggle={onToggle}
          />
        ))}
      </ul>
      {isWhole && found.length === 0 && <p class="quiet facet-note">No value contains this.</p>}
      {isWhole && found.length > SHOWN_AT_MOST && (
        <p class="quiet facet-note">The first {SHOWN_AT_MOST}; type to find others.</p>
      )}
      {rows.length > SHOWN_AT_FIRST && (
        <TextButton
          aria-expanded={isWhole}
          onClick={() => {
            setWhole(!isWhole)
            setSought('')
          }}
        >
          {isWhole ? 'Show fewer' : `Show ${rows.length - shown.length} more`}
          <span class="visually-hidden">: {FACET_TITLES[name]}</span>
        </TextButton>
      )}
    </section>
  )
}

function FacetItem({
  row: { value, label, count, depth },
  share,
  isChosen,
  onToggle,
}: {
  readonly row: Row
  readonly share: number
  readonly isChosen: boolean
  readonly onToggle: (value: string) => void
}) {
  return (
    <li>
      <button
        type="button"
        class={`facet-value facet-depth-${Math.min(depth, 3)}`}
        aria-pressed={isChosen}
        title={label.length > 24 ? value : undefined}
        onClick={() => onToggle(value)}
      >
        <span class="facet-bar" style={{ width: `${share * 100}%` }} />
        <bdi class="facet-name">{label}</bdi>
        <span class="facet-count">{shortCount(count)}</span>
      </button>
    </li>
  )
}
