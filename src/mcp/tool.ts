/** Defines a tool: its description and schemas for a model, and how arguments that a model wrote are read. */

import * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import { readText } from '../http/request.js'
import type { OperationAnswer, OperationInput, OperationName } from '../operations/operations.js'
import { assertInput } from '../schemas/check.js'
import { budget, DEFAULT_BUDGET, describeOptions, withDefault } from '../schemas/fields.js'
import { nearestName } from '../text/nearest-name.js'
import type { Conversation } from './conversation.js'
import { CHARACTERS_PER_TOKEN, type Reply } from './reply.js'

export const budgetField = withDefault(
  budget,
  DEFAULT_BUDGET,
  `most tokens of the reply, counted as characters / ${CHARACTERS_PER_TOKEN}`,
)
export const textField = z
  .string()
  .check(z.refine((value) => value.trim() !== '', 'text must not be empty.'))

export type Call = {
  readonly cairn: Cairn
  readonly perform: <Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
  ) => Promise<OperationAnswer<Name>>
  readonly conversation: Conversation
  /** Aborted when the client no longer wants the answer. */
  readonly signal: AbortSignal
  /** Most tokens of the reply. */
  readonly budget: number
}

export type Tool = {
  readonly name: string
  readonly title: string
  /** Written for a model, with examples. */
  readonly description: string
  readonly input: z.ZodMiniType
  /** The input as a model reads it. */
  readonly inputSchema: JsonSchema & { type: 'object' }
  readonly output: z.ZodMiniType
  readonly hints: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean }
  readonly run: (args: never, call: Call) => Promise<Reply>
}

/** The arguments of `run` are checked, and as they were written. */
export function defineTool<S extends z.ZodMiniType>(
  tool: Omit<Tool, 'input' | 'inputSchema' | 'run'> & {
    readonly input: S
    readonly run: (args: z.input<S>, call: Call) => Promise<Reply>
  },
): Tool {
  const schema = toPlainSchema(tool.input)
  const options = describeOptions(tool.input)
  const properties = Object.entries(listProperties(schema)).map(([name, property]) => [
    name,
    { ...property, description: options[name]?.help },
  ])
  const inputSchema = { ...schema, type: 'object', properties: Object.fromEntries(properties) }
  return { ...tool, inputSchema } as Tool
}

/** Checks the arguments. Models sometimes write `"[\"a\"]"`, `"5"` and `"true"` for a list, a number and a boolean. */
export function readArguments(
  { name: tool, input, inputSchema }: Tool,
  given: unknown,
): Record<string, unknown> {
  const args = given ?? {}
  if (typeof args !== 'object' || Array.isArray(args)) {
    throw badInput(`The arguments of ${tool} are an object of names and values.`)
  }
  const properties = listProperties(inputSchema)
  const known = Object.keys(properties)
  const wrong = Object.keys(args).find((name) => !known.includes(name))
  if (wrong !== undefined) {
    const near = nearestName(wrong, known)
    const hint = near === null ? `It takes ${known.join(', ')}.` : `Did you mean "${near}"?`
    throw badInput(`${tool} has no argument "${wrong}".`, hint)
  }
  const checked: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined) continue
    checked[name] = typeof value === 'string' ? readText(value, properties[name] ?? {}) : value
  }
  assertInput(input, checked)
  return checked
}

export type JsonSchema = { [key: string]: unknown }

export function listProperties(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>
}

/** A schema in few words: each argument has one form, though the checks accept more. */
export function toPlainSchema(schema: z.ZodMiniType): JsonSchema {
  return simplify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
}

/** Leaves out what the checks accept besides: a single thing for a list of one, null for nothing, a Date. */
function simplify(schema: JsonSchema): JsonSchema {
  const { $schema, minLength, maxLength, propertyNames, anyOf, ...rest } = schema
  if (Array.isArray(anyOf)) {
    const forms = (anyOf as JsonSchema[]).map(simplify).filter(({ type }) => type !== 'null')
    return dropEmptyParts({ ...(chooseForm(forms) ?? { anyOf: forms }), ...rest })
  }
  if (rest.items !== undefined) rest.items = simplify(rest.items as JsonSchema)
  if (rest.properties !== undefined) {
    rest.properties = Object.fromEntries(
      Object.entries(listProperties(rest)).map(([name, value]) => [name, simplify(value)]),
    )
  }
  return dropEmptyParts(rest)
}

/** A list rather than one thing, a text rather than a Date. */
function chooseForm(forms: readonly JsonSchema[]): JsonSchema | null {
  if (forms.length === 1) return forms[0] ?? null
  const list = forms.find(({ type }) => type === 'array')
  if (list !== undefined && !forms.some(({ type }) => type === 'object')) return list
  const hasDate = forms.some((form) => Object.keys(form).length === 0)
  return hasDate ? { type: 'string' } : null
}

/** The bounds of every integer, a default of nothing and "anything else" say nothing. */
function dropEmptyParts({ type, ...schema }: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([key, value]) => {
    if (key === 'default') return value !== null && value !== ''
    if (key === 'additionalProperties') return value === false
    const isBound = key === 'minimum' || key === 'maximum'
    return !(isBound && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER)
  })
  const kind = Array.isArray(type) ? type.find((one) => one !== 'null') : type
  return { ...(kind !== undefined && { type: kind }), ...Object.fromEntries(entries) }
}
