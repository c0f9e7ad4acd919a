/** Sets the window title. */

import { useEffect } from 'preact/hooks'

export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title === null || title === '' ? 'Cairn' : `${title} · Cairn`
  }, [title])
}
