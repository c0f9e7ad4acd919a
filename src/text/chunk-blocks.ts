/** The paragraphs, headings, list items and code of a Markdown or plain text, in order. */

import { isAsciiLetter, skipSpace } from './chunk-words.js'

export type Block = {
  readonly kind: 'prose' | 'item' | 'heading' | 'code'
  readonly start: number
  readonly end: number
  /** Whether a blank line, a heading or code stands before it, rather than just another line. */
  readonly isApart: boolean
}

type Draft = { -readonly [key in keyof Block]: Block[key] } & { lines: number; isIndented: boolean }

const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})\s*$/
const INDENTED = /^(?: {4}| {0,3}\t)/
// A row of a table is a thing of its own just like an item.
const ITEM = /^\s*(?:[-*+•]\s|\d{1,9}[.)]\s|\|)/

/** Blocks hold no blank line at their ends; between them is nothing but white space. */
export function splitBlocks(text: string): Block[] {
  const blocks: Draft[] = []
  let fence: string | null = null
  let isAfterBlank = true
  let isInList = false
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const inside = skipSpace(text, start, end)
    const isBlank = inside === end
    const last = blocks.at(-1)
    if (fence !== null && last !== undefined) {
      if (!isBlank) last.end = end
      if (closesFence(text.slice(start, end), fence)) fence = null
    } else if (!isBlank) {
      const line = text.slice(start, end)
      fence = openedFence(line)
      const kind: LineKind =
        fence === null ? kindOf(line, last, { isAfterBlank, isInList }) : 'code'
      if (kind === 'underline' && last !== undefined) {
        last.kind = 'heading'
        last.end = end
      } else if (kind === 'more' && last !== undefined) {
        last.end = end
        last.lines++
      } else {
        const isApart = isAfterBlank || last?.kind === 'heading' || last?.kind === 'code'
        blocks.push({
          kind: kind === 'more' || kind === 'underline' ? 'code' : kind,
          start,
          end,
          isApart,
          lines: 1,
          isIndented: fence === null,
        })
        isInList = kind === 'item' || (isInList && inside > start)
      }
    }
    isAfterBlank = isBlank
    start = end + 1
  }
  return blocks
}

type LineKind = Block['kind'] | 'underline' | 'more'
type Where = { readonly isAfterBlank: boolean; readonly isInList: boolean }

/** No mark of Markdown begins with a letter: nearly all lines are told by their first character. */
function hasNoMark(line: string): boolean {
  return isAsciiLetter(line.charCodeAt(0))
}

function openedFence(line: string): string | null {
  if (hasNoMark(line)) return null
  const opens = FENCE.exec(line)
  return opens?.[1] ?? opens?.[2] ?? null
}

function kindOf(line: string, last: Draft | undefined, where: Where): LineKind {
  const isOpen = !where.isAfterBlank && (last?.kind === 'prose' || last?.kind === 'item')
  const unmarked = isOpen ? 'more' : 'prose'
  if (hasNoMark(line)) return unmarked
  if (HEADING.test(line)) return 'heading'
  if (isOpen && last?.kind === 'prose' && last.lines === 1 && UNDERLINE.test(line)) {
    return 'underline'
  }
  if (INDENTED.test(line)) {
    // What is indented under an item is the item's own text, and code cannot interrupt a paragraph.
    if (last?.kind === 'code' && last.isIndented) return 'more'
    if (!isOpen && !where.isInList) return 'code'
  }
  if (ITEM.test(line)) return 'item'
  return unmarked
}

function closesFence(line: string, fence: string): boolean {
  const mark = line.trim()
  return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length)
}
