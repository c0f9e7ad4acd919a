/** Keeps unsaved text until it is saved or discarded. */

import { useLayoutEffect } from 'preact/hooks'

let drafts = 0

export const hasDraft = (): boolean => drafts > 0

/** Says of a form whether it holds something that is nowhere else: before the next key, so not after the next picture. */
export function useDraft(isUnsaved: boolean): void {
  useLayoutEffect(() => {
    if (!isUnsaved) return
    drafts++
    return () => {
      drafts--
    }
  }, [isUnsaved])
}

/** The browser asks before it closes the window. */
export function startDrafts(): void {
  addEventListener('beforeunload', (event) => {
    if (hasDraft()) event.preventDefault()
  })
}
