/** What a shell may offer after each command comes from the tables that the command line itself is read by. */

import { getSetting, SETTING_NAMES } from '../../config/settings.js'
import { CLIENTS } from '../../mcp/clients.js'
import type { Command, Flag } from '../command.js'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** What comes after a flag, or after a command. */
export type Offer =
  | { readonly kind: 'nothing' }
  /** Anything, which no shell can guess. */
  | { readonly kind: 'text' }
  | { readonly kind: 'files' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }

export type CompletedFlag = {
  /** With its dashes. */
  readonly name: string
  readonly help: string
  readonly value: string
  readonly isRepeatable: boolean
  readonly offer: Offer
}

export type CompletedCommand = {
  readonly name: string
  readonly summary: string
  readonly flags: readonly CompletedFlag[]
  /** Choices are for the first word after the command, files for all of them. */
  readonly words: Offer
}

/** The first words, in the order of the help, and what may follow those that are not alone. */
export type Completed = {
  readonly commands: readonly CompletedCommand[]
  readonly first: readonly Word[]
  readonly families: readonly { readonly word: string; readonly second: readonly Word[] }[]
}
export type Word = { readonly word: string; readonly about: string }

export function completedOf(
  commands: readonly Command[],
  families: Readonly<Record<string, string>>,
): Completed {
  const secondOf = (family: string): Word[] =>
    commands
      .filter(({ name }) => name.startsWith(`${family} `))
      .map(({ name, summary }) => ({ word: name.slice(family.length + 1), about: summary }))
  const firstWords = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))]
  const help: CompletedCommand = {
    name: 'help',
    summary: 'show how a command is used',
    flags: [],
    words: { kind: 'choices', choices: firstWords },
  }
  return {
    commands: [...commands.map(completeCommand), help],
    first: [
      ...firstWords.map((word) => ({
        word,
        about: commands.find(({ name }) => name === word)?.summary ?? families[word] ?? '',
      })),
      { word: help.name, about: help.summary },
    ],
    families: Object.keys(families).map((word) => ({ word, second: secondOf(word) })),
  }
}

function completeCommand(command: Command): CompletedCommand {
  const { name, summary, flags } = command
  return {
    name,
    summary,
    flags: Object.entries(flags).map(([flag, about]) => ({
      name: `--${flag}`,
      help: about.help,
      value: about.value ?? 'value',
      isRepeatable: about.type === 'list',
      offer: offerAfter(about),
    })),
    words: wordsOf(command),
  }
}

/** Words that name something on the disk. */
const PATHS: ReadonlySet<string> = new Set(['PATH', 'FOLDER', 'DIR', 'FILE'])
const FILES: ReadonlySet<string> = new Set(['file', 'path', 'folder'])

function offerAfter({ type, choices, suggestions, value = '' }: Flag): Offer {
  if (type === 'switch') return { kind: 'nothing' }
  const known = choices ?? suggestions
  if (known !== undefined) return { kind: 'choices', choices: known }
  return { kind: FILES.has(value) ? 'files' : 'text' }
}

function wordsOf({ name, words }: Command): Offer {
  const choices = WORDS[name]
  if (choices !== undefined) return { kind: 'choices', choices }
  if (words.some((word) => PATHS.has(word.name))) return { kind: 'files' }
  return { kind: words.length === 0 ? 'nothing' : 'text' }
}

const keptInFiles = SETTING_NAMES.filter((name) => getSetting(name).kind !== 'secret')

const WORDS: Readonly<Record<string, readonly string[]>> = {
  'config set': keptInFiles,
  'config unset': keptInFiles,
  'mcp install': CLIENTS,
  completion: SHELLS,
}
