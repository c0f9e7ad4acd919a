/** What takes room in a file is told in one line, the largest first. */

import type { StatsAnswer } from '../../cairn/maintenance.js'
import { showBytes } from './size.js'

const NAMES: Readonly<Record<string, string>> = { fullText: 'full-text index' }

export function sizeRows(sizes: StatsAnswer['sizes']): readonly (readonly [string, string])[] {
  if (sizes === null) return []
  const parts = Object.entries(sizes.parts ?? {})
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
  return [
    ['log', sizes.wal === 0 ? '' : `${showBytes(sizes.wal)} not yet moved into the file`],
    ['free', sizes.free === 0 ? '' : `${showBytes(sizes.free)}: cairn optimize --vacuum`],
    [
      'room',
      parts.map(([name, bytes]) => `${NAMES[name] ?? name} ${showBytes(bytes)}`).join(' · '),
    ],
  ]
}
