/** Promise: the parts that several requests share are described and limited once. */

import { z } from 'zod'
import { DATE_FIELDS } from '../core/filter.js'
import { KINDS, SECTORS, TIERS } from '../core/record.js'
import { MOMENT_FORMS, readMoment } from '../core/time.js'

export const MAX_BODY_CHARS = 50_000_000
export const MAX_LIMIT = 1000

// A lone surrogate has no UTF-8 form: what could not be stored as it is becomes U+FFFD here and nowhere else.
const text = z.string().transform((value) => value.toWellFormed())

/** One or several of something, always as a list. */
export function list<S extends z.ZodType>(item: S) {
  return z.union([item.transform((one) => [one]), z.array(item)])
}

/** A short text in one line. */
export const label = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine((value) => !hasControlCharacter(value), { error: 'it must be one line of plain text' })
  .transform((value) => value.toWellFormed())

export const namespace = label.describe('the project a record belongs to')
export const kind = z.enum(KINDS)
export const sector = z.enum(SECTORS)
export const tier = z.enum(TIERS)
export const dateField = z.enum(DATE_FIELDS)
export const body = text
  .refine((value) => value.trim() !== '', { error: 'body must not be empty.' })
  .refine((value) => value.length <= MAX_BODY_CHARS, {
    error: `body is longer than ${MAX_BODY_CHARS} characters; split it into several records.`,
  })
export const title = text
export const importance = z.number().min(0).max(1)
export const metadata = z
  .record(z.string(), z.unknown())
  .transform((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
export const limit = z.int().min(1).max(MAX_LIMIT)
export const offset = z.int().min(0).max(10_000_000)

/** Milliseconds UTC from a date, a time, an age, a Date or milliseconds. */
export function moment(edge: 'start' | 'end') {
  return z.union([z.string(), z.number(), z.date()]).transform((value, context) => {
    const ms =
      typeof value === 'string'
        ? readMoment(value, Date.now(), edge)
        : value instanceof Date
          ? value.getTime()
          : value
    if (ms !== null && Number.isFinite(ms) && Math.abs(ms) <= 8.64e15) return Math.trunc(ms)
    context.issues.push({
      code: 'custom',
      input: value,
      message: `"${String(value)}" is not a moment; write ${MOMENT_FORMS}.`,
    })
    return z.NEVER
  })
}

function hasControlCharacter(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code < 32 || code === 127) return true
  }
  return false
}
