/** Promise: `cairn reinforce` and `cairn deemphasize` say how salient each record is now. */

import type { StrengthAnswer, StrengthInput } from '../../../library/strength.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { wantIds } from '../wanted.js'

export async function runReinforce(context: Context): Promise<Outcome> {
  const ids = wantIds(context)
  const cairn = await context.open()
  return outcomeOf(await cairn.reinforce(ids, howOf(context)))
}

export async function runDeemphasize(context: Context): Promise<Outcome> {
  const ids = wantIds(context)
  const cairn = await context.open()
  return outcomeOf(await cairn.deemphasize(ids, howOf(context)))
}

function howOf({ flags: { amount, session } }: Context): StrengthInput {
  return compact({ amount, session })
}

function outcomeOf(answer: StrengthAnswer): Outcome {
  const lines = answer.records.map(({ id, salience }) => `${id}  salience ${salience.toFixed(3)}\n`)
  return { json: answer, text: () => lines.join('') }
}
