/** `cairn stats` says what a file holds, in one look. */

import type { CommandSteps } from '../operation-command.js'
import { showBytes } from '../render/size.js'
import { sizeRows } from '../render/sizes.js'
import { oneLine } from '../render/style.js'
import { when } from '../render/when.js'

export const STATS: CommandSteps<'stats'> = {
  prepare: async () => ({ sizes: true }),
  show: (stats) => ({
    text: (style) => {
      const rows: readonly (readonly [string, string])[] = [
        ['file', `${stats.file} (${showBytes(stats.bytes)}, format ${stats.format})`],
        ['records', showCounts(stats.records)],
        ['deleted', String(stats.deleted)],
        ['superseded', stats.superseded === 0 ? '' : String(stats.superseded)],
        ['namespaces', showCounts(stats.namespaces)],
        ['tags', showCounts(stats.tags)],
        ['terms', String(stats.terms)],
        ['vectors', showCounts(stats.vectors)],
        [
          'waiting',
          stats.waiting === 0 ? '' : `${stats.waiting} records have no vectors yet: cairn embed`,
        ],
        ...sizeRows(stats.sizes),
        ['newest', stats.newestAt === null ? '' : when(stats.newestAt, style.now)],
      ]
      return rows
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${style.dim(name.padEnd(10))}  ${value}\n`)
        .join('')
    },
  }),
}

function showCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${oneLine(name)} ${count}`)
    .join(' · ')
}
