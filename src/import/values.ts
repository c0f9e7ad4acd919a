/** Turns texts and dates of other tools into labels, ids, titles, timestamps and hashes that can be stored. */

import { hash } from 'node:crypto'
import { badInput } from '../core/errors.js'
import type { Fields } from '../core/json-fields.js'

const MAX_LABEL_CHARS = 500
const MAX_SESSION_CHARS = 200
const MAX_TITLE_CHARS = 80

/** One line for a tag, a person or a source; null if nothing is left. */
export function cleanLabel(text: string | null, maxChars = MAX_LABEL_CHARS): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a label must not hold them.
  const line = text?.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim() ?? ''
  return line.slice(0, maxChars).trimEnd().toWellFormed() || null
}

export function cleanLabels(texts: readonly (string | null)[]): string[] {
  return [...new Set(texts.map((text) => cleanLabel(text)).filter((label) => label !== null))]
}

/** The name of a conversation; a long one is cut and gets a hash. */
export function makeSessionId(text: string): string {
  const line = cleanLabel(text, Number.POSITIVE_INFINITY) ?? 'conversation'
  return line.length <= MAX_SESSION_CHARS ? line : `${line.slice(0, 150)}…${hashValue(line)}`
}

/** A title for a text without one: its beginning. */
export function firstWords(text: string): string {
  const line = cleanLabel(text.slice(0, 1000)) ?? ''
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS).trimEnd()}…`
}

export function titleFromPath(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/(?<=.)\.[^.]*$/, '')
}

/** Appends a number to a name that came before: `a`, `a#2`. */
export function createUniqueNames(): (name: string) => string {
  const counts = new Map<string, number>()
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name}#${count}`
  }
}

export function dropEmpty(fields: Fields): Fields {
  const isEmpty = (value: unknown): boolean =>
    value === null || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
}

export function hashValue(value: unknown): string {
  return hash('sha256', printJson(value), 'base64url').slice(0, 22)
}

/** A list in a list, thousands of times, exhausts the stack. */
function printJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw error instanceof RangeError ? badInput('It is nested too deeply.') : error
  }
}

/** A smaller number counts seconds: as milliseconds it would be before April 1973. */
const MAX_SECONDS = 1e11

/** A number of seconds or milliseconds, or any written date and time, as ISO 8601 in UTC; otherwise null. */
export function parseTimestamp(value: unknown): string | null {
  const ms = parseMs(value)
  const date = new Date(Math.trunc(ms ?? Number.NaN))
  const year = date.getUTCFullYear()
  return Number.isNaN(year) || year < 1 || year > 9999 ? null : date.toISOString()
}

function parseMs(value: unknown): number | null {
  if (typeof value === 'number') return Math.abs(value) < MAX_SECONDS ? value * 1000 : value
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\d{9,13}(\.\d+)?$/.test(text)) return parseMs(Number(text))
  // Without a time zone, the result would depend on the machine.
  const isWithoutZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text)
  return Date.parse(isWithoutZone ? `${text.replace(' ', 'T')}Z` : text)
}
