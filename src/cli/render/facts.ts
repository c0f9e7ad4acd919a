/** A fact is one short line, with a warning under it where another says something else. */

import type { FactListAnswer } from '../../cairn/facts.js'
import type { ContradictingFact, FactShown } from '../../core/answer.js'
import type { ShortId } from '../resolve-ids.js'
import { INDENT, paragraph } from './paragraph.js'
import { cut, oneLine, type Style } from './style.js'
import { when } from './when.js'

/** Nearer than a reader can see. */
const SAME_CERTAINTY = 0.005

/** `Priya · prefers · tabs (0.81)` */
export function factText(fact: FactShown): string {
  const said = [fact.subject, fact.predicate, fact.object].map(oneLine).join(' · ')
  return `${said} (${fact.effectiveConfidence.toFixed(2)})`
}

/** Facts of a hit, and how many are not shown. */
export function factLines(
  facts: readonly FactShown[],
  style: Style,
  { most, indent = INDENT }: { readonly most: number; readonly indent?: string },
): string[] {
  const left = facts.length - most
  const inLine = (text: string): string => cut(text, style.columns - indent.length)
  return [
    ...facts
      .slice(0, most)
      .flatMap((fact) => [
        indent + inLine(factText(fact)),
        ...fact.contradictedBy.map(
          (other) => indent + style.bad(inLine(contradiction(fact, other))),
        ),
      ]),
    ...(left > 0 ? [indent + style.dim(`and ${left} more ${left === 1 ? 'fact' : 'facts'}`)] : []),
  ]
}

function contradiction(fact: FactShown, other: ContradictingFact): string {
  const age = other.isNewer ? 'newer' : 'older'
  const difference = other.effectiveConfidence - fact.effectiveConfidence
  const certainty =
    Math.abs(difference) < SAME_CERTAINTY
      ? 'as certain'
      : difference > 0
        ? 'more certain'
        : 'less certain'
  return `⚠ contradicted by ${oneLine(other.object)} (${age}, ${certainty})`
}

/** A fact with everything that is known of it. */
export function renderFact(fact: FactShown, short: ShortId, style: Style): string {
  const data = [fact.id, fact.type, `of ${short(fact.recordId)}`, when(fact.createdAt, style.now)]
  const quote = fact.quote === null ? [] : [paragraph(`“${oneLine(fact.quote)}”`, style.columns)]
  const [head = '', ...rest] = factLines([fact], style, { most: 1 })
  return `${[
    style.bold(head.trimStart()),
    ...rest,
    ...quote,
    INDENT + style.dim(data.join(' · ')),
  ].join('\n')}\n`
}

export function renderFacts(answer: FactListAnswer, short: ShortId, style: Style): string {
  if (answer.facts.length === 0) return 'no facts\n'
  return answer.facts.map((fact) => renderFact(fact, short, style)).join('')
}
