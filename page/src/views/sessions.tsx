/** The list of sessions, newest first. */

import { useState } from 'preact/hooks'
import { type Answer, listSessions } from '../api/client.js'
import { Marked } from '../parts/marked.js'
import { counted } from '../parts/numbers.js'
import { Day } from '../parts/record-bits.js'
import { SessionState } from '../parts/session-state.js'
import { Nothing, Shown } from '../parts/states.js'
import { sessionAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt } from '../state/notices.js'
import { useTitle } from '../state/title.js'

const PAGE = 40

type Sessions = Answer<'session.list'>

export function SessionsView() {
  const loaded = useLoad('sessions', (signal) => listSessions(undefined, PAGE, signal))
  const [more, setMore] = useState<readonly Sessions[]>([])
  useTitle('Sessions')
  const loadMore = (cursor: string): Promise<void> =>
    attempt(async () => {
      const page = await listSessions(cursor, PAGE)
      setMore((before) => [...before, page])
    })
  return (
    <div class="narrow">
      <div class="view-head">
        <h1>Sessions</h1>
      </div>
      <Shown loaded={loaded} lines={8}>
        {(first) => {
          const sessions = [first, ...more].flatMap((page) => page.sessions)
          const next = [first, ...more].at(-1)?.next ?? null
          if (sessions.length === 0) {
            return (
              <Nothing title="There are no sessions yet.">
                <p>
                  An agent opens one when it begins to work; <code>cairn session start</code> does
                  the same.
                </p>
              </Nothing>
            )
          }
          return (
            <>
              <ul class="sessions">
                {sessions.map((session) => (
                  <SessionItem key={session.id} session={session} />
                ))}
              </ul>
              {next !== null && (
                <button type="button" class="button more" onClick={() => void loadMore(next)}>
                  Show older sessions
                </button>
              )}
            </>
          )
        }}
      </Shown>
    </div>
  )
}

function SessionItem({ session }: { readonly session: Sessions['sessions'][number] }) {
  const { id, title, summary, startedAt, endedAt, state, counts, namespace } = session
  const did = Object.entries(counts).filter(([, times]) => times > 0)
  return (
    <li class="session">
      <a href={sessionAddress(id)} dir="auto">
        <Marked text={title ?? id} />
      </a>
      {summary !== null && (
        <p dir="auto">
          <Marked text={summary} />
        </p>
      )}
      <div class="hit-meta">
        <Day iso={startedAt} />
        <bdi class="namespace">{namespace}</bdi>
        <SessionState state={state} endedAt={endedAt} />
        <span>
          {did.length === 0
            ? 'no records'
            : did.map(([usage, times]) => `${usage} ${counted(times, 'record')}`).join(', ')}
        </span>
      </div>
    </li>
  )
}
