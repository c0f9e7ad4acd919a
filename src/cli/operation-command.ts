/** A command names its operation and says only what is the terminal's own; the rest is the operation's. */

import type { Cairn } from '../cairn/cairn.js'
import {
  type OperationAnswer,
  type OperationInput,
  type OperationName,
  operation,
  performNamed,
} from '../operations/operations.js'
import type { Command, CommandContext, Flags, Outcome } from './command.js'
import { type FlagParser, type InputWord, speechOf } from './flag-parser.js'
import { FILE_FLAGS } from './flags.js'
import type { Forms } from './forms.js'
import { argumentsOf, shellLine } from './shell-line.js'

type Key<Name extends OperationName> = keyof OperationInput<Name> & string

/** All that is known where an answer is shown. */
type Scene<Input> = Pick<CommandContext, 'flags' | 'world'> & {
  readonly cairn: Cairn
  readonly input: Input
}

/** As an outcome; scripts get the answer itself unless it says otherwise. */
export type Shown = Omit<Outcome, 'json'> & { readonly json?: unknown }

type ShowAnswer<Input, Answer> = (answer: Answer, scene: Scene<Input>) => Shown | Promise<Shown>

type Side<Input, Answer> = {
  /** Before the file is opened: a text from a pipe. */
  readonly complete?: (input: Input, context: CommandContext) => Promise<Input>
  /** With the file: a session as it was typed. */
  readonly settle?: (input: Input, cairn: Cairn, context: CommandContext) => Promise<Input>
  readonly show: ShowAnswer<Input, Answer>
}

export type Show<Name extends OperationName> = ShowAnswer<
  OperationInput<Name>,
  OperationAnswer<Name>
>

/** What of a command only a terminal has. */
export type TerminalSide<Name extends OperationName> = Side<
  OperationInput<Name>,
  OperationAnswer<Name>
>

/** Spelled out: what shows the answers of two operations shows those of each. */
type Running<Name extends OperationName> =
  | {
      readonly show: () => Promise<ShowAnswer<OperationInput<Name>, OperationAnswer<Name>>>
    }
  | { readonly side: () => Promise<Side<OperationInput<Name>, OperationAnswer<Name>>> }
  /** Where one operation is not all there is to it. */
  | {
      readonly run: () => Promise<
        (context: CommandContext, input: OperationInput<Name>) => Promise<Outcome>
      >
    }

export type CommandSpec<Name extends OperationName> = Running<Name> & {
  readonly words?: readonly InputWord<Key<Name>>[]
  readonly forms?: Forms<Key<Name>>
  /** Flags that only a terminal has. */
  readonly own?: Flags
  /** Lines where the shell matters, besides those made from the operation's examples. */
  readonly examples?: readonly string[]
  readonly seeAlso?: readonly string[]
  readonly takesDashWords?: boolean
  /** Other operations that the same command performs. */
  readonly alsoPerforms?: readonly OperationName[]
  /** Whether a file that is not there is made. */
  readonly creates?: boolean | ((input: OperationInput<Name>) => boolean)
}

/** What its help needs is worked out when it is asked for: a command line runs one command of many. */
export function commandOf<Name extends OperationName>(
  name: Name,
  saying: CommandSpec<Name>,
): Command {
  const { options, summary, examples } = operation(name)
  const { words = [], forms = {}, own = {}, seeAlso, takesDashWords, alsoPerforms = [] } = saying
  const called = name.replace('.', ' ')
  const speech = once(() => speechOf(options, words, forms))
  const flags = once(() => ({ ...speech().flags, ...own, ...FILE_FLAGS }))
  return {
    name: called,
    summary,
    get words() {
      return speech().words
    },
    get flags() {
      return flags()
    },
    get examples() {
      const derived = examples.map((input) => exampleLine(called, speech(), input))
      return [...derived, ...(saying.examples ?? [])]
    },
    get speech() {
      return speech()
    },
    performs: [name, ...alsoPerforms],
    ...(seeAlso !== undefined && { seeAlso }),
    ...(takesDashWords !== undefined && { takesDashWords }),
    load: async () => {
      const run = await runnerOf(name, saying)
      return (context) => run(context, speech().read(context) as OperationInput<Name>)
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The command line that gives this input. */
export function exampleLine(
  name: string,
  speech: Pick<FlagParser, 'write'>,
  input: Readonly<Record<string, unknown>>,
): string {
  return ['cairn', name, shellLine(argumentsOf(speech.write(input)))].filter(Boolean).join(' ')
}

async function runnerOf<Name extends OperationName>(name: Name, saying: CommandSpec<Name>) {
  if ('run' in saying) return saying.run()
  const side = 'side' in saying ? await saying.side() : { show: await saying.show() }
  return (context: CommandContext, input: OperationInput<Name>) =>
    runOperation({ name, side, creates: saying.creates ?? false }, context, input)
}

async function runOperation<Name extends OperationName>(
  {
    name,
    side,
    creates,
  }: {
    readonly name: Name
    readonly side: Side<OperationInput<Name>, OperationAnswer<Name>>
    readonly creates: NonNullable<CommandSpec<Name>['creates']>
  },
  context: CommandContext,
  given: OperationInput<Name>,
): Promise<Outcome> {
  const { flags, world } = context
  const completed = (await side.complete?.(given, context)) ?? given
  const cairn = await context.open({
    create: typeof creates === 'function' ? creates(completed) : creates,
  })
  const input = (await side.settle?.(completed, cairn, context)) ?? completed
  const answer = await performNamed(name, cairn, input)
  return { json: answer, ...(await side.show(answer, { cairn, input, flags, world })) }
}
