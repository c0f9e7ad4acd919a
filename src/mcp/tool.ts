/** A tool is described once: what a model reads of it, what it takes, what it gives and what it runs. */

import type * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import {
  type OperationAnswer,
  type OperationInput,
  type OperationName,
  operation,
} from '../operations/operations.js'
import type { Reply } from './budget.js'
import type { Conversation } from './conversation.js'

/** What a tool works with. */
export type Call = {
  readonly cairn: Cairn
  /** What a tool does with the file is one of its operations. */
  readonly perform: Perform
  readonly conversation: Conversation
  /** Aborted when whoever asked no longer wants the answer. */
  readonly signal: AbortSignal
}

export type Perform = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
) => Promise<OperationAnswer<Name>>

export type Tool = {
  readonly name: string
  readonly title: string
  /** Written for a model, with examples. */
  readonly description: string
  readonly input: z.ZodMiniType
  /** One sentence for each argument. */
  readonly about: Readonly<Record<string, string>>
  readonly output: z.ZodMiniType
  /** The operations that it reaches. */
  readonly operations: readonly OperationName[]
  readonly hints: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean }
  readonly run: (args: never, call: Call) => Promise<Reply>
}

/** Ties the arguments of `run` to the schema; they are checked, and as they were written. */
export function defineTool<S extends z.ZodMiniType>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: S
    readonly run: (args: z.input<S>, call: Call) => Promise<Reply>
  },
): Tool {
  return tool as Tool
}

/** What the options of an operation mean, in the words that every face has for them. */
export function aboutOf<Name extends OperationName>(name: Name): Readonly<Record<string, string>> {
  const options = Object.entries(operation(name).options)
  return Object.fromEntries(options.map(([key, { help }]) => [key, help]))
}
