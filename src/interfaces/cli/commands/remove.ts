/** Promise: what is deleted can be restored, what is purged is gone, and each says what it did. */

import { badInput } from '../../../core/errors.js'
import type { Context, Outcome } from '../command.js'
import { wantIds } from '../wanted.js'

export async function runDelete(context: Context): Promise<Outcome> {
  const ids = wantIds(context)
  const cairn = await context.open()
  const deleted = await cairn.delete(ids)
  return {
    json: { deleted },
    text: (style) => `deleted ${count(deleted)}${style.dim(' · cairn restore brings it back')}\n`,
  }
}

export async function runRestore(context: Context): Promise<Outcome> {
  const ids = wantIds(context)
  const cairn = await context.open()
  const restored = await cairn.restore(ids)
  return { json: { restored }, text: () => `restored ${count(restored)}\n` }
}

export async function runPurge(context: Context): Promise<Outcome> {
  const everything = context.flags.deleted === true
  const ids = everything ? [] : wantIds(context)
  if (everything && context.words.length > 0) {
    throw badInput('Both ids and --deleted were given.', 'Give one of them.')
  }
  const cairn = await context.open()
  const targets = [...ids]
  let cursor: string | null = null
  while (everything) {
    const page = await cairn.list({ deleted: true, limit: 1000, cursor })
    targets.push(...page.records.map(({ id }) => id))
    cursor = page.next
    if (cursor === null) break
  }
  const outcome = await cairn.purge(targets)
  return {
    json: outcome,
    text: () => {
      const later = outcome.bytesGone ? '' : '; its bytes go when other programs let go of the file'
      return `purged ${count(outcome.purged)}${later}\n`
    },
  }
}

function count(ids: readonly string[]): string {
  return ids.length === 1 ? `record ${ids[0]}` : `${ids.length} records`
}
