/** The parts that several requests share are described and limited once. */

import * as z from 'zod/mini'
import { DATE_FIELDS } from '../core/filter.js'
import { KINDS, SECTORS, TIERS } from '../core/record.js'
import { LEAST_SALIENCE } from '../core/salience.js'
import { parseTime, TIME_FORMS } from '../core/time.js'

// To compile a checker costs more than to run one once, and a command runs it once.
z.config({ jitless: true })

export const MAX_BODY_CHARS = 50_000_000
export const MAX_LIMIT = 1000
export const LONGEST_LABEL = 500

// A lone surrogate has no UTF-8 form: what could not be stored as it is becomes U+FFFD here and nowhere else.
const wellFormed = z.transform((value: string) => value.toWellFormed())

/** One or several of something, always as a list. Several first: to refuse what was given takes longest of all. */
export function list<S extends z.ZodMiniType>(item: S) {
  return z.union([
    z.array(item),
    z.pipe(
      item,
      z.transform((one: z.output<S>) => [one]),
    ),
  ])
}

/** A short text in one line. */
export const label = z.pipe(
  z.string().check(
    z.trim(),
    z.minLength(1),
    z.maxLength(LONGEST_LABEL),
    z.refine((value) => !hasControlCharacter(value), 'it must be one line of plain text'),
  ),
  wellFormed,
)

export const namespace = label
export const kind = z.enum(KINDS)
export const sector = z.enum(SECTORS)
export const tier = z.enum(TIERS)
export const dateField = z.enum(DATE_FIELDS)
export const body = z.pipe(
  z.string().check(
    z.refine((value) => value.trim() !== '', 'body must not be empty.'),
    z.refine(
      (value) => value.length <= MAX_BODY_CHARS,
      `body is longer than ${MAX_BODY_CHARS} characters; split it into several records.`,
    ),
  ),
  wellFormed,
)
export const title = z.pipe(z.string(), wellFormed)
/** A share of the whole. */
export const share = z.number().check(z.minimum(0), z.maximum(1))
export const importance = share
export const salience = z.number().check(z.minimum(LEAST_SALIENCE), z.maximum(1))
export const year = z.int().check(z.minimum(-9999), z.maximum(9999))
export const metadata = z.pipe(
  z.record(z.string(), z.unknown()),
  z.transform((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>),
)
export const limit = z.int().check(z.minimum(1), z.maximum(MAX_LIMIT))
export const offset = z.int().check(z.minimum(0), z.maximum(10_000_000))

/** How a written day or month becomes one moment: its first, the first after it, or its last. */
export type Edge = 'start' | 'end' | 'last'

/** Milliseconds UTC from a date, a time, an age, a Date or milliseconds. */
export function moment(edge: Edge) {
  return z.pipe(
    z.union([z.string(), z.number(), z.date()]),
    z.transform((value: string | number | Date, context) => {
      const ms =
        typeof value === 'string'
          ? readEdge(value, edge)
          : value instanceof Date
            ? value.getTime()
            : value
      if (ms !== null && Number.isFinite(ms) && Math.abs(ms) <= 8.64e15) return Math.trunc(ms)
      context.issues.push({
        code: 'custom',
        input: value,
        message: `"${String(value)}" is not a moment; write ${TIME_FORMS}.`,
      })
      return z.NEVER
    }),
  )
}

function readEdge(text: string, edge: Edge): number | null {
  const now = Date.now()
  if (edge !== 'last') return parseTime(text, now, edge)
  const [start, end] = [parseTime(text, now, 'start'), parseTime(text, now, 'end')]
  return start === end || end === null ? start : end - 1
}

function hasControlCharacter(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code < 32 || code === 127) return true
  }
  return false
}
