/** Where things stand in a JSON text is known, and one of them changes with not a character of the rest. */

export type JsonPlace = {
  readonly start: number
  readonly end: number
  /** Null: no object. */
  readonly members: readonly JsonMember[] | null
}
export type JsonMember = {
  readonly name: string
  /** Where its name begins. */
  readonly start: number
  readonly value: JsonPlace
}

export type JsonPlaces =
  | { readonly kind: 'read'; readonly root: JsonPlace }
  /** Counted from 1: where the text stops being JSON. */
  | { readonly kind: 'broken'; readonly line: number; readonly column: number }

export type JsonForm = {
  /** True: comments and commas before a closing bracket are fine, as editors write them. Default: false. */
  readonly comments?: boolean
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON leaves out of texts
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = new RegExp(
  `${STRING.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`,
  'y',
)
const SPACE = /[ \t\n\r]*/y
const SPACE_OR_COMMENT = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

/**
 * @example
 * readJsonPlaces('{"a": tru}') // { kind: 'broken', line: 1, column: 7 }
 */
export function readJsonPlaces(text: string, form: JsonForm = {}): JsonPlaces {
  const reader = new Reader(text, form.comments ?? false)
  try {
    return { kind: 'read', root: reader.readAll() }
  } catch (error) {
    if (error instanceof Break) return { kind: 'broken', ...placeOf(text, reader.at) }
    throw error
  }
}

/** The text with this value at this path of names; null where something on the way is no object. */
export function setJsonMember(
  text: string,
  root: JsonPlace,
  path: readonly string[],
  value: unknown,
): string | null {
  let place = root
  for (const [depth, name] of path.entries()) {
    if (place.members === null) return null
    const member = place.members.findLast((one) => one.name === name)
    if (member === undefined) {
      const rest = path.slice(depth + 1).reduceRight((inner, key) => ({ [key]: inner }), value)
      const entry = `${JSON.stringify(name)}: ${indented(rest, depth + 1)}`
      return insertFirst(text, place, entry, depth + 1)
    }
    place = member.value
  }
  return text.slice(0, place.start) + indented(value, path.length) + text.slice(place.end)
}

/** The text without what stands at this path; as it was where nothing does. For JSON without comments. */
export function removeJsonMember(text: string, root: JsonPlace, path: readonly string[]): string {
  let place = root
  for (const [depth, name] of path.entries()) {
    const member = place.members?.findLast((one) => one.name === name)
    if (member === undefined) return text
    if (depth === path.length - 1) return cutMember(text, member)
    place = member.value
  }
  return text
}

/** With the comma after it, or as the last with the one before it. */
function cutMember(text: string, { start, value }: JsonMember): string {
  const before = text.slice(0, start).trimEnd()
  const after = text.slice(value.end).trimStart()
  if (after.startsWith(',')) return before + after.slice(1)
  return before.replace(/,$/, '') + text.slice(value.end)
}

function indented(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`)
}

/** As the first member: what follows keeps its place, its comma and its comments. */
function insertFirst(
  text: string,
  { start, members }: JsonPlace,
  entry: string,
  depth: number,
): string {
  const isAlone = members === null || members.length === 0
  const line = `\n${'  '.repeat(depth)}${entry}${isAlone ? '' : ','}`
  const after = text.slice(start + 1)
  const closing = isAlone && /^\s*\}/.test(after) ? `\n${'  '.repeat(depth - 1)}` : ''
  return text.slice(0, start + 1) + line + (closing === '' ? after : closing + after.trimStart())
}

function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split(/\r\n|[\n\r]/)
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** The text is not JSON from where the reader stands. */
class Break extends Error {}

class Reader {
  at: number
  readonly #text: string
  readonly #comments: boolean

  constructor(text: string, comments: boolean) {
    this.#text = text
    this.#comments = comments
    this.at = text.startsWith('\uFEFF') ? 1 : 0
  }

  readAll(): JsonPlace {
    const root = this.#value()
    this.#skip()
    if (this.at < this.#text.length) throw new Break()
    return root
  }

  #value(): JsonPlace {
    this.#skip()
    const start = this.at
    const sign = this.#text[start]
    const members = sign === '{' ? this.#members() : null
    if (sign === '[') this.#items()
    else if (members === null) this.#take(SCALAR)
    return { start, end: this.at, members }
  }

  #members(): JsonMember[] {
    const members: JsonMember[] = []
    this.#list('}', () => {
      const start = this.at
      const name = JSON.parse(this.#take(STRING)) as string
      this.#skip()
      this.#take(/:/y)
      members.push({ name, start, value: this.#value() })
    })
    return members
  }

  #items(): void {
    this.#list(']', () => void this.#value())
  }

  /** From its opening to its closing bracket. */
  #list(closing: string, readOne: () => void): void {
    this.at += 1
    this.#skip()
    while (this.#text[this.at] !== closing) {
      readOne()
      this.#skip()
      if (this.#text[this.at] === closing) break
      this.#take(/,/y)
      this.#skip()
      if (!this.#comments && this.#text[this.at] === closing) throw new Break()
    }
    this.at += 1
  }

  #skip(): void {
    this.#take(this.#comments ? SPACE_OR_COMMENT : SPACE)
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.#text) ?? []
    if (found === undefined) throw new Break()
    this.at += found.length
    return found
  }
}
