/** Makes commands from operations. Arguments, flags and examples are derived; a spec holds what only a terminal needs. */

import type { Cairn } from '../cairn/cairn.js'
import type { Call } from '../operations/operation.js'
import type { OperationAnswer, OperationInput, OperationName } from '../operations/operations.js'
import type {
  Command,
  CommandContext,
  Flags,
  OperationInfo,
  Outcome,
  Positional,
} from './command.js'
import { formatShellLine, readInput, writeArguments } from './command-line.js'
import { deriveFlags, FILE_FLAGS, type FlagOverrides } from './flags.js'
import { OPERATION_TABLE } from './options.generated.js'
import type { Style } from './render/style.js'

type Key<Name extends OperationName> = keyof OperationInput<Name> & string

export type Render<Name extends OperationName> = (
  answer: OperationAnswer<Name>,
  context: Pick<CommandContext, 'flags' | 'cli'> & {
    readonly cairn: Cairn
    readonly input: OperationInput<Name>
    readonly style: Style
  },
) => string | Promise<string>

type Steps<Name extends OperationName, Input = OperationInput<Name>> = {
  /** Completes the input before the file is opened: a text from a pipe. */
  readonly prepare?: (input: Input, context: CommandContext) => Promise<Input>
  /** Completes it with the file: the id of a session. */
  readonly resolve?: (input: Input, cairn: Cairn, context: CommandContext) => Promise<Input>
  /** Progress is shown in this unit; without one, none is shown. */
  readonly unit?: string
  readonly render: Render<Name>
  /** What could not be done, or nothing. */
  readonly problem?: (answer: OperationAnswer<Name>) => string
}

/** `run` is for a command that does more than run its operation. */
export type CommandActions = {
  readonly [Name in OperationName]?:
    | Render<Name>
    | Steps<Name>
    | { readonly run: (context: CommandContext, input: OperationInput<Name>) => Promise<Outcome> }
}

type PositionalSpec = Pick<Positional, 'name'> & Partial<Positional>

type CommandSpec<Name extends OperationName> = {
  /** The options that are given without a flag, by the names of the arguments. Default: those that are required. */
  readonly positionals?: { readonly [K in Key<Name>]?: string | PositionalSpec }
  readonly flags?: FlagOverrides<Key<Name>>
  /** Options without a flag, each with the reason. */
  readonly without?: { readonly [K in Key<Name>]?: string }
  readonly ownFlags?: Flags
  /** Shell lines, besides those made from the operation's examples. */
  readonly examples?: readonly string[]
  readonly seeAlso: readonly string[]
  readonly alsoPerforms?: readonly OperationName[]
  readonly creates?: boolean | ((input: OperationInput<Name>) => boolean)
}

/** For the commands whose actions are in one module. Flags and examples are derived when they are read. */
export function createCommands(load: () => Promise<{ readonly ACTIONS: CommandActions }>) {
  return <Name extends OperationName>(operation: Name, spec: CommandSpec<Name>): Command => {
    const { options, summary, examples } = OPERATION_TABLE[operation]
    const { without = {}, seeAlso } = spec
    const given = (spec.positionals ?? nameRequired(options, spec.flags ?? {})) as Readonly<
      Record<string, string | PositionalSpec>
    >
    let flags: Flags | null = null
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
        const noFlag = [...Object.keys(given), ...Object.keys(without)]
        flags ??= {
          ...deriveFlags(operation, noFlag, spec.flags),
          ...spec.ownFlags,
          ...FILE_FLAGS,
        }
        return flags
      },
      get examples() {
        const derived = examples.map((input) => {
          const args = formatShellLine(writeArguments(command, input))
          return ['cairn', command.name, args].filter(Boolean).join(' ')
        })
        return [...derived, ...(spec.examples ?? [])]
      },
      performs: [operation, ...(spec.alsoPerforms ?? [])],
      seeAlso,
      load: async () => {
        const { ACTIONS } = await load()
        const run = await prepareRun(operation, ACTIONS, spec.creates ?? false)
        return (context) => run(context, readInput(command, context) as OperationInput<Name>)
      },
    }
    return command
  }
}

/** `{ ids: 'ID' }` where `ids` is required. Objects and the options in `flags` are flags also where they are required. */
function nameRequired(options: OperationInfo['options'], flags: object) {
  const required = Object.entries(options).filter(
    ([key, { isRequired, type }]) => isRequired && type !== 'object' && !(key in flags),
  )
  return Object.fromEntries(required.map(([key]) => [key, key.replace(/s$/, '').toUpperCase()]))
}

async function prepareRun<Name extends OperationName>(
  operation: Name,
  { [operation]: action }: CommandActions,
  creates: boolean | ((input: OperationInput<Name>) => boolean),
): Promise<(context: CommandContext, given: OperationInput<Name>) => Promise<Outcome>> {
  if (action === undefined) throw new Error(`there is no action for the operation ${operation}`)
  if ('run' in action) return action.run
  const steps: Steps<Name> = typeof action === 'function' ? { render: action } : action
  const operations = await import('../operations/operations.js')
  return async (context, given) => {
    const { flags, cli } = context
    const prepared = (await steps.prepare?.(given, context)) ?? given
    const create = typeof creates === 'function' ? creates(prepared) : creates
    const cairn = await context.open({ create })
    const input = (await steps.resolve?.(prepared, cairn, context)) ?? prepared
    const perform = (call: Call) => operations.performNamed(operation, cairn, input, call)
    const answer = await (steps.unit === undefined
      ? perform({})
      : (await import('./render/progress.js')).withProgress(cli, steps.unit, (onProgress) =>
          perform({ onProgress }),
        ))
    const problem = steps.problem?.(answer) ?? ''
    return {
      json: operations.toSmallAnswer(operations.operation(operation), answer, input),
      text: (style) => steps.render(answer, { cairn, input, flags, cli, style }),
      ...(problem !== '' && { problem, exitCode: 1 as const }),
    }
  }
}
