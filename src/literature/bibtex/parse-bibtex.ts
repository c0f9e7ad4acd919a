/** Splits a BibTeX file into entries, parses their fields and resolves macros and cross references. */

import { normalizeLineEnds, type SkippedWork } from '../works-file.js'
import { type Fields, MAX_FIELDS, parseFields } from './parse-fields.js'

export type BibtexEntry = {
  /** In lower case: `article`. */
  readonly type: string
  readonly key: string | null
  /** By their names in lower case; values keep their LaTeX. */
  readonly fields: Fields
  readonly line: number
}

/** An entry that could not be read does not affect the others. */
export function parseBibtex(text: string): {
  readonly entries: Iterable<BibtexEntry>
  readonly skipped: readonly SkippedWork[]
} {
  const { sources, skipped } = splitEntries(normalizeLineEnds(text))
  const macros = createMacros(text.length)
  const entries: BibtexEntry[] = []
  const isMacro = ({ type }: EntrySource): boolean => type === 'string'
  // Macros first: an entry may stand before the definition that it uses.
  for (const source of [...sources.filter(isMacro), ...sources.filter((one) => !isMacro(one))]) {
    const { body, ...entry } = source
    if (entry.type === 'preamble') continue
    const fields = macros.parse(body)
    if (typeof fields === 'string') {
      skipped.push({ name: entry.key ?? `@${entry.type}`, line: entry.line, reason: fields })
    } else if (isMacro(source)) macros.define(fields)
    else entries.push({ ...entry, fields })
  }
  return { entries: resolveCrossrefs(entries), skipped }
}

/** Macros of macros may double with every line: all of them together may add this many times the length of the file. */
const MAX_EXPANSION = 10
const LEAST_EXPANSION = 100_000

/** An undefined macro stands for its own name, like `jul`. */
function createMacros(fileChars: number) {
  const macros = new Map<string, string>()
  let left = LEAST_EXPANSION + MAX_EXPANSION * fileChars
  let isTooLong = false
  const read = (name: string): string => {
    const text = macros.get(name.toLowerCase())
    if (text === undefined) return name
    if (text.length > left) isTooLong = true
    else left -= text.length
    return isTooLong ? '' : text
  }
  return {
    define: (fields: Fields): void => {
      for (const [name, value] of fields) macros.set(name, value)
    },
    parse: (body: string): Fields | string => {
      isTooLong = false
      const fields = parseFields(body, read)
      return isTooLong ? 'Its macros stand for too much text.' : fields
    },
  }
}

/** `@article{key, body}`: the body is everything after the key, without the closing brace. */
type EntrySource = Omit<BibtexEntry, 'fields'> & { readonly body: string }

const START = /@[ \t]*([a-zA-Z][\w-]*)\s*([{(])/g
/** Round brackets open an entry only before a key: a line of an abstract may begin with `@name (`. */
const START_OF_LINE = /^@[ \t]*[a-zA-Z][\w-]*\s*(?:\{|\(\s*[^\s,{}()"=]+\s*[,=])/gm
/** A field after the end of an entry: a brace was closed too early. */
const STRAY_FIELD =
  /[^@\n]*[\s,}][a-zA-Z][\w-]*\s*=\s*["{]|\s*\}?\s*,\s*[a-zA-Z][\w-]*\s*=\s*["{\d]/y

function splitEntries(text: string): { sources: EntrySource[]; skipped: SkippedWork[] } {
  const sources: EntrySource[] = []
  const skipped: SkippedWork[] = []
  const starts = [...text.matchAll(START_OF_LINE)].map(({ index }) => index)
  let at = 0
  let [line, counted, nextStart, openUntil] = [1, 0, 0, 0]
  for (;;) {
    START.lastIndex = at
    const found = START.exec(text)
    if (found === null) return { sources, skipped }
    const open = found.index + found[0].length - 1
    const type = (found[1] ?? '').toLowerCase()
    while ((starts[nextStart] ?? text.length) <= found.index) nextStart++
    const limit = starts[nextStart] ?? text.length
    if (type === 'comment' && found.index < openUntil) {
      at = open
      continue
    }
    const close = findEnd(text, open, limit)
    at = close === -1 ? limit : close + 1
    if (type === 'comment') {
      if (close !== -1) continue
      // Only the word is a comment. Before `limit`, the end of another comment is not searched for: it would not be found.
      openUntil = limit
      at = open
      continue
    }
    for (; counted < found.index; counted++) if (text[counted] === '\n') line++
    const { key, body } = splitKey(text.slice(open + 1, close === -1 ? limit : close), type)
    STRAY_FIELD.lastIndex = at
    const name = key ?? `@${type}`
    if (close !== -1 && !STRAY_FIELD.test(text)) sources.push({ type, key, body, line })
    else {
      const problem = close === -1 ? 'not closed' : 'closed before its last field'
      skipped.push({ name, line, reason: `Its braces are ${problem}.` })
    }
  }
}

/** The offset of the end of the entry, or -1 if it is not before `limit`. */
function findEnd(text: string, open: number, limit: number): number {
  const isRound = text[open] === '('
  let depth = isRound ? 0 : 1
  let isQuoted = false
  for (let at = open + 1; at < limit; at += 1) {
    const char = text[at]
    if (char === '{') depth += 1
    else if (char === '}') depth -= 1
    else if (char === '"' && isRound && depth === 0) isQuoted = !isQuoted
    if (depth === 0 && !isQuoted && char === (isRound ? ')' : '}')) return at
  }
  return -1
}

/** The key, or the comma after it, may be missing. */
function splitKey(inner: string, type: string): Pick<EntrySource, 'key' | 'body'> {
  const hasKey = type !== 'string' && type !== 'preamble'
  if (!hasKey || /^\s*[a-zA-Z][\w:+-]*\s*=/.test(inner)) return { key: null, body: inner }
  const [line = '', written = ''] = /^\s*([^,{}"\n]*)/.exec(inner) ?? []
  const rest = inner.slice(line.length)
  const [comma] = /^\s*(?:,|$)/.exec(rest) ?? []
  if (comma !== undefined) return { key: written.trim() || null, body: rest.slice(comma.length) }
  const [before = '', key] = /^\s*([^\s,={}"]*)/.exec(inner) ?? []
  return { key: key || null, body: inner.slice(before.length) }
}

/** Fields that an entry does not inherit from the book or proceedings it refers to. */
const NOT_INHERITED: ReadonlySet<string> = new Set(
  `title subtitle shorttitle crossref xref xdata ids doi url eprint pages abstract keywords note annote file
  entrysubtype openalex`.split(/\s+/),
)

/** Of more entries that one refers to, and of a longer chain of them, nothing is inherited. */
const MAX_PARENTS = 20

/**
 * An entry's own fields come first; `xdata` adds all fields of another entry, `crossref` those of the containing work.
 * One entry after the other, so that the inherited copies of all entries are never in memory at once.
 */
function* resolveCrossrefs(entries: readonly BibtexEntry[]): Generator<BibtexEntry> {
  const byKey = new Map<string, BibtexEntry>()
  for (const entry of entries) {
    const key = entry.key?.toLowerCase()
    if (key !== undefined && !byKey.has(key)) byKey.set(key, entry)
  }
  /** Of entries that others refer to. An entry that is being resolved has its own fields, which ends cycles. */
  const resolved = new Map<BibtexEntry, Fields>()
  const resolve = (entry: BibtexEntry, depth: number): Fields => {
    const known = resolved.get(entry)
    if (known !== undefined || depth === MAX_PARENTS) return known ?? entry.fields
    const fields = new Map(entry.fields)
    if (depth > 0) resolved.set(entry, entry.fields)
    for (const name of ['xdata', 'crossref']) {
      const keys = entry.fields.get(name)?.split(',', MAX_PARENTS) ?? []
      for (const key of keys) {
        const parent = byKey.get(key.trim().toLowerCase())
        if (parent === undefined || parent === entry) continue
        const given = resolve(parent, depth + 1)
        const inherited = name === 'xdata' ? given : inheritFields(entry.type, given)
        for (const [field, value] of inherited) {
          if (!fields.has(field) && fields.size < MAX_FIELDS) fields.set(field, value)
        }
      }
    }
    if (depth > 0) resolved.set(entry, fields)
    return fields
  }
  for (const entry of entries) yield { ...entry, fields: resolve(entry, 0) }
}

/** The title of the containing work becomes the `booktitle`, or the `journaltitle` of an article. */
function inheritFields(type: string, parent: Fields): Fields {
  const fields = new Map([...parent].filter(([name]) => !NOT_INHERITED.has(name)))
  const prefix = type === 'article' ? 'journal' : 'book'
  for (const name of ['title', 'subtitle']) {
    const value = parent.get(name)
    if (value !== undefined && !fields.has(prefix + name)) fields.set(prefix + name, value)
  }
  return fields
}
