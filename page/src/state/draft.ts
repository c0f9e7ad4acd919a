/** Promise: what was written and not saved is not lost by a key or a closed window. */

import { useEffect } from 'preact/hooks'

let drafts = 0

export const hasDraft = (): boolean => drafts > 0

/** Says of a form whether it holds something that is nowhere else. */
export function useDraft(isUnsaved: boolean): void {
  useEffect(() => {
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
