/** A note comes apart into the lines and sentences that a person would see. */

import { sentenceEnds } from '../text/sentences.js'

/** What a note says stands at its beginning; a longer text is a document. */
const MOST_READ_CHARS = 20_000
/** A shorter line ends because its writer ended it, a longer one because the paper did. */
const WRAPPED_FROM = 60

const FENCE = /^\s*(?:```|~~~)/
const LIST_MARK = /^(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/
const HEADING = /^#{1,6}\s+/

/** The lines outside fenced code, each a part of the text: trimmed and without the mark of a list. */
export function linesOf(text: string): string[] {
  const lines: string[] = []
  let isCode = false
  for (const line of text.slice(0, MOST_READ_CHARS).split(/\r?\n/)) {
    if (FENCE.test(line)) isCode = !isCode
    else if (!isCode) lines.push(line.trim().replace(LIST_MARK, '').trim())
  }
  return lines.filter((line) => line !== '')
}

/** The sentences of a line, each a part of it. */
export function sentencesOf(line: string): string[] {
  const ends = [...sentenceEnds(line), line.length]
  return ends
    .map((end, i) => line.slice(ends[i - 1] ?? 0, end).trim())
    .filter((part) => part !== '')
}

/** All sentences of a note, over the ends of wrapped lines, with one space for each stretch of white space. */
export function sentencesOfNote(text: string): string[] {
  const blocks: string[] = []
  let isCode = false
  let goesOn = false
  for (const written of text.slice(0, MOST_READ_CHARS).split(/\r?\n/)) {
    const line = written.replace(/\s+/g, ' ').trim()
    const isFence = FENCE.test(written)
    if (isFence) isCode = !isCode
    const bare = line.replace(LIST_MARK, '').replace(HEADING, '')
    const last = blocks.length - 1
    if (isFence || isCode || bare === '') goesOn = false
    else if (goesOn && bare === line) blocks[last] = `${blocks[last] ?? ''} ${bare}`
    else blocks.push(bare)
    if (bare !== '' && !isFence && !isCode) goesOn = written.length >= WRAPPED_FROM
  }
  return blocks.flatMap(sentencesOf)
}
