/** The records that are selected in a list; another list begins with none. */

import { signal } from '@preact/signals'

export const selection = signal<ReadonlySet<string>>(new Set())

export function toggleSelected(id: string): void {
  const next = new Set(selection.value)
  if (!next.delete(id)) next.add(id)
  selection.value = next
}

export function select(ids: readonly string[]): void {
  selection.value = new Set(ids)
}
