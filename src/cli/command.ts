/** A command is described once: its help, its flags and what it runs come from the same few lines. */

import type { Cairn } from '../cairn/cairn.js'
import type { Configuration } from '../config/configuration.js'
import type { SettingName } from '../config/settings.js'
import type { OperationName } from '../operations/operations.js'
import type { FlagParser } from './flag-parser.js'
import type { Style } from './render/style.js'

/** What stands on the line without dashes. */
export type Word = {
  /** As the usage names it: `ID`. */
  readonly name: string
  readonly help: string
  readonly isOptional?: boolean
  /** True where any number of words may stand in its place. */
  readonly isMany?: boolean
}

export type Flag = {
  readonly type: 'text' | 'number' | 'switch' | 'list'
  /** What stands for the value in the help. */
  readonly value?: string
  /** Without the choices and without "repeatable": the help adds these itself. */
  readonly help: string
  /** What holds when the flag is not given, as the help says it. */
  readonly default?: string
  readonly choices?: readonly string[]
  /** What a shell offers, where other values may be right too. */
  readonly suggestions?: readonly string[]
  /** The setting that it goes before, wherever else that is said. */
  readonly setting?: SettingName
  /** The heading of the help that it stands under. */
  readonly section?: string
}

export type Flags = Readonly<Record<string, Flag>>

export type FlagValues = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export type Input = {
  readonly words: readonly string[]
  readonly flags: FlagValues
}

/** What the outside world offers to a command; tests give their own. */
export type CliContext = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The working folder. */
  readonly folder: string
  readonly home: string
  readonly platform: string
  readonly columns: number
  readonly isTerminal: boolean
  /** Null where standard input is a terminal: nothing was piped. */
  readonly readStdin: (() => Promise<Uint8Array>) | null
  readonly now: () => number
  /** Is aborted when the user asks the program to end; until it is asked for, that ends it at once. */
  readonly stopSignal: () => AbortSignal
  readonly writeOut: (text: string) => void
  /** Resolves when there is room for more: whoever writes much waits for whoever reads it. */
  readonly outDrained: () => Promise<void>
  readonly writeError: (text: string) => void
}

export type CommandContext = Input & {
  readonly world: CliContext
  /** What the flags, the environment and the files of the configuration say. */
  readonly configuration: () => Configuration
  /** Opens the file that the configuration names. */
  readonly open: (options?: {
    readonly create?: boolean
    /** True for one that is asked again and again. */
    readonly keepsAnswers?: boolean
  }) => Promise<Cairn>
}

/** What a command gives back: the same facts for scripts and for people. */
export type Outcome = {
  readonly json: unknown
  readonly text: (style: Style) => string
  /** 0 unless the command did part of what was asked. */
  readonly exitCode?: 0 | 1
  /** A sentence for people about what could not be done; goes to standard error. */
  readonly problem?: string
  /** It printed what it had to say while it ran. */
  readonly isPrinted?: boolean
}

export type Command = {
  /** One word, or two: `session start` belongs to the family `session`. */
  readonly name: string
  readonly summary: string
  /** In their order; one that takes many is the last. */
  readonly words: readonly Word[]
  /** Whole lines, as a shell takes them. */
  readonly examples: readonly string[]
  readonly flags: Flags
  /** Names of other commands. */
  readonly seeAlso?: readonly string[]
  /** True where a word such as `-staging` belongs to the query and is no flag. */
  readonly takesDashWords?: boolean
  /** The operations that it makes reachable. */
  readonly performs?: readonly OperationName[]
  /** How the input of its operation is said on a line. */
  readonly speech?: FlagParser
  /** Loaded only when the command runs. */
  readonly load: () => Promise<(context: CommandContext) => Promise<Outcome>>
}

/** Commands under one heading of the help. */
export type CommandGroup = { readonly heading: string; readonly commands: readonly Command[] }

/** `fact list [options]`. */
export function usageOf({ name, words }: Pick<Command, 'name' | 'words'>): string {
  const spelled = words.map((word) => {
    const one = word.isMany ? `${word.name}…` : word.name
    return word.isOptional ? `[${one}]` : one
  })
  return [name, ...spelled, '[options]'].join(' ')
}
