/** An active filter; pressing it takes it away. */

import { Icon } from './icon.js'

export function Chip({
  title,
  value,
  onRemove,
}: {
  readonly title: string
  readonly value: string
  readonly onRemove: () => void
}) {
  return (
    <li>
      <button type="button" class="chip" onClick={onRemove}>
        <span class="chip-title">{title}</span>
        <bdi>{value}</bdi>
        <Icon name="close" size={13} />
        <span class="visually-hidden">remove this filter</span>
      </button>
    </li>
  )
}
