/** What a timeline shows: how near, which kinds and tags; and its months and years with their counts. */

import type { Facets, FacetValue } from '../../../src/core/answer.js'
import { KINDS } from '../../../src/core/record.js'
import { Chip } from '../parts/chip.js'
import { Segments, SelectField } from '../parts/fields.js'
import { monthName } from '../parts/moments.js'
import { KIND_NAMES } from '../parts/names.js'
import { count, counted } from '../parts/numbers.js'
import { Nothing } from '../parts/states.js'
import { type TimelineChoices, timelineAddress, ZOOMS } from '../state/timeline-address.js'

const ZOOM_NAMES = { year: 'Years', month: 'Months', day: 'Days' } as const
const MOST_TAGS = 30

/** In the time zone of the browser, as a date field writes it. */
export const today = (): string => new Date().toLocaleDateString('sv')

export function TimelineControls({
  choices,
  facets,
  onChange,
}: {
  readonly choices: TimelineChoices
  readonly facets: Facets | null
  readonly onChange: (part: Partial<TimelineChoices>) => void
}) {
  const { zoom, since, until, kind, tags } = choices
  const others = (facets?.tag ?? []).filter(({ value }) => !tags.includes(value))
  return (
    <div class="controls">
      <Segments
        name="Zoom"
        group="zoom"
        value={zoom}
        options={ZOOMS.map((one) => [one, ZOOM_NAMES[one]])}
        onChange={(next) => onChange({ zoom: next })}
      />
      <SelectField
        name="Kind"
        value={kind}
        options={[
          ['', 'All kinds'],
          ...KINDS.map((one) => {
            const times = facets?.kind.find(({ value }) => value === one)?.count ?? 0
            return [one, `${KIND_NAMES[one]} (${count(times)})`] as const
          }),
        ]}
        onChange={(next) => onChange({ kind: next })}
      />
      {(others.length > 0 || tags.length > 0) && (
        <SelectField
          name="Tag"
          value=""
          options={[
            ['', tags.length === 0 ? 'Any tag' : 'Add a tag'],
            ...others
              .slice(0, MOST_TAGS)
              .map(({ value, count: times }) => [value, `${value} (${count(times)})`] as const),
          ]}
          onChange={(tag) => onChange({ tags: [...tags, tag] })}
        />
      )}
      <label class="field-inline">
        <span>Up to</span>
        <input
          type="date"
          value={until || today()}
          onChange={({ currentTarget }) => onChange({ until: currentTarget.value })}
        />
      </label>
      {(tags.length > 0 || since !== '' || until !== '') && (
        <ul class="chips" aria-label="Active filters">
          {tags.map((tag) => (
            <Chip
              key={tag}
              title="Tag"
              value={tag}
              onRemove={() => onChange({ tags: tags.filter((one) => one !== tag) })}
            />
          ))}
          {(since !== '' || until !== '') && (
            <Chip
              title="Time"
              value={`${since || 'the first record'} to ${until || 'today'}`}
              onRemove={() => onChange({ since: '', until: '' })}
            />
          )}
        </ul>
      )}
    </div>
  )
}

/** Each month or year that has records, newest first; each leads one step nearer. */
export function Periods({
  choices,
  until,
  months,
}: {
  readonly choices: TimelineChoices
  readonly until: string
  readonly months: readonly FacetValue[]
}) {
  const length = choices.zoom === 'year' ? 4 : 7
  const counts = new Map<string, number>()
  for (const { value, count: times } of months) {
    if (value < choices.since.slice(0, 7) || value > until.slice(0, 7)) continue
    const key = value.slice(0, length)
    counts.set(key, (counts.get(key) ?? 0) + times)
  }
  const periods = [...counts].sort(([a], [b]) => (a < b ? 1 : -1))
  const most = Math.max(1, ...counts.values())
  if (periods.length === 0) {
    return (
      <Nothing title="There are no records of this time with a month.">
        <p>
          <a href={timelineAddress({ ...choices, zoom: 'day' })}>Show the works of this time</a>
        </p>
      </Nothing>
    )
  }
  return (
    <ol class="periods">
      {periods.map(([period, times]) => (
        <li key={period}>
          <a href={timelineAddress({ ...choices, ...within(period, choices.kind) })}>
            <span>{length === 4 ? period : monthName(period)}</span>
            <span class="period-bar">
              <i style={{ width: `${(times / most) * 100}%` }} />
            </span>
            <span class="quiet">{counted(times, 'record')}</span>
          </a>
        </li>
      ))}
    </ol>
  )
}

/** From a year to its months, from a month to its days; the works of a year have no months. */
function within(period: string, kind: string): Partial<TimelineChoices> {
  const isYear = period.length === 4
  const last = new Date(0)
  last.setUTCFullYear(Number(period.slice(0, 4)), isYear ? 12 : Number(period.slice(5)), 0)
  return {
    zoom: isYear && kind !== 'work' ? 'month' : 'day',
    since: isYear ? `${period}-01-01` : `${period}-01`,
    until: last.toISOString().slice(0, 10),
  }
}
