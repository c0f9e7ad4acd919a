/** A button that opens a small panel; it closes on Escape and when the focus or a press goes elsewhere. */

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.js'
import { onSend } from './fields.js'
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
      <Button class="button-small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={icon} size={14} /> {name}
      </Button>
      {isOpen && <div class="menu-panel">{children(close)}</div>}
    </div>
  )
}

/** What a menu offers, each with what it does. */
export function MenuList({
  items,
}: {
  readonly items: readonly (readonly [name: string, act: () => unknown])[]
}) {
  return (
    <ul class="menu-list">
      {items.map(([name, act]) => (
        <li key={name}>
          <button type="button" class="menu-item" onClick={() => void act()}>
            {name}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** A form with one field in a menu. */
export function MenuForm({
  name,
  value,
  onChange,
  done,
  isReady,
  onDone,
}: {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** The words on the button. */
  readonly done: string
  readonly isReady: boolean
  readonly onDone: () => unknown
}) {
  return (
    <form class="menu-form" onSubmit={onSend(onDone)}>
      <input
        aria-label={name}
        placeholder={name}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <button type="submit" class="button button-small" disabled={!isReady}>
        {done}
      </button>
    </form>
  )
}
