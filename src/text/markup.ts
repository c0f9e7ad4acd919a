/** Finds the pieces of Markdown and HTML that a snippet must not cut, and what a reader sees of them. */

import type { Range } from '../core/answer.js'

// Each pattern stays linear in long texts: it stops where its own beginning is repeated, or after some characters. Each
// begins with its first sign, and looks behind only there, for speed.

/** Other names in angle brackets are code, such as `vector<int>`. */
const ELEMENTS = `a|abbr|b|cite|code|del|em|font|i|iframe|img|ins|kbd|mark|picture|q|s|small|source|span|strong|sub|sup|u|video`
const BLOCKS = `article|blockquote|br|button|center|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hr|li|nav|ol|p|pre|section|summary|table|tbody|td|th|thead|tr|ul`
const ATTRIBUTES = String.raw`(?:[\s/][^<>]*)?`
export const OPEN_TAG = `</?(?:${ELEMENTS}|${BLOCKS})${ATTRIBUTES}`
const BLOCK_TAG = `</?(?:${BLOCKS})${ATTRIBUTES}>`
export const BLOCK_TAGS = String.raw`${BLOCK_TAG}(?:\s*${BLOCK_TAG})*\s*`
/** Comments of HTML and of Obsidian, scripts and styles. After a backtick they are the subject of the text. */
export const UNSEEN = [
  String.raw`<!--(?<!\`<!--)(?:(?!<!--)[\s\S])*?-->`,
  String.raw`<(script|style)\b(?<!\`<\1)(?:(?!<(?:script|style)\b)[\s\S])*?</\1\s*>`,
  String.raw`%%(?<![\w%]%%)(?:(?!%%)[^\n])+?%%(?![\w%])`,
  String.raw`%%(?<=^%%)[ \t]*\n(?:(?!%%)[\s\S])*?^%%[ \t]*$`,
].join('|')
/** The definition of a link: `[1]: https://a.example "Title"`. */
export const DEFINITION = String.raw`\[(?<=^ {0,3}\[)(?!\^)[^[\]\n]+\]:[ \t]*[^\s/]*/\S*(?:[ \t]+["'(].*)?$`
export const ADDRESS = String.raw`[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+"[^"\n]*")?`
const LABEL = String.raw`!?\[(?:\[(?:[^[\]|\n]*\|)?)?([^[\]]*)\]`
/** A link around an image, such as a badge. */
const IMAGE_LINK = String.raw`\[\s*!\[[^[\]]*\]\(${ADDRESS}\)\s*\]\(${ADDRESS}\)`
const LINK = String.raw`${IMAGE_LINK}|${LABEL}(?:\]|\(${ADDRESS}\)|\[[^[\]]*\])`
export const URL = '(?:https?://|www\\.)[^\\s<>，。；、！？）」』】》]+'
const EMPHASIS = String.raw`\`[^\`\n]{1,100}\`|(?<mark>[*_]{1,3}|~~|==)(?=\S)[^*_\`~=[<\n]{1,100}(?=[*_~=])\k<mark>`
const PIECE = new RegExp([UNSEEN, `${OPEN_TAG}>`, DEFINITION, LINK, URL, EMPHASIS].join('|'), 'gim')
/** Plain prose has none of these signs, and the long pattern is not even compiled for it. */
const PIECE_SIGN = /[<[*_`~=%]|:\/\/|www\./i
const FIRST_LABEL = new RegExp(String.raw`^(?:\[\s*(?=!))?${LABEL}(?!:)`, 'd')

/** Finds comments, scripts, tags, links, URLs and emphasised words. The ranges are sorted and do not overlap. */
export function findPieces(text: string): Range[] {
  const pieces: Range[] = []
  if (!PIECE_SIGN.test(text)) return pieces
  for (const { index, 0: found } of text.matchAll(PIECE)) {
    pieces.push({ start: index, end: index + found.length })
  }
  return pieces
}

/** Leaves out the ranges inside pieces that a reader does not see. Both lists must be sorted. */
export function dropUnseen<R extends Range>(
  text: string,
  ranges: readonly R[],
  pieces: readonly Range[],
): R[] {
  let next = 0
  return ranges.filter(({ start }) => {
    while ((pieces[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++
    const piece = pieces[next]
    if (piece === undefined || start < piece.start) return true
    return isShown(text.slice(piece.start, piece.end), start - piece.start)
  })
}

function isShown(piece: string, at: number): boolean {
  const [from, to] = FIRST_LABEL.exec(piece)?.indices?.[1] ?? [0, 0]
  return /^[*_`~=]/.test(piece) || (at >= from && at < to)
}
