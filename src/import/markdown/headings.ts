/** The headings of a Markdown text, with `#` or underlined, in order. */

export type Heading = {
  /** 1 to 6. */
  readonly level: number
  /** As it is written, without its marks. */
  readonly text: string
  /** Where its line begins. */
  readonly start: number
}

const HASHES = /^ {0,3}(#{1,6})(?=[ \t]|$)/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
/** Lists, quotes, tables, rules and indented code are no text that could be underlined. */
const NO_PARAGRAPH =
  /^(?: {4}|\t| {0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||([-*_])[ \t]*(?:\1[ \t]*){2,}$))/

/** `masked` is the same text with its code covered: what is covered is no heading, but may be in one. */
export function findHeadings(text: string, masked: string): Heading[] {
  const headings: Heading[] = []
  let paragraph: number | null = null
  let isBlocked = false
  for (let start = 0; start < masked.length; ) {
    const newline = masked.indexOf('\n', start)
    const end = newline < 0 ? masked.length : newline
    const line = masked.slice(start, end).replace(/\r$/, '')
    const hashes = HASHES.exec(line)
    const underline = paragraph === null || isBlocked ? null : UNDERLINE.exec(line)
    if (line.trim() === '') {
      paragraph = null
      isBlocked = false
    } else if (hashes?.[1] !== undefined) {
      headings.push({ level: hashes[1].length, text: textOf(text.slice(start, end)), start })
      paragraph = null
      isBlocked = false
    } else if (underline !== null && paragraph !== null) {
      const words = text.slice(paragraph, start).replace(/\s+/g, ' ').trim()
      const level = line.includes('=') ? 1 : 2
      headings.push({ level, text: words, start: paragraph })
      paragraph = null
    } else if (paragraph === null) {
      isBlocked ||= NO_PARAGRAPH.test(line)
      paragraph = start
    } else {
      isBlocked ||= NO_PARAGRAPH.test(line) && !/^(?: {4}|\t)/.test(line)
    }
    start = end + 1
  }
  return headings
}

/** Without the hashes in front, and without those behind if a space stands before them. */
function textOf(line: string): string {
  const text = line.replace(/^ {0,3}#{1,6}/, '').trim()
  let end = text.length
  while (text.charAt(end - 1) === '#') end--
  return end === 0 || /\s/.test(text.charAt(end - 1)) ? text.slice(0, end).trimEnd() : text
}
