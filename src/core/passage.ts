/** The text of a record that is embedded: title, body and neighbouring turns. */

import type { Range } from './answer.js'

export type TitledText = { readonly title: string | null; readonly body: string }

export type TextInContext = TitledText & { readonly context: string | null }

/** Separates the texts of neighbours; the index treats it as a space, since it is part of no word. */
export const NEIGHBOUR_SEPARATOR = '\u001e'

export function neighboursIn(context: string | null): string[] {
  return context === null ? [] : context.split(NEIGHBOUR_SEPARATOR)
}

/** The title comes first, so that the first passage is embedded with it. */
export function joinTitleAndBody({ title, body }: TitledText): string {
  return title === null || title === '' ? body : `${title}\n${body}`
}

export function cutPassage({ title, body }: TitledText, { start, end }: Range): string {
  const passage = body.slice(start, end)
  return start === 0 ? joinTitleAndBody({ title, body: passage }) : passage
}
