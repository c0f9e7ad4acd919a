/** Renders facts as short lines, with a warning under each that is contradicted. */

import type { ContradictingFact, FactShown } from '../../core/answer.js'
import { cut, oneLine, type Style } from './style.js'

/** A smaller difference cannot be seen in two decimals. */
const SAME_CONFIDENCE = 0.005

/** `Priya · prefers · tabs (0.81)`, and how many are not shown. */
export function renderFactLines(
  facts: readonly FactShown[],
  style: Style,
  { most, columns }: { readonly most: number; readonly columns: number },
): string[] {
  const cutLine = (text: string): string => cut(text, columns)
  const left = facts.length - most
  const lines = facts.slice(0, most).flatMap((fact) => {
    const statement = [fact.subject, fact.predicate, fact.object].map(oneLine).join(' · ')
    return [
      cutLine(`${statement} (${fact.effectiveConfidence.toFixed(2)})`),
      ...fact.contradictedBy.map((other) => style.bad(cutLine(describeContradiction(fact, other)))),
    ]
  })
  const more = left > 0 ? [style.dim(`and ${left} more ${left === 1 ? 'fact' : 'facts'}`)] : []
  return [...lines, ...more]
}

function describeContradiction(fact: FactShown, other: ContradictingFact): string {
  const age = other.isNewer ? 'newer' : 'older'
  const difference = other.effectiveConfidence - fact.effectiveConfidence
  const isSame = Math.abs(difference) < SAME_CONFIDENCE
  const certainty = difference > 0 ? 'more certain' : 'less certain'
  const what = `${age}, ${isSame ? 'as certain' : certainty}`
  return `⚠ contradicted by ${oneLine(other.object)} (${what})`
}
