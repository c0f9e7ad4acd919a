/** Reads values that another program may have written: an unreadable value becomes a default, never an error. */

import { END_OF_TIME, toIso } from '../../core/time.js'
import { NO_DETAILS, type WorkDetails } from '../../core/work.js'

const NANOSECONDS_PER_MS = 1e6

/** A text is read as a date, and a number that no date can hold as nanoseconds; anything else becomes 1970-01-01. */
export function readTime(stored: unknown): string {
  const ms = typeof stored === 'string' ? Date.parse(stored) : Number(stored)
  const found = [ms, ms / NANOSECONDS_PER_MS].find((one) => Math.abs(one) <= END_OF_TIME)
  return toIso(found ?? 0)
}

/** A value that is not a list becomes an empty list; items that are not text are left out. */
export function readTexts(stored: unknown): string[] {
  const value = parseJson(stored)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** A value that is not an object becomes an empty object. */
export function readObject(stored: unknown): Record<string, unknown> {
  const value = parseJson(stored)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : {}
}

/** Details that are missing or of another type are absent. */
export function readWork(stored: unknown): WorkDetails {
  const details = readObject(stored)
  const isSound = Object.keys(NO_DETAILS).every((name) => isDetail(name, details[name]))
  if (isSound) return details as WorkDetails
  const sound = Object.entries(details).filter(([name, value]) => isDetail(name, value))
  return { ...NO_DETAILS, ...Object.fromEntries(sound) }
}

function isDetail(name: string, value: unknown): boolean {
  if (name === 'authors' || name === 'editors') {
    return Array.isArray(value) && value.every((one) => typeof one?.family === 'string')
  }
  if (name === 'type') return typeof value === 'string'
  return value === null || typeof value === (name === 'year' ? 'number' : 'string')
}

/** Undefined for invalid JSON. */
export function parseJson(stored: unknown): unknown {
  try {
    return JSON.parse(String(stored))
  } catch {
    return undefined
  }
}
