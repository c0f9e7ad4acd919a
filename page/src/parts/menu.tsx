/** A button that opens a small panel; it closes on Escape and when the focus or a press goes elsewhere. */

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.js'

export function Menu({
  name,
  icon,
  children,
}: {
  readonly name: string
  readonly icon: IconName
  /** `close` ends it after an action. */
  readonly children: (close: () => void) => ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const whole = useRef<HTMLDivElement>(null)
  const close = (): void => setOpen(false)
  useEffect(() => {
    if (!isOpen) return
    const leave = (event: Event): void => {
      if (event.target instanceof Node && !whole.current?.contains(event.target)) close()
    }
    for (const type of ['pointerdown', 'focusin']) addEventListener(type, leave)
    return () => {
      for (const type of ['pointerdown', 'focusin']) removeEventListener(type, leave)
    }
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it wherever the focus is inside
    <div
      ref={whole}
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        event.stopPropagation()
        close()
        whole.current?.querySelector('button')?.focus()
      }}
    >
      <button
        type="button"
        class="button button-small"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} size={14} /> {name}
      </button>
      {isOpen && <div class="menu-panel">{children(close)}</div>}
    </div>
  )
}
