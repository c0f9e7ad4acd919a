/** The form in which every operation is described: its input, examples and what it runs. */

import * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import type { AskEvent } from '../core/answer.js'
import type { Role } from '../core/caller.js'
import { options } from '../schemas/fields.js'

/** What a caller provides besides the input. */
export type Call = {
  readonly onProgress?: (progress: { readonly done: number; readonly total: number | null }) => void
  readonly signal?: AbortSignal
  /** From a client of a server, who names no folders of this machine. */
  readonly isRemote?: boolean
  /** What a question was answered with so far. */
  readonly onEvent?: (event: AskEvent) => void
}

/** `erases`: it cannot be undone. */
export type Effect = 'reads' | 'writes' | 'erases'

/** What a caller of a server must be, unless the operation says otherwise. */
const ROLE_BY_EFFECT: Readonly<Record<Effect, Role>> = {
  reads: 'read',
  writes: 'write',
  erases: 'admin',
}

type Run<S extends z.ZodMiniType, Answer> = (
  cairn: Cairn,
  input: z.input<S>,
  call: Call,
) => Promise<Answer>

export type Operation<S extends z.ZodMiniType = z.ZodMiniType, Answer = unknown> = {
  /** What it does, without a subject: "join two records by a typed link". */
  readonly summary: string
  readonly effect: Effect
  /** The least role that may run it with this input. */
  readonly role: (input: z.input<S>) => Role
  readonly schema: S
  /** Inputs that work on a file that has such records. */
  readonly examples: readonly z.input<S>[]
  /** What is checked before it runs; null if Cairn checks the whole input. */
  readonly unchecked: z.ZodMiniType | null
  readonly run: Run<S, Answer>
  /** What programs get of the answer unless the input has `body`. */
  shrink(answer: Answer): unknown
}

/** Any operation, without the types of its input and answer. */
// biome-ignore lint/suspicious/noExplicitAny: the inputs of different operations have no other common type
export type AnyOperation = Operation<any, unknown>

type OwnOptions = Readonly<Record<string, z.ZodMiniType>>

type Definition<S extends z.ZodMiniType, Answer> = Pick<Operation<S>, 'schema' | 'examples'> & {
  readonly shrink?: (answer: Answer) => unknown
  /**
   * `admin`: it is about the whole file or names paths of the server's disk. A function: some inputs of what reads make
   * it write.
   */
  readonly role?: Role | ((input: z.input<S>) => Role)
} & (
    | { readonly method: Run<S, Answer> }
    | { readonly run: Run<S, Answer>; readonly own?: () => OwnOptions }
  )

/**
 * Makes a function that ties the examples and the code of an operation to its schema. Every option is checked once:
 * those of a `method` by Cairn, those of `run` before it; with `own`, only these before it and the others by Cairn.
 */
function define(effect: Effect) {
  return <S extends z.ZodMiniType, Answer>(
    summary: string,
    definition: Definition<S, Answer>,
  ): Operation<S, Answer> => {
    const { schema, examples, shrink = keepWhole, role = ROLE_BY_EFFECT[effect] } = definition
    const findRole = typeof role === 'function' ? role : () => role
    const about = { summary, effect, role: findRole, schema, examples, shrink }
    if ('method' in definition) return { ...about, unchecked: null, run: definition.method }
    const { run, own } = definition
    const unchecked = own === undefined ? schema : options(() => narrow(schema, own()))
    return { ...about, unchecked, run }
  }
}

function keepWhole<Answer>(answer: Answer): Answer {
  return answer
}

/** Knows every option of the schema, and checks these. */
function narrow(schema: z.ZodMiniType, own: OwnOptions): OwnOptions {
  const { shape } = schema as z.ZodMiniObject
  const any = z.optional(z.any())
  return { ...Object.fromEntries(Object.keys(shape).map((key) => [key, any])), ...own }
}

export const reads = define('reads')
export const writes = define('writes')
export const erases = define('erases')
