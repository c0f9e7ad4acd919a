/** The end of a form that keeps a draft: its buttons, and whether what is typed is kept. */

import type { ComponentChildren } from 'preact'
import type { Draft } from '../state/draft.js'
import { Button } from './button.js'
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

/** To cancel discards the draft: the form has the stored values again. */
export function DraftButtons<T>({
  draft,
  stored,
  save = 'Save',
  cancel = 'Cancel',
  isReady = true,
  onCancel,
  children,
}: {
  readonly draft: Draft<T>
  readonly stored: T
  readonly save?: string
  readonly cancel?: string
  readonly isReady?: boolean
  readonly onCancel: () => void
  /** A hint beside the buttons. */
  readonly children?: ComponentChildren
}) {
  return (
    <>
      <div class="actions">
        <button type="submit" class="button button-main" disabled={!isReady}>
          {save}
        </button>
        <Button
          onClick={() => {
            draft.drop(stored)
            onCancel()
          }}
        >
          {cancel}
        </Button>
        {children}
      </div>
      <DraftNote draft={draft} />
    </>
  )
}
