/** The type of an operation: its input, its examples and its code. */

import type * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import type { AskEvent } from '../core/answer.js'
import type { Role } from '../core/caller.js'

/** Options of one call, besides the input. */
export type Call = {
  readonly onProgress?: (progress: { readonly done: number; readonly total: number | null }) => void
  readonly signal?: AbortSignal
  /** The call comes from a client of a server, which may not name folders of this machine. */
  readonly isRemote?: boolean
  /** Called with each part of the answer to a question. */
  readonly onEvent?: (event: AskEvent) => void
}

/** `erases`: it cannot be undone. */
export type Effect = 'reads' | 'writes' | 'erases'

/** The role that an operation needs, unless it names another. */
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
  /** What it does, without a subject: "add a fact to a record". */
  readonly summary: string
  readonly effect: Effect
  /** The least role that may run it with this input. */
  readonly role: (input: z.input<S>) => Role
  readonly schema: S
  /** Inputs that work on a file that has such records. */
  readonly examples: readonly z.input<S>[]
  /** The schema that is checked before it runs; null if Cairn checks the whole input. */
  readonly unchecked: z.ZodMiniType | null
  readonly run: Run<S, Answer>
  /** Makes the answer small for programs, unless the input has `body`. */
  shrink(answer: Answer): unknown
}

/** Any operation, without the types of its input and answer. */
// biome-ignore lint/suspicious/noExplicitAny: the inputs of different operations have no other common type
export type AnyOperation = Operation<any, unknown>

type Definition<S extends z.ZodMiniType, Answer> = Pick<Operation<S>, 'schema' | 'examples'> & {
  readonly shrink?: (answer: Answer) => unknown
  /** `admin`: it concerns the whole file or paths on the server's disk. A function: the role depends on the input. */
  readonly role?: Role | ((input: z.input<S>) => Role)
} & (
    | { readonly method: Run<S, Answer> }
    | { readonly run: Run<S, Answer>; readonly checked?: z.ZodMiniType }
  )

/**
 * Makes a function that ties the examples and the code of an operation to its schema. Cairn checks the whole input of a
 * `method`. The input of `run` is checked before it runs, by the schema or, where Cairn checks long lists again, by `checked`.
 */
function define(effect: Effect) {
  return <S extends z.ZodMiniType, Answer>(
    summary: string,
    definition: Definition<S, Answer>,
  ): Operation<S, Answer> => {
    const { schema, examples, role = ROLE_BY_EFFECT[effect] } = definition
    return {
      ...{ summary, effect, schema, examples },
      role: typeof role === 'function' ? role : () => role,
      shrink: definition.shrink ?? ((answer) => answer),
      ...('method' in definition
        ? { unchecked: null, run: definition.method }
        : { unchecked: definition.checked ?? schema, run: definition.run }),
    }
  }
}

export const reads = define('reads')
export const writes = define('writes')
export const erases = define('erases')
