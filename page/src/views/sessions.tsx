/** The list of sessions, newest first. */

import { type Answer, listSessions } from '../api/client.js'
import { Button } from '../parts/button.js'
import { Marked } from '../parts/marked.js'
import { counted } from '../parts/numbers.js'
import { Day } from '../parts/record-bits.js'
import { SessionState } from '../parts/session-state.js'
import { Nothing, Shown } from '../parts/states.js'
import { View } from '../parts/view.js'
import { sessionAddress } from '../state/addresses.js'
import { usePages } from '../state/pages.js'

const PAGE = 40

type Session = Answer<'session.list'>['sessions'][number]

export function SessionsView() {
  const loaded = usePages('sessions', (cursor, signal) => listSessions(cursor, PAGE, signal))
  const sessions = loaded.pages.flatMap((page) => page.sessions)
  return (
    <View title="Sessions">
      <Shown loaded={loaded} lines={8}>
        {() =>
          sessions.length === 0 ? (
            <Nothing title="There are no sessions yet.">
              <p>
                An agent opens one when it begins to work; <code>cairn session start</code> does the
                same.
              </p>
            </Nothing>
          ) : (
            <>
              <ul class="sessions">
                {sessions.map((session) => (
                  <SessionItem key={session.id} session={session} />
                ))}
              </ul>
              {loaded.loadMore !== null && (
                <Button class="more" onClick={loaded.loadMore}>
                  Show older sessions
                </Button>
              )}
            </>
          )
        }
      </Shown>
    </View>
  )
}

function SessionItem({ session }: { readonly session: Session }) {
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
