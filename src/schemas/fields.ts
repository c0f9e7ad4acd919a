/** The building blocks of the schemas: fields that several inputs share, and the help of each option. */

import * as z from 'zod/mini'
import { DATE_FIELDS, type YearRange } from '../core/filter.js'
import { KINDS, SECTORS, TIERS } from '../core/record.js'
import { LEAST_SALIENCE } from '../core/salience.js'
import { parseTime, TIME_FORMS } from '../core/time.js'
import * as limits from './limits.js'

/** Help as the schemas write it: `<name> only from these namespaces (default: all)`. */
const HELP = z.registry<{ text: string; suggestions: readonly string[] | undefined }>()

export function required<S extends z.ZodMiniType>(schema: S, help: string): S {
  return withHelp(schema.clone() as S, help)
}

export function optional<S extends z.ZodMiniType>(schema: S, help: string) {
  return withHelp(z.optional(schema), help)
}

export function withDefault<S extends z.ZodMiniType>(
  schema: S,
  value: z.core.util.NoUndefined<z.output<S>>,
  help: string,
) {
  return withHelp(z._default(schema, value), help)
}

export function nullable<S extends z.ZodMiniType>(schema: S, help: string) {
  return withHelp(z._default(z.nullable(schema), null), help)
}

export function flag(help: string) {
  return withDefault(z.boolean(), false, help)
}

export function withHelp<S extends z.ZodMiniType>(
  schema: S,
  text: string,
  suggestions?: readonly string[],
): S {
  HELP.add(schema, { text, suggestions })
  return schema
}

/** The same options for a change: those that are absent stay as they are. */
export function withoutDefaults<Shape extends Readonly<Record<string, z.ZodMiniDefault>>>(
  shape: Shape,
) {
  const entries = Object.entries(shape).map(([key, one]) => {
    const help = (HELP.get(one)?.text ?? '').replace(/ \(default: .*\)$/, '')
    return [key, optional(one._zod.def.innerType as z.ZodMiniType, help)]
  })
  return Object.fromEntries(entries) as {
    [Key in keyof Shape]: z.ZodMiniOptional<Shape[Key]['_zod']['def']['innerType']>
  }
}

/** The help of each option of an object schema: its text, the placeholder of a value, and the default in words. */
export function describeOptions(schema: z.ZodMiniType) {
  const { shape } = schema as z.ZodMiniObject
  return Object.fromEntries(Object.entries(shape).map(([key, one]) => [key, readHelp(one)]))
}

function readHelp(schema: z.core.$ZodType) {
  const { text, suggestions } = HELP.get(schema as z.ZodMiniType) ?? { text: '' }
  const [, value, help = '', unset] = /^(?:<(.+?)> )?(.*?)(?: \(default: (.*)\))?$/.exec(text) ?? []
  return { help, value, unset, suggestions }
}

export const MAX_LIMIT = 1000

/** An object schema that is built when it is first used: a command uses one or two of a hundred. */
export function options<Shape extends z.core.$ZodShape>(describe: () => Shape) {
  let described: Shape | undefined
  return new z.ZodMiniObject({
    type: 'object',
    get shape() {
      described ??= describe()
      return described
    },
    catchall: nothingElse,
  }) as z.ZodMiniObject<Shape, z.core.$strict>
}
const nothingElse = z.never()

// A lone surrogate has no UTF-8 form, so it could not be stored as it is: it becomes U+FFFD.
const wellFormed = z.transform((value: string) => value.toWellFormed())

/** One or several of something, always as a list. The list comes first: refusing a form is the slowest step. */
export function list<S extends z.ZodMiniType>(item: S) {
  return z.union([
    z.array(item).check(z.maxLength(limits.MAX_LIST_ITEMS)),
    z.pipe(
      item,
      z.transform((one: z.output<S>) => [one]),
    ),
  ])
}

export const label = z.pipe(
  z.string().check(
    z.trim(),
    z.minLength(1),
    z.maxLength(limits.MAX_LABEL_CHARS),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    z.refine((value) => !/[\u0000-\u001f\u007f]/.test(value), 'it must be one line of plain text'),
  ),
  wellFormed,
)
export const labels = list(label)

/** An id, a unique beginning of one, or another name of the same thing. */
export const name = z.string().check(z.maxLength(limits.MAX_NAME_CHARS), z.trim(), z.minLength(1))
/** Also an empty text, which names nothing. */
export const anyName = z.string().check(z.maxLength(limits.MAX_NAME_CHARS))
/** Prose beside the body: a reason, a quote, a summary. */
export const prose = z.string().check(z.maxLength(limits.MAX_NOTE_CHARS))
export function many<S extends z.ZodMiniType>(item: S) {
  return z.array(item).check(z.minLength(1), z.maxLength(limits.MAX_LIST_ITEMS))
}
export const names = many(name)
/** Also none. */
export const anyNames = z.array(name).check(z.maxLength(limits.MAX_LIST_ITEMS))

export const namespace = label
export const kind = z.enum(KINDS)
export const sector = z.enum(SECTORS)
export const tier = z.enum(TIERS)
export const dateField = z.enum(DATE_FIELDS)
export const body = z.pipe(
  z.string().check(
    z.refine((value) => value.trim() !== '', 'must not be empty.'),
    z.refine(
      (value) => value.length <= limits.MAX_BODY_CHARS,
      `body is longer than ${limits.MAX_BODY_CHARS} characters; split it into several records.`,
    ),
  ),
  wellFormed,
)
export const title = z.pipe(z.string().check(z.maxLength(limits.MAX_TITLE_CHARS)), wellFormed)
export const share = range(0, 1)
export const salience = range(LEAST_SALIENCE, 1)
const [FIRST_YEAR, LAST_YEAR] = [-9999, 9999]
export const year = whole(FIRST_YEAR, LAST_YEAR)
const isYears = (text: string): boolean =>
  /^\s*(-?\d{1,4}(\.\.(-?\d{1,4})?)?|\.\.-?\d{1,4})\s*$/.test(text)
/** `2019`, `2018..2022`, `2018..` or `..2022`. */
export const years = z.pipe(
  z.union([
    year,
    z.string().check(z.refine(isYears, 'must be a year such as 2026, or 2018..2022.')),
  ]),
  z.transform((written: number | string, { issues }): YearRange => {
    if (typeof written === 'number') return [written, written]
    const [from = '', to = from] = written.trim().split('..')
    const [first, last] = [Number(from || FIRST_YEAR), Number(to || LAST_YEAR)]
    if (first > last) {
      const message = `must be in order, such as ${last}..${first}.`
      issues.push({ code: 'custom', input: written, message })
    }
    return [first, last]
  }),
)
export const metadata = z.pipe(
  z.record(z.string(), z.unknown()),
  z.transform((value, context) => {
    const problem = limits.describeJsonProblem(value)
    if (problem === null) return JSON.parse(JSON.stringify(value)) as Record<string, unknown>
    context.issues.push({ code: 'custom', input: value, message: problem })
    return z.NEVER
  }),
)
export const limit = whole(1, MAX_LIMIT)
export const offset = whole(0, 10_000_000)
export const batch = whole(1, 10_000)

export function range(least: number, most: number) {
  return z.number().check(z.minimum(least), z.maximum(most))
}

export function whole(least: number, most: number) {
  return z.int().check(z.minimum(least), z.maximum(most))
}

/** A token counts as this many characters, whatever the model's own tokenizer would say. */
export const CHARACTERS_PER_TOKEN = 4
export const DEFAULT_BUDGET = 2000
/** The length of a reply to an agent, in tokens. */
export const budget = whole(400, 50_000)

/** The time that a written day or month means: its start, the first millisecond after it, or its last. */
export type Edge = 'start' | 'end' | 'last'

/** A time as it was written. `check` replaces it by milliseconds, counted from the clock it is given. */
export class WrittenTime {
  readonly toMs: (nowMs: number | undefined) => number

  constructor(text: string, edge: Edge) {
    this.toMs = (nowMs) => {
      const ms = nowMs === undefined ? null : readTime(text, edge, nowMs)
      if (ms === null) throw new Error('a schema with times was checked without a clock')
      return ms
    }
  }
}

/** Milliseconds UTC from a date, a time, an age, a Date or milliseconds. */
export function time(edge: Edge) {
  return z.pipe(
    z.union([z.string().check(z.maxLength(limits.MAX_TIME_CHARS)), z.number(), z.date()]),
    z.transform((value: string | number | Date, context): number => {
      const ms = typeof value === 'string' ? readTime(value, edge, 0) : Number(value)
      if (ms !== null && Math.abs(ms) <= 8.64e15) {
        return typeof value === 'string'
          ? (new WrittenTime(value, edge) as unknown as number)
          : Math.trunc(ms)
      }
      const message = `"${String(value)}" is not a time; write ${TIME_FORMS}.`
      context.issues.push({ code: 'custom', input: value, message })
      return z.NEVER
    }),
  )
}

function readTime(text: string, edge: Edge, nowMs: number): number | null {
  if (edge !== 'last') return parseTime(text, nowMs, edge)
  const [start, end] = [parseTime(text, nowMs, 'start'), parseTime(text, nowMs, 'end')]
  return start === end || end === null ? start : end - 1
}

const SHORT_TIME_FORMS = '2026-06-01, yesterday, 12h, 7d, 2w, 6m, 1y'

export const id = required(
  name,
  '<id> the id of a record or its beginning, or the DOI or key of a work',
)
export const ids = required(
  names,
  '<id> the ids of records or their beginnings, or DOIs or keys of works',
)
export const since = optional(time('start'), `<time> not before this time: ${SHORT_TIME_FORMS}`)
export const until = optional(time('end'), '<time> not after this time')
export const writeTo = optional(
  namespace,
  '<name> the namespace to write to (default: from the configuration, else default)',
)
export const namespaces = optional(
  list(namespace),
  '<name> only from these namespaces (default: all)',
)
export const cursor = nullable(anyName, '<cursor> continue after a page: its "next"')
export const author = nullable(label, '<name> the author')
export const note = nullable(prose, 'the reason')
export const occurredHelp = `<time> when it happened: ${SHORT_TIME_FORMS}`

export function limitOf(byDefault: number) {
  return withDefault(limit, byDefault, 'how many at most')
}
