/** Promise: facts are stated, listed, reinforced and ended, and what contradicts one is shown with it. */

import type { Cairn } from '../../../cairn.js'
import type { FactShown } from '../../../core/answer.js'
import { badInput } from '../../../core/errors.js'
import type { FactInput, FactListInput } from '../../../requests/memory-requests.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderFact, renderFacts } from '../render/facts.js'
import { shortIds } from '../short-ids.js'
import { wantOne } from '../wanted.js'

export async function runFactAdd(context: Context): Promise<Outcome> {
  const [record, subject, predicate, object] = context.words
  if (object === undefined) {
    throw badInput(
      'A fact is a record, a subject, a predicate and an object.',
      'As in `cairn fact add ID Priya prefers tabs`.',
    )
  }
  const { type, confidence, quote } = context.flags
  const cairn = await context.open()
  const fact = await cairn.facts.add(
    compact({ record, subject, predicate, object, type, confidence, quote }) as FactInput,
  )
  return outcomeOf(cairn, fact)
}

export async function runFactList(context: Context): Promise<Outcome> {
  const { record, type, about, contradictions, namespace, limit } = context.flags
  const cairn = await context.open()
  const answer = await cairn.facts.list(
    compact({
      records: record,
      types: type,
      about,
      contradictions,
      minConfidence: context.flags['min-confidence'],
      namespaces: namespace,
      limit,
    }) as FactListInput,
  )
  const short = await shortIds(
    cairn,
    answer.facts.map(({ recordId }) => recordId),
  )
  return { json: answer, text: (style) => renderFacts(answer, short, style) }
}

export async function runFactReinforce(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'fact')
  const { amount } = context.flags
  const cairn = await context.open()
  return outcomeOf(
    cairn,
    await cairn.facts.reinforce(id, typeof amount === 'number' ? amount : undefined),
  )
}

export async function runFactRemove(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'fact')
  const cairn = await context.open()
  return outcomeOf(cairn, await cairn.facts.remove(id), 'no longer holds: ')
}

async function outcomeOf(cairn: Cairn, fact: FactShown, before = ''): Promise<Outcome> {
  const short = await shortIds(cairn, [fact.recordId])
  return { json: fact, text: (style) => before + renderFact(fact, short, style) }
}
