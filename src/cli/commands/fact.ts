/** A fact is shown with what contradicts it, and the record it is of. */

import type { Cairn } from '../../cairn/cairn.js'
import type { FactShown } from '../../core/answer.js'
import type { Show, Shown } from '../operation-command.js'
import { renderFact, renderFacts } from '../render/facts.js'
import { shortIds } from '../resolve-ids.js'

export const showFact: Show<'fact.add' | 'fact.reinforce'> = (fact, { cairn }) =>
  shownFact(fact, cairn)

export const showEndedFact: Show<'fact.remove'> = (fact, { cairn }) =>
  shownFact(fact, cairn, 'no longer holds: ')

export const showFacts: Show<'fact.list'> = async (answer, { cairn }) => {
  const short = await shortIds(
    cairn,
    answer.facts.map(({ recordId }) => recordId),
  )
  return { text: (style) => renderFacts(answer, short, style) }
}

async function shownFact(fact: FactShown, cairn: Cairn, before = ''): Promise<Shown> {
  const short = await shortIds(cairn, [fact.recordId])
  return { text: (style) => before + renderFact(fact, short, style) }
}
