/** Makes a command from an operation: flags and examples are derived, only what is special to a terminal is given. */

import type { Cairn } from '../cairn/cairn.js'
import type { OperationAnswer, OperationInput, OperationName } from '../operations/operations.js'
import type { Command, CommandContext, Flags, Outcome, Positional } from './command.js'
import { formatShellLine, readInput, writeArguments } from './command-line.js'
import { deriveFlags, FILE_FLAGS, type FlagOverrides } from './flags.js'
import { OPERATION_TABLE } from './options.generated.js'

type Key<Name extends OperationName> = keyof OperationInput<Name> & string

/** An outcome; without `json`, scripts get the answer itself. */
export type Shown = Omit<Outcome, 'json'> & { readonly json?: unknown }

type ShowAnswer<Input, Answer> = (
  answer: Answer,
  context: Pick<CommandContext, 'flags' | 'cli'> & { readonly cairn: Cairn; readonly input: Input },
) => Shown | Promise<Shown>

type Steps<Input, Answer> = {
  /** Completes the input before the file is opened: a text from a pipe. */
  readonly prepare?: (input: Input, context: CommandContext) => Promise<Input>
  /** Completes it with the file: the id of a session. */
  readonly resolve?: (input: Input, cairn: Cairn, context: CommandContext) => Promise<Input>
  readonly show: ShowAnswer<Input, Answer>
}

export type Show<Name extends OperationName> = ShowAnswer<
  OperationInput<Name>,
  OperationAnswer<Name>
>
export type CommandSteps<Name extends OperationName> = Steps<
  OperationInput<Name>,
  OperationAnswer<Name>
>

/** Spelled out, so that one function can show the answers of two operations. */
type Running<Name extends OperationName> =
  | { readonly show: () => Promise<ShowAnswer<OperationInput<Name>, OperationAnswer<Name>>> }
  | { readonly steps: () => Promise<Steps<OperationInput<Name>, OperationAnswer<Name>>> }
  /** Where the command does more than run its operation. */
  | {
      readonly run: () => Promise<
        (context: CommandContext, input: OperationInput<Name>) => Promise<Outcome>
      >
    }

type PositionalSpec = Pick<Positional, 'name'> & Partial<Positional>

export type CommandSpec<Name extends OperationName> = Running<Name> & {
  /** The options that are given without a flag, by the names of the arguments. */
  readonly positionals?: { readonly [K in Key<Name>]?: string | PositionalSpec }
  /** Where the derived flags do not fit. */
  readonly flags?: FlagOverrides<Key<Name>>
  /** Options without a flag, each with the reason. */
  readonly without?: { readonly [K in Key<Name>]?: string }
  /** Flags that are no option of the operation. */
  readonly ownFlags?: Flags
  /** Shell lines, besides those made from the operation's examples. */
  readonly examples?: readonly string[]
  readonly seeAlso?: readonly string[]
  readonly takesDashWords?: boolean
  /** Other operations that the command runs. */
  readonly alsoPerforms?: readonly OperationName[]
  /** Whether a file that does not exist is created. */
  readonly creates?: boolean | ((input: OperationInput<Name>) => boolean)
}

/** Flags and examples are derived when they are read: a command line runs one command of many. */
export function operationCommand<Name extends OperationName>(
  operation: Name,
  spec: CommandSpec<Name>,
): Command {
  const { options, summary, examples } = OPERATION_TABLE[operation]
  const { without = {}, seeAlso, takesDashWords } = spec
  const given = (spec.positionals ?? {}) as Readonly<Record<string, string | PositionalSpec>>
  const noFlag = [...Object.keys(given), ...Object.keys(without)]
  const command: Command = {
    name: operation.replace('.', ' '),
    summary,
    positionals: Object.entries(given).map(([key, one]) => {
      const { type, help = '', isRequired } = options[key] ?? {}
      const isList = type === 'list' && { takes: 'list' as const }
      const own = typeof one === 'string' ? { name: one } : one
      return { key, help, isOptional: !isRequired, ...isList, ...own }
    }),
    get flags() {
      const derived = deriveFlags(operation, noFlag, spec.flags)
      return { ...derived, ...spec.ownFlags, ...FILE_FLAGS }
    },
    get examples() {
      const derived = examples.map((input) => formatExample(command, input))
      return [...derived, ...(spec.examples ?? [])]
    },
    performs: [operation, ...(spec.alsoPerforms ?? [])],
    ...(seeAlso !== undefined && { seeAlso }),
    ...(takesDashWords !== undefined && { takesDashWords }),
    load: async () => {
      const run = 'run' in spec ? await spec.run() : await loadSteps(operation, spec)
      return (context) => run(context, readInput(command, context) as OperationInput<Name>)
    },
  }
  return command
}

function formatExample(command: Command, input: Readonly<Record<string, unknown>>): string {
  const args = formatShellLine(writeArguments(command, input))
  return ['cairn', command.name, args].filter(Boolean).join(' ')
}

async function loadSteps<Name extends OperationName>(
  operation: Name,
  spec: Exclude<CommandSpec<Name>, { readonly run: unknown }>,
) {
  const { creates = false } = spec
  const steps: CommandSteps<Name> =
    'steps' in spec ? await spec.steps() : { show: await spec.show() }
  const { performNamed } = await import('../operations/operations.js')
  return async (context: CommandContext, given: OperationInput<Name>): Promise<Outcome> => {
    const { flags, cli } = context
    const prepared = (await steps.prepare?.(given, context)) ?? given
    const create = typeof creates === 'function' ? creates(prepared) : creates
    const cairn = await context.open({ create })
    const input = (await steps.resolve?.(prepared, cairn, context)) ?? prepared
    const answer = await performNamed(operation, cairn, input)
    return { json: answer, ...(await steps.show(answer, { cairn, input, flags, cli })) }
  }
}
