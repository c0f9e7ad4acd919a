/** The form in which every operation is described: its input, examples and what it runs. */

import type * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'

/** What a caller provides besides the input. */
export type Call = {
  readonly onProgress?: (progress: { readonly done: number; readonly total: number | null }) => void
  readonly signal?: AbortSignal
}

/** `erases`: it cannot be undone. */
export type Effect = 'reads' | 'writes' | 'erases'

type Run<S extends z.ZodMiniType, Answer> = (
  cairn: Cairn,
  input: z.input<S>,
  call: Call,
) => Promise<Answer>

export type Operation<S extends z.ZodMiniType = z.ZodMiniType, Answer = unknown> = {
  /** What it does, without a subject: "join two records by a typed link". */
  readonly summary: string
  readonly effect: Effect
  /** Type, default and help of each option. */
  readonly schema: S
  /** Inputs that work on a file that has such records. */
  readonly examples: readonly z.input<S>[]
  /** False if `run` is a method of Cairn, which checks the whole input with the same schema. */
  readonly needsCheck: boolean
  readonly run: Run<S, Answer>
}

/** Any operation, without the types of its input and answer. */
// biome-ignore lint/suspicious/noExplicitAny: the inputs of different operations have no other common type
export type AnyOperation = Operation<any, unknown>

type Definition<S extends z.ZodMiniType, Answer> = Pick<Operation<S>, 'schema' | 'examples'> &
  /** `method` is a method of Cairn that checks the input itself; the input of `run` is checked before. */
  ({ readonly run: Run<S, Answer> } | { readonly method: Run<S, Answer> })

/** Makes a function that ties the examples and the code of an operation to its schema. */
function define(effect: Effect) {
  return <S extends z.ZodMiniType, Answer>(
    summary: string,
    definition: Definition<S, Answer>,
  ): Operation<S, Answer> => {
    const { schema, examples } = definition
    const needsCheck = 'run' in definition
    const run = needsCheck ? definition.run : definition.method
    return { summary, effect, schema, examples, needsCheck, run }
  }
}

export const reads = define('reads')
export const writes = define('writes')
export const erases = define('erases')
