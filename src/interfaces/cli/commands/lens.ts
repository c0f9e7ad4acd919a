/** Promise: search options are kept under a name, shown and forgotten. */

import type { Context, Outcome } from '../command.js'
import { renderLens, renderLenses } from '../render/lenses.js'
import { lensParts } from '../search-options.js'
import { wantOne, withKnownSessions } from '../wanted.js'

export async function runLensList(context: Context): Promise<Outcome> {
  const cairn = await context.open()
  const lenses = await cairn.lenses.list()
  return { json: { lenses }, text: (style) => renderLenses(lenses, style) }
}

export async function runLensSave(context: Context): Promise<Outcome> {
  const name = wantOne(context, 'lens')
  const { sentence } = context.flags
  const options = lensParts(context.flags)
  const cairn = await context.open({ create: true })
  const lens = await cairn.lenses.save(
    name,
    await withKnownSessions(cairn, options),
    typeof sentence === 'string' ? sentence : null,
  )
  return { json: lens, text: (style) => `${style.good('saved')} ${renderLens(lens, style)}` }
}

export async function runLensShow(context: Context): Promise<Outcome> {
  const name = wantOne(context, 'lens')
  const cairn = await context.open()
  const lens = await cairn.lenses.show(name)
  return { json: lens, text: (style) => renderLens(lens, style) }
}

export async function runLensRemove(context: Context): Promise<Outcome> {
  const name = wantOne(context, 'lens')
  const cairn = await context.open()
  await cairn.lenses.remove(name)
  return { json: { removed: name }, text: () => `removed the lens ${name}\n` }
}
