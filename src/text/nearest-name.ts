/** Finds the known name nearest to a mistyped one. */

import { badInput } from '../core/errors.js'
import { editDistance } from './edit-distance.js'

/** Accepts one or two typing mistakes, or a name that is a prefix of the other; null if there is none. */
export function nearestName(given: string, known: readonly string[]): string | null {
  const word = given.toLowerCase().replace(/[_-]/g, '')
  // A word of one or two letters must match exactly: "q" is not "k".
  const limit = [0, 0, 0, 1, 1][word.length] ?? 2
  const [best] = known
    .map((name) => ({ name, distance: editDistance(word, name.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
  if (best !== undefined) return best.name
  if (word.length < 3) return null
  const longer = known.find((name) => name.toLowerCase().startsWith(word))
  return longer ?? known.find((name) => word.startsWith(name.toLowerCase())) ?? null
}

/** Returns the name if it is known; throws an error that suggests one otherwise. */
export function findKnown<Name extends string>(
  kind: string,
  given: string,
  known: readonly Name[],
): Name {
  const found = known.find((name) => name === given)
  if (found !== undefined) return found
  const near = nearestName(given, known)
  const question = near === null ? '' : ` Did you mean "${near}"?`
  throw badInput(`There is no ${kind} "${given}".${question}`, `There are ${known.join(', ')}.`)
}
