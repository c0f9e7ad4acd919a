/** Any JSON can be asked for anything, and whatever is found is fit to be stored. */

import { hash } from 'node:crypto'
import { jsonText } from '../core/json-text.js'

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

/** A text that says something, or null; numbers as they are written. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path)
  const text = typeof found === 'number' ? String(found) : found
  return typeof text === 'string' && text.trim() !== '' ? text.toWellFormed() : null
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}

const LABEL_CHARS = 500
const SESSION_CHARS = 200

/** One line that can be a tag, a person or a source; null where nothing is left. */
export function cleanLabel(text: string | null, most = LABEL_CHARS): string | null {
  if (text === null) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a label may not hold.
  const line = text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim()
  const short = line.length <= most ? line : line.slice(0, most).trimEnd()
  return short === '' ? null : short.toWellFormed()
}

export function cleanLabels(texts: readonly (string | null)[]): string[] {
  return [...new Set(texts.map((text) => cleanLabel(text)).filter((label) => label !== null))]
}

/** A name for a conversation: the one it has, or where that is too long its beginning and a hash. */
export function makeSessionId(text: string): string {
  const line = cleanLabel(text, Number.POSITIVE_INFINITY) ?? 'conversation'
  return line.length <= SESSION_CHARS ? line : `${line.slice(0, 150)}…${hashValue(line)}`
}

const TITLE_CHARS = 80

/** The beginning of a text, as what has no title of its own is called. */
export function firstWords(text: string): string {
  const line = cleanLabel(text.slice(0, 1000)) ?? ''
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).trimEnd()}…`
}

/** Of plain data. */
export function hashValue(value: unknown): string {
  return hash('sha256', jsonText(value), 'base64url').slice(0, 22)
}

/** Smaller than this, a number counts seconds: as milliseconds it would be before April 1973. */
const MOST_SECONDS = 1e11

/** ISO 8601 in UTC of a number of seconds or milliseconds, or of any written date with a time; otherwise null. */
export function parseTimestamp(value: unknown): string | null {
  const ms = millisecondsOf(value)
  if (ms === null || !Number.isFinite(ms)) return null
  const date = new Date(Math.trunc(ms))
  const year = date.getUTCFullYear()
  return Number.isNaN(year) || year < 1 || year > 9999 ? null : date.toISOString()
}

function millisecondsOf(value: unknown): number | null {
  if (typeof value === 'number') return Math.abs(value) < MOST_SECONDS ? value * 1000 : value
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\d{9,13}(\.\d+)?$/.test(text)) return millisecondsOf(Number(text))
  // Without a zone the same text would be another moment on another machine.
  const isBare = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text)
  return Date.parse(isBare ? `${text.replace(' ', 'T')}Z` : text)
}
