/** The types of a command, its flags and the context it runs in. */

import type { Cairn } from '../cairn/cairn.js'
import type { Configuration } from '../config/configuration.js'
import type { SettingName } from '../config/settings.js'
import type { LogFields } from '../core/log.js'
import type { OperationName } from '../operations/operations.js'
import type { Style } from './render/style.js'

/** One option of an operation, as `options.generated.ts` has it. */
export type OptionInfo = {
  readonly type: 'text' | 'number' | 'switch' | 'list' | 'object'
  readonly help: string
  readonly value?: string
  /** What applies when it is not given, as the help shows it. */
  readonly default?: string
  readonly choices?: readonly string[]
  /** Values that a shell offers; others are valid too. */
  readonly suggestions?: readonly string[]
  readonly isRequired?: boolean
}

export type OperationInfo = {
  readonly summary: string
  readonly examples: readonly PlainInput[]
  readonly options: Readonly<Record<string, OptionInfo>>
}

export type PlainInput = Readonly<Record<string, unknown>>

export type Flag = Omit<OptionInfo, 'type' | 'isRequired'> & {
  readonly type: 'text' | 'number' | 'switch' | 'list'
  /** The part of the operation's input that it sets: `['tags', 'none']`. */
  readonly path?: readonly string[]
  /** How the value is written, if the type does not say it. */
  readonly form?: 'off' | 'clearable' | 'years' | 'pairs' | 'tests' | 'boosts'
  /** Another flag that cancels this one. */
  readonly unless?: string
  readonly setting?: SettingName
  readonly section?: string
}

export type Flags = Readonly<Record<string, Flag>>

export type FlagValues = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export type Positional = {
  readonly name: string
  readonly help: string
  readonly isOptional?: boolean
  /** More than one argument: a list, the rest of the line as one text, or one for each run of the operation. */
  readonly takes?: 'list' | 'rest' | 'each'
  readonly key?: string
}

export type CommandLine = {
  readonly positionals: readonly string[]
  readonly flags: FlagValues
}

/** The parts of the process that a command may use; tests provide their own. */
export type CliContext = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly home: string
  readonly platform: string
  readonly columns: number
  readonly isTerminal: boolean
  /** Null if standard input is a terminal. */
  readonly readStdin: (() => Promise<Uint8Array>) | null
  readonly now: () => number
  /** Aborted when the user interrupts the program. Before the first call an interrupt ends the process. */
  readonly stopSignal: () => AbortSignal
  readonly writeOut: (text: string) => void
  /** Resolves when standard output can take more. */
  readonly outDrained: () => Promise<void>
  readonly writeError: (text: string) => void
  /** Asks a person; null if no person is at the terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
  /** With `--quiet` no progress is shown. */
  readonly isQuiet?: boolean
}

export type CommandContext = CommandLine & {
  readonly cli: CliContext
  readonly configuration: () => Configuration
  /** Opens the file that the configuration names. `cachesResults` is for a server. */
  readonly open: (options?: {
    readonly create?: boolean
    readonly cachesResults?: boolean
    readonly salvage?: boolean
    /** How long a search may take. */
    readonly timeLimitMs?: number
    /** Called with every event of the log. */
    readonly onLog?: (event: string, fields: LogFields) => void
  }) => Promise<Cairn>
}

/** The result of a command, for scripts and for people. */
export type Outcome = {
  readonly json: unknown
  readonly text: (style: Style) => string | Promise<string>
  /** 1 if the command did only a part of its work. */
  readonly exitCode?: 0 | 1
  readonly problem?: string
  readonly isPrinted?: boolean
}

export type Command = {
  /** One word, or two: `session start` belongs to the family `session`. */
  readonly name: string
  readonly summary: string
  readonly positionals: readonly Positional[]
  readonly examples: readonly string[]
  readonly flags: Flags
  readonly seeAlso?: readonly string[]
  readonly performs?: readonly OperationName[]
  readonly load: () => Promise<(context: CommandContext) => Promise<Outcome>>
}
