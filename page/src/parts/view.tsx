/** The frame of a view: its title, which is also that of the window, and its controls. */

import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title === null || title === '' ? 'Cairn' : `${title} · Cairn`
  }, [title])
}

export function View({
  title,
  class: look = 'narrow',
  controls,
  children,
}: {
  readonly title: string
  readonly class?: string
  readonly controls?: ComponentChildren
  readonly children: ComponentChildren
}) {
  useTitle(title)
  return (
    <div class={look}>
      <div class="view-head">
        <h1>{title}</h1>
        {controls}
      </div>
      {children}
    </div>
  )
}
