/** The values of a JSON file of any size are read one by one, and a broken one never hides the next. */

import { readChunks, readTextLines } from './files.js'
import type { ReadOptions } from './importer.js'

export type JsonValue =
  | { readonly kind: 'value'; readonly value: unknown; readonly line: number }
  | { readonly kind: 'broken'; readonly reason: string; readonly line: number }

const MAX_VALUE_BYTES = 256 * 1024 * 1024
const TOO_LONG = 'It is too long to be read.'
const NOT_JSON = 'It is not valid JSON.'
const CUT_OFF = 'The file ends in the middle of it.'

/** One value a line. */
export async function* readJsonLines(
  path: string,
  options: ReadOptions,
): AsyncGenerator<JsonValue, void> {
  for await (const { number, text } of readTextLines(path, options)) {
    yield text === null ? broken(TOO_LONG, number) : parse(text, number)
  }
}

/** The elements of a list, or the values that follow one another. */
export async function* readJsonValues(
  path: string,
  options: ReadOptions,
): AsyncGenerator<JsonValue, void> {
  const scanner = new Scanner()
  for await (const chunk of readChunks(path, options)) yield* scanner.scan(chunk)
  yield* scanner.end()
}

/** A line each where the first line is a value of its own, otherwise the elements of a list. */
export function readJson(
  path: string,
  beginning: string,
  options: ReadOptions,
): AsyncGenerator<JsonValue, void> {
  const [first = ''] = beginning.replace(/^\uFEFF/, '').split('\n')
  const isLine = beginning.includes('\n') && /^\s*\{/.test(first) && isJson(first)
  return isLine ? readJsonLines(path, options) : readJsonValues(path, options)
}

function isJson(text: string): boolean {
  return parse(text, 0).kind === 'value'
}

function broken(reason: string, line: number): JsonValue {
  return { kind: 'broken', reason, line }
}

function parse(text: string, line: number): JsonValue {
  try {
    return { kind: 'value', value: JSON.parse(text.replace(/^\uFEFF/, '')), line }
  } catch {
    return broken(NOT_JSON, line)
  }
}

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]
const FEED = 10
/** The bytes of the mark that some programs put at the beginning of a file. */
const MARK: readonly number[] = [0xef, 0xbb, 0xbf]

function isSpace(byte: number): boolean {
  return byte === 32 || byte === FEED || byte === 13 || byte === 9
}

/** From a place to the next quote or backslash, or the end; each byte is looked at once for each of them. */
function createSkip(chunk: Buffer): (at: number) => number {
  const find = (byte: number) => {
    let next = -1
    return (at: number): number => {
      if (next < at) next = chunk.indexOf(byte, at)
      if (next < 0) next = chunk.length
      return next
    }
  }
  const [quote, slash] = [find(QUOTE), find(BACKSLASH)]
  return (at) => Math.min(quote(at), slash(at))
}

/** Everything that matters for the shape is one byte in UTF-8, so bytes are looked at, not characters. */
class Scanner {
  #line = 1
  #startLine = 0
  /** Whether the file is a list, whose elements are the values. */
  #isInList = false
  /** `bare`: a number or a word, which ends before what follows it; `closed` ends with a byte of its own. */
  #value: 'none' | 'bare' | 'closed' = 'none'
  #depth = 0
  #isText = false
  #isEscaped = false
  #parts: Buffer[] = []
  #held = 0;

  *scan(chunk: Buffer): Generator<JsonValue, void> {
    let start = 0
    const skipText = createSkip(chunk)
    for (let at = 0; at < chunk.length; at++) {
      // Most of a file is text, of which only its end and what is escaped matter.
      if (this.#isText && !this.#isEscaped) at = skipText(at)
      if (at === chunk.length) break
      const byte = chunk[at] ?? 0
      if (byte === FEED) this.#line++
      if (this.#value === 'none') {
        if (this.#isBetween(byte)) continue
        this.#begin(byte)
        start = at
      } else if (this.#value === 'bare') {
        if (!isSpace(byte) && byte !== COMMA && byte !== LIST_END) continue
        this.#keep(chunk.subarray(start, at))
        yield this.#finish()
        this.#isBetween(byte)
      } else if (this.#closes(byte)) {
        this.#keep(chunk.subarray(start, at + 1))
        yield this.#finish()
      }
    }
    if (this.#value !== 'none') this.#keep(chunk.subarray(start))
  }

  *end(): Generator<JsonValue, void> {
    if (this.#value === 'bare') yield this.#finish()
    else if (this.#value === 'closed') yield broken(CUT_OFF, this.#startLine)
  }

  /** Commas, space, and the brackets of the list itself. */
  #isBetween(byte: number): boolean {
    if (isSpace(byte) || byte === COMMA || MARK.includes(byte)) return true
    const bracket = this.#isInList ? LIST_END : LIST
    if (byte !== bracket) return false
    this.#isInList = !this.#isInList
    return true
  }

  #begin(byte: number): void {
    this.#startLine = this.#line
    this.#isText = byte === QUOTE
    this.#isEscaped = false
    this.#depth = byte === LIST || byte === OBJECT ? 1 : 0
    this.#value = this.#isText || this.#depth > 0 ? 'closed' : 'bare'
  }

  /** Whether the value ends with this byte. */
  #closes(byte: number): boolean {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isText = false
      return !this.#isText && this.#depth === 0
    }
    if (byte === QUOTE) this.#isText = true
    else if (byte === LIST || byte === OBJECT) this.#depth++
    else if (byte === LIST_END || byte === OBJECT_END) this.#depth--
    return this.#depth === 0
  }

  #keep(part: Buffer): void {
    this.#held += part.length
    if (this.#held <= MAX_VALUE_BYTES) this.#parts.push(part)
    else this.#parts = []
  }

  #finish(): JsonValue {
    const isLong = this.#held > MAX_VALUE_BYTES
    const text = isLong ? '' : Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#held = 0
    this.#value = 'none'
    return isLong ? broken(TOO_LONG, this.#startLine) : parse(text, this.#startLine)
  }
}
