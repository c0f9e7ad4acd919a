/** Promise: `cairn stats` says what a file holds, in one look. */

import type { Context, Outcome } from '../command.js'
import { showBytes } from '../render/size.js'
import { sizeRows } from '../render/sizes.js'
import { oneLine } from '../render/style.js'
import { when } from '../render/when.js'

export async function runStats(context: Context): Promise<Outcome> {
  const cairn = await context.open()
  const stats = await cairn.stats({ sizes: true })
  return {
    json: stats,
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
  }
}

function showCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${oneLine(name)} ${count}`)
    .join(' · ')
}
