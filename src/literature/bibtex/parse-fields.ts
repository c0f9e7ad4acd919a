/** Parses the fields of one BibTeX entry in a single pass, and tolerates commas that are missing or too many. */

export type Fields = ReadonlyMap<string, string>

/** Returns the text of a macro such as `jul`. */
type ReadMacro = (name: string) => string

/** More fields than any reference manager writes. */
export const MAX_FIELDS = 200

const BLANK = /[ \t\r\n]+|%[^\n]*/y
const NAME = /[^%@={}()"#, \t\r\n]+/y
/** After a value without a comma, only a name like this one begins the next field. */
const NEXT_FIELD = /[a-zA-Z][\w:+-]*\s*=/y

/**
 * The fields by their names in lower case, or the reason why there are none. The first of two fields with one name counts.
 * @example parseFields('title = {On {G}raphs}, month = jul', (name) => name)
 * // Map { 'title' => 'On {G}raphs', 'month' => 'jul' }
 */
export function parseFields(body: string, readMacro: ReadMacro): Fields | string {
  const fields = new Map<string, string>()
  for (let at = skipBlank(body, 0, ','); at < body.length; at = skipBlank(body, at, ',')) {
    const name = match(NAME, body, at)
    const equals = skipBlank(body, at + name.length)
    if (name === '' || body[equals] !== '=') return describeProblem(body, name === '' ? at : equals)
    const value = readValue(body, equals + 1, readMacro)
    if (value.text === null) return describeProblem(body, value.end)
    const field = name.toLowerCase()
    if (value.text.trim() !== '' && !fields.has(field)) fields.set(field, value.text)
    if (fields.size > MAX_FIELDS) return `It has more than ${MAX_FIELDS} fields.`
    at = skipBlank(body, value.end)
    const isNext = at >= body.length || body[at] === ',' || match(NEXT_FIELD, body, at) !== ''
    if (!isNext) return describeProblem(body, at)
  }
  return fields
}

/** A null text: the value cannot be read at `end`. */
type Value = { readonly text: string | null; readonly end: number }

/** Texts and macros, joined by `#`. A field without a value is empty. */
function readValue(body: string, start: number, readMacro: ReadMacro): Value {
  const parts: string[] = []
  for (let at = start; ; at += 1) {
    at = skipBlank(body, at)
    const isEmpty = parts.length === 0 && (at >= body.length || body[at] === ',')
    if (isEmpty) return { text: '', end: at }
    const part = readPart(body, at, readMacro)
    if (part.text === null) return part
    parts.push(part.text)
    at = skipBlank(body, part.end)
    if (body[at] !== '#') return { text: parts.join(''), end: part.end }
  }
}

/** `{text}`, `"text"`, a number or the name of a macro. */
function readPart(body: string, at: number, readMacro: ReadMacro): Value {
  const opening = body[at]
  if (opening !== '{' && opening !== '"') {
    const name = match(NAME, body, at)
    if (name === '') return { text: null, end: at }
    return { text: /^[-\d]+$/.test(name) ? name : readMacro(name), end: at + name.length }
  }
  let depth = 0
  for (let end = at + 1; end < body.length; end += 1) {
    const char = body[end]
    if (depth === 0 && char === (opening === '{' ? '}' : '"')) {
      return { text: body.slice(at + 1, end), end: end + 1 }
    }
    if (char === '{') depth += 1
    else if (char === '}') depth -= 1
  }
  return { text: null, end: body.length }
}

/** Skips white space, comments and the character `also`. */
function skipBlank(body: string, start: number, also = ''): number {
  let at = start
  for (;;) {
    const blank = match(BLANK, body, at)
    if (blank === '' && (also === '' || body[at] !== also)) return at
    at += blank.length || 1
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function describeProblem(body: string, at: number): string {
  const near = /\S+/.exec(body.slice(at, at + 1000))?.[0].slice(0, 20) ?? ''
  return `It cannot be read ${near === '' || near === '}' ? 'at its end' : `at "${near}"`}.`
}
