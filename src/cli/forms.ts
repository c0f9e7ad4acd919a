/** Each way to say an option with flags reads what was typed and writes what would have been. */

import { badInput } from '../core/errors.js'
import type { Option } from '../operations/operation.js'
import type { Flag, Flags, FlagValues } from './command.js'

/** One key of an input, as flags say it. */
export type Spoken = {
  readonly flags: Flags
  /** Undefined where none of its flags was given. */
  readonly read: (given: FlagValues) => unknown
  readonly write: (value: unknown) => FlagValues
  /** What this part of the value is called: `--no-tag`. */
  readonly nameOf: (path: readonly string[]) => string
}

/** Help, value and what holds without it come from the option; only what is the terminal's own is said here. */
export type Form = (key: string, option: Option) => Spoken
export type Forms<Key extends string = string> = { readonly [K in Key]?: Form }

type Saying = {
  /** Where it is not the key in kebab case, or one of a list. */
  readonly name?: string
  /** Where the flag says something else than the key. */
  readonly help?: string
  readonly choices?: readonly string[]
  /** What a shell offers, where other values may be right too. */
  readonly suggestions?: readonly string[]
  readonly default?: string | number
}

export const text = (saying: Saying = {}): Form => plain('text', saying)
export const number = (saying: Saying = {}): Form => plain('number', saying)
export const list = (saying: Saying = {}): Form => plain('list', saying)

function plain(type: Flag['type'], saying: Saying): Form {
  return (key, option) => {
    const name = saying.name ?? flagName(key, type)
    return {
      flags: { [name]: flagFor(type, option, saying) },
      read: (given) => given[name],
      write: (value) => ({ [name]: value as FlagValues[string] }),
      nameOf: () => `--${name}`,
    }
  }
}

/** A list whose blank member says "none": `--tag ""`. */
export function clearableList(saying: Saying = {}): Form {
  return changed(list(saying), {
    read: (given) => (given as readonly string[]).filter((one) => one.trim() !== ''),
    write: (value) => ((value as readonly string[]).length === 0 ? [''] : value),
  })
}

/** A switch that says true. */
export const on = (saying: Saying = {}): Form => saysOnly(true, saying)
/** A switch that says false, for what is on unless told otherwise. */
export const off = (name: string, help: string): Form => saysOnly(false, { name, help })

function saysOnly(said: boolean, saying: Saying): Form {
  return changed(plain('switch', saying), {
    read: () => said,
    write: (value) => value === said,
  })
}

/** `--prune` says yes and `--no-prune` no; without either something else decides. */
export function onOrOff(noHelp: string): Form {
  return (key, option) => {
    const [yes, no] = [flagName(key, 'switch'), `no-${flagName(key, 'switch')}`]
    return {
      flags: {
        [yes]: flagFor('switch', option, {}),
        [no]: { type: 'switch', help: noHelp },
      },
      read: (given) => {
        if (given[yes] === true && given[no] === true) {
          throw badInput(`Both --${yes} and --${no} were given.`, 'Give one of them.')
        }
        return given[yes] === true ? true : given[no] === true ? false : undefined
      },
      write: (value) => ({ [value === true ? yes : no]: true }),
      nameOf: () => `--${yes}`,
    }
  }
}

/** `--references` alone leaves citations out; with `--citations` beside it both are wanted, as without either. */
export function leftOutBy(other: string, help: string): Form {
  return (key) => {
    const own = flagName(key, 'switch')
    return {
      flags: { [other]: { type: 'switch', help } },
      read: (given) => (given[other] === true && given[own] !== true ? false : undefined),
      write: (value) => ({ [other]: value === false }),
      nameOf: () => `--${own}`,
    }
  }
}

/** One object that several lists make together: tags that are wanted, and tags that are not. */
export function parts(
  named: Readonly<Record<string, { readonly flag: string; readonly help: string }>>,
): Form {
  return (_, { value }) => ({
    flags: Object.fromEntries(
      Object.values(named).map(({ flag, help }) => [
        flag,
        { type: 'list', help, ...(value !== undefined && { value }) },
      ]),
    ),
    read: (given) => {
      const read = Object.entries(named).map(([part, { flag }]) => [part, given[flag]] as const)
      const there = read.filter(([, one]) => one !== undefined)
      return there.length === 0 ? undefined : Object.fromEntries(there)
    },
    write: (value) =>
      Object.fromEntries(
        // A list alone is the first part.
        Array.isArray(value)
          ? [[Object.values(named)[0]?.flag, value]]
          : Object.entries(value as object).map(([part, one]) => [named[part]?.flag, one]),
      ),
    nameOf: ([part = '']) => `--${(named[part] ?? Object.values(named)[0])?.flag}`,
  })
}

/** An object of its own keys, each said by its own flags. */
export function nested(
  speechOfParts: () => {
    readonly flags: Flags
    readonly read: (given: FlagValues) => unknown
    readonly write: (value: Readonly<Record<string, unknown>>) => FlagValues
    readonly nameOf: (path: readonly string[]) => string | null
  },
): Form {
  return (key) => {
    const { flags, read, write, nameOf } = speechOfParts()
    return {
      flags,
      read,
      write: (value) => write(value as Readonly<Record<string, unknown>>),
      nameOf: (path) => nameOf(path) ?? key,
    }
  }
}

/** Numbers in a list, whole and of the calendar. */
export function years(): Form {
  return changed(list(), {
    read: (given) => (given as readonly string[]).map(readYear),
    write: (value) => (value as readonly number[]).map(String),
  })
}

function readYear(text: string): number {
  if (/^-?\d{1,4}$/.test(text.trim())) return Number(text)
  throw badInput(`--year must be a year such as 2026, not "${text}".`)
}

type Boost = { readonly field: string; readonly value: string; readonly factor: number }

export function boosts(): Form {
  const form = changed(list(), {
    read: (given) => (given as readonly string[]).map(readBoost),
    write: (value) =>
      (value as readonly Boost[]).map((one) => `${one.field}:${one.value}=${one.factor}`),
  })
  return (key, option) => ({
    ...form(key, option),
    nameOf: ([part]) => (part === undefined ? '--boost' : `the ${part} of --boost`),
  })
}

/** `tag:release=1.5`; the value may hold colons and equals signs. */
function readBoost(text: string): Boost {
  const [, field, value, factor] = /^([^:]+):(.+)=([^=]+)$/s.exec(text) ?? []
  const by = Number(factor)
  if (field === undefined || value === undefined || Number.isNaN(by)) {
    throw badInput(`--boost takes field:value=factor such as tag:release=1.5, not "${text}".`)
  }
  return { field, value, factor: by }
}

/** `key=value` pairs; a value that reads as JSON (a number, true, a list) is that, anything else is text. */
export function pairs(saying: Saying & { readonly name: string }): Form {
  return changed(list(saying), {
    read: (given) =>
      Object.fromEntries((given as readonly string[]).map((pair) => readPair(saying.name, pair))),
    write: (value) =>
      Object.entries(value as object).map(([key, one]) => `${key}=${writePairValue(one)}`),
  })
}

function readPair(name: string, pair: string): readonly [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw badInput(`--${name} takes key=value, not "${pair}".`)
  return [pair.slice(0, at), readPairValue(pair.slice(at + 1))]
}

function readPairValue(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return written
  }
}

function writePairValue(value: unknown): string {
  const isPlain = typeof value === 'string' && readPairValue(value) === value
  return isPlain ? value : JSON.stringify(value)
}

/** The same flag, with another value behind what was typed. */
function changed(
  form: Form,
  between: {
    readonly read: (given: unknown) => unknown
    readonly write: (value: unknown) => unknown
  },
): Form {
  return (key, option) => {
    const spoken = form(key, option)
    return {
      ...spoken,
      read: (given) => {
        const typed = spoken.read(given)
        return typed === undefined ? undefined : between.read(typed)
      },
      write: (value) => spoken.write(between.write(value)),
    }
  }
}

/** The same forms under a heading of the help. */
export function under<F extends Forms>(section: string, forms: F): F {
  return mapFlags(forms, (flag) => ({ ...flag, section }))
}

/** The same forms where nothing holds in place of what is not said. */
export function withoutDefaults<F extends Forms>(forms: F): F {
  return mapFlags(forms, ({ default: _, ...flag }) => flag)
}

function mapFlags<F extends Forms>(forms: F, change: (flag: Flag) => Flag): F {
  const changedForms = Object.entries(forms).map(([key, form]) => {
    const other: Form = (itsKey, option) => {
      const spoken = (form as Form)(itsKey, option)
      const flags = Object.entries(spoken.flags).map(([name, flag]) => [name, change(flag)])
      return { ...spoken, flags: Object.fromEntries(flags) }
    }
    return [key, other]
  })
  return Object.fromEntries(changedForms)
}

function flagFor(type: Flag['type'], option: Option, saying: Saying): Flag {
  const { help = option.help, choices, suggestions } = saying
  const byDefault = saying.default ?? option.unset
  return {
    type,
    help,
    ...(option.value !== undefined && type !== 'switch' && { value: option.value }),
    ...(byDefault !== undefined && { default: String(byDefault) }),
    ...(choices !== undefined && { choices }),
    ...(suggestions !== undefined && { suggestions }),
  }
}

/** `includeGlobal` → `include-global`; a flag of a list is given once for each: `tags` → `tag`. */
function flagName(key: string, type: Flag['type']): string {
  const kebab = key.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
  return type === 'list' ? kebab.replace(/s$/, '') : kebab
}
