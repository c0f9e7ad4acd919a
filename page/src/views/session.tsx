/** One session and the records that it used. */

import type { SessionRecord } from '../../../src/core/record.js'
import { type Answer, showSession } from '../api/client.js'
import { Marked } from '../parts/marked.js'
import { clockOf, wholeMoment } from '../parts/moments.js'
import { wholeWords } from '../parts/names.js'
import { RecordLine } from '../parts/record-bits.js'
import { Shown } from '../parts/states.js'
import { useLoad } from '../state/load.js'
import { useTitle } from '../state/title.js'

const USAGES = ['created', 'recalled', 'updated', 'reinforced'] as const

export function SessionView({ id }: { readonly id: string }) {
  const loaded = useLoad(`session ${id}`, (signal) => showSession(id, signal))
  useTitle(id)
  return (
    <div class="narrow">
      <Shown loaded={loaded} lines={8}>
        {(session) => <Whole session={session} />}
      </Shown>
    </div>
  )
}

function Whole({ session }: { readonly session: Answer<'session.show'> }) {
  const { id, title, summary, startedAt, endedAt, namespace, state } = session
  return (
    <>
      <div class="view-head">
        <h1 dir="auto">
          <Marked text={title ?? id} />
        </h1>
        <div class="hit-meta">
          <span>Session of {wholeMoment(startedAt)}</span>
          {endedAt !== null && <span>ended {wholeMoment(endedAt)}</span>}
          <bdi class="namespace">{namespace}</bdi>
          {state !== 'ended' && <span class="label">{state}</span>}
        </div>
      </div>
      {summary !== null && (
        <p class="body" dir="auto">
          <Marked text={summary} />
        </p>
      )}
      {USAGES.map((usage) => (
        <Touched key={usage} usage={usage} records={session[usage]} />
      ))}
    </>
  )
}

function Touched({
  usage,
  records,
}: {
  readonly usage: string
  readonly records: readonly SessionRecord[]
}) {
  if (records.length === 0) return null
  return (
    <section class="record-section">
      <h2>{usage[0]?.toUpperCase() + usage.slice(1)}</h2>
      <ol class="lines">
        {records.map(({ id, title, summary, firstAt, times }) => (
          <li key={id}>
            <RecordLine
              id={id}
              name={title ?? wholeWords(summary)}
              detail={title === null ? null : wholeWords(summary)}
              aside={times > 1 ? `${times} times` : clockOf(firstAt)}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}
