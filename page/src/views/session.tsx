/** One session and the records that it used. */

import type { SessionRecord, Usage } from '../../../src/core/record.js'
import { type Answer, showSession } from '../api/client.js'
import { Block } from '../parts/block.js'
import { Marked } from '../parts/marked.js'
import { clockOf, wholeMoment } from '../parts/moments.js'
import { wholeWords } from '../parts/names.js'
import { RecordLine } from '../parts/record-bits.js'
import { SessionState } from '../parts/session-state.js'
import { Shown } from '../parts/states.js'
import { useTitle } from '../parts/view.js'
import { recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'

const USAGES = ['created', 'recalled', 'updated', 'reinforced'] as const

export function SessionView({ id }: { readonly id: string }) {
  const loaded = useLoad(`session ${id}`, (signal) => showSession(id, signal))
  useTitle(loaded.data?.title ?? id)
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
          <span>Started {wholeMoment(startedAt)}</span>
          <SessionState state={state} endedAt={endedAt} />
          <bdi class="namespace">{namespace}</bdi>
          {title !== null && <code>{id}</code>}
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

const TITLES: Readonly<Record<Usage, string>> = {
  created: 'What was said and noted',
  recalled: 'Recalled',
  updated: 'Updated',
  reinforced: 'Reinforced',
}

/** When it was said, where that is known, else when the session used it. */
const timeOf = ({ occurredAt, firstAt }: SessionRecord): string => occurredAt ?? firstAt

function Touched({
  usage,
  records,
}: {
  readonly usage: Usage
  readonly records: readonly SessionRecord[]
}) {
  if (records.length === 0) return null
  const isSaid = usage === 'created'
  const inOrder = isSaid ? records.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)) : records
  return (
    <Block title={TITLES[usage]} class="record-section">
      <ol class={isSaid ? 'lines what-was-said' : 'lines'}>
        {inOrder.map((record) => {
          const { id, title, summary, people, firstAt, times } = record
          const text = wholeWords(summary)
          return (
            <li key={id}>
              <RecordLine
                address={recordAddress(id)}
                name={title ?? text}
                detail={people.length > 0 ? people.join(', ') : title === null ? null : text}
                aside={
                  isSaid ? clockOf(timeOf(record)) : times > 1 ? `${times} times` : clockOf(firstAt)
                }
              />
            </li>
          )
        })}
      </ol>
    </Block>
  )
}
