/** Marks ranges of a text: for a terminal, in Markdown, or as HTML. */

import type { Range } from '../core/answer.js'

/** Puts matches in <mark> and escapes all text. */
export function markAsHtml(text: string, ranges: readonly Range[]): string {
  const mark = (matched: string): string => `<mark>${matched}</mark>`
  return markRanges(text, ranges, { mark, clean: escapeHtml })
}

type Change = (text: string) => string

/** Cleans each part of the text separately, so that the added marks stay as they are. */
export function markRanges(
  text: string,
  ranges: readonly Range[],
  { mark, clean }: { readonly mark: Change; readonly clean: Change },
): string {
  let at = 0
  let marked = ''
  for (const { start, end } of ranges) {
    marked += clean(text.slice(at, start)) + mark(clean(text.slice(start, end)))
    at = end
  }
  return marked + clean(text.slice(at))
}

const HTML: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&${HTML[char] ?? ''};`)
}
