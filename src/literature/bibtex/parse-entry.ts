/** The fields of an entry are read by BibTeX's grammar, and small slips of the pen are mended. */

import type { EntrySource } from './split-entries.js'

/** The package is large and most starts need none of it, so it is loaded when a BibTeX file is read. */
export type Grammar = typeof import('latex-utensils')['bibtexParser']

export async function loadGrammar(): Promise<Grammar> {
  // The default of a CommonJS package is all of it, in Node and in a bundle; its names are there in Node alone.
  return (await import('latex-utensils')).default.bibtexParser
}

export type Fields = ReadonlyMap<string, string>
export type Macros = ReadonlyMap<string, string>

export type ParsedEntry =
  | { readonly kind: 'fields'; readonly fields: Fields }
  | { readonly kind: 'broken'; readonly reason: string }

type Syntax = {
  readonly location: { readonly start: { readonly offset: number } }
  readonly expected: readonly { readonly text?: string }[] | null
}
type Ast = ReturnType<Grammar['parse']>

const MOST_REPAIRS = 100
const HEAD = '@entry{key,'

/** Values keep their LaTeX; macros are replaced, and one that is not defined stands for its own name, like `jul`. */
export function parseEntry(grammar: Grammar, entry: EntrySource, macros: Macros): ParsedEntry {
  const parsed = parseMending(grammar, `${HEAD}${entry.body}\n}`)
  if (typeof parsed === 'string') return { kind: 'broken', reason: parsed }
  const fields = new Map<string, string>()
  for (const part of parsed.content) {
    if (!grammar.isEntry(part)) continue
    for (const { name, value } of part.content) {
      const text = textOf(value, macros)
      if (text.trim() !== '' && !fields.has(name.toLowerCase()))
        fields.set(name.toLowerCase(), text)
    }
  }
  return { kind: 'fields', fields }
}

/** `@string{jml = "Journal of " # ml}`; a macro may use those before it. */
export function parseMacros(grammar: Grammar, entries: readonly EntrySource[]): Macros {
  const macros = new Map<string, string>()
  for (const { type, body } of entries) {
    if (type !== 'string') continue
    const parsed = parseEntry(grammar, { type, key: null, body, line: 0 }, macros)
    if (parsed.kind === 'broken') continue
    for (const [name, text] of parsed.fields) macros.set(name, text)
  }
  return macros
}

type Value = Extract<Ast['content'][number], { content: unknown[] }>['content'][number]['value']

function textOf(value: Value, macros: Macros): string {
  switch (value.kind) {
    case 'concat':
      return value.content.map((part) => textOf(part, macros)).join('')
    case 'abbreviation':
      return macros.get(value.content.toLowerCase()) ?? value.content
    case 'text_string':
    case 'number':
      return value.content
  }
}

/** Its tree, or why there is none. */
function parseMending(grammar: Grammar, source: string): Ast | string {
  let text = source
  let furthest = -1
  for (let tries = 0; tries <= MOST_REPAIRS; tries += 1) {
    try {
      return grammar.parse(text)
    } catch (error) {
      if (error instanceof RangeError) return 'It is nested too deeply.'
      if (!isSyntax(error)) throw error
      const { offset } = error.location.start
      const mended = offset > furthest ? mend(text, offset, error) : null
      if (mended === null) return reasonAt(text, offset)
      furthest = offset
      text = mended
    }
  }
  return 'It has too many slips to be mended.'
}

function isSyntax(error: unknown): error is Syntax {
  return error instanceof Error && 'location' in error && 'expected' in error
}

/** A comma that is missing is put in, one too many taken out, and a field without a value left empty. */
function mend(text: string, offset: number, { expected }: Syntax): string | null {
  const before = text.slice(0, offset)
  const after = text.slice(offset)
  const wantsComma = expected?.some((wanted) => wanted.text === ',') ?? false
  if (after.startsWith(',') || after.startsWith('}')) {
    if (/=\s*$/.test(before)) return `${before}{}${after}`
    return after.startsWith(',') ? before + after.slice(1) : null
  }
  return wantsComma && /^[a-zA-Z][\w:+-]*\s*=/.test(after) ? `${before},${after}` : null
}

function reasonAt(text: string, offset: number): string {
  const near = text.slice(offset).trim().split(/\s+/)[0]?.slice(0, 20) ?? ''
  const place = near === '' || near === '}' ? 'at its end' : `at "${near}"`
  return `It cannot be read ${place}.`
}
