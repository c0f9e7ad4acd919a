/** Finds title, headings and links of a Markdown text, ignoring code and comments. */

export type Heading = {
  /** 1 to 6. */
  readonly level: number
  /** Without its marks. */
  readonly text: string
}

export type Link = {
  /** The file, as written. */
  readonly target: string
  /** `![[…]]` or `![…](…)` */
  readonly isEmbed: boolean
}

/** `#tag` at the beginning of a word. */
const TAG = /(?<![^\s(])#([\p{L}\p{N}_][\p{L}\p{N}_/-]*)/gu

/**
 * Expects the text without its front matter, which would look like a heading.
 * @example
 * readOutline('# Notes\nSee [[Plan#Goals|the plan]].')
 * // title 'Notes', links: [{ target: 'Plan', isEmbed: false }]
 */
export function readOutline(markdown: string) {
  const masked = maskCode(markdown)
  const headings = findHeadings(markdown, masked)
  const named = headings.filter(({ text }) => text !== '')
  const first = named.find(({ level }) => level === 1)
  return {
    /** The first heading of level 1 without marks such as stars and brackets, else the first heading. */
    title: (first && stripMarks(first.text)) || (named[0]?.text ?? null),
    headings,
    links: findLinks(markdown, masked),
    tags: [...masked.matchAll(TAG)]
      .map(([, tag = '']) => tag.replace(/[/-]+$/, ''))
      // A number alone is not a tag.
      .filter((tag) => /[^\p{N}_/-]/u.test(tag)),
  }
}

/** Marks are not removed from a longer heading. */
const MAX_TITLE = 500

function stripMarks(text: string): string {
  if (text.length > MAX_TITLE) return text
  return text
    .replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]|]+)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|__|~~|==)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\d])([*_])(?=\S)(.+?)(?<=\S)\1(?![\p{L}\d])/gu, '$2')
    .replace(/`([^`]+)`/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()
}

const HASHES = /^ {0,3}(#{1,6})(?=[ \t]|$)/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
/** Lists, quotes, tables, rules and indented code cannot be underlined. */
const NO_PARAGRAPH =
  /^(?: {4}|\t| {0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||([-*_])[ \t]*(?:\1[ \t]*){2,}$))/

/** `masked` is the same text with its code masked. */
function findHeadings(text: string, masked: string): Heading[] {
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
      headings.push({ level: hashes[1].length, text: stripHashes(text.slice(start, end)) })
      paragraph = null
      isBlocked = false
    } else if (underline !== null && paragraph !== null) {
      const words = text.slice(paragraph, start).replace(/\s+/g, ' ').trim()
      headings.push({ level: line.includes('=') ? 1 : 2, text: words })
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

/** Removes the hashes at the start, and those at the end after a space. */
function stripHashes(line: string): string {
  const text = line.replace(/^ {0,3}#{1,6}/, '').trim()
  let end = text.length
  while (text.charAt(end - 1) === '#') end--
  return end === 0 || /\s/.test(text.charAt(end - 1)) ? text.slice(0, end).trimEnd() : text
}

const WIKI = /(!?)\[\[([^[\]\n]+)\]\]/g
const TEXT = String.raw`(?:[^[\]\\\n]|\\.|\[[^[\]\n]*\]|\n(?![ \t]*(?:\n|$)))*`
const TARGET = String.raw`<[^<>\n]*>|[^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*`
const TITLE = String.raw`(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?`
const INLINE = new RegExp(String.raw`(!?)\[${TEXT}\]\([ \t]*(${TARGET})${TITLE}[ \t]*\)`, 'g')
/** `https:`, `mailto:`, `//host`: not a file. */
const EXTERNAL = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i

function findLinks(text: string, masked: string): Link[] {
  const links: (Link & { readonly at: number })[] = []
  const add = (at: number, written: string, isEmbed: boolean): void => {
    const target = written.replace(/#[\s\S]*$/, '').trim()
    if (target !== '') links.push({ at, target, isEmbed })
  }
  const rest = masked.replace(WIKI, (whole: string, mark: string, inner: string, at: number) => {
    if (isEscaped(masked, at)) return whole
    const start = at + mark.length + 2
    // `target#heading|alias`; in a table the bar is written `\|`.
    const [written = ''] = text.slice(start, start + inner.length).split(/\\?\|/, 1)
    add(at, written, mark === '!')
    return ' '.repeat(whole.length)
  })
  for (const { 1: mark, 2: target = '', index } of rest.matchAll(INLINE)) {
    const bare = target.replace(/^<|>$/g, '')
    if (isEscaped(rest, index) || EXTERNAL.test(bare)) continue
    add(index, decode(bare.replace(/#[\s\S]*$/, '')), mark === '!')
  }
  return links.sort((a, b) => a.at - b.at).map(({ target, isEmbed }) => ({ target, isEmbed }))
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

/** `My%20note.md` → "My note.md"; an invalid code stays. */
function decode(written: string): string {
  try {
    return decodeURIComponent(written).toWellFormed()
  } catch {
    return written
  }
}

/** Replaces each character of inline code. */
const MASK = '\u0001'
const INDENT = '[ \\t>]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)?'
const FENCE = new RegExp(`^(${INDENT})(?:(\`{3,})[^\`]*|(~{3,}).*)$`)
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/

type Paragraph = { readonly masked: string; readonly end: number }
type Fence = { readonly mark: string; readonly isQuoted: boolean }

/** Returns a text of the same length and lines, in which fenced code and comments are spaces. */
export function maskCode(text: string): string {
  const parts: string[] = []
  const lastClose = text.lastIndexOf('-->')
  let fence: Fence | null = null
  for (let at = 0; at < text.length; ) {
    const end = findLineEnd(text, at)
    const line = text.slice(at, end)
    const isInside: boolean = fence !== null && !(fence.isQuoted && !/^\s*>/.test(line))
    // No fence can begin in a line after the end of a comment.
    if (!isInside) fence = at === 0 || text.charAt(at - 1) === '\n' ? findFence(line) : null
    if (fence === null) {
      const paragraph = maskParagraph(text, at, lastClose)
      parts.push(paragraph.masked)
      at = paragraph.end
    } else {
      parts.push(blank(line))
      if (isInside && closes(line, fence)) fence = null
      at = end
    }
  }
  return parts.join('')
}

/** The position after the line end, or the end of the text. */
function findLineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

function blank(part: string): string {
  return part.replace(/[^\n]/g, ' ')
}

function findFence(line: string): Fence | null {
  const found = FENCE.exec(line.replace(/\r?\n$/, ''))
  const mark = found?.[2] ?? found?.[3]
  return mark === undefined ? null : { mark, isQuoted: found?.[1]?.includes('>') ?? false }
}

function closes(line: string, { mark }: Fence): boolean {
  const written = line.replace(/^[\s>]*/, '').trimEnd()
  return written.length >= mark.length && written === mark.charAt(0).repeat(written.length)
}

/** Inline code ends with its paragraph, that is before a blank line, heading or fence; a comment may be longer. */
function maskParagraph(text: string, start: number, lastClose: number): Paragraph {
  const part = text.slice(start, findParagraphEnd(text, start))
  const masked: string[] = []
  const unclosed = new Set<number>()
  const special = /\\[\s\S]|`+|<!--/g
  let kept = 0
  for (let found = special.exec(part); found !== null; found = special.exec(part)) {
    const [mark] = found
    const at = found.index
    if (mark === '<!--') {
      const to = findCommentEnd(text, start + at, lastClose)
      if (to === null) continue
      masked.push(part.slice(kept, at), blank(text.slice(start + at, to)))
      if (to >= start + part.length) return { masked: masked.join(''), end: to }
      kept = to - start
    } else if (mark.startsWith('`') && !unclosed.has(mark.length)) {
      const to = findCodeEnd(part, at, mark.length)
      if (to === null) {
        unclosed.add(mark.length)
        continue
      }
      masked.push(part.slice(kept, at), part.slice(at, to).replace(/[^\n]/g, MASK))
      kept = to
    } else continue
    special.lastIndex = kept
  }
  masked.push(part.slice(kept))
  return { masked: masked.join(''), end: start + part.length }
}

function findParagraphEnd(text: string, start: number): number {
  for (let at = findLineEnd(text, start); at < text.length; ) {
    const end = findLineEnd(text, at)
    const line = text.slice(at, end)
    if (line.trim() === '' || HEADING.test(line) || findFence(line) !== null) return at
    at = end
  }
  return text.length
}

/** An unclosed comment at the beginning of a line extends to the end of the text. */
function findCommentEnd(text: string, at: number, lastClose: number): number | null {
  if (at + 2 <= lastClose) return text.indexOf('-->', at + 2) + 3
  const line = text.slice(Math.max(0, at - 4), at)
  return /(?:^|\n) {0,3}$/.test(at <= 4 ? `\n${line}` : line) ? text.length : null
}

/** After exactly as many backticks as opened the code. */
function findCodeEnd(part: string, at: number, length: number): number | null {
  const runs = /`+/g
  runs.lastIndex = at + length
  for (let run = runs.exec(part); run !== null; run = runs.exec(part)) {
    if (run[0].length === length) return run.index + length
  }
  return null
}
