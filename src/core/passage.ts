/** What a model reads of a record is told in one place, for those who embed and those who forget. */

import type { Range } from './answer.js'

export type TitledText = { readonly title: string | null; readonly body: string }

/** A text with what stands around it in its session. */
export type TextInContext = TitledText & { readonly context: string | null }

/** Between the texts of neighbours: no word of any text, so the index sees only a space. */
export const NEIGHBOUR_SEPARATOR = '\u001e'

export function neighboursIn(context: string | null): string[] {
  return context === null ? [] : context.split(NEIGHBOUR_SEPARATOR)
}

/** The title stands before the beginning of the body, so that the first passage is read with it. */
export function joinTitleAndBody({ title, body }: TitledText): string {
  return title === null || title === '' ? body : `${title}\n${body}`
}

/** The passage that a model reads for a range of the body. */
export function cutPassage({ title, body }: TitledText, { start, end }: Range): string {
  const passage = body.slice(start, end)
  return start === 0 ? joinTitleAndBody({ title, body: passage }) : passage
}
