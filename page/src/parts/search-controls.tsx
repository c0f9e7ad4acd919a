/** Mode, order, lens, time range and active filters of a search. */

import { listLenses } from '../api/client.js'
import { useLoad } from '../state/load.js'
import {
  FACET_NAMES,
  hasFilters,
  MODES,
  type Mode,
  type SearchChoices,
  SORTS,
  type Sort,
  toggleFacet,
  withoutFilters,
} from '../state/search-address.js'
import { TextButton } from './button.js'
import { Chip } from './chip.js'
import { FACET_TITLES, nameOfValue } from './facets.js'
import { CheckField, Segments, SelectField } from './fields.js'
import { shortMoment } from './moments.js'
import { SavedSearches } from './saved-searches.js'

type Change = (next: SearchChoices) => void

const MODE_NAMES: Readonly<Record<Mode, string>> = {
  hybrid: 'Hybrid',
  keyword: 'Keywords',
  semantic: 'Semantic',
}

const SPANS = [
  { since: '', name: 'Any time' },
  { since: '7d', name: 'Last 7 days' },
  { since: '1m', name: 'Last month' },
  { since: '6m', name: 'Last 6 months' },
  { since: '1y', name: 'Last year' },
] as const

export function SearchControls({
  choices,
  onChange,
}: {
  readonly choices: SearchChoices
  readonly onChange: Change
}) {
  return (
    <div class="controls">
      <Segments
        name="Search by"
        group="mode"
        value={choices.mode}
        options={MODES.map((mode) => [mode, MODE_NAMES[mode]])}
        onChange={(mode) => onChange({ ...choices, mode })}
      />
      <SelectField
        name="Sort"
        value={choices.sort}
        options={SORTS.map((sort) => [sort, SORT_NAMES[sort]])}
        onChange={(sort) => onChange({ ...choices, sort })}
      />
      <LensChoice choices={choices} onChange={onChange} />
      <TimeChoice choices={choices} onChange={onChange} />
      <CheckField
        name="Include superseded"
        value={choices.withSuperseded}
        onChange={(withSuperseded) => onChange({ ...choices, withSuperseded })}
      />
      <SavedSearches choices={choices} onChange={onChange} />
    </div>
  )
}

const SORT_NAMES: Readonly<Record<Sort, string>> = {
  relevance: 'Relevance',
  newest: 'Newest first',
  oldest: 'Oldest first',
  title: 'Title',
}

function LensChoice({ choices, onChange }: { choices: SearchChoices; onChange: Change }) {
  const { data } = useLoad('lenses', listLenses)
  const lenses = (data?.lenses ?? []).filter(
    ({ name, isBuiltIn }) => isBuiltIn || name === choices.lens,
  )
  const chosen = lenses.find(({ name }) => name === choices.lens)
  const known = lenses.map(({ name }) => [name, name[0]?.toUpperCase() + name.slice(1)] as const)
  return (
    <SelectField
      name="Ranking"
      value={choices.lens}
      title={chosen?.sentence ?? undefined}
      options={chosen === undefined ? [[choices.lens, choices.lens], ...known] : known}
      onChange={(lens) => onChange({ ...choices, lens })}
    />
  )
}

const OWN = 'own'

/** Common spans by name; any other as two days. */
function TimeChoice({ choices, onChange }: { choices: SearchChoices; onChange: Change }) {
  const { since, until } = choices
  const isSpan = until === '' && SPANS.some((span) => span.since === since)
  const today = new Date().toISOString().slice(0, 10)
  return (
    <>
      <SelectField<string>
        name="Time"
        value={isSpan ? since : OWN}
        options={[...SPANS.map((span) => [span.since, span.name] as const), [OWN, 'From … to …']]}
        onChange={(value) =>
          onChange(
            value === OWN
              ? { ...choices, since: '', until: today }
              : { ...choices, since: value, until: '' },
          )
        }
      />
      {!isSpan && (
        <DayPair
          since={since}
          until={until}
          onChange={(days) => onChange({ ...choices, ...days })}
        />
      )}
    </>
  )
}

type Days = { readonly since: string; readonly until: string }

function DayPair({ since, until, onChange }: Days & { readonly onChange: (days: Days) => void }) {
  return (
    <span class="days">
      <input
        type="date"
        aria-label="From"
        value={since}
        onChange={({ currentTarget }) => onChange({ since: currentTarget.value, until })}
      />
      <span aria-hidden="true">–</span>
      <input
        type="date"
        aria-label="To"
        value={until}
        onChange={({ currentTarget }) => onChange({ since, until: currentTarget.value })}
      />
    </span>
  )
}

/** What narrows the search now, each with a way to take it away. */
export function ActiveFilters({
  choices,
  onChange,
}: {
  readonly choices: SearchChoices
  readonly onChange: Change
}) {
  if (!hasFilters(choices)) return null
  const span = SPANS.find(({ since }) => since === choices.since)
  return (
    <ul class="chips" aria-label="Active filters">
      {FACET_NAMES.flatMap((name) =>
        choices.facets[name].map((value) => (
          <Chip
            key={`${name} ${value}`}
            title={FACET_TITLES[name]}
            value={nameOfValue(name, value)}
            onRemove={() => onChange(toggleFacet(choices, name, value))}
          />
        )),
      )}
      {choices.since !== '' && (
        <Chip
          title="Since"
          value={span?.name ?? choices.since}
          onRemove={() => onChange({ ...choices, since: '' })}
        />
      )}
      {choices.until !== '' && (
        <Chip
          title="Until"
          value={choices.until}
          onRemove={() => onChange({ ...choices, until: '' })}
        />
      )}
      {choices.arrived !== '' && (
        <Chip
          title="Arrived since"
          value={shortMoment(choices.arrived)}
          onRemove={() => onChange({ ...choices, arrived: '' })}
        />
      )}
      <li>
        <TextButton onClick={() => onChange(withoutFilters(choices))}>Clear all</TextButton>
      </li>
    </ul>
  )
}
