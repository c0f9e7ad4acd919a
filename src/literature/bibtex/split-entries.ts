/** One broken entry costs that entry alone; every other one is found, with its line. */

import type { Skipped } from '../read-works.js'

/** `@article{key, body}`, taken apart as far as can be told without reading the body. */
export type EntrySource = {
  /** In lower case: `article`, `string`, `comment`. */
  readonly type: string
  readonly key: string | null
  /** All that follows the key, without the closing brace. */
  readonly body: string
  readonly line: number
}

export type SplitFile = {
  readonly entries: readonly EntrySource[]
  readonly broken: readonly Skipped[]
}

const START = /@[ \t]*([a-zA-Z][\w-]*)\s*([{(])/g
/** Round brackets open an entry only before a key: a line of an abstract may begin with `@name (`. */
const START_OF_LINE = /^@[ \t]*[a-zA-Z][\w-]*\s*(?:\{|\(\s*[^\s,{}()"=]+\s*[,=])/gm
/** A field after the end: a brace was closed too early, and what follows would be lost in silence. */
const STRAY_FIELD =
  /[^@\n]*[\s,}][a-zA-Z][\w-]*\s*=\s*["{]|\s*\}?\s*,\s*[a-zA-Z][\w-]*\s*=\s*["{\d]/y

export function splitEntries(text: string): SplitFile {
  const entries: EntrySource[] = []
  const broken: Skipped[] = []
  const lineAt = lineCounter(text)
  const starts = [...text.matchAll(START_OF_LINE)].map(({ index }) => index)
  let at = 0
  for (;;) {
    START.lastIndex = at
    const found = START.exec(text)
    if (found === null) return { entries, broken }
    const open = found.index + found[0].length - 1
    const type = (found[1] ?? '').toLowerCase()
    const next = startAfter(starts, found.index) ?? text.length
    const close = closingDelimiter(text, open, next)
    at = close === -1 ? next : close + 1
    if (type === 'comment') {
      if (close === -1) at = open
      continue
    }
    const line = lineAt(found.index)
    const { key, body } = takeKey(text.slice(open + 1, close === -1 ? next : close), type)
    const reason = close === -1 ? 'Its braces are not closed.' : strayField(text, at)
    if (reason === null) entries.push({ type, key, body, line })
    else broken.push({ name: key ?? `@${type}`, line, reason })
  }
}

function strayField(text: string, at: number): string | null {
  STRAY_FIELD.lastIndex = at
  return STRAY_FIELD.test(text) ? 'Its braces are closed before its last field.' : null
}

function startAfter(starts: readonly number[], at: number): number | undefined {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) > at) high = middle
    else low = middle + 1
  }
  return starts[low]
}

/** Where the entry ends, or -1 if that is not before the next one. */
function closingDelimiter(text: string, open: number, limit: number): number {
  const isRound = text[open] === '('
  let depth = isRound ? 0 : 1
  let isQuoted = false
  for (let at = open + 1; at < limit; at += 1) {
    const char = text[at]
    if (char === '{') depth += 1
    else if (char === '}') {
      depth -= 1
      if (depth === 0 && !isRound) return at
    } else if (isRound && depth === 0) {
      if (char === '"') isQuoted = !isQuoted
      else if (char === ')' && !isQuoted) return at
    }
  }
  return -1
}

/** An entry may lack its key, or the comma after it. */
function takeKey(
  inner: string,
  type: string,
): { readonly key: string | null; readonly body: string } {
  const isData = type !== 'string' && type !== 'preamble'
  if (!isData || /^\s*[a-zA-Z][\w:+-]*\s*=/.test(inner)) return { key: null, body: inner }
  const found = /^\s*([^,{}"\n]*?)\s*(?:,|$)/.exec(inner) ?? /^\s*([^\s,={}"]*)/.exec(inner)
  return { key: found?.[1] || null, body: inner.slice(found?.[0].length ?? 0) }
}

/** Lines are counted onwards from the last question, which must not go back. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let at = 0
  return (offset) => {
    for (; at < offset; at += 1) if (text[at] === '\n') line += 1
    return line
  }
}
