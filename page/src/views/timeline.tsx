/** Records by day, oldest first, with their sessions. */

import type { SessionBrief } from '../../../src/core/record.js'
import { byDay, type Run, type TimelineDay } from '../parts/by-day.js'
import { Icon } from '../parts/icon.js'
import { Marked } from '../parts/marked.js'
import { clockOf, longDay } from '../parts/moments.js'
import { wholeWords } from '../parts/names.js'
import { Tags } from '../parts/record-bits.js'
import { DayPair } from '../parts/search-controls.js'
import { Nothing, Shown } from '../parts/states.js'
import { addressOf, recordAddress, sessionAddress } from '../state/addresses.js'
import { go, here } from '../state/router.js'
import { useTimeline } from '../state/timeline-pages.js'
import { useTitle } from '../state/title.js'

const SPANS = [
  { since: '7d', name: '7 days' },
  { since: '1m', name: 'Month' },
  { since: '6m', name: '6 months' },
  { since: '1y', name: 'Year' },
  { since: 'all', name: 'Everything' },
] as const

const DEFAULT_SINCE = '1y'

export function TimelineView() {
  const { params } = here.value
  const since = params.get('since') ?? DEFAULT_SINCE
  const until = params.get('until') ?? ''
  const timeline = useTimeline({
    since: since === 'all' ? undefined : since,
    until: until === '' ? undefined : until,
  })
  useTitle('Timeline')
  const entries = timeline.pages.flatMap((page) => page.entries)
  const sessions = new Map(
    timeline.pages.flatMap((page) =>
      page.sessions.map((session) => [session.id, session] as const),
    ),
  )
  return (
    <div class="timeline-view narrow">
      <div class="view-head">
        <h1>Timeline</h1>
        <RangeChoice since={since} until={until} />
      </div>
      <Shown loaded={timeline} lines={8}>
        {() =>
          entries.length === 0 ? (
            <Nothing title="Nothing happened in this time.">
              <p>
                Choose a longer stretch, or <a href="/timeline?since=all">see everything</a>.
              </p>
            </Nothing>
          ) : (
            <>
              <ol class="days-list">
                {byDay(entries).map((day) => (
                  <DayItem key={day.key} day={day} sessions={sessions} />
                ))}
              </ol>
              {timeline.goOn !== null && (
                <button type="button" class="button more" onClick={() => void timeline.goOn?.()}>
                  Go on
                </button>
              )}
            </>
          )
        }
      </Shown>
    </div>
  )
}

function RangeChoice({ since, until }: { readonly since: string; readonly until: string }) {
  const isDay = /^\d{4}-/.test(since)
  const change = (days: { since: string; until: string }): void => {
    const chosen = Object.entries(days).filter(([, value]) => value !== '')
    go(addressOf('/timeline', Object.fromEntries(chosen)))
  }
  return (
    <div class="controls">
      <fieldset class="segments">
        <legend class="visually-hidden">How far back</legend>
        {SPANS.map((span) => (
          <label key={span.since}>
            <input
              type="radio"
              name="since"
              checked={span.since === since}
              onChange={() => change({ since: span.since, until: '' })}
            />
            <span>{span.name}</span>
          </label>
        ))}
      </fieldset>
      <DayPair since={isDay ? since : ''} until={until} onChange={change} />
    </div>
  )
}

function DayItem({
  day,
  sessions,
}: {
  readonly day: TimelineDay
  readonly sessions: ReadonlyMap<string, SessionBrief>
}) {
  return (
    <li class="day">
      <h2>
        <time dateTime={day.time}>{longDay(day.time)}</time>
      </h2>
      {day.runs.map((run) => (
        <RunItem
          key={run.entries[0]?.id}
          run={run}
          session={run.session === null ? null : (sessions.get(run.session) ?? null)}
        />
      ))}
    </li>
  )
}

function RunItem({ run, session }: { readonly run: Run; readonly session: SessionBrief | null }) {
  return (
    <div class={run.session === null ? 'run' : 'run run-session'}>
      {run.session !== null && (
        <p class="run-head">
          <a href={sessionAddress(run.session)}>
            <Icon name="sessions" size={15} />
            <bdi>{run.session}</bdi>
          </a>
          {session?.summary != null && (
            <span class="quiet">
              <Marked text={session.summary} />
            </span>
          )}
        </p>
      )}
      <ul>
        {run.entries.map(({ id, time, kind, title, summary, tags }) => (
          <li key={id} class="entry">
            <time dateTime={time}>{clockOf(time)}</time>
            <Icon name={kind} size={16} />
            <div>
              <a href={recordAddress(id)} dir="auto">
                <Marked text={title ?? wholeWords(summary)} />
              </a>
              {title !== null && title !== summary && (
                <p class="quiet" dir="auto">
                  <Marked text={wholeWords(summary)} />
                </p>
              )}
              <Tags tags={tags} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
