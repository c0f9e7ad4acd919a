/** What is deleted can be restored, what is purged is gone, and each says what it did. */

import type { Show } from '../operation-command.js'

export const showDeleted: Show<'delete'> = ({ deleted }) => ({
  text: (style) => `deleted ${count(deleted)}${style.dim(' · cairn restore brings it back')}\n`,
})

export const showRestored: Show<'restore'> = ({ restored }) => ({
  text: () => `restored ${count(restored)}\n`,
})

export const showPurged: Show<'purge'> = ({ purged, bytesGone }) => ({
  text: () => {
    const later = bytesGone ? '' : '; its bytes go when other programs let go of the file'
    return `purged ${count(purged)}${later}\n`
  },
})

function count(ids: readonly string[]): string {
  return ids.length === 1 ? `record ${ids[0]}` : `${ids.length} records`
}
