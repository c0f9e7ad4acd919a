/** Finds title, headings and links of a Markdown text, ignoring code and comments. */

import { decodePercent } from '../../core/decode-percent.js'

/** `target` is the file as written; `![[…]]` and `![…](…)` are embeds. */
export type Link = { readonly target: string; readonly isEmbed: boolean }

/** The rest of a longer tag is dropped. */
const MAX_TAG = 500
/** `#1e90ff`, `#FFFFFF`, `#fff`, `#FF0`; words such as `#decade` and `#e2e` are tags. */
const COLOUR =
  /^(?:(?=.*\d)(?:[\da-f]{6}|[\da-f]{8})|(?:[\dA-F]{6}|[\dA-F]{8})|(?=.*\d)(?=.*[A-F])[\dA-F]{3,4}|([\da-fA-F])\1{2}(?:\1|\1{3}|\1{5})?)$/
/** `[above](#colours)` leads to a heading. */
const TAG = /(?<![^\s(]|\]\()#([\p{L}\p{N}_][\p{L}\p{N}_/-]*)/gu

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
      .map(([, tag = '']) => tag.slice(0, MAX_TAG).replace(/[/-]+$/, ''))
      // A number alone is not a tag, nor is a colour.
      .filter((tag) => /[^\p{N}_/-]/u.test(tag) && !COLOUR.test(tag)),
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

/** `level` is 1 to 6; `text` is without its marks. */
function findHeadings(text: string, masked: string) {
  const headings: { readonly level: number; readonly text: string }[] = []
  let paragraph: number | null = null
  let isBlocked = false
  for (let start = 0, end = 0; start < masked.length; start = end) {
    end = findLineEnd(masked, start)
    const line = masked.slice(start, end).replace(/\r?\n$|\r$/, '')
    const hashes = HASHES.exec(line)?.[1]
    if (line.trim() === '' || hashes !== undefined) {
      paragraph = null
      isBlocked = false
      const level = hashes?.length
      if (level !== undefined) headings.push({ level, text: stripHashes(text.slice(start, end)) })
    } else if (paragraph !== null && !isBlocked && UNDERLINE.test(line)) {
      const words = text.slice(paragraph, start).replace(/\s+/g, ' ').trim()
      headings.push({ level: line.includes('=') ? 1 : 2, text: words })
      paragraph = null
    } else {
      // A line within a paragraph may be indented.
      const isIndented = paragraph !== null && /^(?: {4}|\t)/.test(line)
      isBlocked ||= NO_PARAGRAPH.test(line) && !isIndented
      paragraph ??= start
    }
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
/** Limited, because every bracket may begin a link. */
const TEXT = String.raw`(?:[^[\]\\\n]|\\.|\[[^[\]\n]*\]|\n(?![ \t]*(?:\n|$))){0,500}`
const TARGET = String.raw`<[^<>\n]*>|[^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*`
const TITLE = String.raw`(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?`
/** An escaped bracket begins no link: in a row of them each would be tried with all that follow. */
const INLINE = new RegExp(
  String.raw`(!?)(?<!(?<!\\)\\)\[${TEXT}\]\([ \t]*(${TARGET})${TITLE}[ \t]*\)`,
  'g',
)
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
    add(index, decodePercent(bare.replace(/#[\s\S]*$/, '')).toWellFormed(), mark === '!')
  }
  return links.sort((a, b) => a.at - b.at).map(({ target, isEmbed }) => ({ target, isEmbed }))
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

/** A fence, also in a list or a quote. */
const FENCE = String.raw`^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?:(${'`'}{3,})[^${'`'}\n]*|(~{3,}).*)$`
const MASK = '\u0001'

/** Returns a text of the same length and lines, in which fenced code and comments are spaces. */
export function maskCode(text: string): string {
  const special = new RegExp(`${FENCE}|\\\\[\\s\\S]|(${'`'}+)|<!--`, 'gm')
  const lastCommentEnd = text.lastIndexOf('-->')
  const parts: string[] = []
  /** By number of backticks, the end of the paragraph in which such code is not closed. */
  const unclosed = new Map<number, number>()
  let [done, paragraphEnd] = [0, 0]
  const mask = (from: number, to: number | null, by: string): void => {
    if (to === null) return
    parts.push(text.slice(done, from), text.slice(from, to).replace(/[^\n]/g, by))
    done = to
    special.lastIndex = to
  }
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    const [whole, indent, ticks, tildes, { length } = ''] = found
    const { index } = found
    if (indent !== undefined) {
      const mark = ticks ?? tildes ?? ''
      mask(index, findFenceEnd(text, index, { mark, isQuoted: indent.includes('>') }), ' ')
    } else if (whole === '<!--') mask(index, findCommentEnd(text, index, lastCommentEnd), ' ')
    else if (length > 0 && (unclosed.get(length) ?? 0) <= index) {
      if (index >= paragraphEnd) paragraphEnd = findParagraphEnd(text, index)
      const end = findCodeEnd(text.slice(0, paragraphEnd), index, length)
      if (end === null) unclosed.set(length, paragraphEnd)
      mask(index, end, MASK)
    }
  }
  return parts.join('') + text.slice(done)
}

function findLineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

function findFenceEnd(
  text: string,
  start: number,
  { mark, isQuoted }: { readonly mark: string; readonly isQuoted: boolean },
): number {
  for (let at = findLineEnd(text, start); at < text.length; at = findLineEnd(text, at)) {
    const line = text.slice(at, findLineEnd(text, at))
    if (isQuoted && !/^\s*>/.test(line)) return at
    const written = line.replace(/^[\s>]*/, '').trimEnd()
    const isClosing = written === mark.charAt(0).repeat(written.length)
    if (isClosing && written.length >= mark.length) return at + line.length
  }
  return text.length
}

/** Inline code ends with its paragraph: before a blank line, a heading or a fence. */
function findParagraphEnd(text: string, start: number): number {
  const end = new RegExp(String.raw`^\s*$|^ {0,3}#{1,6}(?:\s|$)|${FENCE}`, 'm')
  for (let at = findLineEnd(text, start); at < text.length; at = findLineEnd(text, at)) {
    if (end.test(text.slice(at, findLineEnd(text, at)).trimEnd())) return at
  }
  return text.length
}

/** An unclosed comment at the beginning of a line extends to the end of the text. */
function findCommentEnd(text: string, at: number, lastCommentEnd: number): number | null {
  if (at + 2 <= lastCommentEnd) return text.indexOf('-->', at + 2) + 3
  const before = at < 4 ? `\n${text.slice(0, at)}` : text.slice(at - 4, at)
  return /\n {0,3}$/.test(before) ? text.length : null
}

/** After exactly as many backticks as opened the code. */
function findCodeEnd(text: string, at: number, length: number): number | null {
  const runs = /`+/g
  runs.lastIndex = at + length
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
    if (run[0].length === length) return run.index + length
  }
  return null
}
