/** Promise: `cairn stats` says what a file holds, in one look. */

import type { Context, Outcome } from '../command.js'
import { oneLine } from '../render/style.js'
import { when } from '../render/when.js'

export async function runStats(context: Context): Promise<Outcome> {
  const cairn = await context.open()
  const stats = await cairn.stats()
  return {
    json: stats,
    text: (style) => {
      const rows: readonly (readonly [string, string])[] = [
        ['file', `${stats.file} (${showBytes(stats.bytes)}, format ${stats.format})`],
        ['records', showCounts(stats.records)],
        ['deleted', String(stats.deleted)],
        ['namespaces', showCounts(stats.namespaces)],
        ['tags', showCounts(stats.tags)],
        ['terms', String(stats.terms)],
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

function showBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`
  return bytes < 1_000_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(2)} GB`
}
