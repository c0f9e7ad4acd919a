/** Whether a session is going on, has ended, or was left without an end. */

import type { SessionState as State } from '../../../src/core/record.js'
import { shortMoment } from './moments.js'

const MEANINGS: Readonly<Record<State, string>> = {
  open: 'It is going on: what is recalled in it is noted here.',
  ended: 'It has ended, and has a summary.',
  abandoned: 'The program that held it stopped without ending it.',
}

export function SessionState({
  state,
  endedAt,
}: {
  readonly state: State
  readonly endedAt: string | null
}) {
  return (
    <span class={state === 'ended' ? undefined : 'label'} title={MEANINGS[state]}>
      {state}
      {endedAt !== null && ` ${shortMoment(endedAt).toLowerCase()}`}
    </span>
  )
}
