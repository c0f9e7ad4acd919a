/** Converts HTML to plain text, for messages without a plain text of their own. */

import { decodeEntities } from '../text/plain-text.js'

const HIDDEN = /^(?:style|script|head|title)$/
const LINE_BREAK = /^(?:br|\/(?:p|div|tr|li|blockquote|h[1-4]))$/

/** Reads once from left to right, in linear time for any input. */
export function htmlToText(html: string): string {
  return decodeEntities(stripTags(html))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Line ends of the source are spaces; those of the text come from tags. */
function stripTags(html: string): string {
  const parts: string[] = []
  const lastTagEnd = html.lastIndexOf('>')
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open < 0 || open > lastTagEnd) break
    parts.push(html.slice(at, open).replace(/\s+/g, ' '))
    const tag = /^<(\/?[a-z][a-z\d]*|!--)/i.exec(html.slice(open, open + 20))?.[1] ?? ''
    const name = tag.toLowerCase()
    if (LINE_BREAK.test(name)) parts.push('\n')
    if (name === '!--') at = findEnd(html, /-->/g, open)
    else if (HIDDEN.test(name)) {
      at = findEnd(html, new RegExp(`</${name}\\b[^>]{0,100}>`, 'gi'), open)
    } else at = html.indexOf('>', open) + 1
  }
  parts.push(html.slice(at).replace(/\s+/g, ' '))
  return parts.join('')
}

function findEnd(html: string, end: RegExp, from: number): number {
  end.lastIndex = from
  return end.test(html) ? end.lastIndex : html.length
}
