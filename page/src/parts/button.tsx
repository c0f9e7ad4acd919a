/** Buttons with words, and buttons with an icon alone. */

import type { ComponentProps } from 'preact'
import { Icon, type IconName } from './icon.js'

type Press = () => unknown

/** `class` adds to the look: `button-main`, `button-small`. */
export function Button({
  class: look,
  onClick,
  ...rest
}: Omit<ComponentProps<'button'>, 'onClick'> & {
  readonly class?: string
  readonly onClick: Press
}) {
  const name = look === undefined ? 'button' : `button ${look}`
  return <button type="button" class={name} onClick={() => void onClick()} {...rest} />
}

export function TextButton({
  onClick,
  ...rest
}: Omit<ComponentProps<'button'>, 'onClick'> & { readonly onClick: Press }) {
  return <button type="button" class="text-button" onClick={() => void onClick()} {...rest} />
}

/** `label` is read aloud; `title` is shown beside the pointer. */
export function IconButton({
  icon,
  label,
  title,
  size = 16,
  class: look,
  onClick,
}: {
  readonly icon: IconName
  readonly label: string
  readonly title?: string
  readonly size?: number
  readonly class?: string
  readonly onClick: Press
}) {
  const name = look === undefined ? 'icon-button' : `icon-button ${look}`
  return (
    <button
      type="button"
      class={name}
      aria-label={label}
      title={title}
      onClick={() => void onClick()}
    >
      <Icon name={icon} size={size} />
    </button>
  )
}
