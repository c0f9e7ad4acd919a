/** Defines a tool, describes it for a model, and reads the arguments that a model wrote. */

import * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import { type JsonSchema, readText } from '../http/request.js'
import type { Effect } from '../operations/operation.js'
import type { OperationAnswer, OperationInput, OperationName } from '../operations/operations.js'
import { assertInput } from '../schemas/check.js'
import {
  budget,
  CHARACTERS_PER_TOKEN,
  DEFAULT_BUDGET,
  describeOptions,
  withDefault,
} from '../schemas/fields.js'
import { findName, suggestName } from '../schemas/names.js'
import type { Conversation } from './conversation.js'
import type { Data } from './render.js'
import type { Reply } from './reply.js'

export const budgetField = withDefault(
  budget,
  DEFAULT_BUDGET,
  `max tokens of the reply (characters / ${CHARACTERS_PER_TOKEN})`,
)

export type Call = {
  readonly cairn: Cairn
  readonly perform: <Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
  ) => Promise<OperationAnswer<Name>>
  readonly conversation: Conversation
  /** Aborted when the client no longer wants the answer. */
  readonly signal: AbortSignal
  /** The maximum number of tokens of the reply. */
  readonly budget: number
  /** Whether searches are logged as recalls. */
  readonly recall: boolean
}

export type Shape = Readonly<Record<string, z.ZodMiniType>>

export type Tool = {
  readonly name: string
  /** Written for a model, with an example. */
  readonly description: string
  readonly effect: Effect
  /** Every argument, from the schema of the operation that takes it. */
  readonly shape: Shape
  /** The arguments in the list of tools; `cairn://options` describes the others. */
  readonly shown: readonly string[]
  /** Null: the operation checks the arguments. */
  readonly input: z.ZodMiniType | null
  readonly run: (args: never, call: Call) => Promise<Reply>
}

/** The arguments of `run` are checked, and as they were written. */
export function defineTool<S extends Shape>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly shape: S
    readonly run: (args: z.input<z.ZodMiniObject<S, z.core.$strict>>, call: Call) => Promise<Reply>
  },
): Tool {
  return { ...tool, input: z.strictObject(tool.shape) }
}

/** A tool as the list shows it. */
export function describeTool({ name, description, effect, shape, shown }: Tool, tokens: number) {
  const properties = Object.fromEntries(
    shown.map((key) => {
      const name = key in shape ? key : `${key}s`
      const { [name]: all = {} } = describeArguments({ [name]: shape[name] ?? z.any() })
      if (name === key) return [key, all]
      return [key, { ...(all.items as JsonSchema), description: all.description }]
    }),
  )
  const required = shown.filter((key) => shape[key] !== undefined && isRequired(shape[key]))
  const more = Object.keys(shape).length > shown.length && {
    options: { type: 'object', description: 'more arguments: see the resource cairn://options' },
  }
  const own = 'budget' in properties && { budget: { ...properties.budget, default: tokens } }
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: { ...properties, ...own, ...more },
      ...(required.length > 0 && { required }),
    } as JsonSchema & { type: 'object' },
    annotations: {
      readOnlyHint: effect === 'reads',
      ...(effect !== 'reads' && { destructiveHint: effect === 'erases' }),
      openWorldHint: false,
    },
  }
}

const simplified = new WeakMap<z.ZodMiniType, JsonSchema>()

/** Each argument as a JSON schema in few words: one form, though the checks accept more. */
export function describeArguments(shape: Shape): Readonly<Record<string, JsonSchema>> {
  const help = describeOptions(z.strictObject(shape))
  const entries = Object.entries(shape).map(([key, schema]) => {
    return [key, { ...describeForm(schema), description: help[key]?.help }]
  })
  return Object.fromEntries(entries)
}

function describeForm(schema: z.ZodMiniType): JsonSchema {
  const known = simplified.get(schema)
  if (known !== undefined) return known
  const form = simplify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  simplified.set(schema, form)
  return form
}

/** Checks the arguments, with the names that the tool has for them. */
export function readArguments(tool: Tool, given: unknown): Data {
  const args = readNames(tool, given)
  if (tool.input !== null) assertInput(tool.input, args)
  return args
}

/** Members of these are arguments like the others, unless the tool has such an argument. */
const GROUPS = ['options', 'fact', 'filters']

/**
 * Names the arguments as the tool does, and reads `"[\"a\"]"`, `"a, b"`, `"5"` and `"true"`, which models write for lists,
 * numbers and booleans.
 */
export function readNames({ name: tool, shape, shown }: Omit<Tool, 'run'>, given: unknown): Data {
  if (!isObject(given ?? {})) {
    throw badInput(`The arguments of ${tool} are an object of names and values.`)
  }
  const known = [...new Set([...shown.filter((key) => key in shape), ...Object.keys(shape)])]
  const args: Record<string, unknown> = {}
  const take = (key: string, value: unknown, isInGroup: boolean): void => {
    // One letter is short for a common argument: "k" is the limit. The constant k of rank fusion belongs into "options".
    const isExact = Object.hasOwn(shape, key) && (key.length > 1 || isInGroup)
    const name = isExact ? key : findName(key, known)
    if (name === null || (name !== key && name in (given as object))) {
      throw badInput(`${tool} has no argument "${key}".`, suggestName(key, known))
    }
    // Models write null for an argument that they leave out. It stays if null is a valid value.
    if (value === undefined || (value === null && !shape[name]?.safeParse(null).success)) return
    const schema = shape[name]
    args[name] = schema === undefined ? value : readValue(value, describeForm(schema))
  }
  for (const [key, value] of Object.entries(given ?? {})) {
    const group = typeof value === 'string' ? readText(value, { type: 'object' }) : value
    if (GROUPS.includes(key) && !(key in shape) && isObject(group)) {
      for (const [inner, one] of Object.entries(group)) take(inner, one, true)
    } else take(key, value, false)
  }
  return args
}

function readValue(value: unknown, schema: JsonSchema): unknown {
  if (typeof value === 'number' && schema.type === 'array') return [value]
  if (typeof value !== 'string') return value
  const read = readText(value, schema)
  if (schema.type !== 'array' || typeof read !== 'string') return read
  const items = (schema.items ?? {}) as JsonSchema
  return read.split(/\s*,\s*/).map((one) => readText(one, items))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isRequired(schema: z.ZodMiniType): boolean {
  return !schema.safeParse(undefined).success
}

/** Leaves out bounds, and the other forms that are accepted: a single value for a list, null, a Date, an object for a list. */
function simplify({ anyOf, type, ...schema }: JsonSchema): JsonSchema {
  const byDefault = schema.default
  const isTold =
    typeof byDefault === 'number' || (typeof byDefault === 'string' && byDefault !== '')
  const told = isTold && { default: byDefault }
  if (Array.isArray(anyOf)) {
    const forms = (anyOf as JsonSchema[]).map(simplify)
    const form = forms.find((one) => one.type === 'array') ?? forms.find((one) => one.type)
    return { ...form, ...told }
  }
  const items = schema.items as JsonSchema | undefined
  return {
    ...(type !== undefined && { type: [type].flat()[0] }),
    ...(schema.enum !== undefined && { enum: schema.enum }),
    ...(items !== undefined && { items: simplify(items) }),
    ...told,
  }
}
