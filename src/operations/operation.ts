/** An operation is described once, for people, for models and for programs, and checked and run the same for all. */

import type * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'

/** One option of an operation. */
export type Option = {
  /** One line, for a person at a terminal and for a model alike. */
  readonly help: string
  /** What stands for the value where it is written out: `moment`, `0..1`. */
  readonly value?: string
  /** What holds without it, where the schema names no default. */
  readonly unset?: string
}

/** What a caller brings along besides the input. */
export type Call = {
  readonly onProgress?: (progress: { readonly done: number; readonly total: number | null }) => void
  readonly signal?: AbortSignal
}

/** `erases`: it cannot be taken back. */
export type Effect = 'reads' | 'writes' | 'erases'

type Options<S extends z.ZodMiniType> = {
  readonly [Key in keyof z.input<S> & string]-?: Option
}

export type Operation<
  Name extends string = string,
  S extends z.ZodMiniType = z.ZodMiniType,
  Answer = unknown,
> = {
  readonly name: Name
  /** What it does, without a subject: "join two records by a typed link". */
  readonly summary: string
  readonly effect: Effect
  /** Loaded when it is first needed: most commands run one operation of many. */
  readonly schema: () => Promise<S>
  readonly options: Options<S>
  /** Inputs that work on a file that has such records. */
  readonly examples: readonly z.input<S>[]
  readonly run: (cairn: Cairn, input: z.input<S>, call: Call) => Promise<Answer>
}

/** Ties options, examples and `run` to the schema. */
export function defineOperation<const Name extends string, S extends z.ZodMiniType, Answer>(
  operation: Operation<Name, S, Answer>,
): Operation<Name, S, Answer> {
  return operation
}

/** An operation whose types were left behind, as it stands in a list of them. */
// biome-ignore lint/suspicious/noExplicitAny: only `any` stands for the input of each of them
export type AnyOperation = Operation<string, any, unknown>
