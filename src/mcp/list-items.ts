/** A line of any list is the same for a reader and for a program, and what was left out is counted. */

import { brief, type Data, type Item } from './budget.js'

const LEAN_CHARACTERS = 120

export function item(text: string, data: Data): Item {
  return { text, data, lean: { text: brief(text, LEAN_CHARACTERS), data } }
}

export function leftNote(left: number): string | null {
  return left === 0 ? null : `${left} left out: ask with a larger "budget".`
}
