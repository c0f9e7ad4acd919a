/** The words of a command line become values, or one sentence about the first that is wrong. */

import { parseArgs } from 'node:util'
import { badInput, type CairnError } from '../core/errors.js'
import { nearestName } from '../text/nearest-name.js'
import type { Command, Flag, FlagValues, Input } from './command.js'

/** Stands before a query word that begins with a dash, so that it is not taken for a flag. */
const DASH_WORD = '\u0000'

export function parseFlags(command: Command, args: readonly string[]): Input {
  const joined = joinNegativeNumbers(command, args)
  const given = command.takesDashWords ? joined.map(protectDashWord) : joined
  const { values, positionals } = parse(command, given)
  const words = positionals.map((word) => word.replace(DASH_WORD, ''))
  const extra = command.words.at(-1)?.isMany ? undefined : words[command.words.length]
  if (extra !== undefined) {
    throw usage(`cairn ${command.name} does not know what to do with "${extra}".`, command)
  }
  const flags = Object.entries(values).map(([name, value]) => [
    name,
    readValue(command, name, value),
  ])
  return { words, flags: Object.fromEntries(flags) as FlagValues }
}

function parse(command: Command, args: string[]) {
  const options = Object.fromEntries(
    Object.entries(command.flags).map(([name, { type }]) => [
      name,
      { type: type === 'switch' ? 'boolean' : 'string', multiple: type === 'list' } as const,
    ]),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw explainParseError(command, args, error)
  }
}

/** `--threshold -1`: after a flag that takes a number, a dash is a minus. */
function joinNegativeNumbers(command: Command, args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const before = joined.at(-1) ?? ''
    const takesNumber = before.startsWith('--') && command.flags[before.slice(2)]?.type === 'number'
    if (takesNumber && /^-[\d.]/.test(arg)) joined[joined.length - 1] = `${before}=${arg}`
    else joined.push(arg)
  }
  return joined
}

function protectDashWord(word: string): string {
  return /^-[^-]/.test(word) ? DASH_WORD + word : word
}

function readValue(command: Command, name: string, value: unknown): unknown {
  const flag = command.flags[name] as Flag
  const given = Array.isArray(value) ? value : [value]
  for (const one of given) {
    if (flag.choices && !flag.choices.includes(String(one))) {
      const choices = flag.choices.join(', ')
      throw usage(`--${name} must be one of ${choices}, not "${String(one)}".`, command)
    }
  }
  if (flag.type !== 'number') return value
  const number = Number(value)
  if (String(value).trim() === '' || Number.isNaN(number)) {
    throw usage(`--${name} must be a number, not "${String(value)}".`, command)
  }
  return number
}

function explainParseError(command: Command, args: readonly string[], error: unknown): CairnError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = Object.keys(command.flags)
  const flags = args.filter((arg) => arg.startsWith('-')).map((arg) => arg.replace(/^-+|=.*$/g, ''))
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const wrong = flags.find((flag) => !known.includes(flag)) ?? ''
    const near = nearestName(wrong, known)
    const dashes = args.some((arg) => arg.startsWith(`--${wrong}`)) ? '--' : '-'
    const question = near === null ? '' : ` Did you mean --${near}?`
    return usage(`cairn ${command.name} has no option ${dashes}${wrong}.${question}`, command)
  }
  const wrong = flags.find((flag) => known.includes(flag) && isHalfGiven(command, args, flag))
  const flag = wrong === undefined ? undefined : command.flags[wrong]
  if (wrong === undefined || flag === undefined) {
    return usage('The options cannot be read.', command)
  }
  return flag.type === 'switch'
    ? usage(`--${wrong} is a switch and takes no value.`, command)
    : usage(`--${wrong} needs a value: --${wrong} <${flag.value ?? 'value'}>.`, command)
}

/** A value that is missing, that looks like the next flag, or that a switch does not take. */
function isHalfGiven(command: Command, args: readonly string[], flag: string): boolean {
  if (command.flags[flag]?.type === 'switch')
    return args.some((arg) => arg.startsWith(`--${flag}=`))
  const at = args.indexOf(`--${flag}`)
  return at >= 0 && (args[at + 1] === undefined || (args[at + 1] ?? '').startsWith('-'))
}

function usage(message: string, command: Command): CairnError {
  return badInput(message, `\`cairn ${command.name} --help\` shows how it is used.`)
}
