/** Code and comments of a Markdown text are covered, and nothing else moves by a character. */

/** Stands for each character of inline code, which is a part of its line. */
const COVER = '\u0001'
const INDENT = '[ \\t>]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)?'
const FENCE = new RegExp(`^(${INDENT})(?:(\`{3,})[^\`]*|(~{3,}).*)$`)
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/

type Paragraph = { readonly masked: string; readonly end: number }
type Fence = { readonly mark: string; readonly isQuoted: boolean }

/** As long as the text, with its line ends: fenced code and comments are spaces. */
export function maskCode(text: string): string {
  const parts: string[] = []
  const lastClose = text.lastIndexOf('-->')
  let fence: Fence | null = null
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    const isInside: boolean = fence !== null && !(fence.isQuoted && !/^\s*>/.test(line))
    // Behind the end of a comment a line goes on, and no fence can begin.
    if (!isInside) fence = at === 0 || text.charAt(at - 1) === '\n' ? fenceOf(line) : null
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

/** After the line end, or at the end of the text. */
function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

function blank(part: string): string {
  return part.replace(/[^\n]/g, ' ')
}

function fenceOf(line: string): Fence | null {
  const found = FENCE.exec(line.replace(/\r?\n$/, ''))
  const mark = found?.[2] ?? found?.[3]
  return mark === undefined ? null : { mark, isQuoted: found?.[1]?.includes('>') ?? false }
}

function closes(line: string, { mark }: Fence): boolean {
  const written = line.replace(/^[\s>]*/, '').trimEnd()
  return written.length >= mark.length && written === mark.charAt(0).repeat(written.length)
}

/** Up to the next blank line, heading or fence: inline code never reaches beyond that, comments may. */
function maskParagraph(text: string, start: number, lastClose: number): Paragraph {
  const part = text.slice(start, paragraphEnd(text, start))
  const masked: string[] = []
  const unclosed = new Set<number>()
  const special = /\\[\s\S]|`+|<!--/g
  let kept = 0
  for (let found = special.exec(part); found !== null; found = special.exec(part)) {
    const [mark] = found
    const at = found.index
    if (mark === '<!--') {
      const to = commentEnd(text, start + at, lastClose)
      if (to === null) continue
      masked.push(part.slice(kept, at), blank(text.slice(start + at, to)))
      if (to >= start + part.length) return { masked: masked.join(''), end: to }
      kept = to - start
    } else if (mark.startsWith('`') && !unclosed.has(mark.length)) {
      const to = codeEnd(part, at, mark.length)
      if (to === null) {
        unclosed.add(mark.length)
        continue
      }
      masked.push(part.slice(kept, at), part.slice(at, to).replace(/[^\n]/g, COVER))
      kept = to
    } else continue
    special.lastIndex = kept
  }
  masked.push(part.slice(kept))
  return { masked: masked.join(''), end: start + part.length }
}

function paragraphEnd(text: string, start: number): number {
  for (let at = lineEnd(text, start); at < text.length; ) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    if (line.trim() === '' || HEADING.test(line) || fenceOf(line) !== null) return at
    at = end
  }
  return text.length
}

/** A comment at the beginning of a line that is never closed is all of the rest. */
function commentEnd(text: string, at: number, lastClose: number): number | null {
  if (at + 2 <= lastClose) return text.indexOf('-->', at + 2) + 3
  const line = text.slice(Math.max(0, at - 4), at)
  return /(?:^|\n) {0,3}$/.test(at <= 4 ? `\n${line}` : line) ? text.length : null
}

/** After as many backticks as the code was opened with, no more and no fewer. */
function codeEnd(part: string, at: number, length: number): number | null {
  const runs = /`+/g
  runs.lastIndex = at + length
  for (let run = runs.exec(part); run !== null; run = runs.exec(part)) {
    if (run[0].length === length) return run.index + length
  }
  return null
}
