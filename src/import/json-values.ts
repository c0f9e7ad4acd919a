/** Reads the values of a JSON or JSONL file of any size one by one; a broken value does not affect the next. */

import { collectBytes, readByteLines, readChunks, readFirstBytes } from './files.js'
import type { ReadProgress } from './importer.js'

export type JsonValue =
  | { readonly kind: 'value'; readonly value: unknown; readonly line: number }
  | { readonly kind: 'broken'; readonly reason: string; readonly line: number }

const MAX_VALUE_BYTES = 256 * 1024 * 1024
const BEGINNING_BYTES = 65_536

/** `bytes` is null for a value that is too long. */
function parse(bytes: Buffer | string | null, line: number): JsonValue {
  if (bytes === null) return { kind: 'broken', reason: 'It is too long to be read.', line }
  const broken = { kind: 'broken', reason: 'It is not valid JSON.', line } as const
  const text = bytes.toString().replace(/^\uFEFF/, '')
  // To throw and catch an error for every word of a text takes seconds.
  if (!/^\s*[[{"\dtfn-]/.test(text)) return broken
  try {
    return { kind: 'value', value: JSON.parse(text), line }
  } catch {
    return broken
  }
}

/** One value per line; blank lines are ignored. */
export async function* readJsonLines(
  path: string,
  options: ReadProgress,
): AsyncGenerator<JsonValue> {
  for await (const lines of readByteLines(path, options)) {
    for (const { number, bytes } of lines) {
      const text = bytes?.toString() ?? null
      if (text?.trim() !== '') yield parse(text, number)
    }
  }
}

/** Reads one value per line if the first line is a value, else the elements of a list. */
export async function* readJson(path: string, options: ReadProgress): AsyncGenerator<JsonValue> {
  const beginning = Buffer.from(await readFirstBytes(path, BEGINNING_BYTES)).toString('utf8')
  const [first = '', second] = beginning.split('\n', 2)
  const hasLines =
    second !== undefined && /^\uFEFF?\s*\{/.test(first) && parse(first, 1).kind === 'value'
  yield* hasLines ? readJsonLines(path, options) : readJsonValues(path, options)
}

const [LINE_FEED, QUOTE, COMMA, BACKSLASH] = [10, 34, 44, 92]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]
const SPACES: readonly number[] = [32, LINE_FEED, 13, 9, 0xef, 0xbb, 0xbf]

/**
 * Reads the elements of a list, or values that follow one another. Everything that structures JSON is one byte in
 * UTF-8, so bytes are scanned.
 */
export async function* readJsonValues(
  path: string,
  options: ReadProgress,
): AsyncGenerator<JsonValue, void> {
  /** `bare`: a number or a word, which ends before the next separator; `closed` ends with its last byte. */
  let state: 'between' | 'bare' | 'closed' = 'between'
  let isInList = false
  let [line, startLine, depth] = [1, 0, 0]
  let [isString, isEscaped] = [false, false]
  const { add, take } = collectBytes(MAX_VALUE_BYTES)

  const isSeparator = (byte: number): boolean => {
    if (SPACES.includes(byte) || byte === COMMA) return true
    if (byte !== (isInList ? LIST_END : LIST)) return false
    isInList = !isInList
    return true
  }
  const finish = (): JsonValue => {
    state = 'between'
    return parse(take(), startLine)
  }

  for await (const chunk of readChunks(path, options)) {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (byte === LINE_FEED) line++
      if (state === 'between') {
        if (isSeparator(byte)) continue
        start = at
        startLine = line
        isString = byte === QUOTE
        depth = byte === LIST || byte === OBJECT ? 1 : 0
        state = isString || depth > 0 ? 'closed' : 'bare'
        continue
      }
      if (state === 'bare') {
        if (!SPACES.includes(byte) && byte !== COMMA && byte !== LIST_END) continue
        add(chunk.subarray(start, at))
        yield finish()
        isSeparator(byte)
        continue
      }
      if (isEscaped) isEscaped = false
      else if (byte === QUOTE) isString = !isString
      else if (isString) isEscaped = byte === BACKSLASH
      else if (byte === LIST || byte === OBJECT) depth++
      else if (byte === LIST_END || byte === OBJECT_END) depth--
      if (isString || depth > 0) continue
      add(chunk.subarray(start, at + 1))
      yield finish()
    }
    if (state !== 'between') add(chunk.subarray(start))
  }
  if (state === 'bare') yield finish()
  else if (state === 'closed') {
    yield { kind: 'broken', reason: 'The file ends in the middle of it.', line: startLine }
  }
}
