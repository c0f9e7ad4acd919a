/** Records by day, month or year, newest first, with their sessions. */

import type { TimelineEntry } from '../../../src/cairn/timeline.js'
import type { SessionBrief } from '../../../src/core/record.js'
import { KINDS } from '../../../src/core/record.js'
import { search, timelineOver } from '../api/client.js'
import { Button } from '../parts/button.js'
import { Icon } from '../parts/icon.js'
import { Marked } from '../parts/marked.js'
import { clockOf, dayKey, longDay } from '../parts/moments.js'
import { wholeWords } from '../parts/names.js'
import { By, Tags } from '../parts/record-bits.js'
import { Nothing, Shown } from '../parts/states.js'
import { View } from '../parts/view.js'
import { recordAddress, sessionAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { usePages } from '../state/pages.js'
import { go, here } from '../state/router.js'
import { readTimeline, type TimelineChoices, timelineAddress } from '../state/timeline-address.js'
import { Periods, TimelineControls, today } from './timeline-controls.js'

export function TimelineView() {
  const choices = readTimeline(here.value.params)
  const { zoom, since, kind, tags } = choices
  const until = choices.until || today()
  // Works have no month: by default they are counted among years alone.
  const kinds =
    kind !== '' ? [kind] : zoom === 'month' ? KINDS.filter((one) => one !== 'work') : KINDS
  const counts = useLoad(
    `timeline counts ${JSON.stringify([since, until, kinds, tags])}`,
    async () =>
      search({
        ...{ kinds: [...kinds] as never, ...(tags.length > 0 && { tags: [...tags] }) },
        ...{ facets: true, wideFacets: true, limit: 1 },
      }),
  )
  const change = (part: Partial<TimelineChoices>): void =>
    go(timelineAddress({ ...choices, ...part }))
  return (
    <View
      title="Timeline"
      class="timeline-view narrow"
      controls={
        <TimelineControls
          choices={choices}
          facets={counts.data?.facets ?? null}
          onChange={change}
        />
      }
    >
      {zoom === 'day' ? (
        <Days choices={choices} until={until} />
      ) : (
        <Shown loaded={counts} lines={8}>
          {({ facets }) => <Periods choices={choices} until={until} months={facets?.month ?? []} />}
        </Shown>
      )}
    </View>
  )
}

const PAGE = 60

function Days({ choices, until }: { readonly choices: TimelineChoices; readonly until: string }) {
  const { since, kind, tags } = choices
  const stretch = {
    since: since === '' ? undefined : since,
    until,
    ...(kind !== '' && { kinds: [kind] }),
    ...(tags.length > 0 && { tags }),
  }
  const timeline = usePages(`timeline ${JSON.stringify(stretch)}`, (cursor, signal) =>
    timelineOver({ ...stretch, cursor }, PAGE, signal),
  )
  const entries = timeline.pages.flatMap((page) => page.entries)
  const sessions = new Map(
    timeline.pages.flatMap((page) =>
      page.sessions.map((session) => [session.id, session] as const),
    ),
  )
  return (
    <Shown loaded={timeline} lines={8}>
      {() =>
        entries.length === 0 ? (
          <Nothing title="There are no records of this time.">
            <p>
              <a href="/timeline?zoom=year">Show all years</a>
            </p>
          </Nothing>
        ) : (
          <>
            <ol class="days-list">
              {groupByDay(entries).map((day) => (
                <DayItem key={`${day.key} ${day.time}`} day={day} sessions={sessions} />
              ))}
            </ol>
            {timeline.loadMore !== null && (
              <Button class="more" onClick={timeline.loadMore}>
                Show older records
              </Button>
            )}
          </>
        )
      }
    </Shown>
  )
}

type Run = { readonly session: string | null; readonly entries: TimelineEntry[] }
type TimelineDay = {
  readonly key: string
  readonly time: string
  /** A group of works is named by its year. */
  readonly isYear: boolean
  readonly runs: Run[]
}

/** Groups entries by day, and within a day by session; works have no day but a year. */
function groupByDay(entries: readonly TimelineEntry[]): TimelineDay[] {
  const days: TimelineDay[] = []
  for (const entry of entries) {
    const isYear = entry.kind === 'work'
    const key = isYear ? `works of ${entry.time.slice(0, 4)}` : dayKey(entry.time)
    const last = days.at(-1)
    const day = last?.key === key ? last : { key, time: entry.time, isYear, runs: [] }
    if (day !== last) days.push(day)
    const run = day.runs.at(-1)
    if (run !== undefined && run.session === entry.session) run.entries.push(entry)
    else day.runs.push({ session: entry.session, entries: [entry] })
  }
  return days
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
        {day.isYear ? (
          `Published in ${day.time.slice(0, 4)}`
        ) : (
          <time dateTime={day.time}>{longDay(day.time)}</time>
        )}
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
            <Marked text={session?.title ?? run.session} />
          </a>
          {session?.summary != null && (
            <span class="quiet">
              <Marked text={session.summary} />
            </span>
          )}
        </p>
      )}
      <ul>
        {run.entries.map(({ id, time, kind, title, summary, tags, author }) => (
          <li key={id} class="entry">
            {kind === 'work' ? <span /> : <time dateTime={time}>{clockOf(time)}</time>}
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
              {author !== null && (
                <p class="quiet">
                  <By author={author} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
