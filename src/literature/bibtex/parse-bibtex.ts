/** Splits a BibTeX file into entries, parses their fields and resolves macros and cross references. */

import { normalizeLineEnds, type SkippedWork } from '../works-file.js'

export type Fields = ReadonlyMap<string, string>

export type BibtexEntry = {
  /** In lower case: `article`. */
  readonly type: string
  readonly key: string | null
  /** By their names in lower case; values keep their LaTeX. */
  readonly fields: Fields
  readonly line: number
}

/** An entry that could not be read does not affect the others. */
export async function parseBibtex(text: string): Promise<{
  readonly entries: readonly BibtexEntry[]
  readonly skipped: readonly SkippedWork[]
}> {
  const { sources, skipped } = splitEntries(normalizeLineEnds(text))
  if (sources.length === 0) return { entries: [], skipped }
  // The package is large, so it is loaded when it is needed. The default export is the whole CommonJS module, in Node
  // and in a bundle; named exports exist in Node only.
  const grammar = (await import('latex-utensils')).default.bibtexParser
  const macros = new Map<string, string>()
  for (const { type, body } of sources) {
    const fields = type === 'string' ? parseFields(grammar, body, macros) : new Map()
    if (typeof fields !== 'string') for (const [name, value] of fields) macros.set(name, value)
  }
  const entries: BibtexEntry[] = []
  for (const { body, ...entry } of sources) {
    if (entry.type === 'string' || entry.type === 'preamble') continue
    const fields = parseFields(grammar, body, macros)
    if (typeof fields !== 'string') entries.push({ ...entry, fields })
    else skipped.push({ name: entry.key ?? `@${entry.type}`, line: entry.line, reason: fields })
  }
  return { entries: resolveCrossrefs(entries), skipped }
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
  let [line, counted, nextStart] = [1, 0, 0]
  for (;;) {
    START.lastIndex = at
    const found = START.exec(text)
    if (found === null) return { sources, skipped }
    const open = found.index + found[0].length - 1
    const type = (found[1] ?? '').toLowerCase()
    while ((starts[nextStart] ?? text.length) <= found.index) nextStart++
    const limit = starts[nextStart] ?? text.length
    const close = findEnd(text, open, limit)
    at = close === -1 ? limit : close + 1
    if (type === 'comment') {
      if (close === -1) at = open
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

/** Where the entry ends, or -1 if that is not before `limit`. */
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
  const found = /^\s*([^,{}"\n]*?)\s*(?:,|$)/.exec(inner) ?? /^\s*([^\s,={}"]*)/.exec(inner)
  return { key: found?.[1] || null, body: inner.slice(found?.[0].length ?? 0) }
}

type Grammar = typeof import('latex-utensils')['bibtexParser']
type Ast = ReturnType<Grammar['parse']>
type Value = Extract<Ast['content'][number], { content: unknown[] }>['content'][number]['value']
type SyntaxFailure = {
  readonly location: { readonly start: { readonly offset: number } }
  readonly expected: readonly { readonly text?: string }[] | null
}

const MAX_REPAIRS = 100

/** The fields, or the reason why there are none. An undefined macro stands for its own name, like `jul`. */
function parseFields(
  grammar: Grammar,
  body: string,
  macros: ReadonlyMap<string, string>,
): Fields | string {
  const parsed = parseWithRepairs(grammar, `@entry{key,${body}\n}`)
  if (typeof parsed === 'string') return parsed
  const readValue = (value: Value): string => {
    if (value.kind === 'concat') return value.content.map(readValue).join('')
    const { content } = value
    return value.kind === 'abbreviation' ? (macros.get(content.toLowerCase()) ?? content) : content
  }
  const fields = new Map<string, string>()
  for (const { name, value } of parsed.content.filter(grammar.isEntry).flatMap((e) => e.content)) {
    const text = readValue(value)
    const field = name.toLowerCase()
    if (text.trim() !== '' && !fields.has(field)) fields.set(field, text)
  }
  return fields
}

function parseWithRepairs(grammar: Grammar, source: string): Ast | string {
  let text = source
  let furthest = -1
  for (let repairs = 0; repairs <= MAX_REPAIRS; repairs += 1) {
    try {
      return grammar.parse(text)
    } catch (error) {
      if (error instanceof RangeError) return 'It is nested too deeply.'
      if (!isSyntaxFailure(error)) throw error
      const { offset } = error.location.start
      const repaired = offset > furthest ? repair(text, offset, error) : null
      if (repaired === null) {
        const near = text.slice(offset).trim().split(/\s+/)[0]?.slice(0, 20) ?? ''
        return `It cannot be read ${near === '' || near === '}' ? 'at its end' : `at "${near}"`}.`
      }
      furthest = offset
      text = repaired
    }
  }
  return 'It has too many errors.'
}

function isSyntaxFailure(error: unknown): error is SyntaxFailure {
  return error instanceof Error && 'location' in error && 'expected' in error
}

/** Adds a missing comma, removes a superfluous one, or gives a field without a value an empty one. */
function repair(text: string, offset: number, { expected }: SyntaxFailure): string | null {
  const before = text.slice(0, offset)
  const after = text.slice(offset)
  if (after.startsWith(',') || after.startsWith('}')) {
    if (/=\s*$/.test(before)) return `${before}{}${after}`
    return after.startsWith(',') ? before + after.slice(1) : null
  }
  const needsComma = expected?.some(({ text: wanted }) => wanted === ',') ?? false
  return needsComma && /^[a-zA-Z][\w:+-]*\s*=/.test(after) ? `${before},${after}` : null
}

/** Fields that an entry does not inherit from the book or proceedings it refers to. */
const NOT_INHERITED: ReadonlySet<string> = new Set(
  `title subtitle shorttitle crossref xref xdata ids doi url eprint pages abstract keywords note annote file
  entrysubtype openalex`.split(/\s+/),
)

/** An entry's own fields come first; `xdata` adds all fields of another entry, `crossref` those of the containing work. */
function resolveCrossrefs(entries: readonly BibtexEntry[]): BibtexEntry[] {
  const byKey = new Map<string, BibtexEntry>()
  for (const entry of entries) {
    const key = entry.key?.toLowerCase()
    if (key !== undefined && !byKey.has(key)) byKey.set(key, entry)
  }
  /** `seen` ends circular references. */
  const resolve = (entry: BibtexEntry, seen: ReadonlySet<BibtexEntry>): Fields => {
    const fields = new Map(entry.fields)
    for (const name of ['xdata', 'crossref']) {
      for (const key of entry.fields.get(name)?.split(',') ?? []) {
        const parent = byKey.get(key.trim().toLowerCase())
        if (parent === undefined || seen.has(parent)) continue
        const given = resolve(parent, new Set([...seen, parent]))
        const inherited = name === 'xdata' ? given : inheritFields(entry.type, given)
        for (const [field, value] of inherited) if (!fields.has(field)) fields.set(field, value)
      }
    }
    return fields
  }
  return entries.map((entry) => ({ ...entry, fields: resolve(entry, new Set([entry])) }))
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
