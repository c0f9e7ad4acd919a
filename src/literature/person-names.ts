/** Two ways of writing a list of people are recognised as one, and the fuller one is kept. */

import type { PersonName } from '../core/work.js'
import { foldText } from './identities.js'

/**
 * The fuller list where both can name the same people in the same order: given names win over initials, and a list
 * that goes on wins over one that stops early. Null where they disagree about anybody.
 */
export function joinPeople(
  stored: readonly PersonName[],
  incoming: readonly PersonName[],
): readonly PersonName[] | null {
  const joined: PersonName[] = []
  for (let i = 0; i < Math.max(stored.length, incoming.length); i++) {
    const [mine, theirs] = [stored[i], incoming[i]]
    const person =
      mine === undefined || theirs === undefined ? (mine ?? theirs) : join(mine, theirs)
    if (person === undefined) return null
    joined.push(person)
  }
  return joined
}

function join(stored: PersonName, incoming: PersonName): PersonName | undefined {
  // Sources disagree on where a family name begins; the whole name is then still the same.
  if (foldText(wholeName(stored)) === foldText(wholeName(incoming))) return stored
  if (foldText(stored.family) !== foldText(incoming.family)) return undefined
  const given = joinGiven(stored.given, incoming.given)
  return given === undefined ? undefined : { family: stored.family, given }
}

function wholeName({ family, given }: PersonName): string {
  return `${given ?? ''} ${family}`
}

function joinGiven(stored: string | null, incoming: string | null): string | null | undefined {
  const [mine, theirs] = [wordsOf(stored), wordsOf(incoming)]
  if (mine.length === 0 || theirs.length === 0) return mine.length === 0 ? incoming : stored
  const shared = Math.min(mine.length, theirs.length)
  let gain = theirs.length - mine.length
  for (let i = 0; i < shared; i++) {
    const [one = '', other = ''] = [mine[i], theirs[i]]
    if (!one.startsWith(other) && !other.startsWith(one)) return undefined
    // A word may only stand for its own initial: "Jo" is not "John".
    if (one !== other && [...one].length > 1 && [...other].length > 1) return undefined
    gain += other.length - one.length
  }
  return gain > 0 ? incoming : stored
}

/** "A. M." and "AM" are the same two initials. */
function wordsOf(given: string | null): string[] {
  const words = (given ?? '').split(/[\s.\-‐–]+/).filter((word) => word !== '')
  return words
    .flatMap((word) => (/^\p{Lu}{2,3}$/u.test(word) ? [...word] : [word]))
    .map(foldText)
    .filter((word) => word !== '')
}
