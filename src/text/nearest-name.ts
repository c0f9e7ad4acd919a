/** A name that is almost right is answered with the right one. */

import { editDistance } from './edit-distance.js'

/** The name that was probably meant, or null: a slip or two away, or one the beginning of the other. */
export function nearestName(given: string, known: readonly string[]): string | null {
  const word = given.toLowerCase().replace(/[_-]/g, '')
  const limit = word.length < 5 ? 1 : 2
  const near = known
    .map((name) => ({ name, distance: editDistance(word, name.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
  const [best] = near
  if (best !== undefined) return best.name
  if (word.length < 3) return null
  return (
    known.find((name) => name.toLowerCase().startsWith(word)) ??
    known.find((name) => word.startsWith(name.toLowerCase())) ??
    null
  )
}
