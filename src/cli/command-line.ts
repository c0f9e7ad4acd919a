/** Reads a command line with `parseArgs`, turns it into the input of an operation, and writes an input as a line. */

import { parseArgs } from 'node:util'
import { badInput, type CairnError } from '../core/errors.js'
import { isFields } from '../core/json-fields.js'
import { nearestName } from '../text/nearest-name.js'
import type { Command, CommandLine, Flag, FlagValues, PlainInput, Positional } from './command.js'
import { SHORT_FLAGS } from './flags.js'

/** Marks a text that begins with a dash, so that `parseArgs` does not take it for a flag. */
const DASH_TEXT = '\u0000'

export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const joined = joinNegativeNumbers(command, args)
  // A flag has no spaces before its value: `- buy milk` is a text.
  const given = joined.map((word) => (/^-[^=\s]*\s/.test(word) ? DASH_TEXT + word : word))
  const { values, positionals } = parse(command, given)
  const words = positionals.map(unmark)
  const extra = command.positionals.at(-1)?.takes ? undefined : words[command.positionals.length]
  if (extra !== undefined) {
    throw wrongUsage(`cairn ${command.name} takes no argument "${extra}".`, command)
  }
  const flags = Object.entries(values).map(([name, value]) => [
    name,
    checkValue(command, name, Array.isArray(value) ? value.map(unmark) : unmark(value)),
  ])
  return { positionals: words, flags: Object.fromEntries(flags) as FlagValues }
}

function unmark<T>(value: T): T {
  return typeof value === 'string' ? (value.replace(DASH_TEXT, '') as T) : value
}

function parse(command: Command, args: string[]) {
  const options = Object.fromEntries(
    Object.entries(command.flags).map(([name, { type }]) => {
      const short = SHORT_FLAGS[name]
      const shape = { type: type === 'switch' ? 'boolean' : 'string', multiple: type === 'list' }
      return [name, { ...shape, ...(short && { short }) } as ParseArgsOption]
    }),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw explainParseError(command, args, error)
  }
}

type ParseArgsOption = { type: 'boolean' | 'string'; multiple: boolean; short?: string }

/** `--threshold -1`: after a flag that takes a number, a dash is a minus. */
function joinNegativeNumbers({ flags }: Command, args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const before = joined.at(-1) ?? ''
    const takesNumber = before.startsWith('--') && flags[before.slice(2)]?.type === 'number'
    if (takesNumber && /^-[\d.]/.test(arg)) joined[joined.length - 1] = `${before}=${arg}`
    else joined.push(arg)
  }
  return joined
}

function checkValue(command: Command, name: string, value: unknown): unknown {
  const { type, choices } = command.flags[name] as Flag
  const wrong = [value].flat().find((one) => choices && !choices.includes(String(one)))
  if (wrong !== undefined) {
    const message = `--${name} must be one of ${choices?.join(', ')}, not "${String(wrong)}".`
    throw wrongUsage(message, command)
  }
  if (type !== 'number') return value
  if (String(value).trim() === '' || Number.isNaN(Number(value))) {
    throw wrongUsage(`--${name} must be a number, not "${String(value)}".`, command)
  }
  return Number(value)
}

/** The message of `parseArgs` names the option first: "Unknown option '--foo'". */
function explainParseError(command: Command, args: string[], error: unknown): CairnError {
  // A short flag comes first if there is one: "Option '-n, --limit <value>' argument missing".
  const [, dashes, name = ''] = /'(?:-\w, )?(--?)([^ '=,]+)/.exec(String(error)) ?? []
  if (dashes === undefined) return wrongUsage('The options are not valid.', command)
  const typed = args.find((word) => dashes === '-' && /^-[^-]/.test(word) && word.includes(name))
  const wrong = typed?.slice(1) ?? name
  const flag = command.flags[wrong]
  if (typed !== undefined && command.positionals.at(-1)?.takes === 'rest') {
    const message = `cairn ${command.name} has no option ${typed}.`
    return badInput(
      message,
      `To leave a word out, write the query last, after two dashes: -- … ${typed}`,
    )
  }
  if (flag === undefined) {
    const near = nearestName(wrong, Object.keys(command.flags))
    const question = near === null ? '' : ` Did you mean --${near}?`
    return wrongUsage(`cairn ${command.name} has no option ${dashes}${wrong}.${question}`, command)
  }
  return flag.type === 'switch'
    ? wrongUsage(`--${wrong} is a switch and takes no value.`, command)
    : wrongUsage(`--${wrong} needs a value: --${wrong} <${flag.value ?? 'value'}>.`, command)
}

function wrongUsage(message: string, { name }: Command): CairnError {
  return badInput(message, `\`cairn ${name} --help\` shows how it is used.`)
}

/** The input of the command's operation; options that were not given are absent. */
export function readInput(command: Command, { positionals, flags }: CommandLine): PlainInput {
  const input: Record<string, unknown> = {}
  for (const [i, { key, name, help, takes, isOptional }] of command.positionals.entries()) {
    if (key === undefined) continue
    const value = readPositional(takes, positionals.slice(i))
    if (value !== undefined) input[key] = value
    else if (!isOptional) throw wrongUsage(`cairn ${command.name} needs ${name}: ${help}.`, command)
  }
  const setBy = new Map<string, string>()
  for (const [name, flag] of Object.entries(command.flags)) {
    const given = flags[name]
    if (given === undefined || flag.path === undefined) continue
    if (flag.unless !== undefined && flags[flag.unless] === true) continue
    const other = setBy.get(flag.path.join('.'))
    if (other !== undefined) {
      throw badInput(`Both --${other} and --${name} were given.`, 'Give one of them.')
    }
    setBy.set(flag.path.join('.'), name)
    setPath(input, flag.path, readFlag(name, flag, given))
  }
  return input
}

function readPositional(takes: Positional['takes'], rest: readonly string[]): unknown {
  if (takes === 'list') return rest.length === 0 ? undefined : rest
  if (takes !== 'rest') return rest[0]
  return rest.join(' ').trim() === '' ? undefined : rest.join(' ')
}

function setPath(input: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path
  if (rest.length === 0) input[key] = value
  else {
    input[key] ??= {}
    setPath(input[key] as Record<string, unknown>, rest, value)
  }
}

function readFlag(name: string, { form }: Flag, given: unknown): unknown {
  const texts = given as readonly string[]
  switch (form) {
    case 'off':
      return false
    case 'clearable':
      return texts.filter((one) => one.trim() !== '')
    case 'years':
      return texts.map((text) => {
        if (/^-?\d{1,4}$/.test(text.trim())) return Number(text)
        if (/^-?\d*\.\.-?\d*$/.test(text.trim())) return text
        throw badInput(`--${name} must be a year such as 2026, or 2018..2022, not "${text}".`)
      })
    case 'pairs':
      return Object.fromEntries(texts.map((text) => readPair(name, text)))
    case 'tests':
      return readTests(name, texts)
    case 'boosts':
      return texts.map(readBoost)
    default:
      return given
  }
}

/** `key=value`; a value that is JSON (a number, true, a list) is read as such, any other is text. */
function readPair(name: string, pair: string): readonly [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw badInput(`--${name} takes key=value, not "${pair}".`)
  return [pair.slice(0, at), readJsonOrText(pair.slice(at + 1))]
}

function readJsonOrText(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return written
  }
}

const SIGNS: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }

/** `status=active`, `year>=2020`, or `due` alone for a key that is there. Several values of a key are alternatives. */
function readTests(name: string, texts: readonly string[]): Record<string, unknown> {
  const tests = new Map<string, unknown>()
  for (const text of texts) {
    const [, key = '', sign, written = ''] = /^([^<>=]+)(?:(>=|<=|>|<|=)(.*))?$/s.exec(text) ?? []
    const isOpen = sign !== undefined && sign !== '=' && written.trim() === ''
    if (key === '' || isOpen || key.endsWith('!')) {
      const hint = 'To leave a value out, write -meta.key:value into the query.'
      throw badInput(`--${name} takes key=value or key>=value, not "${text}".`, hint)
    }
    const value = readJsonOrText(written)
    const comparison = sign === undefined ? { exists: true } : { [SIGNS[sign] ?? '']: value }
    tests.set(key, mergeTests(tests.get(key), sign === '=' ? value : comparison))
  }
  return Object.fromEntries(tests)
}

function mergeTests(known: unknown, added: unknown): unknown {
  if (known === undefined) return added
  return isFields(known) && isFields(added) ? { ...known, ...added } : [known, added].flat()
}

/** `tag:release=1.5`; the value may contain colons and equals signs. */
function readBoost(text: string) {
  const [, field, value, factor] = /^([^:]+):(.+)=([^=]+)$/s.exec(text) ?? []
  if (field === undefined || value === undefined || Number.isNaN(Number(factor))) {
    throw badInput(`--boost takes field:value=factor such as tag:release=1.5, not "${text}".`)
  }
  return { field, value, factor: Number(factor) }
}

/** The name of a part of the input on the command line: `--as-of`, `TEXT`; null if it has none. */
export function nameOption(command: Command, path: readonly string[]): string | null {
  const positional = command.positionals.find(({ key }) => key === path[0])
  if (positional !== undefined) return positional.name
  const wanted = path.join('.')
  const found = Object.entries(command.flags).find(([, flag]) => {
    const own = flag.path?.join('.') ?? ''
    return own !== '' && (`${wanted}.`.startsWith(`${own}.`) || own.startsWith(`${wanted}.`))
  })
  if (found === undefined) return null
  const [name, flag] = found
  const part = flag.form === 'boosts' ? path[flag.path?.length ?? 0] : undefined
  return part === undefined ? `--${name}` : `the ${part} of --${name}`
}

export function writeArguments(command: Command, input: PlainInput): string[] {
  const words = command.positionals.flatMap(
    ({ key = '' }) => (input[key] ?? []) as string | string[],
  )
  const flags = Object.entries(command.flags).flatMap(([name, flag]) =>
    writeFlag(name, flag, readPath(input, flag.path ?? [''])),
  )
  const hasDash = words.some((word) => word.startsWith('-'))
  return hasDash ? [...flags, '--', ...words] : [...words, ...flags]
}

/** A list in place of an object is its first part: `tags: ['a']` means `tags: { any: ['a'] }`. */
function readPath(input: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(input)) return key === 'any' ? input : undefined
  const value = (input as PlainInput | undefined)?.[key]
  return rest.length === 0 ? value : readPath(value, rest)
}

function writeFlag(name: string, { type, form }: Flag, value: unknown): string[] {
  if (value === undefined) return []
  if (type === 'switch') return value === (form !== 'off') ? [`--${name}`] : []
  const texts = writeTexts(form, value)
  // A value that begins with a dash would be taken for the next flag.
  return texts.flatMap((one) => (one.startsWith('-') ? `--${name}=${one}` : [`--${name}`, one]))
}

function writeTexts(form: Flag['form'], value: unknown): string[] {
  if (form === 'pairs' || form === 'tests') {
    return Object.entries(value as object).map(([key, one]) => {
      const isText = typeof one === 'string' && readJsonOrText(one) === one
      return `${key}=${isText ? one : JSON.stringify(one)}`
    })
  }
  if (form === 'boosts') {
    const boosts = value as readonly ReturnType<typeof readBoost>[]
    return boosts.map((boost) => `${boost.field}:${boost.value}=${boost.factor}`)
  }
  const texts = [value].flat().map(String)
  return form === 'clearable' && texts.length === 0 ? [''] : texts
}

/** Arguments as one line for a shell, quoted if the shell would change them. */
export function formatShellLine(args: readonly string[]): string {
  return args.map(quoteForShell).join(' ')
}

export function quoteForShell(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`
}
