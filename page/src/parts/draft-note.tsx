/** Says of a form whether what is typed in it is kept. */

import type { Draft } from '../state/draft.js'
import { shortMoment } from './moments.js'

export function DraftNote<T>({ draft: { state, foundAt } }: { readonly draft: Draft<T> }) {
  if (state === 'untouched') return null
  const found = foundAt === null ? '' : `From your draft of ${shortMoment(foundAt)}. `
  return (
    <p class="note draft-note">
      {state === 'kept'
        ? `${found}The draft is kept in this browser until you save or discard it.`
        : 'This browser keeps no drafts: save before you leave.'}
    </p>
  )
}
