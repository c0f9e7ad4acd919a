/** Promise: `cairn optimize` makes a file quick and small again, and says by how much. */

import type { Cairn } from '../../../cairn.js'
import { CairnError } from '../../../core/errors.js'
import type { Context, Outcome } from '../command.js'
import { showBytes } from '../render/size.js'

export type OptimizeAnswer = { readonly bytesBefore: number; readonly bytesAfter: number }
type Optimize = (options: { readonly vacuum?: boolean }) => Promise<OptimizeAnswer>

export async function runOptimize(context: Context): Promise<Outcome> {
  const cairn = await context.open()
  const optimize = optimizerOf(cairn)
  if (optimize === null) {
    throw new CairnError('bad_input', { message: 'This build cannot optimize a file.' })
  }
  const answer = await optimize({ vacuum: context.flags.vacuum === true })
  return {
    json: answer,
    text: (style) =>
      `${style.good('optimized')} ${showBytes(answer.bytesBefore)} → ${showBytes(answer.bytesAfter)}\n`,
  }
}

/** Null where the library cannot do it. */
export function optimizerOf(cairn: Cairn): Optimize | null {
  const { optimize } = cairn as Cairn & { readonly optimize?: Optimize }
  return optimize === undefined ? null : optimize.bind(cairn)
}
